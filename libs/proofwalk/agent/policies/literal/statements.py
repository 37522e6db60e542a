"""Statements with a label whose form proves that they ask for nothing.

`**Name** gets `web`` is an instruction in the form of a fact, so a label in a sentence
leaves it unproven (`prose`). The forms here are none: what a part of the console shows
or does, what an act has as its effect, what a name stands for, what must not be done.
Each still has to have no instruction behind it (`remainders`) and to oblige nobody
(`duties`).
"""

from __future__ import annotations

import re

from proofwalk.agent.policies.literal.duties import obliges
from proofwalk.agent.policies.literal.remainders import asks_behind
from proofwalk.agent.reading.marks import LABEL

_L = LABEL[1:-1]
_EFFECT = (
    r"(?:displays?|lists?|shows?|contains?|opens|closes|appears?|disappears?|refreshes|describes?|"
    r"explains?|includes?|sees?|indicates?|removes|deletes|reuses|replaces|keeps|stays?|remains?|"
    r"counts?|tells?|loads?|restarts|starts|reloads|updates|creates|saves|returns?|"
    r"(?:is|are|was|were)(?: now| then| also| not| only| automatically)*"
    r" (?:displayed|shown|listed|marked|created|updated|closed|opened|explained|supported|removed|"
    r"deleted|hidden|visible|available|reserved|for [a-z]+ only|for [a-z]+))"
)
_PART = re.compile(
    rf"^(?:the|a|an|this|each|every|only the|your|all|any) (?:[^,;:.]*? )?(?:{LABEL} )?"
    rf"(?:[\w-]+ )*?{_EFFECT}\b",
    re.I,
)
"""`The **Owner** list shows all roles.`, `The banner **Unpublished** disappears.`"""
_ACT = re.compile(
    r"^(?!(?:during|nothing|something|anything|everything|bring|ring|string|ping)\b)[a-z]+ing "
    rf"(?:(?!\bto\b)[^,;:.])*?{_EFFECT}\b",
    re.I,
)
"""`Clicking **Preview** opens the page.`"""
_QUESTION = re.compile(
    r"^(?:what|why|whether|how|who|which)\b[^,;:]*? (?:is|are|does|do|was) "
    r"(?:explained|described|told|shown|written|listed|decided|determined|a matter of|"
    r"not matter)\b",
    re.I,
)
"""`What the **Bounce** column counts is explained below.`"""
_MEANS = re.compile(
    rf"^{LABEL}\s*(?:\([^()]*\)\s*)?(?::|\s[-–—])\s+(?:how|whether|what|which|when|why)\b[^{_L}]*$",
    re.I,
)
"""`**Tier** – how fast the cellar answers.` A noun (`the name of it`) may be a field
that is to be filled."""
_NOT = re.compile(
    r"^(?:please )?(?:do not|don['’]t|never|avoid)\b(?!.*\b(?:but|instead|until)\b)", re.I
)
"""`Do not close the window.`"""
_LED = re.compile(
    r"^you(?: are| will be|['’]re|['’]ll be)(?: now| then| automatically)? "
    r"(?:taken|greeted|redirected|returned|brought|led|logged|signed|informed|notified)\b"
    r"(?!.*\band\b)",
    re.I,
)
_FORMS = (_PART, _ACT, _QUESTION, _MEANS, _NOT, _LED)


def states(bare: str) -> bool:
    """True if the folded sentence has one of these forms and asks for nothing."""
    if not any(form.match(bare) for form in _FORMS):
        return False
    return not obliges(bare) and not asks_behind(bare, coordinated=True)
