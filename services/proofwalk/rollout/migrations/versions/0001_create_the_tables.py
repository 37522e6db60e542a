"""create the tables"""

import sqlalchemy as sa
from alembic import op

from proofwalk.chassis import database

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    _create_verifications()
    _create_episodes()
    _create_events()
    _create_intents()
    _create_steps()


def _create_verifications() -> None:
    op.create_table(
        "rollout_verifications",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("request_digest", sa.String(length=64), nullable=False),
        sa.Column("document_name", sa.Text(), nullable=False),
        sa.Column("document_digest", sa.String(length=64), nullable=False),
        sa.Column("document_title", sa.Text(), nullable=False),
        sa.Column("media_type", sa.String(length=64), nullable=False),
        sa.Column("procedure_id", sa.Text(), nullable=False),
        sa.Column("target", sa.String(length=128), nullable=False),
        sa.Column("policy", sa.String(length=64), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("meta_yaml", sa.Text(), nullable=False),
        sa.Column("meta_id", sa.Text(), nullable=False),
        sa.Column("rule_yaml", sa.Text(), nullable=False),
        sa.Column("region", sa.String(length=64), nullable=False),
        sa.Column("principal", sa.Text(), nullable=False),
        sa.Column("created_at", database.UtcDateTime(timezone=True), nullable=False),
        sa.Column("finished_at", database.UtcDateTime(timezone=True), nullable=True),
        sa.Column("cancel_requested_at", database.UtcDateTime(timezone=True), nullable=True),
        sa.Column("claim_holder", sa.String(length=128), nullable=False),
        sa.Column("claim_epoch", sa.Integer(), nullable=False),
        sa.Column("claim_expires_at", database.UtcDateTime(timezone=True), nullable=True),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("total", sa.Integer(), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("event_count", sa.Integer(), nullable=False),
        sa.Column("verdict", database.Json, nullable=True),
        sa.CheckConstraint(
            "(state = 'finished') = (finished_at is not null)",
            name=op.f("ck_rollout_verifications_finished"),
        ),
        sa.CheckConstraint(
            "state in ('queued','running','cancelling','finished')",
            name=op.f("ck_rollout_verifications_state"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rollout_verifications")),
    )
    with op.batch_alter_table("rollout_verifications", schema=None) as batch_op:
        batch_op.create_index(
            "ix_rollout_verifications_created", ["created_at", "id"], unique=False
        )
        batch_op.create_index(
            "ix_rollout_verifications_state", ["state", "claim_expires_at"], unique=False
        )


def _create_episodes() -> None:
    op.create_table(
        "rollout_episodes",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("verification_id", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("phase", sa.String(length=16), nullable=False),
        sa.Column("facts", database.Json, nullable=False),
        sa.Column("outcome", sa.String(length=16), nullable=False),
        sa.Column("cause", sa.String(length=16), nullable=False),
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("reward", sa.Float(), nullable=True),
        sa.Column("lost", sa.Boolean(), nullable=False),
        sa.Column("steps", sa.Integer(), nullable=False),
        sa.Column("started_at", database.UtcDateTime(timezone=True), nullable=False),
        sa.Column("finished_at", database.UtcDateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "(phase = 'done') = (finished_at is not null)",
            name=op.f("ck_rollout_episodes_finished"),
        ),
        sa.ForeignKeyConstraint(
            ["verification_id"],
            ["rollout_verifications.id"],
            name=op.f("fk_rollout_episodes_verification_id"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rollout_episodes")),
        sa.UniqueConstraint(
            "verification_id", "number", name=op.f("uq_rollout_episodes_verification_id_number")
        ),
    )


def _create_events() -> None:
    op.create_table(
        "rollout_events",
        sa.Column("verification_id", sa.String(length=64), nullable=False),
        sa.Column("sequence", sa.Integer(), nullable=False),
        sa.Column("type", sa.String(length=64), nullable=False),
        sa.Column("time", database.UtcDateTime(timezone=True), nullable=False),
        sa.Column("episode_id", sa.String(length=64), nullable=False),
        sa.Column("data", database.Json, nullable=False),
        sa.ForeignKeyConstraint(
            ["verification_id"],
            ["rollout_verifications.id"],
            name=op.f("fk_rollout_events_verification_id"),
        ),
        sa.PrimaryKeyConstraint("verification_id", "sequence", name=op.f("pk_rollout_events")),
    )


def _create_intents() -> None:
    op.create_table(
        "rollout_intents",
        sa.Column("episode_id", sa.String(length=64), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("result", database.Json, nullable=False),
        sa.Column("created_at", database.UtcDateTime(timezone=True), nullable=False),
        sa.Column("updated_at", database.UtcDateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "state in ('intended','done','undone')", name=op.f("ck_rollout_intents_state")
        ),
        sa.ForeignKeyConstraint(
            ["episode_id"], ["rollout_episodes.id"], name=op.f("fk_rollout_intents_episode_id")
        ),
        sa.PrimaryKeyConstraint("episode_id", "key", name=op.f("pk_rollout_intents")),
    )


def _create_steps() -> None:
    op.create_table(
        "rollout_steps",
        sa.Column("episode_id", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("substep", sa.String(length=32), nullable=False),
        sa.Column("thought", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("result", sa.Text(), nullable=False),
        sa.Column("ok", sa.Boolean(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("screenshot", sa.String(length=64), nullable=False),
        sa.Column("started_at", database.UtcDateTime(timezone=True), nullable=False),
        sa.Column("ended_at", database.UtcDateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["episode_id"], ["rollout_episodes.id"], name=op.f("fk_rollout_steps_episode_id")
        ),
        sa.PrimaryKeyConstraint("episode_id", "number", name=op.f("pk_rollout_steps")),
    )


def downgrade() -> None:
    op.drop_table("rollout_steps")
    op.drop_table("rollout_intents")
    op.drop_table("rollout_events")
    op.drop_table("rollout_episodes")
    with op.batch_alter_table("rollout_verifications", schema=None) as batch_op:
        batch_op.drop_index("ix_rollout_verifications_state")
        batch_op.drop_index("ix_rollout_verifications_created")

    op.drop_table("rollout_verifications")
