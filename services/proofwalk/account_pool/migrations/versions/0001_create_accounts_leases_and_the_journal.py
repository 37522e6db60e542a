"""create accounts, leases and the journal"""

import sqlalchemy as sa
from alembic import op

from proofwalk.chassis import database

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "account_pool_account",
        sa.Column("account_id", sa.String(length=40), nullable=False),
        sa.Column("target", sa.String(length=64), nullable=False),
        sa.Column("external_id", sa.String(length=200), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("epoch", sa.BigInteger(), nullable=False),
        sa.Column("holder", sa.String(length=200), nullable=False),
        sa.Column("expires_at", database.UtcDateTime(), nullable=True),
        sa.Column("lease_id", sa.String(length=40), nullable=False),
        sa.Column("request_id", sa.String(length=200), nullable=True),
        sa.Column("secret", sa.Text(), nullable=False),
        sa.Column("baseline", database.Json(), nullable=True),
        sa.Column("leftovers", database.Json(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("offered", sa.Boolean(), nullable=False),
        sa.Column("freed_at", database.UtcDateTime(), nullable=True),
        sa.Column("busy_until", database.UtcDateTime(), nullable=True),
        sa.Column("sweep_attempts", sa.Integer(), nullable=False),
        sa.Column("rotating", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", name=op.f("pk_account_pool_account")),
        sa.UniqueConstraint("request_id", name=op.f("uq_account_pool_account_request_id")),
        sa.UniqueConstraint(
            "target", "external_id", name=op.f("uq_account_pool_account_target_external_id")
        ),
    )
    with op.batch_alter_table("account_pool_account", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_account_pool_account_state"), ["state"], unique=False)

    op.create_table(
        "account_pool_journal",
        sa.Column("number", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("at", database.UtcDateTime(), nullable=False),
        sa.Column("action", sa.String(length=40), nullable=False),
        sa.Column("account_id", sa.String(length=40), nullable=False),
        sa.Column("lease_id", sa.String(length=40), nullable=False),
        sa.Column("epoch", sa.BigInteger(), nullable=False),
        sa.Column("holder", sa.String(length=200), nullable=False),
        sa.Column("previous", sa.String(length=64), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_account_pool_journal")),
    )
    op.create_table(
        "account_pool_lease",
        sa.Column("lease_id", sa.String(length=40), nullable=False),
        sa.Column("account_id", sa.String(length=40), nullable=False),
        sa.Column("target", sa.String(length=64), nullable=False),
        sa.Column("epoch", sa.BigInteger(), nullable=False),
        sa.Column("holder", sa.String(length=200), nullable=False),
        sa.Column("request_id", sa.String(length=200), nullable=False),
        sa.Column("granted_at", database.UtcDateTime(), nullable=False),
        sa.Column("ended_at", database.UtcDateTime(), nullable=True),
        sa.Column("proof", database.Json(), nullable=True),
        sa.PrimaryKeyConstraint("lease_id", name=op.f("pk_account_pool_lease")),
    )
    with op.batch_alter_table("account_pool_lease", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_account_pool_lease_account_id"), ["account_id"], unique=False
        )


def downgrade() -> None:
    with op.batch_alter_table("account_pool_lease", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_account_pool_lease_account_id"))

    op.drop_table("account_pool_lease")
    op.drop_table("account_pool_journal")
    with op.batch_alter_table("account_pool_account", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_account_pool_account_state"))

    op.drop_table("account_pool_account")
