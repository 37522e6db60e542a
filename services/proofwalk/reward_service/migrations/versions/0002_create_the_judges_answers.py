"""create the judges' answers"""

import sqlalchemy as sa
from alembic import op

from proofwalk.chassis import database

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "reward_service_judge_answer",
        sa.Column("request_id", sa.String(length=200), nullable=False),
        sa.Column("family", sa.String(length=40), nullable=False),
        sa.Column("judge", sa.String(length=200), nullable=False),
        sa.Column("model", sa.String(length=200), nullable=False),
        sa.Column("verdict", sa.String(length=20), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("substeps", database.Json, nullable=False),
        sa.Column("evidence", database.Json, nullable=False),
        sa.Column("calls", sa.Integer(), nullable=False),
        sa.Column("malformed", sa.Integer(), nullable=False),
        sa.Column("tokens_in", sa.Integer(), nullable=False),
        sa.Column("tokens_out", sa.Integer(), nullable=False),
        sa.Column("tokens_cached", sa.Integer(), nullable=False),
        sa.Column("cost", sa.Float(), nullable=False),
        sa.Column("currency", sa.String(length=3), nullable=False),
        sa.Column("answered_at", database.UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint(
            "request_id", "family", name=op.f("pk_reward_service_judge_answer")
        ),
    )
    with op.batch_alter_table("reward_service_judge_answer", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_reward_service_judge_answer_answered_at"), ["answered_at"], unique=False
        )


def downgrade() -> None:
    with op.batch_alter_table("reward_service_judge_answer", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_reward_service_judge_answer_answered_at"))

    op.drop_table("reward_service_judge_answer")
