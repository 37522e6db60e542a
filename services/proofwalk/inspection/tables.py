"""The inspection role's tables.

`collections` is what is inspected, and when next; `inspections` its runs with their
claims (holder, epoch, expiry); `items` what became of each procedure in a run, kept:
they are the history that the next run is planned from. `principal` names who a
collection belongs to; what hangs on a collection belongs to the same. `ordered` is its
order (`orders.stored`). One row an inspection is made for a turn of the schedule,
whoever takes it: (`collection_id`, `scheduled_for`) is unique. All SQL over them is in
`repository` and `item_repository`.
"""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from proofwalk.chassis.database import Json, UtcDateTime, role_metadata

METADATA = role_metadata()

collections = Table(
    "inspection_collections",
    METADATA,
    Column("id", String(64), primary_key=True),
    Column("principal", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("source", Json, nullable=False),
    Column("ordered", Json, nullable=False),
    Column("budget_walks", Integer, nullable=False),
    Column("budget_cost", Float, nullable=False),
    Column("budget_seconds", Float, nullable=False),
    Column("cron", String(500), nullable=False),
    Column("time_zone", String(64), nullable=False),
    Column("paused", Boolean, nullable=False),
    Column("weights", Json, nullable=False),
    Column("concurrency", Integer, nullable=False),
    Column("refresh_s", Float, nullable=False),
    Column("never_replay", Boolean, nullable=False),
    Column("all_procedures", Boolean, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("next_run_at", UtcDateTime),
    Column("schedule_epoch", Integer, nullable=False),
    UniqueConstraint("principal", "name"),
    Index("ix_inspection_collections_next", "next_run_at"),
)

inspections = Table(
    "inspection_inspections",
    METADATA,
    Column("id", String(64), primary_key=True),
    Column("collection_id", String(64), ForeignKey("inspection_collections.id"), nullable=False),
    Column("principal", Text, nullable=False),
    Column("state", String(16), nullable=False),
    Column("started_by", String(16), nullable=False),
    Column("everything", Boolean, nullable=False),
    Column("scheduled_for", UtcDateTime),
    Column("created_at", UtcDateTime, nullable=False),
    Column("started_at", UtcDateTime),
    Column("finished_at", UtcDateTime),
    Column("code", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("claim_holder", String(128), nullable=False),
    Column("claim_epoch", Integer, nullable=False),
    Column("claim_expires_at", UtcDateTime),
    CheckConstraint(
        "state in ('planned','running','cancelling','finished','cancelled')", name="state"
    ),
    CheckConstraint(
        "(state in ('finished','cancelled')) = (finished_at is not null)", name="finished"
    ),
    UniqueConstraint("collection_id", "scheduled_for"),
    Index("ix_inspection_inspections_state", "state", "claim_expires_at"),
    Index("ix_inspection_inspections_collection", "collection_id", "created_at", "id"),
    Index("ix_inspection_inspections_owner", "principal", "created_at", "id"),
)

items = Table(
    "inspection_items",
    METADATA,
    Column("inspection_id", String(64), ForeignKey("inspection_inspections.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("collection_id", String(64), ForeignKey("inspection_collections.id"), nullable=False),
    Column("procedure_id", Text, nullable=False),
    Column("page", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("due", String(16), nullable=False),
    Column("state", String(16), nullable=False),
    Column("why", Text, nullable=False),
    Column("code", Text, nullable=False),
    Column("how", String(16), nullable=False),
    Column("verification_id", String(64), nullable=False),
    Column("inputs", Json, nullable=False),
    Column("changed", Json, nullable=False),
    Column("expected_s", Float),
    Column("expected_cost", Float),
    Column("outcome", String(16), nullable=False),
    Column("reason", Text, nullable=False),
    Column("cost", Float, nullable=False),
    Column("seconds", Float, nullable=False),
    Column("asked_at", UtcDateTime),
    Column("finished_at", UtcDateTime),
    CheckConstraint("state in ('waiting','asked','done','skipped')", name="state"),
    CheckConstraint("(state = 'done') = (outcome <> '')", name="outcome"),
    UniqueConstraint("inspection_id", "procedure_id"),
    Index("ix_inspection_items_procedure", "collection_id", "procedure_id", "finished_at"),
    Index("ix_inspection_items_state", "inspection_id", "state"),
    Index("ix_inspection_items_verification", "verification_id"),
)
