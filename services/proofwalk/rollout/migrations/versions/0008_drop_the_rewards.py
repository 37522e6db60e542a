"""drop the rewards, which follow from outcome and evidence"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("rollout_episodes", schema=None) as batch_op:
        batch_op.drop_column("reward")


def downgrade() -> None:
    with op.batch_alter_table("rollout_episodes", schema=None) as batch_op:
        batch_op.add_column(sa.Column("reward", sa.Float(), nullable=True))
