"""keep what accounts are set aside for and leases are asked for; those of before serve
all, and who waits asks for a verification"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("account_pool_account", schema=None) as batch_op:
        batch_op.add_column(
            sa.Column("site", sa.String(length=64), server_default="", nullable=False)
        )
        batch_op.add_column(
            sa.Column("purposes", sa.String(length=200), server_default="", nullable=False)
        )
    with op.batch_alter_table("account_pool_lease", schema=None) as batch_op:
        batch_op.add_column(
            sa.Column("site", sa.String(length=64), server_default="", nullable=False)
        )
        batch_op.add_column(
            sa.Column("purpose", sa.String(length=32), server_default="", nullable=False)
        )
    with op.batch_alter_table("account_pool_ticket", schema=None) as batch_op:
        batch_op.add_column(
            sa.Column("site", sa.String(length=64), server_default="", nullable=False)
        )
        batch_op.add_column(
            sa.Column(
                "purpose", sa.String(length=32), server_default="verification", nullable=False
            )
        )


def downgrade() -> None:
    with op.batch_alter_table("account_pool_ticket", schema=None) as batch_op:
        batch_op.drop_column("purpose")
        batch_op.drop_column("site")
    with op.batch_alter_table("account_pool_lease", schema=None) as batch_op:
        batch_op.drop_column("purpose")
        batch_op.drop_column("site")
    with op.batch_alter_table("account_pool_account", schema=None) as batch_op:
        batch_op.drop_column("purposes")
        batch_op.drop_column("site")
