"""settle what leases cost; what ended before is not read again"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("account_pool_lease", schema=None) as batch_op:
        batch_op.add_column(
            sa.Column("settled", sa.Boolean(), server_default=sa.false(), nullable=False)
        )
    lease = sa.table("account_pool_lease", sa.column("settled"), sa.column("ended_at"))
    op.execute(lease.update().where(lease.c.ended_at.is_not(None)).values(settled=sa.true()))


def downgrade() -> None:
    with op.batch_alter_table("account_pool_lease", schema=None) as batch_op:
        batch_op.drop_column("settled")
