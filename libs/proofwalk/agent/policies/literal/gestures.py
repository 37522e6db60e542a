"""Names the gesture on the control with which something is done: `Close it with the
**Close** button` becomes `Close it by clicking the **Close** button`, which `ways`
reads."""

from __future__ import annotations

import re

from proofwalk.agent.page.words import DOTS, normalise
from proofwalk.agent.policies.literal.remainders import asks
from proofwalk.agent.reading.marks import LABEL, Folded

_WITH_CONTROL = re.compile(
    r"\s(?:with|using|through|via|from) (?P<control>(?:the|its) "
    rf"{LABEL} (?:button|link|icon))(?=\s*\.?\s*$)",
    re.I,
)
_ON_A_PATH = re.compile(rf"\s(?:through|via) (?P<path>{LABEL})(?=\s*\.?\s*$)", re.I)
_OFFERS = re.compile(r"\byou (?:can|may|could)\b", re.I)


def with_a_gesture(piece: str, folded: Folded) -> str:
    """Return the sentence with the gesture; unchanged if it asks the reader for nothing
    or names no control at its end. Of a path from `⋮`, the row would be missing."""
    path = _ON_A_PATH.search(piece)
    if path is not None and asks(piece, of_a_thing=True):
        parts = folded.label(path["path"]).parts
        if len(parts) > 1 and normalise(parts[0]) not in DOTS:
            return f"{piece[: path.start()]} by clicking {piece[path.start('path') :]}"
    control = _WITH_CONTROL.search(piece)
    goal = piece[: control.start()] if control else ""
    if control is None or not (_OFFERS.match(goal) or asks(goal, of_a_thing=True)):
        return piece
    return f"{goal} by clicking {piece[control.start('control') :]}"
