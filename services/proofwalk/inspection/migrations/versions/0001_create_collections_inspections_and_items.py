"""create collections inspections and items"""

import sqlalchemy as sa
from alembic import op

from proofwalk.chassis import database

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    _create_collections()
    _create_inspections()
    _create_items()


def _create_collections() -> None:
    op.create_table(
        "inspection_collections",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("principal", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("source", database.Json(), nullable=False),
        sa.Column("ordered", database.Json(), nullable=False),
        sa.Column("budget_walks", sa.Integer(), nullable=False),
        sa.Column("budget_cost", sa.Float(), nullable=False),
        sa.Column("budget_seconds", sa.Float(), nullable=False),
        sa.Column("cron", sa.String(length=500), nullable=False),
        sa.Column("time_zone", sa.String(length=64), nullable=False),
        sa.Column("paused", sa.Boolean(), nullable=False),
        sa.Column("weights", database.Json(), nullable=False),
        sa.Column("concurrency", sa.Integer(), nullable=False),
        sa.Column("refresh_s", sa.Float(), nullable=False),
        sa.Column("never_replay", sa.Boolean(), nullable=False),
        sa.Column("all_procedures", sa.Boolean(), nullable=False),
        sa.Column("created_at", database.UtcDateTime(), nullable=False),
        sa.Column("next_run_at", database.UtcDateTime(), nullable=True),
        sa.Column("schedule_epoch", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_inspection_collections")),
        sa.UniqueConstraint(
            "principal", "name", name=op.f("uq_inspection_collections_principal_name")
        ),
    )
    with op.batch_alter_table("inspection_collections", schema=None) as batch_op:
        batch_op.create_index("ix_inspection_collections_next", ["next_run_at"], unique=False)


def _create_inspections() -> None:
    op.create_table(
        "inspection_inspections",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("collection_id", sa.String(length=64), nullable=False),
        sa.Column("principal", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("started_by", sa.String(length=16), nullable=False),
        sa.Column("everything", sa.Boolean(), nullable=False),
        sa.Column("scheduled_for", database.UtcDateTime(), nullable=True),
        sa.Column("created_at", database.UtcDateTime(), nullable=False),
        sa.Column("started_at", database.UtcDateTime(), nullable=True),
        sa.Column("finished_at", database.UtcDateTime(), nullable=True),
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("claim_holder", sa.String(length=128), nullable=False),
        sa.Column("claim_epoch", sa.Integer(), nullable=False),
        sa.Column("claim_expires_at", database.UtcDateTime(), nullable=True),
        sa.CheckConstraint(
            "(state in ('finished','cancelled')) = (finished_at is not null)",
            name=op.f("ck_inspection_inspections_finished"),
        ),
        sa.CheckConstraint(
            "state in ('planned','running','cancelling','finished','cancelled')",
            name=op.f("ck_inspection_inspections_state"),
        ),
        sa.ForeignKeyConstraint(
            ["collection_id"],
            ["inspection_collections.id"],
            name=op.f("fk_inspection_inspections_collection_id"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_inspection_inspections")),
        sa.UniqueConstraint(
            "collection_id",
            "scheduled_for",
            name=op.f("uq_inspection_inspections_collection_id_scheduled_for"),
        ),
    )
    with op.batch_alter_table("inspection_inspections", schema=None) as batch_op:
        batch_op.create_index(
            "ix_inspection_inspections_collection",
            ["collection_id", "created_at", "id"],
            unique=False,
        )
        batch_op.create_index(
            "ix_inspection_inspections_owner", ["principal", "created_at", "id"], unique=False
        )
        batch_op.create_index(
            "ix_inspection_inspections_state", ["state", "claim_expires_at"], unique=False
        )


def _create_items() -> None:
    op.create_table(
        "inspection_items",
        sa.Column("inspection_id", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("collection_id", sa.String(length=64), nullable=False),
        sa.Column("procedure_id", sa.Text(), nullable=False),
        sa.Column("page", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("due", sa.String(length=16), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("how", sa.String(length=16), nullable=False),
        sa.Column("verification_id", sa.String(length=64), nullable=False),
        sa.Column("inputs", database.Json(), nullable=False),
        sa.Column("changed", database.Json(), nullable=False),
        sa.Column("expected_s", sa.Float(), nullable=True),
        sa.Column("expected_cost", sa.Float(), nullable=True),
        sa.Column("outcome", sa.String(length=16), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("cost", sa.Float(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.Column("asked_at", database.UtcDateTime(), nullable=True),
        sa.Column("finished_at", database.UtcDateTime(), nullable=True),
        sa.CheckConstraint(
            "(state = 'done') = (outcome <> '')", name=op.f("ck_inspection_items_outcome")
        ),
        sa.CheckConstraint(
            "state in ('waiting','asked','done','skipped')", name=op.f("ck_inspection_items_state")
        ),
        sa.ForeignKeyConstraint(
            ["collection_id"],
            ["inspection_collections.id"],
            name=op.f("fk_inspection_items_collection_id"),
        ),
        sa.ForeignKeyConstraint(
            ["inspection_id"],
            ["inspection_inspections.id"],
            name=op.f("fk_inspection_items_inspection_id"),
        ),
        sa.PrimaryKeyConstraint("inspection_id", "number", name=op.f("pk_inspection_items")),
        sa.UniqueConstraint(
            "inspection_id",
            "procedure_id",
            name=op.f("uq_inspection_items_inspection_id_procedure_id"),
        ),
    )
    with op.batch_alter_table("inspection_items", schema=None) as batch_op:
        batch_op.create_index(
            "ix_inspection_items_procedure",
            ["collection_id", "procedure_id", "finished_at"],
            unique=False,
        )
        batch_op.create_index("ix_inspection_items_state", ["inspection_id", "state"], unique=False)
        batch_op.create_index("ix_inspection_items_verification", ["verification_id"], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("inspection_items", schema=None) as batch_op:
        batch_op.drop_index("ix_inspection_items_verification")
        batch_op.drop_index("ix_inspection_items_state")
        batch_op.drop_index("ix_inspection_items_procedure")

    op.drop_table("inspection_items")
    with op.batch_alter_table("inspection_inspections", schema=None) as batch_op:
        batch_op.drop_index("ix_inspection_inspections_state")
        batch_op.drop_index("ix_inspection_inspections_owner")
        batch_op.drop_index("ix_inspection_inspections_collection")

    op.drop_table("inspection_inspections")
    with op.batch_alter_table("inspection_collections", schema=None) as batch_op:
        batch_op.drop_index("ix_inspection_collections_next")

    op.drop_table("inspection_collections")
