"""Sentences that lead the reader to another document by a link. A bold label there is a
control of the console (`told_effects`)."""

from __future__ import annotations

import re

from proofwalk.agent.reading.marks import LABEL, Folded
from proofwalk.procedures.model import InlineRole

_L = LABEL[1:-1]
_POINTS_BY_LINK = re.compile(
    r"^\W*for (?:more |further |additional |other )?(?:details?|information|info|help|guidance|"
    rf"instructions|steps) [^,;:{_L}]*,? (?:please )?(?:click|see|visit|go to|check|follow|"
    rf"refer to) (?:on |out )?(?:the )?(?P<link>{LABEL})(?: [a-z]+)?\W*$",
    re.I,
)
"""`For details on pumps, click [here](…)`."""


def points_by_link(folded: Folded, piece: str) -> bool:
    """True if a sentence says which link leads to more about something."""
    found = _POINTS_BY_LINK.match(piece)
    return found is not None and folded.label(found["link"]).role is InlineRole.LINK
