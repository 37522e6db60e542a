"""Tables of webhooks: `webhooks` is who is told of what, with its sealed secret;
`webhook_deliveries` one row for each event and webhook, written in the transaction that
makes the event. `principal` names who a webhook belongs to; its deliveries belong to
the same. All SQL over them is in `webhook_repository`."""

from __future__ import annotations

from sqlalchemy import (
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Text,
)

from proofwalk.chassis.database import Json, UtcDateTime
from proofwalk.inspection.tables import METADATA

webhooks = Table(
    "inspection_webhooks",
    METADATA,
    Column("webhook_id", String(40), primary_key=True),
    Column("principal", Text, nullable=False, index=True),
    Column("url", Text, nullable=False),
    Column("events", Json, nullable=False),
    Column("description", Text, nullable=False),
    Column("secret", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("disabled_at", UtcDateTime),
    Column("disabled_reason", Text, nullable=False),
    Column("failing_since", UtcDateTime),
)

webhook_deliveries = Table(
    "inspection_webhook_deliveries",
    METADATA,
    Column("delivery_id", String(40), primary_key=True),
    Column("webhook_id", String(40), ForeignKey("inspection_webhooks.webhook_id"), nullable=False),
    Column("principal", Text, nullable=False),
    Column("event", String(40), nullable=False),
    Column("body", Text, nullable=False),
    Column("state", String(16), nullable=False),
    Column("tries", Integer, nullable=False),
    Column("due_at", UtcDateTime, nullable=False),
    Column("claimed_until", UtcDateTime),
    Column("created_at", UtcDateTime, nullable=False),
    Column("ended_at", UtcDateTime),
    Column("status", Integer, nullable=False),
    Column("reason", Text, nullable=False),
    CheckConstraint("state in ('pending','delivered','failed')", name="state"),
    Index("ix_inspection_webhook_deliveries_due", "state", "due_at"),
    Index("ix_inspection_webhook_deliveries_webhook", "webhook_id", "created_at", "delivery_id"),
)
