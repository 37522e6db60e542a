"""Reads what is taken from one place to another: a text that is copied, a thing that is
dragged.

What is copied has to be a text that a console shows, a key or an address. `Copy the
pump` may make a second pump, so it is not read. A slider is dragged to a number, which
`entries` reads.
"""

from __future__ import annotations

import re
from dataclasses import replace

from proofwalk.agent.policies.literal.clauses import Clause, object_of
from proofwalk.agent.policies.literal.derived_things import JOINTS
from proofwalk.agent.policies.literal.entries import assign
from proofwalk.agent.reading.intents import Intent, IntentKind
from proofwalk.agent.reading.marks import LABEL

_L = LABEL[1:-1]
_TEXT = (
    r"(?:keys?|secrets?|tokens?|values?|ids?|identifiers?|ur[li]s?|links?|address(?:es)?|codes?|"
    r"text|passwords?|passphrases?|strings?|commands?|endpoints?|credentials?|information|arns?|"
    r"contents?|fingerprints?|hash(?:es)?|snippets?|hostnames?|ports?|regions?|usernames?|"
    r"metadata|thumbprints?)"
)
_TEXT_OF = re.compile(
    rf"^\s*(?:the|your|its|this|both|all)\s+(?:(?:[a-z]+|[A-Z][\w-]*)\s+){{0,4}}?{_TEXT}"
    r"(?:\s+(?:displayed|shown|provided|generated|that (?:is|are|was|were|you)\b[a-z ]*|"
    r"(?:from|in|on|of|for|at) (?:the|your|this) [A-Za-z -]+))?\s*\.?\s*$",
    re.I,
)
_TEXT_OF_LABELS = re.compile(
    rf"^\s*(?:(?:the|your|both|all)\s+)?{LABEL}(?:,? (?:and |and the )?{LABEL})*"
    rf"(?P<noun>\s+(?:[a-z]+\s+)?{_TEXT})?"
    r"(?:\s+(?:displayed|shown|provided|generated)(?: (?:on|in) the [a-z ]+)?)?\s*\.?\s*$",
    re.I,
)
_TEXT_FROM_LABEL = re.compile(
    rf"^\s*(?:the|your)\s+(?:[a-z]+ )?{_TEXT} (?:from|in|under|at) (?:the )?{LABEL}"
    r"(?: (?:field|box|section|column))?\s*\.?\s*$",
    re.I,
)
"""`copy the token from **Your token**`: the label is beside what is copied."""
_ENDS_IN_TEXT = re.compile(rf"\b{_TEXT}$", re.I)
_DROPS = re.compile(
    rf"^\s*(?:the\s+)?(?P<what>{LABEL})(?:\s+[a-z]+)?\s+(?:in ?to|onto|on top of|to)\s+(?:the\s+)?"
    rf"(?P<where>{LABEL})(?:\s+[a-z]+)?\s*\.?\s*$",
    re.I,
)
_ONE_LABEL = re.compile(rf"^\s*(?:the\s+)?{LABEL}(?:\s+[a-z]+)?\s*\.?\s*$", re.I)
_DROPS_THINGS = re.compile(
    rf"^\s*(?P<what>(?:the|an?|your)\s+[a-z][^,;.{_L}]*?)\s+(?:in ?to|onto|to|from|out of)\s+"
    rf"(?:the|an?|your|another|its)\s+(?:[^,;.{_L}]|{LABEL})+\s*\.?\s*$",
    re.I,
)


def copy(clause: Clause) -> list[Intent]:
    """`copy the **Client ID** value`, `copy the key`."""
    clause = replace(clause, text=JOINTS.sub("", clause.text))
    if _TEXT_FROM_LABEL.match(clause.text):
        return [clause.intent(IntentKind.COPY, clause.labels)]
    named = _TEXT_OF_LABELS.match(clause.text)
    if named is not None:
        labels = clause.labels
        if not named["noun"] and not all(_ENDS_IN_TEXT.search(one.text) for one in labels):
            return []
        return [clause.intent(IntentKind.COPY, [one]) for one in labels]
    if clause.labels or not _TEXT_OF.match(clause.text):
        return []
    return [clause.intent(IntentKind.COPY, [], phrase=object_of(clause))]


def drag(clause: Clause) -> list[Intent]:
    """`drag **Otter** into the **Drained** column`, `drag the pump to another mill`."""
    numbered = assign(clause) if clause.verb.lower() == "drag" else []
    if numbered:
        return numbered
    named = _DROPS.match(clause.text)
    if named is not None:
        what, where = clause.folded.label(named["what"]), clause.folded.label(named["where"])
        return [clause.intent(IntentKind.DRAG, [what, where], path=what.parts, value=where.text)]
    scope = next((one for one in clause.scopes if one.label), None)
    if scope is not None and _ONE_LABEL.match(clause.text):
        # `into the **Drained** column`: where it is dropped, and not where it is.
        dropped = clause.intent(IntentKind.DRAG, clause.labels, value=scope.label)
        return [replace(dropped, scopes=())]
    things = _DROPS_THINGS.match(clause.text)
    if things is None:
        return []
    return [clause.intent(IntentKind.DRAG, clause.labels, path=(), phrase=clause.text.strip(" ."))]
