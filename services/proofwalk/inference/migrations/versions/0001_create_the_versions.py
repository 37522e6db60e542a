"""create the versions"""

import sqlalchemy as sa
from alembic import op

from proofwalk.chassis import database

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "inference_versions",
        sa.Column("version", sa.String(length=128), nullable=False),
        sa.Column("uri", sa.Text(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("base", sa.String(length=255), nullable=False),
        sa.Column("loaded_at", database.UtcDateTime(), nullable=False),
        sa.Column("serving", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("version", name=op.f("pk_inference_versions")),
    )


def downgrade() -> None:
    op.drop_table("inference_versions")
