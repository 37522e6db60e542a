"""What keeps a walk from going on and is no defect of the document.

A document may leave out what has to be so before its first step, a backend may have
nothing left to give, and a reader may not understand a sentence. Each reads like a
defect from afar: something is greyed out, not offered, or not there. None of them is
told as one; the verdict says what it was, and what would help.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ObstacleKind(StrEnum):
    """What was in the way."""

    PRECONDITION = "precondition"
    """Something has to be so that the document does not bring about."""
    LIMIT = "limit"
    """The environment has none left: sold out, a quota, a service that is away."""
    NOT_UNDERSTOOD = "not_understood"
    """A sentence that the policy cannot read."""


@dataclass(frozen=True, kw_only=True)
class Obstacle:
    """What was in the way, in a sentence, and what would satisfy it, where that is
    known."""

    kind: ObstacleKind
    message: str
    remedy: str = ""
