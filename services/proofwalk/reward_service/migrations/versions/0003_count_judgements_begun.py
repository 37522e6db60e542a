"""count judgements begun"""

import sqlalchemy as sa
from alembic import op

from proofwalk.chassis import database

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "reward_service_begun",
        sa.Column("request_id", sa.String(length=200), nullable=False),
        sa.Column("times", sa.Integer(), nullable=False),
        sa.Column("begun_at", database.UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("request_id", name=op.f("pk_reward_service_begun")),
    )
    with op.batch_alter_table("reward_service_begun", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_reward_service_begun_begun_at"), ["begun_at"], unique=False
        )


def downgrade() -> None:
    with op.batch_alter_table("reward_service_begun", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_reward_service_begun_begun_at"))

    op.drop_table("reward_service_begun")
