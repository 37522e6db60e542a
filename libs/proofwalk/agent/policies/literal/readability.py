"""What the literal policy would not understand of a procedure, said before any walk.

A walk stops at the first sub-step with such a sentence, and nobody is blamed. A team
can read its documents so without a console: `proofwalk procedures FOLDER --read`. See
`grammar` for what counts as understood.
"""

from __future__ import annotations

from dataclasses import dataclass

from proofwalk.agent.policies.literal.substeps import read_procedure
from proofwalk.agent.reading.intents import Unread
from proofwalk.procedures.model import Procedure


@dataclass(frozen=True, kw_only=True)
class Readability:
    """How much of a procedure is understood."""

    substeps: int
    stuck: int
    """Sub-steps with a sentence that is not understood, and that no reader may skip."""
    unread: tuple[Unread, ...]
    """Those sentences, in the document's order."""

    @property
    def whole(self) -> bool:
        return not self.stuck


def readability(procedure: Procedure) -> Readability:
    """Read a procedure as a walk does."""
    lacking = [
        [one for one in reading.not_understood if not one.optional]
        for reading in read_procedure(procedure)
    ]
    return Readability(
        substeps=len(lacking),
        stuck=sum(bool(unread) for unread in lacking),
        unread=tuple(one for unread in lacking for one in unread),
    )
