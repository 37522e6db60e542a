"""queue those who wait for an account"""

import sqlalchemy as sa
from alembic import op

from proofwalk.chassis import database

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "account_pool_ticket",
        sa.Column("request_id", sa.String(length=200), nullable=False),
        sa.Column("target", sa.String(length=64), nullable=False),
        sa.Column("role", sa.String(length=64), nullable=False),
        sa.Column("holder", sa.String(length=200), nullable=False),
        sa.Column("asked_at", database.UtcDateTime(), nullable=False),
        sa.Column("gives_up_at", database.UtcDateTime(), nullable=False),
        sa.Column("until", database.UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("request_id", name=op.f("pk_account_pool_ticket")),
    )
    with op.batch_alter_table("account_pool_ticket", schema=None) as batch_op:
        batch_op.create_index(
            "ix_account_pool_ticket_line", ["target", "role", "asked_at"], unique=False
        )
        batch_op.create_index(batch_op.f("ix_account_pool_ticket_until"), ["until"], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("account_pool_ticket", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_account_pool_ticket_until"))
        batch_op.drop_index("ix_account_pool_ticket_line")
    op.drop_table("account_pool_ticket")
