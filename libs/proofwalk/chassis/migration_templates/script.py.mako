"""${message}"""

import sqlalchemy as sa
from alembic import op
% if "database." in (upgrades or "") + (downgrades or ""):

from proofwalk.chassis import database
% endif

revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}
branch_labels = None
depends_on = None
additive = False


def upgrade() -> None:
    ${upgrades if upgrades else "pass"}


def downgrade() -> None:
    ${downgrades if downgrades else "pass"}
