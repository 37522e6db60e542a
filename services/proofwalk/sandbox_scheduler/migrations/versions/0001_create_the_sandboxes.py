"""create the sandboxes"""

import sqlalchemy as sa
from alembic import op

from proofwalk.chassis import database

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "sandbox_scheduler_sandboxes",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("tool", sa.String(length=64), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("request_id", sa.String(length=255), nullable=True),
        sa.Column("holder", sa.String(length=255), nullable=False),
        sa.Column("expires_at", database.UtcDateTime(), nullable=True),
        sa.Column("cdp_endpoint", sa.Text(), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("pid_started", sa.Float(), nullable=False),
        sa.Column("owner", sa.String(length=64), nullable=False),
        sa.Column("warm", sa.Integer(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("refused_hosts", database.Json, nullable=False),
        sa.Column("created_at", database.UtcDateTime(), nullable=False),
        sa.Column("ended_at", database.UtcDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sandbox_scheduler_sandboxes")),
        sa.UniqueConstraint("request_id", name=op.f("uq_sandbox_scheduler_sandboxes_request_id")),
    )
    with op.batch_alter_table("sandbox_scheduler_sandboxes", schema=None) as batch_op:
        batch_op.create_index("ix_sandbox_scheduler_sandboxes_state", ["state"], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("sandbox_scheduler_sandboxes", schema=None) as batch_op:
        batch_op.drop_index("ix_sandbox_scheduler_sandboxes_state")

    op.drop_table("sandbox_scheduler_sandboxes")
