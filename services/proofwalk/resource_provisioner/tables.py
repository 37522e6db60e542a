"""The resource provisioner's tables: META records by id and digest, numbered;
provisionings by request; trials of records. All SQL over them is in `repository` and
`trial_repository`."""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
)

from proofwalk.chassis.database import Json, UtcDateTime, role_metadata

METADATA = role_metadata()

metas = Table(
    "resource_provisioner_metas",
    METADATA,
    Column("id", String(128), primary_key=True),
    Column("digest", String(64), primary_key=True),
    Column("yaml", Text, nullable=False),
    Column("origin", String(16), nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("version", Integer, nullable=False),
    Column("target_kind", String(128), nullable=False, server_default=""),
    Column("product", String(64), nullable=False, server_default=""),
    Column("document_digest", String(64), nullable=False, server_default=""),
    Column("intent", String(200), nullable=False, server_default=""),
    Column("state", String(16), nullable=False, server_default=""),
    Column("state_run", String(255), nullable=False, server_default=""),
    Column("state_at", UtcDateTime, nullable=False),
    Column("state_reason", String(500), nullable=False, server_default=""),
    Column("checked_at", UtcDateTime, nullable=False),
    Column("writer", String(64), nullable=False, server_default=""),
    Column("run", String(255), nullable=False, server_default=""),
    Column("provider_version", String(64), nullable=False, server_default=""),
    UniqueConstraint("id", "version"),
    Index("ix_resource_provisioner_metas_document", "document_digest"),
    Index("ix_resource_provisioner_metas_intent", "product", "intent"),
    Index("ix_resource_provisioner_metas_checked", "checked_at"),
)

provisionings = Table(
    "resource_provisioner_provisionings",
    METADATA,
    Column("id", String(64), primary_key=True),
    Column("request_id", String(255), nullable=False, unique=True),
    Column("lease_id", String(64), nullable=False),
    Column("lease_epoch", Integer, nullable=False),
    Column("target", String(128), nullable=False),
    Column("region", String(64), nullable=False),
    Column("meta_yaml", Text, nullable=False),
    Column("name_prefix", String(32), nullable=False),
    Column("state", String(16), nullable=False),
    Column("outputs", Json, nullable=False),
    Column("resources", Json, nullable=False),
    Column("error_code", Text, nullable=False),
    Column("error_message", Text, nullable=False),
    Column("error_status", String(32), nullable=False, default="", server_default=""),
    Column("error_retryable", Boolean, nullable=False, default=False, server_default=false()),
    Column("error_cause", String(16), nullable=False, default="", server_default=""),
    Column("steps_begun", Integer, nullable=False, default=0, server_default="0"),
    Column("steps_ended", Integer, nullable=False, default=0, server_default="0"),
    Column("max_per_hour", Float, nullable=False, default=0.0, server_default="0"),
    Column("max_at_once", Float, nullable=False, default=0.0, server_default="0"),
    Column("price", Json, nullable=True),
    Column("expires_at", UtcDateTime, nullable=True),
    Column("general_yaml", Text, nullable=False, default="", server_default=""),
    Column("footings", Json, nullable=True),
    Column("created_at", UtcDateTime, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
    Column("seconds", Float, nullable=False),
    Index("ix_resource_provisioner_provisionings_lease", "lease_id"),
    Index("ix_resource_provisioner_provisionings_state", "state"),
    Index("ix_resource_provisioner_provisionings_expires_at", "expires_at"),
)

trials = Table(
    "resource_provisioner_trials",
    METADATA,
    Column("id", String(64), primary_key=True),
    Column("meta_id", String(128), nullable=False),
    Column("version", Integer, nullable=False),
    Column("target", String(128), nullable=False),
    Column("asked_by", String(255), nullable=False),
    Column("stage", String(16), nullable=False),
    Column("end", String(16), nullable=False),
    Column("error_code", Text, nullable=False),
    Column("error_message", Text, nullable=False),
    Column("provisioning_id", String(64), nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("started_at", UtcDateTime, nullable=True),
    Column("ended_at", UtcDateTime, nullable=True),
    Index("ix_resource_provisioner_trials_meta", "meta_id", "id"),
    Index("ix_resource_provisioner_trials_stage", "stage"),
)
