"""keep the role of each account"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("account_pool_account", schema=None) as batch_op:
        batch_op.add_column(
            sa.Column("role", sa.String(length=64), server_default="", nullable=False)
        )


def downgrade() -> None:
    with op.batch_alter_table("account_pool_account", schema=None) as batch_op:
        batch_op.drop_column("role")
