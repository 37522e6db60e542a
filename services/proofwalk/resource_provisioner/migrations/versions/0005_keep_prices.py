"""keep what a plan costs, and what its request lets it cost"""

import sqlalchemy as sa
from alembic import op

from proofwalk.chassis import database

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_TABLE = "resource_provisioner_provisionings"


def upgrade() -> None:
    with op.batch_alter_table(_TABLE, schema=None) as batch_op:
        for name in ("max_per_hour", "max_at_once"):
            batch_op.add_column(sa.Column(name, sa.Float(), server_default="0", nullable=False))
        batch_op.add_column(sa.Column("price", database.Json(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table(_TABLE, schema=None) as batch_op:
        for name in ("price", "max_at_once", "max_per_hour"):
            batch_op.drop_column(name)
