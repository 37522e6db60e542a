"""keep as whom a verification signs in, and why"""

import sqlalchemy as sa
from alembic import op

from proofwalk.chassis import database

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("rollout_verifications", schema=None) as batch_op:
        batch_op.add_column(sa.Column("signed_in_as", database.Json(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("rollout_verifications", schema=None) as batch_op:
        batch_op.drop_column("signed_in_as")
