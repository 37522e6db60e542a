"""Choices that a document lists by their names: `Choose one of the following:`, and
bullets of which each is a bold name, or a name and what it is.

One of them is chosen: that which META names, else the one that is chosen already, else
the first that is there. Where none is there, nothing is: a document may list what is no
control. What bullets ask to be done is no choice of this kind (`alternatives`).
"""

from __future__ import annotations

import re
from dataclasses import replace

from proofwalk.agent.page import grounding
from proofwalk.agent.page.words import normalise
from proofwalk.agent.policies.literal.scene import DocumentScene
from proofwalk.agent.reading.intents import Intent, IntentKind, Origin, Reading
from proofwalk.console.observation import State
from proofwalk.procedures.imperatives import Asking, asking
from proofwalk.procedures.model import Block, Inline, InlineRole

LISTED = "listed"
"""Noun of a `CLICK` on one of several names."""
_LEAD = re.compile(
    r"\W*(?:then,? )?(?:choose|select|pick) (?:only )?one of (?:the following|these)"
    r"(?: [a-z]+){0,3}\s*:?\s*$",
    re.I,
)
_TOLD = re.compile(r"\s*(?:[—–:-]\s*(?P<rest>.*))?$", re.S)
_CHOSEN = frozenset({State.CHECKED, State.SELECTED})


def read(block: Block, lead: str) -> Reading | None:
    """Return the choice; None where the bullets are no names."""
    if not _LEAD.match(lead):
        return None
    names = [_name(item) for item in block.items]
    if len(names) < 2 or not all(names):
        return None
    line = block.row_lines[0] if block.row_lines else block.span.line
    one = Intent(
        kind=IntentKind.CLICK,
        path=(names[0],),
        others=tuple(names[1:]),
        noun=LISTED,
        optional=True,
        words=tuple(names),
        origin=Origin(file=block.span.file, line=line, sentence=" ".join(lead.split())),
    )
    return Reading(intents=(one,))


def _name(item: tuple[Inline, ...]) -> str:
    """The bold name that a bullet begins with; empty where it asks for anything."""
    shown = [one for one in item if one.text.strip() and one.role is not InlineRole.IMAGE]
    if not shown or shown[0].role is not InlineRole.STRONG:
        return ""
    told = _TOLD.match("".join(one.text for one in shown[1:]))
    if told is None or asking(told["rest"] or "") is not Asking.NOTHING:
        return ""
    return shown[0].text.strip(" :.")


def preferred(scene: DocumentScene, intent: Intent) -> Intent | None:
    """Return the intent with the name that is to be chosen first; None where one of
    them is chosen already and META names no other."""
    names = (intent.path[0], *intent.others)
    known = {normalise(value) for value in scene.turn.task.binds.values()}
    told = next((name for name in names if normalise(name) in known), "")
    if told:
        return replace(intent, path=(told,), others=(), optional=False)
    place = scene.place(intent)
    shown = [one for name in names for one in grounding.controls(scene.page, name, place)]
    return None if any(_CHOSEN & one.states for one in shown) else intent
