"""keep when META records were last looked at, and why they are stale

Records of before were looked at when they came to be in their state.
"""

import sqlalchemy as sa
from alembic import op

from proofwalk.chassis import database

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_TABLE = "resource_provisioner_metas"


def upgrade() -> None:
    with op.batch_alter_table(_TABLE, schema=None) as batch_op:
        batch_op.add_column(
            sa.Column("state_reason", sa.String(length=500), server_default="", nullable=False)
        )
        batch_op.add_column(sa.Column("checked_at", database.UtcDateTime(), nullable=True))
    metas = sa.table(
        _TABLE,
        sa.column("state_at", database.UtcDateTime()),
        sa.column("checked_at", database.UtcDateTime()),
    )
    op.get_bind().execute(metas.update().values(checked_at=metas.c.state_at))
    with op.batch_alter_table(_TABLE, schema=None) as batch_op:
        batch_op.alter_column("checked_at", existing_type=database.UtcDateTime(), nullable=False)
        batch_op.create_index("ix_resource_provisioner_metas_checked", ["checked_at"])


def downgrade() -> None:
    with op.batch_alter_table(_TABLE, schema=None) as batch_op:
        batch_op.drop_index("ix_resource_provisioner_metas_checked")
        batch_op.drop_column("checked_at")
        batch_op.drop_column("state_reason")
