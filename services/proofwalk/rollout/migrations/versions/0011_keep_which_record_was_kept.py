"""keep which META record was found for a verification that brought none"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("rollout_verifications", schema=None) as batch_op:
        batch_op.add_column(
            sa.Column("kept_meta", sa.String(length=160), server_default="", nullable=False)
        )


def downgrade() -> None:
    with op.batch_alter_table("rollout_verifications", schema=None) as batch_op:
        batch_op.drop_column("kept_meta")
