"""Finds which edition of the product a procedure is for.

A vendor says it before the steps: `Plan: Enterprise`, `available in the Pro plan`. What
is missing in a console of another edition is no defect of the document.
"""

from __future__ import annotations

import re

from proofwalk.kernel.obstacles import Obstacle, ObstacleKind
from proofwalk.procedures.model import Procedure

_PAID = r"(?:enterprise|pro(?:fessional)?|premium|ultimate|business|plus|commercial|paid)"
_ALL = re.compile(r"\b(?:all (?:plans|editions|tiers)|open[- ]source|free|community|core)\b", re.I)
_FIELD = re.compile(
    rf"^\W*(?:plans?|editions?|tiers?|licen[cs]es?|subscriptions?|offerings?)\s*:\s*"
    rf"(?P<what>[^|;.]*\b{_PAID}\b[^|;.]*)",
    re.I,
)
_TELLS = re.compile(
    rf"\b(?:only (?:available|supported)|available only|requires|is part of|(?:is|are) available"
    rf"(?: only)?)\b[^.]*?\b(?P<what>{_PAID}\b(?:\s+\w+)?\s*(?:plan|edition|tier|licen[cs]e|"
    r"subscription|customers?|version))",
    re.I,
)


def edition_of(procedure: Procedure) -> str:
    """Return the edition that the text before the steps asks for; empty if it asks for
    none, or says that every edition has it."""
    for sentence in reversed(procedure.introduction):
        found = _FIELD.search(sentence.text) or _TELLS.search(sentence.text)
        if found is not None:
            return "" if _ALL.search(sentence.text) else " ".join(found["what"].split())
    return ""


def other_edition(reason: str, edition: str) -> Obstacle:
    """Return why a thing that is not there blames no document."""
    return Obstacle(
        kind=ObstacleKind.PRECONDITION,
        message=f"{reason}; the document says that this is of the edition {edition}",
        remedy=f"walk it in a console of the edition {edition}",
    )
