"""keep what META records are for, who wrote them, how far they are trusted, and number
them

Records of before: what an operator stored is proven by that person; what was kept of a
need at run time is a proposal of the catalogue. Both are numbered in the order in which
they came.
"""

import sqlalchemy as sa
from alembic import op

from proofwalk.chassis import database

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_TABLE = "resource_provisioner_metas"
_TEXTS = {
    "product": 64,
    "document_digest": 64,
    "intent": 200,
    "state": 16,
    "state_run": 255,
    "writer": 64,
    "run": 255,
    "provider_version": 64,
}


def upgrade() -> None:
    with op.batch_alter_table(_TABLE, schema=None) as batch_op:
        for name, length in _TEXTS.items():
            batch_op.add_column(
                sa.Column(name, sa.String(length=length), server_default="", nullable=False)
            )
        batch_op.add_column(sa.Column("version", sa.Integer(), nullable=True))
        batch_op.add_column(sa.Column("state_at", database.UtcDateTime(), nullable=True))
    _fill()
    with op.batch_alter_table(_TABLE, schema=None) as batch_op:
        batch_op.alter_column("version", existing_type=sa.Integer(), nullable=False)
        batch_op.alter_column("state_at", existing_type=database.UtcDateTime(), nullable=False)
        batch_op.create_unique_constraint(
            "uq_resource_provisioner_metas_id_version", ["id", "version"]
        )
        batch_op.create_index("ix_resource_provisioner_metas_document", ["document_digest"])
        batch_op.create_index("ix_resource_provisioner_metas_intent", ["product", "intent"])


def _fill() -> None:
    metas = sa.table(
        _TABLE,
        *map(sa.column, ("id", "digest", "origin", "state", "writer", "version")),
        sa.column("created_at", database.UtcDateTime()),
        sa.column("state_at", database.UtcDateTime()),
    )
    bind = op.get_bind()
    bind.execute(metas.update().values(state_at=metas.c.created_at))
    for origin, values in (
        ("file", {"state": "proven", "writer": "person"}),
        ("runtime", {"state": "proposed", "writer": "catalog"}),
    ):
        bind.execute(metas.update().where(metas.c.origin == origin).values(**values))
    kept = bind.execute(
        sa.select(metas.c.id, metas.c.digest).order_by(
            metas.c.id, metas.c.created_at, metas.c.digest
        )
    ).all()
    numbers: dict[str, int] = {}
    for id_, digest in kept:
        numbers[id_] = numbers.get(id_, 0) + 1
        bind.execute(
            metas.update()
            .where(metas.c.id == id_, metas.c.digest == digest)
            .values(version=numbers[id_])
        )


def downgrade() -> None:
    with op.batch_alter_table(_TABLE, schema=None) as batch_op:
        batch_op.drop_index("ix_resource_provisioner_metas_intent")
        batch_op.drop_index("ix_resource_provisioner_metas_document")
        batch_op.drop_constraint("uq_resource_provisioner_metas_id_version", type_="unique")
        for name in ("state_at", "version", *reversed(_TEXTS)):
            batch_op.drop_column(name)
