"""keep what leases cost, and what accounts have left"""

import sqlalchemy as sa
from alembic import op

from proofwalk.chassis import database

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("account_pool_account", schema=None) as batch_op:
        batch_op.add_column(sa.Column("balance_micros", sa.BigInteger(), nullable=True))
        batch_op.add_column(
            sa.Column("currency", sa.String(length=3), server_default="", nullable=False)
        )
    with op.batch_alter_table("account_pool_lease", schema=None) as batch_op:
        batch_op.add_column(sa.Column("cost_micros", sa.BigInteger(), nullable=True))
        batch_op.add_column(
            sa.Column("currency", sa.String(length=3), server_default="", nullable=False)
        )
        batch_op.add_column(sa.Column("max_cost_micros", sa.BigInteger(), nullable=True))
        batch_op.add_column(sa.Column("costed_at", database.UtcDateTime(), nullable=True))
        batch_op.add_column(
            sa.Column("ending", sa.String(length=64), server_default="", nullable=False)
        )


def downgrade() -> None:
    with op.batch_alter_table("account_pool_lease", schema=None) as batch_op:
        for name in ("ending", "costed_at", "max_cost_micros", "currency", "cost_micros"):
            batch_op.drop_column(name)
    with op.batch_alter_table("account_pool_account", schema=None) as batch_op:
        batch_op.drop_column("currency")
        batch_op.drop_column("balance_micros")
