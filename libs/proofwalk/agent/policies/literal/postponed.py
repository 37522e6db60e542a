"""Acts that a look comes before: `Review the settings before clicking **Create**`.

The sentence asks to look, and says when. Whether it asks for the click as well only its
neighbours tell: where a later sentence has the reader click **Create**, the click is
that one's, and a reader who clicked here as well would click twice. Where nobody else
asks for it, whoever wrote the sentence meant it to be done here, after the look.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from proofwalk.agent.page.words import normalise
from proofwalk.agent.reading.intents import Intent, IntentKind, Origin, Reading
from proofwalk.agent.reading.marks import LABEL, Folded

_ACT = r"before (?:you )?(?:click|press|tapp?|select|choos)(?:e|ing)?(?: on)? (?:the )?"
_ENDS = re.compile(rf"\b{_ACT}(?P<label>{LABEL})(?: (?:button|link|icon|option))?[\s.!]*$", re.I)
_SAID_LAST = re.compile(rf"\b{_ACT}$", re.I)
_SAID_FIRST = re.compile(rf"^\W*{_ACT}$", re.I)
_NOTHING_ELSE = re.compile(r"\W*(?:(?:button|link|icon|option)\b)?\W*", re.I)
_DO_IT = frozenset({IntentKind.CLICK, IntentKind.NAVIGATE, IntentKind.SET, IntentKind.CHECK})


def postponed(folded: Folded, piece: str, origin: Origin) -> tuple[Intent, ...]:
    """The label of the act that a look is said to come before, as a mention; nothing
    where the sentence ends otherwise."""
    ending = _ENDS.search(piece)
    if ending is None:
        return ()
    path = tuple(label.text for label in folded.labels_in(ending["label"]))
    return (Intent(kind=IntentKind.MENTION, path=path, words=path, origin=origin),)


def with_postponed_acts(readings: Sequence[Reading]) -> tuple[Reading, ...]:
    """The readings of a procedure, in which an act that is only said to come later is
    asked for where no later sentence asks for it."""
    found = list(readings)
    to_click: set[str] = set()
    for place in reversed(range(len(found))):
        intents = list(found[place].intents)
        for position in reversed(range(len(intents))):
            intent = intents[position]
            if _waits(intent) and normalise(intent.label) not in to_click:
                intents[position] = replace(intent, kind=IntentKind.CLICK)
            if intents[position].kind in _DO_IT:
                to_click |= {normalise(label) for label in (*intent.path, *intent.others)}
        found[place] = replace(found[place], intents=tuple(intents))
    return tuple(found)


def _waits(intent: Intent) -> bool:
    """Whether its sentence names the label as that of what is done after a look."""
    if intent.kind is not IntentKind.MENTION or len(intent.path) != 1 or intent.conditional:
        return False
    said, label, rest = intent.origin.sentence.rpartition(intent.label)
    if not label:
        return False
    ends = _SAID_LAST.search(said) is not None and _NOTHING_ELSE.fullmatch(rest) is not None
    return ends or _SAID_FIRST.search(said) is not None
