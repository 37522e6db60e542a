"""Rewrites sentences that say first what is reached and then how: `Shut it down by
clicking **Stop**`.

Only the way is asked for; the goal before it adds nothing. The sentence becomes its
way, after the place that it begins with: `In the list, delete it by choosing **A** and
clicking **OK**` becomes `In the list, choose **A** and click **OK**`. Only a thing that
the goal tells from others like it is found first: `Stop the instance that is idle by
clicking **Stop**` becomes `find the instance that is idle and click **Stop**`. A goal
with a label of its own is left as it is, for it may ask for more.
"""

from __future__ import annotations

import re

from proofwalk.agent.policies.literal.gestures import with_a_gesture, with_its_end_clicked
from proofwalk.agent.reading.marks import LABEL, Folded

_IMPERATIVES = {
    "clicking": "click",
    "selecting": "select",
    "choosing": "choose",
    "pressing": "press",
    "tapping": "tap",
    "hitting": "hit",
    "pushing": "push",
    "entering": "enter",
    "typing": "type",
    "setting": "set",
    "opening": "open",
    "navigating": "navigate",
    "going": "go",
    "using": "use",
    "turning": "turn",
}
_PRESSES = frozenset({"click", "press", "tap", "hit", "push", "choose"})
_GERUNDS = "|".join(_IMPERATIVES)
_WAY = re.compile(
    rf"^(?P<goal>[^.;]*?)\s*,?\s*\b(?:by|via)\s+(?P<verb>{_GERUNDS})\b(?P<rest>.*)$", re.I | re.S
)
_NEXT = re.compile(rf"(?P<join>,|\band(?: then)?|\bthen)\s+(?P<verb>{_GERUNDS})\b", re.I)
_OPENING = re.compile(
    r"^(?P<place>(?:\W*(?:then|next|finally|now|also|optional(?:ly)?)\b[\s,:.]*)*(?:(?:in|on|from|under|at|within|next"
    rf" to)\b[^,]*,|(?:after|once)\b[^,{LABEL[1:-1]}]*,)?)"
    r"(?P<goal>[^,]*)$",
    re.I,
)
_OFFERS = re.compile(r"\byou (?:can|may|could)\b", re.I)
_IMPERSONAL = re.compile(r"\b(?:(?:can|may|could) be|is|are) \w+\s*$", re.I)
_POSSIBLE = re.compile(r"\s+(?:can|may|could) be \w+\s*$", re.I)
_FILE = re.compile(r"\bfiles?\s*$", re.I)
"""`select the certificate by clicking **Import File**`: a file is not part of the
page."""
_OTHERS = re.compile(
    rf"^\W*(?:the|an?|this|it|they|we|[A-Z]\w*s) (?:{LABEL}|[\w"
    r" -])*?\b(?:is|are|can|may|will|does|\w+s)\b",
    re.I,
)
_ITSELF = re.compile(
    r"^\s*(?:on\s+)?(?:it|(?:its|the)(?: \w+)? (?:name|id)|them|their|searching)\b", re.I
)
"""`open the project by clicking its name`: the goal says which row, and the rules for
rows read it."""

_CHOSEN = re.compile(r"\b(?:the|your)\s+(?P<kind>[\w -]*?)\s+(?:that|which|whose)\b[^,:]*$", re.I)
_NEW = re.compile(
    r"\b(?:add|apply|build|buy|create|generate|launch|make|order|provision|purchase|register|set"
    r" up)\b",
    re.I,
)
_OF_THE_PAGE = re.compile(
    r"\b(?:box|button|dialog|drawer|field|form|list|menu|message|option|page|panel|pane|section|settings?|step|tab|values?"
    r"|view|window|wizard)s?$",
    re.I,
)


def _found_first(goal: str) -> str:
    """Return the thing in a row that the goal is about, `the instance that is idle`.
    Empty if the goal creates a thing or names none."""
    chosen = _CHOSEN.search(goal)
    if chosen is None or _NEW.search(goal[: chosen.start()]) or _OF_THE_PAGE.search(chosen["kind"]):
        return ""
    return _POSSIBLE.sub("", chosen.group()).strip()


def by_its_way(piece: str, folded: Folded, *, opens: bool) -> str:
    """Return the sentence with its way as an imperative; unchanged if it has none.
    `opens`: the sentence is the first of its item, so that `X can be done by clicking
    **Y**` is the step itself."""
    piece = with_its_end_clicked(piece, folded)
    found = _WAY.match(with_a_gesture(piece, folded))
    if found is None or _ITSELF.match(found["rest"]):
        return piece
    opening = _OPENING.match(found["goal"])
    impersonal = opens and _IMPERSONAL.search(found["goal"]) is not None
    if opening is None or re.search(LABEL, opening["goal"]):
        return piece
    if _FILE.search(found["goal"]) or re.search(r"\band\b", opening["goal"]):
        return piece
    if not opens and _OFFERS.search(found["goal"]):
        return piece
    if not impersonal and _OTHERS.match(found["goal"]):
        return piece
    way = _NEXT.sub(lambda one: f"{one['join']} {_IMPERATIVES[one['verb'].lower()]}", found["rest"])
    verb = _IMPERATIVES[found["verb"].lower()]
    thing = _found_first(opening["goal"]) if verb in _PRESSES else ""
    return f"{opening['place']} {f'find {thing} and ' if thing else ''}{verb}{way}".strip()
