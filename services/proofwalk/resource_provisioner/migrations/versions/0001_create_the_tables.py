"""create the tables"""

import sqlalchemy as sa
from alembic import op

from proofwalk.chassis import database

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "resource_provisioner_metas",
        sa.Column("id", sa.String(length=128), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("yaml", sa.Text(), nullable=False),
        sa.Column("origin", sa.String(length=16), nullable=False),
        sa.Column("created_at", database.UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", "digest", name=op.f("pk_resource_provisioner_metas")),
    )
    op.create_table(
        "resource_provisioner_provisionings",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("request_id", sa.String(length=255), nullable=False),
        sa.Column("lease_id", sa.String(length=64), nullable=False),
        sa.Column("lease_epoch", sa.Integer(), nullable=False),
        sa.Column("target", sa.String(length=128), nullable=False),
        sa.Column("region", sa.String(length=64), nullable=False),
        sa.Column("meta_yaml", sa.Text(), nullable=False),
        sa.Column("name_prefix", sa.String(length=32), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("outputs", database.Json, nullable=False),
        sa.Column("resources", database.Json, nullable=False),
        sa.Column("error_code", sa.Text(), nullable=False),
        sa.Column("error_message", sa.Text(), nullable=False),
        sa.Column("created_at", database.UtcDateTime(), nullable=False),
        sa.Column("updated_at", database.UtcDateTime(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_resource_provisioner_provisionings")),
        sa.UniqueConstraint(
            "request_id", name=op.f("uq_resource_provisioner_provisionings_request_id")
        ),
    )
    with op.batch_alter_table("resource_provisioner_provisionings", schema=None) as batch_op:
        batch_op.create_index(
            "ix_resource_provisioner_provisionings_lease", ["lease_id"], unique=False
        )
        batch_op.create_index(
            "ix_resource_provisioner_provisionings_state", ["state"], unique=False
        )


def downgrade() -> None:
    with op.batch_alter_table("resource_provisioner_provisionings", schema=None) as batch_op:
        batch_op.drop_index("ix_resource_provisioner_provisionings_state")
        batch_op.drop_index("ix_resource_provisioner_provisionings_lease")

    op.drop_table("resource_provisioner_provisionings")
    op.drop_table("resource_provisioner_metas")
