"""keep traces on request"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("rollout_verifications", schema=None) as batch_op:
        batch_op.add_column(
            sa.Column("trace", sa.Boolean(), server_default=sa.false(), nullable=False)
        )


def downgrade() -> None:
    with op.batch_alter_table("rollout_verifications", schema=None) as batch_op:
        batch_op.drop_column("trace")
