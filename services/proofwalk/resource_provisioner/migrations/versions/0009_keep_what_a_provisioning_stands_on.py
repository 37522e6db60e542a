"""keep what a provisioning stands on, and its record's general form

Provisionings of before stand on nothing, and their record is the one that they ran.
"""

import sqlalchemy as sa
from alembic import op

from proofwalk.chassis import database

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_TABLE = "resource_provisioner_provisionings"


def upgrade() -> None:
    with op.batch_alter_table(_TABLE, schema=None) as batch_op:
        batch_op.add_column(sa.Column("general_yaml", sa.Text(), server_default="", nullable=False))
        batch_op.add_column(sa.Column("footings", database.Json(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table(_TABLE, schema=None) as batch_op:
        batch_op.drop_column("footings")
        batch_op.drop_column("general_yaml")
