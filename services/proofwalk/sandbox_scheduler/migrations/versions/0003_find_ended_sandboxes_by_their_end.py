"""find ended sandboxes by their end

Each look drops old rows; without the moment in the index it read every ended one to
find them.
"""

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None
additive = True

SANDBOXES = "sandbox_scheduler_sandboxes"
STATE = "ix_sandbox_scheduler_sandboxes_state"


def upgrade() -> None:
    op.drop_index(STATE, table_name=SANDBOXES)
    op.create_index(STATE, SANDBOXES, ["state", "ended_at"], unique=False)


def downgrade() -> None:
    op.drop_index(STATE, table_name=SANDBOXES)
    op.create_index(STATE, SANDBOXES, ["state"], unique=False)
