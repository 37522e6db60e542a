"""keep when credentials were replaced; of those of before nobody knows"""

import sqlalchemy as sa
from alembic import op

from proofwalk.chassis import database

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("account_pool_account", schema=None) as batch_op:
        batch_op.add_column(sa.Column("rotated_at", database.UtcDateTime(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("account_pool_account", schema=None) as batch_op:
        batch_op.drop_column("rotated_at")
