"""Recognises clauses with a verb that ask for no act: to look, or to leave things as
they are.

`Check the settings`, `Leave **Zone** as it is`. An act that no rule knows may follow
such a clause, so `remainders` is asked about the words after it.
"""

from __future__ import annotations

import re

from proofwalk.agent.policies.literal.remainders import asks_behind
from proofwalk.agent.reading.marks import LABEL

_L = LABEL[1:-1]
_TICKED = (
    r"(?:box|check"
    r" ?box|item|row|option|column|one|entry|entries|file|user|member|toggle|switch)(?:e?s)?"
)
_LOOKS = re.compile(
    rf"^check (?:under|in|on|for)\b.*\bto see (?:whether|if)\b.*$"
    rf"|^check (?:the|your|all)\s+(?!(?:\w+ )?{_TICKED}\b)(?![^{_L}]*\byou"
    rf" (?:want|need|wish)\b)[^{_L}]*$"
    r"|^confirm (?:the|your)"
    rf" (?:settings|configurations?|information|order|summary|details)\b[^{_L}]*$"
    r"|^(?:review|read|view|note|observe|examine|inspect|look at)\s+"
    rf"(?:the|your|all|that|what|whether|if)\b[^{_L}]*$"
    rf"|^(?:verify|confirm that|check that|check whether|check if|make sure)\s+"
    rf"(?![^{_L}]*\b(?:toggle|switch|check"
    r" ?box|box|option|button|selected|turned|enabled|disabled|checked|ticked|on|off)\b)"
    rf"(?!(?:that )?you (?!(?:are|have|can|see|own|know|do|did|had|were|will)\b))"
    rf"(?:the|your|all|that|what|whether|if|you)\b[^{_L}]*$",
    re.I,
)
_NARROWS = re.compile(
    r"^(?:use|apply) (?:the |any )?(?:search(?: bar| box| field)?|filters?|filtering|sorting)"
    r"(?: (?:or|and) (?:the )?(?:search|filters?|filtering|sorting))? to "
    rf"(?:narrow|find|refine|limit|reduce|locate)\b[^,;{_L}]*$",
    re.I,
)
"""`Use search or filtering to narrow the list`: how the reader looks for it."""
_SCROLLS = re.compile(
    r"^scroll(?: (?:up|down|left|right|back|further|all the way))*(?: (?:to|towards) (?:the|its) "
    r"(?:very )?(?:top|bottom|end|foot|left|right)(?: of (?:the|this|that|your) [a-z ]+)?)?$",
    re.I,
)
"""`Scroll to the bottom of the page`: what is looked for there is told behind it, and
is looked for there anyway."""
_KEEPS = re.compile(
    rf"^(?:(?:keep|leave|skip|use(?= the defaults?\b)) (?:the|all|any)\b[^{_L}]*|(?:keep|leave)\b"
    rf"(?! in mind\b| [a-z]+ing\b| an?\b)(?!.*\b(?:on|off|selected|cleared)\b)"
    rf"(?!.*\b(?:with|through|via|by|using)\s+(?:the\s+)?{LABEL}).*"
    r"|skip this step\b.*)$",
    re.I,
)


def only_looks(clause: str) -> bool:
    """True if a clause with its verb asks only to look, or to leave things as they
    are."""
    clause = clause.strip()
    if not any(form.match(clause) for form in (_LOOKS, _KEEPS, _NARROWS, _SCROLLS)):
        return False
    return not asks_behind(clause, coordinated=True)
