"""The rollout role's tables.

`verifications` is the job with its claim (holder, epoch, expiry); `episodes` its
attempts; `intents` one row per side effect of an episode, written before the effect;
`events` the append-only history that SSE resumes from, numbered without gaps per
verification; `steps` what the agent saw and did, with screenshots as content addresses;
`scripts` the verified walks, compiled for replay, one for each principal, target,
procedure, document and policy; `groups` verifications of one task for training.
`principal` names who a row belongs to; what hangs on a row (episodes, events, steps)
belongs to the same. `ordered` is the order that a verification was made from
(`orders.stored`): an option that is added is no column. All SQL over them is in
`repository` and `group_repository`.
"""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Computed,
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

groups = Table(
    "rollout_groups",
    METADATA,
    Column("id", String(64), primary_key=True),
    Column("request_digest", String(64), nullable=False),
    Column("principal", Text, nullable=False, default="", server_default=""),
    Column("size", Integer, nullable=False),
    Column("finished", Integer, nullable=False, default=0),
    Column("created_at", UtcDateTime, nullable=False),
    CheckConstraint("finished >= 0 and finished <= size", name="finished"),
)

verifications = Table(
    "rollout_verifications",
    METADATA,
    Column("id", String(64), primary_key=True),
    Column("state", String(16), nullable=False),
    Column("request_digest", String(64), nullable=False),
    Column("document_name", Text, nullable=False),
    Column("document_digest", String(64), nullable=False),
    Column("document_title", Text, nullable=False),
    Column("media_type", String(64), nullable=False),
    Column("procedure_id", Text, nullable=False),
    Column("ordered", Json, nullable=False),
    Column("signed_in_as", Json),
    Column("kept_meta", String(160), nullable=False, default="", server_default=""),
    Column("principal", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("finished_at", UtcDateTime),
    Column("cancel_requested_at", UtcDateTime),
    Column("claim_holder", String(128), nullable=False, default=""),
    Column("claim_epoch", Integer, nullable=False, default=0),
    Column("claim_expires_at", UtcDateTime),
    Column("done", Integer, nullable=False, default=0),
    Column("total", Integer, nullable=False, default=0),
    Column("message", Text, nullable=False, default=""),
    Column("event_count", Integer, nullable=False, default=0),
    Column("verdict", Json),
    Column("outcome", Text, Computed("verdict ->> 'outcome'", persisted=True)),
    Column("target", Text, Computed("ordered ->> 'target'", persisted=True)),
    Column("group_id", String(64), nullable=False, default="", server_default=""),
    Column("group_number", Integer, nullable=False, default=0, server_default="0"),
    Column("group_sequence", Integer),
    Column("temperature", Float),
    CheckConstraint("state in ('queued','running','cancelling','finished')", name="state"),
    CheckConstraint("(state = 'finished') = (finished_at is not null)", name="finished"),
    Index("ix_rollout_verifications_state", "state", "claim_expires_at"),
    Index("ix_rollout_verifications_created", "created_at", "id"),
    Index("ix_rollout_verifications_finished", "finished_at"),
    Index("ix_rollout_verifications_outcome", "outcome", "created_at", "id"),
    Index("ix_rollout_verifications_target", "target", "created_at", "id"),
    Index("ix_rollout_verifications_group", "group_id", "created_at", "id"),
    Index("ix_rollout_verifications_owner", "principal", "created_at", "id"),
    Index("ix_rollout_verifications_unfinished", "principal", "state"),
)

episodes = Table(
    "rollout_episodes",
    METADATA,
    Column("id", String(64), primary_key=True),
    Column("verification_id", String(64), ForeignKey("rollout_verifications.id"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("phase", String(16), nullable=False),
    Column("facts", Json, nullable=False),
    Column("outcome", String(16), nullable=False, default=""),
    Column("cause", String(16), nullable=False, default=""),
    Column("code", Text, nullable=False, default=""),
    Column("reason", Text, nullable=False, default=""),
    Column("lost", Boolean, nullable=False, default=False),
    Column("steps", Integer, nullable=False, default=0),
    Column("started_at", UtcDateTime, nullable=False),
    Column("finished_at", UtcDateTime),
    UniqueConstraint("verification_id", "number"),
    CheckConstraint("(phase = 'done') = (finished_at is not null)", name="finished"),
)

intents = Table(
    "rollout_intents",
    METADATA,
    Column("episode_id", String(64), ForeignKey("rollout_episodes.id"), primary_key=True),
    Column("key", String(64), primary_key=True),
    Column("state", String(16), nullable=False),
    Column("result", Json, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
    CheckConstraint("state in ('intended','done','undone')", name="state"),
)

scripts = Table(
    "rollout_scripts",
    METADATA,
    Column("principal", Text, primary_key=True, default="", server_default=""),
    Column("target", String(128), primary_key=True),
    Column("procedure_id", Text, primary_key=True),
    Column("document_digest", String(64), primary_key=True),
    Column("policy", String(64), primary_key=True),
    Column("script", Text, nullable=False),
    Column("verification_id", String(64), nullable=False),
    Column("episode_id", String(64), nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Index("ix_rollout_scripts_verification", "verification_id"),
)

events = Table(
    "rollout_events",
    METADATA,
    Column("verification_id", String(64), ForeignKey("rollout_verifications.id"), primary_key=True),
    Column("sequence", Integer, primary_key=True),
    Column("type", String(64), nullable=False),
    Column("time", UtcDateTime, nullable=False),
    Column("episode_id", String(64), nullable=False, default=""),
    Column("data", Json, nullable=False),
)

steps = Table(
    "rollout_steps",
    METADATA,
    Column("episode_id", String(64), ForeignKey("rollout_episodes.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("substep", String(32), nullable=False),
    Column("thought", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("result", Text, nullable=False),
    Column("ok", Boolean, nullable=False),
    Column("url", Text, nullable=False),
    Column("screenshot", String(64), nullable=False, default=""),
    Column("started_at", UtcDateTime, nullable=False),
    Column("ended_at", UtcDateTime, nullable=False),
)
