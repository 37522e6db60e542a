"""keep owners

Groups get the principal of their members, compiled walks that of the verification which
they come from. What belongs to nobody keeps an empty one, and operators alone see it.
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_KEY = ["target", "procedure_id", "document_digest", "policy"]


def upgrade() -> None:
    with op.batch_alter_table("rollout_groups", schema=None) as batch_op:
        batch_op.add_column(sa.Column("principal", sa.Text(), server_default="", nullable=False))
    with op.batch_alter_table("rollout_scripts", schema=None) as batch_op:
        batch_op.add_column(sa.Column("principal", sa.Text(), server_default="", nullable=False))
    op.execute(
        "UPDATE rollout_groups SET principal = COALESCE((SELECT MAX(v.principal) FROM"
        " rollout_verifications v WHERE v.group_id = rollout_groups.id), '')"
    )
    op.execute(
        "UPDATE rollout_scripts SET principal = COALESCE((SELECT v.principal FROM"
        " rollout_verifications v WHERE v.id = rollout_scripts.verification_id), '')"
    )
    with op.batch_alter_table("rollout_scripts", schema=None) as batch_op:
        batch_op.drop_constraint("pk_rollout_scripts", type_="primary")
        batch_op.create_primary_key("pk_rollout_scripts", ["principal", *_KEY])
    op.create_index(
        "ix_rollout_verifications_owner", "rollout_verifications", ["principal", "created_at", "id"]
    )
    op.create_index(
        "ix_rollout_verifications_unfinished", "rollout_verifications", ["principal", "state"]
    )


def downgrade() -> None:
    op.drop_index("ix_rollout_verifications_unfinished", table_name="rollout_verifications")
    op.drop_index("ix_rollout_verifications_owner", table_name="rollout_verifications")
    # The release before keeps one walk for all principals; without an owner's name each
    # is found again when it is walked.
    op.execute("DELETE FROM rollout_scripts")
    with op.batch_alter_table("rollout_scripts", schema=None) as batch_op:
        batch_op.drop_constraint("pk_rollout_scripts", type_="primary")
        batch_op.create_primary_key("pk_rollout_scripts", _KEY)
    with op.batch_alter_table("rollout_scripts", schema=None) as batch_op:
        batch_op.drop_column("principal")
    with op.batch_alter_table("rollout_groups", schema=None) as batch_op:
        batch_op.drop_column("principal")
