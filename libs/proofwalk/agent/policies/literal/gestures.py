"""Names the gesture on the control with which something is done: `Close it with the
**Close** button` becomes `Close it by clicking the **Close** button`, which `ways`
reads."""

from __future__ import annotations

import re

from proofwalk.agent.page.words import DOTS, normalise
from proofwalk.agent.policies.literal.remainders import asks
from proofwalk.agent.reading.english.word_forms import verbs_of
from proofwalk.agent.reading.marks import LABEL, Folded

_WITH_CONTROL = re.compile(
    r"\s(?:with|using|through|via|from) (?P<control>(?:the|its) "
    rf"{LABEL} (?:button|link|icon))(?=\s*\.?\s*$)",
    re.I,
)
_ON_A_PATH = re.compile(rf"\s(?:through|via) (?P<path>{LABEL})(?=\s*\.?\s*$)", re.I)
_WITH_A_LABEL = re.compile(rf"\s(?:with|using|through|via) (?P<label>{LABEL})(?=\s*\.?\s*$)", re.I)
_DONE = re.compile(r"\b(?:can|could|may) be (?P<verb>[a-z]+)$|\b(?:is|are) (?P<done>[a-z]+)$", re.I)
_LAST_CLAUSE = re.compile(
    r"(?P<join>^|,\s*(?:and\s+)?(?:then\s+)?|\band\s+(?:then\s+)?|\bthen\s+)"
    rf"(?P<goal>[a-z][^,;:{LABEL[1:-1]}]*?)\s(?:with|via) (?P<label>{LABEL})\s*\.?\s*$",
    re.I,
)
_ENDS = re.compile(
    r"(?:finally,? |then )?(?:finish|end|conclude|be done|off (?:you|we) go"
    r"|(?:complete|finish|end|conclude|close) (?:it|this|everything|the (?:[a-z]+ )?"
    r"(?:process|procedure|wizard|order|set-?up|operation|task|creation|work|step|dialog))"
    r"|(?:return|go back) to the [a-z -]+)",
    re.I,
)
"""`Finish with **Create**.` What `Continue with **Network**` means is the next
section."""
_ON = re.compile(r"(?:then )?(?:continue|proceed|go on|move on|carry on)", re.I)
_ONWARD = ("Next", "Continue", "OK", "Next step", "Proceed")
_OFFERS = re.compile(r"\byou (?:can|may|could)\b", re.I)


def with_a_gesture(piece: str, folded: Folded) -> str:
    """Return the sentence with the gesture; unchanged if it asks the reader for nothing
    or names no control at its end. Of a path from `⋮`, the row would be missing."""
    path = _ON_A_PATH.search(piece)
    if path is not None and asks(piece, of_a_thing=True):
        parts = folded.label(path["path"]).parts
        if len(parts) > 1 and normalise(parts[0]) not in DOTS:
            return f"{piece[: path.start()]} by clicking {piece[path.start('path') :]}"
    named = _WITH_A_LABEL.search(piece)
    if named is not None and _is_named_after(
        folded.label(named["label"]).text, piece[: named.start()]
    ):
        return f"{piece[: named.start()]} by clicking {named['label']}."
    control = _WITH_CONTROL.search(piece)
    goal = piece[: control.start()] if control else ""
    if control is None or not (_OFFERS.match(goal) or asks(goal, of_a_thing=True)):
        return piece
    return f"{goal} by clicking {piece[control.start('control') :]}"


def with_its_end_clicked(piece: str, folded: Folded) -> str:
    """Return the sentence with `click **Save**` for `finish with **Save**` at its end;
    unchanged if it ends otherwise."""
    last = _LAST_CLAUSE.search(piece)
    if last is None:
        return piece
    label = folded.label(last["label"]).text
    named = last["join"] and _is_named_after(label, last["goal"])
    if not named and not _ENDS.fullmatch(last["goal"]) and not _goes_on(last["goal"], label):
        return piece
    return f"{piece[: last.start()]}{last['join']}click {last['label']}."


def _goes_on(goal: str, label: str) -> bool:
    """True for `Continue with **Next**`, whose label is the name of a button and of no
    section."""
    return _ON.fullmatch(goal) is not None and label in _ONWARD


def _is_named_after(label: str, goal: str) -> bool:
    """True for **Plant now** behind `Plant the plot` or `The plot can be planted`: the
    control says what is done with it."""
    done = _DONE.search(goal)
    does = (done["verb"] or done["done"]) if done else _OFFERS.sub("", goal).split()[:1]
    of_goal = "".join(does)
    of_label = re.match(r"[A-Za-z-]+", label)
    return of_label is not None and of_label.group().casefold() in verbs_of(of_goal)
