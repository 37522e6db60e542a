"""summarise by when it ended: the verdicts of the last days, without a look at all"""

from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None
additive = True

_TABLE = "rollout_verifications"
_INDEX = f"ix_{_TABLE}_finished"


def upgrade() -> None:
    op.create_index(_INDEX, _TABLE, ["finished_at"])


def downgrade() -> None:
    op.drop_index(_INDEX, _TABLE)
