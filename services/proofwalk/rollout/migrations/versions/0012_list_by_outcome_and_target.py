"""list by outcome and by target: both are columns, computed from what is stored"""

from typing import Literal

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

_TABLE = "rollout_verifications"
_COLUMNS = {"outcome": "verdict ->> 'outcome'", "target": "ordered ->> 'target'"}


def upgrade() -> None:
    # SQLite adds no stored column to a table, so there the table is made anew.
    recreate: Literal["always", "never"] = (
        "always" if op.get_context().dialect.name == "sqlite" else "never"
    )
    with op.batch_alter_table(_TABLE, schema=None, recreate=recreate) as batch_op:
        for name, computed in _COLUMNS.items():
            batch_op.add_column(sa.Column(name, sa.Text(), sa.Computed(computed, persisted=True)))
    for name in _COLUMNS:
        op.create_index(f"ix_{_TABLE}_{name}", _TABLE, [name, "created_at", "id"])


def downgrade() -> None:
    for name in _COLUMNS:
        op.drop_index(f"ix_{_TABLE}_{name}", _TABLE)
    with op.batch_alter_table(_TABLE, schema=None) as batch_op:
        for name in _COLUMNS:
            batch_op.drop_column(name)
