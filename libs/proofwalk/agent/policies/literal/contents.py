"""Lists of what the console shows: `The table shows figures, including the following:`,
and bullets that ask for nothing.

A list of fields, settings or steps is none: it may be what there is to do. An item that
asks, or says what a reader must do, is never content.
"""

from __future__ import annotations

import re

from proofwalk.procedures.imperatives import Asking, asking

_TO_DO = re.compile(
    r"\b(?:steps?|tasks?|fields?|parameters?|settings?|options?|values?|propert(?:y|ies))\b", re.I
)
_SHOWN = re.compile(
    r"[^.:;]*\b(?:shows?|displays?|lists?|contains?|includes?|provides?|reports?)\b[^.;]*"
    r"\b(?:following|includ(?:es?|ing))\b[^.:;]*:\s*$",
    re.I,
)
_DEMANDS = re.compile(
    r"\b(?:you|your|must|should|needs? to|(?:is|are) (?:required|needed))\b|"
    r"^\W*(?!(?:for|of|in|on|with|all|both|and) )[a-z]+ (?:the|an?|all|each|every|any|this|these|"
    r"it|them)\b",
    re.I,
)
"""Also a word with an article behind it, which may be a verb that `imperatives` does
not know."""


def introduces(text: str) -> bool:
    """Return True if a sentence says that the list behind it is what the console
    shows."""
    return (
        asking(text) is Asking.NOTHING
        and _TO_DO.search(text) is None
        and _SHOWN.match(text) is not None
    )


def is_content(text: str) -> bool:
    """Return True if an item of such a list asks for nothing."""
    return asking(text) is Asking.NOTHING and _DEMANDS.search(text) is None
