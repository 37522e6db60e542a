"""create the leases"""

import sqlalchemy as sa
from alembic import op

from proofwalk.chassis import database

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "example_pool_lease",
        sa.Column("lease_id", sa.String(length=40), nullable=False),
        sa.Column("request_id", sa.String(length=200), nullable=False),
        sa.Column("holder", sa.String(length=200), nullable=False),
        sa.Column("epoch", sa.BigInteger(), nullable=False),
        sa.Column("granted_at", database.UtcDateTime(), nullable=False),
        sa.Column("notes", database.Json(), nullable=False),
        sa.PrimaryKeyConstraint("lease_id", name=op.f("pk_example_pool_lease")),
        sa.UniqueConstraint("request_id", name=op.f("uq_example_pool_lease_request_id")),
    )


def downgrade() -> None:
    op.drop_table("example_pool_lease")
