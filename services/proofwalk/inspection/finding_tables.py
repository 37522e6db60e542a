"""Tables of findings: `findings` is where each is now, with the version that decisions
name; `finding_events` what led there, only ever appended; `finding_sightings` the
verifications that saw it, one row each, which is why a verification can be taken in
twice. `principal` names who a finding belongs to; its events and sightings belong to
the same. All SQL over them is in `finding_repository`."""

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
    UniqueConstraint,
)

from proofwalk.chassis.database import Json, UtcDateTime
from proofwalk.inspection.tables import METADATA

findings = Table(
    "inspection_findings",
    METADATA,
    Column("id", String(40), primary_key=True),
    Column("principal", Text, nullable=False),
    Column("fingerprint", String(40), nullable=False),
    Column("target", Text, nullable=False),
    Column("document", Text, nullable=False),
    Column("document_key", Text, nullable=False),
    Column("procedure_id", Text, nullable=False),
    Column("product", Text, nullable=False),
    Column("policy", Text, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("certainty", String(16), nullable=False),
    Column("wording", Json, nullable=False),
    Column("state", String(16), nullable=False),
    Column("review", String(16), nullable=False),
    Column("assignee", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("sightings", Integer, nullable=False),
    Column("as_of", UtcDateTime, nullable=False),
    Column("proof", String(64), nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("seen_at", UtcDateTime, nullable=False),
    CheckConstraint("state in ('open','accepted','rejected','fixed','reopened')", name="state"),
    CheckConstraint("review in ('none','accepted','rejected')", name="review"),
    UniqueConstraint("principal", "fingerprint"),
    Index("ix_inspection_findings_owner", "principal", "created_at", "id"),
    Index("ix_inspection_findings_created", "created_at", "id"),
    Index("ix_inspection_findings_state", "state", "created_at"),
    Index(
        "ix_inspection_findings_procedure",
        "principal",
        "target",
        "document_key",
        "procedure_id",
    ),
)

finding_events = Table(
    "inspection_finding_events",
    METADATA,
    Column("finding_id", String(40), ForeignKey("inspection_findings.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("act", String(16), nullable=False),
    Column("state", String(16), nullable=False),
    Column("at", UtcDateTime, nullable=False),
    Column("actor", Text, nullable=False),
    Column("words", Text, nullable=False),
    Column("verification_id", String(64), nullable=False),
)

finding_sightings = Table(
    "inspection_finding_sightings",
    METADATA,
    Column("finding_id", String(40), ForeignKey("inspection_findings.id"), primary_key=True),
    Column("verification_id", String(64), primary_key=True),
    Column("at", UtcDateTime, nullable=False),
    Column("policy", Text, nullable=False),
    Column("certainty", String(16), nullable=False),
    Column("line", Integer, nullable=False),
    Column("message", Text, nullable=False),
    Index("ix_inspection_finding_sightings_at", "finding_id", "at"),
)
