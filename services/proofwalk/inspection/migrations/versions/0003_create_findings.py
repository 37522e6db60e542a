"""create findings"""

import sqlalchemy as sa
from alembic import op

from proofwalk.chassis import database

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "inspection_findings",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("principal", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.String(length=40), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("document_key", sa.Text(), nullable=False),
        sa.Column("procedure_id", sa.Text(), nullable=False),
        sa.Column("product", sa.Text(), nullable=False),
        sa.Column("policy", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("certainty", sa.String(length=16), nullable=False),
        sa.Column("wording", database.Json(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("review", sa.String(length=16), nullable=False),
        sa.Column("assignee", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("sightings", sa.Integer(), nullable=False),
        sa.Column("as_of", database.UtcDateTime(), nullable=False),
        sa.Column("proof", sa.String(length=64), nullable=False),
        sa.Column("created_at", database.UtcDateTime(), nullable=False),
        sa.Column("seen_at", database.UtcDateTime(), nullable=False),
        sa.CheckConstraint(
            "review in ('none','accepted','rejected')", name=op.f("ck_inspection_findings_review")
        ),
        sa.CheckConstraint(
            "state in ('open','accepted','rejected','fixed','reopened')",
            name=op.f("ck_inspection_findings_state"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_inspection_findings")),
        sa.UniqueConstraint(
            "principal", "fingerprint", name=op.f("uq_inspection_findings_principal_fingerprint")
        ),
    )
    with op.batch_alter_table("inspection_findings", schema=None) as batch_op:
        batch_op.create_index(
            "ix_inspection_findings_owner", ["principal", "created_at", "id"], unique=False
        )
        batch_op.create_index(
            "ix_inspection_findings_procedure",
            ["principal", "target", "document_key", "procedure_id"],
            unique=False,
        )
        batch_op.create_index("ix_inspection_findings_state", ["state", "created_at"], unique=False)
    _create_history()


def _create_history() -> None:
    op.create_table(
        "inspection_finding_events",
        sa.Column("finding_id", sa.String(length=40), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("act", sa.String(length=16), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("at", database.UtcDateTime(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sa.Column("verification_id", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["finding_id"],
            ["inspection_findings.id"],
            name=op.f("fk_inspection_finding_events_finding_id"),
        ),
        sa.PrimaryKeyConstraint("finding_id", "number", name=op.f("pk_inspection_finding_events")),
    )
    op.create_table(
        "inspection_finding_sightings",
        sa.Column("finding_id", sa.String(length=40), nullable=False),
        sa.Column("verification_id", sa.String(length=64), nullable=False),
        sa.Column("at", database.UtcDateTime(), nullable=False),
        sa.Column("policy", sa.Text(), nullable=False),
        sa.Column("certainty", sa.String(length=16), nullable=False),
        sa.Column("line", sa.Integer(), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["finding_id"],
            ["inspection_findings.id"],
            name=op.f("fk_inspection_finding_sightings_finding_id"),
        ),
        sa.PrimaryKeyConstraint(
            "finding_id", "verification_id", name=op.f("pk_inspection_finding_sightings")
        ),
    )
    with op.batch_alter_table("inspection_finding_sightings", schema=None) as batch_op:
        batch_op.create_index(
            "ix_inspection_finding_sightings_at", ["finding_id", "at"], unique=False
        )


def downgrade() -> None:
    with op.batch_alter_table("inspection_finding_sightings", schema=None) as batch_op:
        batch_op.drop_index("ix_inspection_finding_sightings_at")
    op.drop_table("inspection_finding_sightings")
    op.drop_table("inspection_finding_events")
    with op.batch_alter_table("inspection_findings", schema=None) as batch_op:
        batch_op.drop_index("ix_inspection_findings_state")
        batch_op.drop_index("ix_inspection_findings_procedure")
        batch_op.drop_index("ix_inspection_findings_owner")
    op.drop_table("inspection_findings")
