"""keep what judges say of fields"""

import sqlalchemy as sa
from alembic import op

from proofwalk.chassis import database

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("reward_service_judge_answer", schema=None) as batch_op:
        batch_op.add_column(
            sa.Column("fields", database.Json(), server_default="[]", nullable=False)
        )


def downgrade() -> None:
    with op.batch_alter_table("reward_service_judge_answer", schema=None) as batch_op:
        batch_op.drop_column("fields")
