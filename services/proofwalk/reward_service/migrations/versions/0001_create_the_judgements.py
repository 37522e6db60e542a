"""create the judgements"""

import sqlalchemy as sa
from alembic import op

from proofwalk.chassis import database

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "reward_service_judgement",
        sa.Column("request_id", sa.String(length=200), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("target", sa.String(length=64), nullable=False),
        sa.Column("rule", sa.String(length=120), nullable=False),
        sa.Column("rule_yaml", sa.Text(), nullable=False),
        sa.Column("outputs", database.Json, nullable=False),
        sa.Column("start", database.UtcDateTime(), nullable=False),
        sa.Column("end", database.UtcDateTime(), nullable=False),
        sa.Column("delta_s", sa.Float(), nullable=False),
        sa.Column("decision", sa.String(length=20), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("matched", database.Json, nullable=False),
        sa.Column("missing", database.Json, nullable=False),
        sa.Column("violations", database.Json, nullable=False),
        sa.Column("events", database.Json, nullable=False),
        sa.Column("complete", sa.Boolean(), nullable=False),
        sa.Column("polls", sa.Integer(), nullable=False),
        sa.Column("judged_at", database.UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("request_id", name=op.f("pk_reward_service_judgement")),
    )
    with op.batch_alter_table("reward_service_judgement", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_reward_service_judgement_judged_at"), ["judged_at"], unique=False
        )


def downgrade() -> None:
    with op.batch_alter_table("reward_service_judgement", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_reward_service_judgement_judged_at"))

    op.drop_table("reward_service_judgement")
