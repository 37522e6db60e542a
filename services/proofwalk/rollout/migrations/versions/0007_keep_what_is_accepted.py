"""keep what is accepted as proof"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("rollout_verifications", schema=None) as batch_op:
        batch_op.add_column(
            sa.Column("accept", sa.String(length=16), server_default="page", nullable=False)
        )


def downgrade() -> None:
    with op.batch_alter_table("rollout_verifications", schema=None) as batch_op:
        batch_op.drop_column("accept")
