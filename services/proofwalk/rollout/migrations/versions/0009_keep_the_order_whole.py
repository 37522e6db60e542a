"""keep the order whole: one document in the place of a column for each option

What was not asked for is left out, as `orders.stored` has it.
"""

from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from alembic import op

from proofwalk.chassis import database

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_TABLE = "rollout_verifications"
_OPTIONS: dict[str, tuple[str, Any]] = {
    "target": ("target", sa.String(length=128)),
    "policy": ("policy", sa.String(length=64)),
    "attempts": ("attempts", sa.Integer()),
    "meta": ("meta_yaml", sa.Text()),
    "meta_id": ("meta_id", sa.Text()),
    "rule": ("rule_yaml", sa.Text()),
    "script": ("script_yaml", sa.Text()),
    "scenario": ("scenario", sa.String(length=128)),
    "region": ("region", sa.String(length=64)),
    "accept": ("accept", sa.String(length=16)),
    "trace": ("trace", sa.Boolean()),
}
_ZERO: dict[str, Any] = {"attempts": "1", "trace": sa.false(), "accept": "page"}
"""What a column has where nothing was asked for, if that is not an empty text."""
_ROWS = sa.table(
    _TABLE,
    sa.column("id", sa.String()),
    sa.column("ordered", database.Json()),
    *(sa.column(name, kind) for name, kind in _OPTIONS.values()),
)
_AT_ONCE = 500


def upgrade() -> None:
    with op.batch_alter_table(_TABLE, schema=None) as batch_op:
        batch_op.add_column(sa.Column("ordered", database.Json(), nullable=True))
    columns = [_ROWS.c[name].label(option) for option, (name, _) in _OPTIONS.items()]
    for row in _rows(*columns):
        ordered = {option: row[option] for option in _OPTIONS if row[option]}
        op.get_bind().execute(_ROWS.update().where(_ROWS.c.id == row["id"]).values(ordered=ordered))
    with op.batch_alter_table(_TABLE, schema=None) as batch_op:
        batch_op.alter_column("ordered", existing_type=database.Json(), nullable=False)
        for name, _ in _OPTIONS.values():
            batch_op.drop_column(name)


def downgrade() -> None:
    with op.batch_alter_table(_TABLE, schema=None) as batch_op:
        for option, (name, kind) in _OPTIONS.items():
            default = _ZERO.get(option, "")
            batch_op.add_column(sa.Column(name, kind, server_default=default, nullable=False))
    for row in _rows(_ROWS.c.ordered):
        values = {_OPTIONS[option][0]: value for option, value in row["ordered"].items()}
        op.get_bind().execute(_ROWS.update().where(_ROWS.c.id == row["id"]).values(**values))
    with op.batch_alter_table(_TABLE, schema=None) as batch_op:
        batch_op.drop_column("ordered")


def _rows(*columns: Any) -> Iterator[Any]:
    """The rows in pages by id, so that a table of any size is gone through."""
    last = ""
    while True:
        query = (
            sa.select(_ROWS.c.id, *columns)
            .where(_ROWS.c.id > last)
            .order_by(_ROWS.c.id)
            .limit(_AT_ONCE)
        )
        page = op.get_bind().execute(query).mappings().all()
        yield from page
        if not page:
            return
        last = page[-1]["id"]
