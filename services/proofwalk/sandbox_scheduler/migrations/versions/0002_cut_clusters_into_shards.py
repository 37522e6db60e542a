"""cut clusters into shards

What a sandbox's row says of a process is gone: a browser's identity lies beside its
profile. No browser outlives the scheduler that this version replaces, so its rows are
dropped.
"""

import sqlalchemy as sa
from alembic import op

from proofwalk.chassis import database

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

SANDBOXES = "sandbox_scheduler_sandboxes"
GRANT = "ix_sandbox_scheduler_sandboxes_grant"


def upgrade() -> None:
    op.execute(sa.text(f"DELETE FROM {SANDBOXES}"))  # noqa: S608 - a constant
    with op.batch_alter_table(SANDBOXES) as table:
        for gone in ("owner", "pid", "pid_started"):
            table.drop_column(gone)
        table.add_column(sa.Column("version", sa.String(length=64), nullable=False))
        table.add_column(sa.Column("shard", sa.Integer(), nullable=False))
        table.add_column(sa.Column("ordinal", sa.Integer(), nullable=False))
        table.add_column(sa.Column("place", sa.String(length=255), nullable=False))
        table.add_column(sa.Column("instance", sa.String(length=255), nullable=False))
        table.add_column(sa.Column("failed", sa.Integer(), nullable=False))
        table.create_unique_constraint(
            op.f("uq_sandbox_scheduler_sandboxes_instance"), ["instance"]
        )
        table.create_index(GRANT, ["tool", "version", "state", "shard", "ordinal"], unique=False)
    op.create_table(
        "sandbox_scheduler_shards",
        sa.Column("tool", sa.String(length=64), nullable=False),
        sa.Column("version", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("owner", sa.String(length=64), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("expires_at", database.UtcDateTime(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("base", sa.Integer(), nullable=False),
        sa.Column("present", sa.Integer(), nullable=False),
        sa.Column("leased", sa.Integer(), nullable=False),
        sa.Column("shrinks_at", database.UtcDateTime(), nullable=True),
        sa.Column("seen_at", database.UtcDateTime(), nullable=True),
        sa.Column("trouble", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint(
            "tool", "version", "number", name=op.f("pk_sandbox_scheduler_shards")
        ),
    )
    op.create_table(
        "sandbox_scheduler_schedulers",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("expires_at", database.UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sandbox_scheduler_schedulers")),
    )
    op.create_table(
        "sandbox_scheduler_waits",
        sa.Column("request_id", sa.String(length=255), nullable=False),
        sa.Column("tool", sa.String(length=64), nullable=False),
        sa.Column("since", database.UtcDateTime(), nullable=False),
        sa.Column("expires_at", database.UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("request_id", name=op.f("pk_sandbox_scheduler_waits")),
    )


def downgrade() -> None:
    for table_name in ("waits", "schedulers", "shards"):
        op.drop_table(f"sandbox_scheduler_{table_name}")
    op.execute(sa.text(f"DELETE FROM {SANDBOXES}"))  # noqa: S608 - a constant
    with op.batch_alter_table(SANDBOXES) as table:
        table.drop_index(GRANT)
        table.drop_constraint(op.f("uq_sandbox_scheduler_sandboxes_instance"), type_="unique")
        for gone in ("failed", "instance", "place", "ordinal", "shard", "version"):
            table.drop_column(gone)
        table.add_column(sa.Column("owner", sa.String(length=64), nullable=False))
        table.add_column(sa.Column("pid_started", sa.Float(), nullable=False))
        table.add_column(sa.Column("pid", sa.Integer(), nullable=False))
