"""keep until when a provisioning stands; one of before stands as long as its lease"""

import sqlalchemy as sa
from alembic import op

from proofwalk.chassis import database

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_TABLE = "resource_provisioner_provisionings"
_INDEX = "ix_resource_provisioner_provisionings_expires_at"


def upgrade() -> None:
    with op.batch_alter_table(_TABLE, schema=None) as batch_op:
        batch_op.add_column(sa.Column("expires_at", database.UtcDateTime(), nullable=True))
        batch_op.create_index(_INDEX, ["expires_at"])


def downgrade() -> None:
    with op.batch_alter_table(_TABLE, schema=None) as batch_op:
        batch_op.drop_index(_INDEX)
        batch_op.drop_column("expires_at")
