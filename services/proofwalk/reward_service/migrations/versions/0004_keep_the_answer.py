"""keep the answer"""

import sqlalchemy as sa
from alembic import op

from proofwalk.chassis import database

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("reward_service_judgement", schema=None) as batch_op:
        batch_op.add_column(sa.Column("answer", sa.Text(), server_default="", nullable=False))
        batch_op.add_column(
            sa.Column("answered", database.Json(), server_default="[]", nullable=False)
        )


def downgrade() -> None:
    with op.batch_alter_table("reward_service_judgement", schema=None) as batch_op:
        batch_op.drop_column("answered")
        batch_op.drop_column("answer")
