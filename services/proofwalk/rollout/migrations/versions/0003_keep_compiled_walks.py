"""keep compiled walks"""

import sqlalchemy as sa
from alembic import op

from proofwalk.chassis.database import UtcDateTime

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "rollout_scripts",
        sa.Column("target", sa.String(length=128), nullable=False),
        sa.Column("procedure_id", sa.Text(), nullable=False),
        sa.Column("document_digest", sa.String(length=64), nullable=False),
        sa.Column("policy", sa.String(length=64), nullable=False),
        sa.Column("script", sa.Text(), nullable=False),
        sa.Column("verification_id", sa.String(length=64), nullable=False),
        sa.Column("episode_id", sa.String(length=64), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint(
            "target", "procedure_id", "document_digest", "policy", name=op.f("pk_rollout_scripts")
        ),
    )
    op.create_index("ix_rollout_scripts_verification", "rollout_scripts", ["verification_id"])


def downgrade() -> None:
    op.drop_index("ix_rollout_scripts_verification", table_name="rollout_scripts")
    op.drop_table("rollout_scripts")
