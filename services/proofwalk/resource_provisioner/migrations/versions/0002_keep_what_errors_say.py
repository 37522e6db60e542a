"""keep what an error says besides its code: status, whether trying again may help,
cause

Rows of before say it by their code alone, once and here: as it was told of them then.
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_TABLE = "resource_provisioner_provisionings"
_AWAY = ("cloud.unavailable%", "rpc.%", "terraform.%")


def upgrade() -> None:
    with op.batch_alter_table(_TABLE, schema=None) as batch_op:
        batch_op.add_column(
            sa.Column("error_status", sa.String(length=32), server_default="", nullable=False)
        )
        batch_op.add_column(
            sa.Column("error_retryable", sa.Boolean(), server_default=sa.false(), nullable=False)
        )
        batch_op.add_column(
            sa.Column("error_cause", sa.String(length=16), server_default="", nullable=False)
        )
    rows = sa.table(
        _TABLE,
        sa.column("error_code", sa.Text()),
        sa.column("error_status", sa.String()),
        sa.column("error_retryable", sa.Boolean()),
        sa.column("error_cause", sa.String()),
    )
    code = rows.c.error_code
    away = sa.or_(*(code.like(pattern) for pattern in _AWAY))
    for which, values in (
        (code != "", {"error_status": "FAILED_PRECONDITION"}),
        (away, {"error_status": "UNAVAILABLE", "error_retryable": True}),
        (code == "lease.stale_epoch", {"error_status": "ABORTED"}),
        (
            code == "provision.quota",
            {"error_status": "RESOURCE_EXHAUSTED", "error_retryable": True, "error_cause": "quota"},
        ),
    ):
        op.execute(rows.update().where(which).values(values))


def downgrade() -> None:
    with op.batch_alter_table(_TABLE, schema=None) as batch_op:
        for name in ("error_cause", "error_retryable", "error_status"):
            batch_op.drop_column(name)
