"""A verification as a row of a table."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.chassis.rpc.vocabulary import OUTCOMES, moment_from_pb


@dataclass(frozen=True, kw_only=True)
class Row:
    """What a table says of a verification."""

    id: str
    document: str
    title: str
    target: str
    principal: str
    state: str
    outcome: str
    """A word of `kernel.outcomes.OutcomeKind`; empty until there is one."""
    reason: str
    created_at: datetime
    done: int
    total: int

    @property
    def status(self) -> str:
        """The word that stands for it: its outcome, before that its state."""
        return self.outcome or self.state


def row_of(verification: pb.Verification) -> Row:
    """The row of a verification."""
    outcome = OUTCOMES.from_pb(verification.verdict.outcome)
    return Row(
        id=verification.verification_id,
        document=verification.document,
        title=verification.title,
        target=verification.target,
        principal=verification.principal,
        state=verification.state,
        outcome=outcome.value if outcome else "",
        reason=verification.verdict.reason,
        created_at=moment_from_pb(verification.created_at),
        done=verification.progress.done,
        total=verification.progress.total,
    )
