"""Rewrites what a sentence says in brackets about the case that it is for: `(Steam
pumps only) For **Pressure**, enter a number` becomes `If available, for **Pressure**,
enter a number`.

Such words tell of a field or a button that the console shows in that case alone. So
what is not there is no defect.
"""

from __future__ import annotations

import re

_CASE = re.compile(
    r"^\W{0,3}[(\[](?P<case>(?:for|with|on|in|if using) [^()\[\]]{3,80}? only|"
    r"[^()\[\]]{2,80}?[ -]only|(?:only )?(?:for|with|on) [^()\[\]]{3,80}?|only [^()\[\]]{3,80}?|"
    r"(?:the )?(?:new|old|classic|previous|original|current|legacy) (?:console|version|"
    r"experience|UI|interface))[)\]]:?\s*"
    r"(?P<act>\S.*)$",
    re.I | re.S,
)


def told_cases(piece: str) -> str:
    """Return the sentence as one that depends on what the console shows; unchanged
    without such a case."""
    found = _CASE.match(piece)
    if found is None:
        return piece
    act = found["act"]
    return f"If available, {act[:1].lower()}{act[1:]}"
