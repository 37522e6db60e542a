"""keep groups"""

import sqlalchemy as sa
from alembic import op

from proofwalk.chassis.database import UtcDateTime

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "rollout_groups",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("request_digest", sa.String(length=64), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("finished", sa.Integer(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.CheckConstraint(
            "finished >= 0 and finished <= size", name=op.f("ck_rollout_groups_finished")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rollout_groups")),
    )
    with op.batch_alter_table("rollout_verifications", schema=None) as batch_op:
        batch_op.add_column(
            sa.Column("group_id", sa.String(length=64), server_default="", nullable=False)
        )
        batch_op.add_column(
            sa.Column("group_number", sa.Integer(), server_default="0", nullable=False)
        )
        batch_op.add_column(sa.Column("group_sequence", sa.Integer(), nullable=True))
        batch_op.add_column(sa.Column("temperature", sa.Float(), nullable=True))
    op.create_index(
        "ix_rollout_verifications_group", "rollout_verifications", ["group_id", "created_at", "id"]
    )


def downgrade() -> None:
    op.drop_index("ix_rollout_verifications_group", table_name="rollout_verifications")
    with op.batch_alter_table("rollout_verifications", schema=None) as batch_op:
        batch_op.drop_column("temperature")
        batch_op.drop_column("group_sequence")
        batch_op.drop_column("group_number")
        batch_op.drop_column("group_id")
    op.drop_table("rollout_groups")
