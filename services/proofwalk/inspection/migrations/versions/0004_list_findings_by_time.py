"""list everybody's findings by time"""

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None
additive = True


def upgrade() -> None:
    op.create_index("ix_inspection_findings_created", "inspection_findings", ["created_at", "id"])


def downgrade() -> None:
    op.drop_index("ix_inspection_findings_created", table_name="inspection_findings")
