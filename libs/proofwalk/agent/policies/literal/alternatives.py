"""Bullets of which one is done: `Do one of the following:`, or a choice for each aim.
And two sentences of which one is done (`opposed`).

The bullet that the document takes itself (`For this example, use this option`) is the
one, else the first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from proofwalk.agent.page.words import normalise
from proofwalk.agent.reading.intents import Intent, IntentKind
from proofwalk.procedures.model import Block

_LEADS = re.compile(
    r"\b(?:one of the following|either of the following|use (?:any|one) of)\b", re.I
)
_WAY = re.compile(
    r"\W*(?:to [a-z]+ [^,;:]*|if you (?:want|need|prefer|would like|wish)\b[^,;:]*|"
    r"for [a-z][^,;:]*), "
    r"(?:choose|select|click|use|turn on|pick)\b",
    re.I,
)
_OF_THIS_EXAMPLE = re.compile(
    r"\b(?:(?:for|in) this (?:example|tutorial|walkthrough|procedure|guide)\W+(?:use|choose|select|"
    r"we (?:use|choose|select)|take)|use this (?:option|one|way) (?:here|for this))\b",
    re.I,
)


_FOR_AN_AIM = re.compile(r"\W*(?:to [a-z]+|if you|for those|otherwise)\b", re.I)


def opposed(intents: Sequence[Intent]) -> Intent | None:
    """Return the second of two acts that turn the same box on and off, each for an aim
    of its own: `To count drops, select **Count**. To save time, clear **Count**.` Which
    aim is the reader's, nobody has told."""
    boxes = [
        intent
        for intent in intents
        if intent.kind in (IntentKind.CHECK, IntentKind.SET)
        and _FOR_AN_AIM.match(intent.origin.sentence)
    ]
    for at, later in enumerate(boxes):
        for earlier in boxes[:at]:
            if (
                earlier.origin.sentence != later.origin.sentence
                and _box(earlier) == _box(later)
                and earlier.checked != later.checked
            ):
                return later
    return None


def _box(intent: Intent) -> str:
    return normalise(intent.path[-1] if intent.path else intent.value or "")


def leads(text: str) -> bool:
    """True for words before bullets of which one is enough."""
    return _LEADS.search(text) is not None


def are_ways(block: Block) -> bool:
    """True if each bullet tells a choice for another aim: `To drain all, choose **A**.`
    One is chosen, not all."""
    texts = ["".join(inline.text for inline in item) for item in block.items]
    return len(texts) > 1 and all(_WAY.match(text) for text in texts)


def way_taken(block: Block) -> int:
    """The position of the bullet that the document itself takes; else of the first."""
    texts = ["".join(inline.text for inline in item) for item in block.items]
    return next((at for at, text in enumerate(texts) if _OF_THIS_EXAMPLE.search(text)), 0)
