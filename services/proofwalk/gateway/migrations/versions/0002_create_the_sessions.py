"""create the sessions of the web console"""

import sqlalchemy as sa
from alembic import op

from proofwalk.chassis import database

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "gateway_sessions",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("principal", sa.String(length=128), nullable=False),
        sa.Column("key_proof", sa.String(length=64), nullable=False),
        sa.Column("created_at", database.UtcDateTime(timezone=True), nullable=False),
        sa.Column("seen_at", database.UtcDateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_gateway_sessions")),
    )
    with op.batch_alter_table("gateway_sessions", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_gateway_sessions_created_at"), ["created_at"])
        batch_op.create_index(batch_op.f("ix_gateway_sessions_seen_at"), ["seen_at"])


def downgrade() -> None:
    with op.batch_alter_table("gateway_sessions", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_gateway_sessions_seen_at"))
        batch_op.drop_index(batch_op.f("ix_gateway_sessions_created_at"))

    op.drop_table("gateway_sessions")
