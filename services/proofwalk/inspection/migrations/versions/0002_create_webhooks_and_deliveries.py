"""create webhooks and deliveries"""

import sqlalchemy as sa
from alembic import op

from proofwalk.chassis import database

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "inspection_webhooks",
        sa.Column("webhook_id", sa.String(length=40), nullable=False),
        sa.Column("principal", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("events", database.Json(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("secret", sa.Text(), nullable=False),
        sa.Column("created_at", database.UtcDateTime(), nullable=False),
        sa.Column("disabled_at", database.UtcDateTime(), nullable=True),
        sa.Column("disabled_reason", sa.Text(), nullable=False),
        sa.Column("failing_since", database.UtcDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("webhook_id", name=op.f("pk_inspection_webhooks")),
    )
    with op.batch_alter_table("inspection_webhooks", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_inspection_webhooks_principal"), ["principal"], unique=False
        )
    op.create_table(
        "inspection_webhook_deliveries",
        sa.Column("delivery_id", sa.String(length=40), nullable=False),
        sa.Column("webhook_id", sa.String(length=40), nullable=False),
        sa.Column("principal", sa.Text(), nullable=False),
        sa.Column("event", sa.String(length=40), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("due_at", database.UtcDateTime(), nullable=False),
        sa.Column("claimed_until", database.UtcDateTime(), nullable=True),
        sa.Column("created_at", database.UtcDateTime(), nullable=False),
        sa.Column("ended_at", database.UtcDateTime(), nullable=True),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.CheckConstraint(
            "state in ('pending','delivered','failed')",
            name=op.f("ck_inspection_webhook_deliveries_state"),
        ),
        sa.ForeignKeyConstraint(
            ["webhook_id"],
            ["inspection_webhooks.webhook_id"],
            name=op.f("fk_inspection_webhook_deliveries_webhook_id"),
        ),
        sa.PrimaryKeyConstraint("delivery_id", name=op.f("pk_inspection_webhook_deliveries")),
    )
    with op.batch_alter_table("inspection_webhook_deliveries", schema=None) as batch_op:
        batch_op.create_index(
            "ix_inspection_webhook_deliveries_due", ["state", "due_at"], unique=False
        )
        batch_op.create_index(
            "ix_inspection_webhook_deliveries_webhook",
            ["webhook_id", "created_at", "delivery_id"],
            unique=False,
        )


def downgrade() -> None:
    with op.batch_alter_table("inspection_webhook_deliveries", schema=None) as batch_op:
        batch_op.drop_index("ix_inspection_webhook_deliveries_webhook")
        batch_op.drop_index("ix_inspection_webhook_deliveries_due")
    op.drop_table("inspection_webhook_deliveries")
    with op.batch_alter_table("inspection_webhooks", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_inspection_webhooks_principal"))
    op.drop_table("inspection_webhooks")
