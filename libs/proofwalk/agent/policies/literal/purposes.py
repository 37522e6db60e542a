"""Purposes of an act, which a clause may say besides the act."""

from __future__ import annotations

import re

from proofwalk.agent.policies.literal.unlabelled import MARKS
from proofwalk.agent.reading.marks import LABEL, Folded

PURPOSE = re.compile(
    r"(?!(?<=; )to\b[^;]*,)(?:,\s*)?\b(?:in order to|so that|so you can|so as to|to(?="
    rf" (?!the\b|an?\b|your\b|its\b|this\b|that\b|\d|[A-Z{MARKS}])[a-z-]+))\b"
    rf"(?![^{MARKS}]*\b(?:by|using|via)\b)(?:(?!;|,\s*(?:and\s+)?then\b|,\s*so\b).)*"
)
"""The purpose of an act, `to display your changes`, up to what may be another act. It
does not match *to the X*, nor a purpose that is followed by *by* and another act, nor
the goal of what follows: `; to go on, frobnicate it`."""
_SOME_THING = re.compile(r"^\s*(?:an?|one|any)\s+[a-z]+\s*$", re.I)
_ONE_CONTROL = re.compile(
    rf"^\s*(?:on\s+)?(?:the\s+)?{LABEL}(?:\s+(?:button|icon|tab|link|menu))?\s*$", re.I
)
_TO_SEE = re.compile(
    rf"^\W*to (?:open|close|display|show|access|view|see|launch|exit|leave|return to|go to|reveal|"
    rf"(?:go|navigate) (?:directly )?to) (?:(?:the|an?|your|its) )?{LABEL}"
    r"(?: (?:page|dialog(?: box)?|window|panel|pane|drawer|view|screen|tab|form|wizard|editor|"
    r"details?|list|menu|section))?"
    r"(?:,? as shown [^,;]*)?\s*[.,]?\s*(?:(?:and|then)\s*)*$",
    re.I,
)
"""`to close the **Pump** dialog`: what the control does by itself."""
_TO_ADD = re.compile(
    r"^\W*to (?:add|create|specify|define|assign) "
    rf"(?:an?|another|the|each additional|additional|more) {LABEL}(?:/{LABEL})?"
    r"(?: [a-z]+)?(?: (?:to|in) the [a-z]+(?: below)?)?\s*[.,:;]?\s*"
    r"(?:(?:and|then)\s*)*$",
    re.I,
)
"""`to add a **Name** pair to the table`: what the control is for."""
_CONFIRMED = re.compile(
    rf"^\s*(?:the|your|this|all)\s+[^{MARKS},;.]*?\b(?:with|by"
    rf" (?:clicking|pressing|choosing|selecting))\s+(?:on\s+)?(?={LABEL})",
    re.I,
)


def without_purpose(folded: Folded, text: str) -> str:
    """Remove a purpose with a label: `an option to open the **Approval** dialog` → `an
    option`. The label of a purpose is not what is used."""
    found = PURPOSE.search(text)
    if found is None or not folded.labels_in(found.group()):
        return text
    before = text[: found.start()]
    goal = found.group()
    by_itself = _ONE_CONTROL.match(before) and (_TO_SEE.match(goal) or _TO_ADD.match(goal))
    if not by_itself and not _SOME_THING.match(before):
        return text
    return text[: found.start()]


def without_goal(text: str) -> str:
    """Remove the goal of a confirmation, which asks for nothing more: `the settings
    with **OK**` → `**OK**`."""
    return _CONFIRMED.sub("", text)
