"""keep trials of records"""

import sqlalchemy as sa
from alembic import op

from proofwalk.chassis import database

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None
additive = True

_TABLE = "resource_provisioner_trials"


def upgrade() -> None:
    op.create_table(
        _TABLE,
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("meta_id", sa.String(length=128), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("target", sa.String(length=128), nullable=False),
        sa.Column("asked_by", sa.String(length=255), nullable=False),
        sa.Column("stage", sa.String(length=16), nullable=False),
        sa.Column("end", sa.String(length=16), nullable=False),
        sa.Column("error_code", sa.Text(), nullable=False),
        sa.Column("error_message", sa.Text(), nullable=False),
        sa.Column("provisioning_id", sa.String(length=64), nullable=False),
        sa.Column("created_at", database.UtcDateTime(), nullable=False),
        sa.Column("started_at", database.UtcDateTime(), nullable=True),
        sa.Column("ended_at", database.UtcDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_resource_provisioner_trials")),
    )
    with op.batch_alter_table(_TABLE, schema=None) as batch_op:
        batch_op.create_index(
            "ix_resource_provisioner_trials_meta", ["meta_id", "id"], unique=False
        )
        batch_op.create_index("ix_resource_provisioner_trials_stage", ["stage"], unique=False)


def downgrade() -> None:
    op.drop_table(_TABLE)
