"""add people who sign in by an identity provider, and their sign-ins"""

import sqlalchemy as sa
from alembic import op

from proofwalk.chassis import database

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "gateway_sign_ins",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("browser_proof", sa.String(length=64), nullable=False),
        sa.Column("target", sa.String(length=1000), nullable=False),
        sa.Column("created_at", database.UtcDateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_gateway_sign_ins")),
    )
    with op.batch_alter_table("gateway_sign_ins", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_gateway_sign_ins_created_at"), ["created_at"])
    with op.batch_alter_table("gateway_sessions", schema=None) as batch_op:
        batch_op.add_column(
            sa.Column("role", sa.String(length=16), server_default="", nullable=False)
        )
        batch_op.add_column(
            sa.Column("shown_as", sa.String(length=100), server_default="", nullable=False)
        )


def downgrade() -> None:
    # The version before knows keys alone.
    op.execute("DELETE FROM gateway_sessions WHERE role <> ''")
    with op.batch_alter_table("gateway_sessions", schema=None) as batch_op:
        batch_op.drop_column("shown_as")
        batch_op.drop_column("role")
    with op.batch_alter_table("gateway_sign_ins", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_gateway_sign_ins_created_at"))

    op.drop_table("gateway_sign_ins")
