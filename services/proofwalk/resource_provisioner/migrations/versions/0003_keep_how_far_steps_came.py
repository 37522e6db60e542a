"""keep how far META's steps came: how many have begun, and how many have ended"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_TABLE = "resource_provisioner_provisionings"


def upgrade() -> None:
    with op.batch_alter_table(_TABLE, schema=None) as batch_op:
        for name in ("steps_begun", "steps_ended"):
            batch_op.add_column(sa.Column(name, sa.Integer(), server_default="0", nullable=False))


def downgrade() -> None:
    with op.batch_alter_table(_TABLE, schema=None) as batch_op:
        for name in ("steps_ended", "steps_begun"):
            batch_op.drop_column(name)
