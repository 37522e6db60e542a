"""create the runs and their metrics"""

import sqlalchemy as sa
from alembic import op

from proofwalk.chassis import database

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "trainer_runs",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("config_digest", sa.String(length=64), nullable=False),
        sa.Column("config_yaml", sa.Text(), nullable=False),
        sa.Column("method", sa.String(length=16), nullable=False),
        sa.Column("folder", sa.Text(), nullable=False),
        sa.Column("steps", sa.Integer(), nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("crashes", sa.Integer(), nullable=False),
        sa.Column("error_code", sa.String(length=128), nullable=False),
        sa.Column("error_message", sa.Text(), nullable=False),
        sa.Column("error_hint", sa.Text(), nullable=False),
        sa.Column("created_at", database.UtcDateTime(), nullable=False),
        sa.Column("started_at", database.UtcDateTime(), nullable=True),
        sa.Column("finished_at", database.UtcDateTime(), nullable=True),
        sa.Column("claim_holder", sa.String(length=128), nullable=False),
        sa.Column("claim_epoch", sa.Integer(), nullable=False),
        sa.Column("claim_expires_at", database.UtcDateTime(), nullable=True),
        sa.Column("child_pid", sa.Integer(), nullable=True),
        sa.Column("child_started", sa.Float(), nullable=True),
        sa.CheckConstraint(
            "state in ('queued','running','stopping','finished','failed','stopped')",
            name=op.f("ck_trainer_runs_state"),
        ),
        sa.CheckConstraint(
            "(state in ('finished','failed','stopped')) = (finished_at is not null)",
            name=op.f("ck_trainer_runs_finished"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_trainer_runs")),
    )
    op.create_index("ix_trainer_runs_state", "trainer_runs", ["state", "claim_expires_at"])
    op.create_index("ix_trainer_runs_created", "trainer_runs", ["created_at", "id"])
    op.create_table(
        "trainer_metrics",
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("time", database.UtcDateTime(), nullable=False),
        sa.Column("measured", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["trainer_runs.id"], name=op.f("fk_trainer_metrics_run_id_trainer_runs")
        ),
        sa.PrimaryKeyConstraint("run_id", "step", name=op.f("pk_trainer_metrics")),
    )


def downgrade() -> None:
    op.drop_table("trainer_metrics")
    op.drop_index("ix_trainer_runs_created", table_name="trainer_runs")
    op.drop_index("ix_trainer_runs_state", table_name="trainer_runs")
    op.drop_table("trainer_runs")
