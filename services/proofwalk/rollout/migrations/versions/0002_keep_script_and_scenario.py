"""keep script and scenario"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("rollout_verifications", schema=None) as batch_op:
        batch_op.add_column(sa.Column("script_yaml", sa.Text(), server_default="", nullable=False))
        batch_op.add_column(
            sa.Column("scenario", sa.String(length=128), server_default="", nullable=False)
        )


def downgrade() -> None:
    with op.batch_alter_table("rollout_verifications", schema=None) as batch_op:
        batch_op.drop_column("scenario")
        batch_op.drop_column("script_yaml")
