"""Assigns verbs to rules: the first family of `RULES` that matches wins."""

from __future__ import annotations

import re

from proofwalk.agent.policies.literal.clauses import Clause, Rule, noun_of
from proofwalk.agent.policies.literal.controls import (
    click,
    confirm,
    find,
    go,
    hover,
    log_on,
    refresh,
    right_click,
    search,
    upload,
    use,
)
from proofwalk.agent.policies.literal.described import confirmation
from proofwalk.agent.policies.literal.entries import add, assign, enter, keep, tick
from proofwalk.agent.policies.literal.expectations import expectations
from proofwalk.agent.policies.literal.going_on import pressed
from proofwalk.agent.policies.literal.selections import choose
from proofwalk.agent.policies.literal.transfers import copy, drag
from proofwalk.agent.reading.intents import Intent, IntentKind
from proofwalk.agent.reading.marks import LABEL

_TURNED = re.compile(
    rf"(?P<label>{LABEL})(?:\s+(?:tab|option|toggle|switch|check ?box))?\s+(?:is|are)\s+"
    r"(?:(?:turned|switched)\s+)?(?P<way>on|off|selected|enabled|ticked|cleared)\b",
    re.I,
)

_STANDS = re.compile(
    rf"\s*(?:that\s+)?(?:the\s+)?(?P<field>{LABEL})(?:\s+(?:field|option|setting|list))?"
    rf"\s+(?:is|shows|has\s+the\s+value)\s+(?P<value>{LABEL})\s*\.?\s*",
    re.I,
)
"""`verify that **Zone** is **West**`."""


def wait(clause: Clause) -> list[Intent]:
    """Wait for or check what a subordinate clause expects. A switch that has to be on
    is turned on."""
    if clause.verb == "confirm that" and confirmation(clause):
        return confirmation(clause)
    turned = (
        _TURNED.search(clause.text) if clause.verb in ("make sure", "ensure", "verify") else None
    )
    if turned:
        switch = clause.folded.label(turned["label"])
        if noun_of(clause.text) == "tab":
            return [clause.intent(IntentKind.CLICK, [switch], noun="tab")]
        return [
            clause.intent(
                IntentKind.CHECK,
                [switch],
                checked=turned["way"].casefold() not in ("off", "cleared"),
            )
        ]
    found = expectations(clause.folded, clause.text, clause.origin)
    if any(intent.kind is not IntentKind.MENTION for intent in found):
        return found
    stands = None if clause.verb.startswith("wait") else _STANDS.fullmatch(clause.text)
    if stands is not None:
        field, value = (clause.folded.label(stands[name]) for name in ("field", "value"))
        return [
            clause.intent(
                IntentKind.EXPECT_VALUE, [field, value], path=field.parts, value=value.text
            )
        ]
    labels = clause.labels
    if clause.verb.startswith("wait"):
        return [clause.intent(IntentKind.WAIT, labels)]
    return [clause.intent(IntentKind.MENTION, labels)] if labels else []


RULES: tuple[tuple[str, Rule], ...] = (
    (
        (
            r"wait(?:ing)?|make sure|ensure|verify|confirm that|check (?:that|whether|if)|view|note"
            r" that"
        ),
        wait,
    ),
    (r"right[- ]click(?: on)?", right_click),
    (r"(?:move|hover)(?: (?:the|your) (?:pointer|mouse|cursor))? over|hover", hover),
    (
        r"turn on|turn off|switch on|switch off|toggle"
        r" (?:on|off)|toggle|enable|disable|uncheck|untick|tick|"
        r"clear|deselect|check(?! ?box)|read and accept|accept|agree to|turn(?! to)|switch(?! to)",
        tick,
    ),
    (r"click on|click|press|tap(?: on)?|hit|push", click),
    (r"choose|select|pick", choose),
    (r"log on|log in|sign in|sign on|login|log onto", log_on),
    (r"go(?: back)? to|navigate to|open|visit|return to|switch to|expand|access|go", go),
    (r"search for", search),
    (r"find|locate|look for", find),
    (
        r"(?:re-?)?(?:enter|type)|input|fill in|specify|define|paste|provide|fill out|populate",
        enter,
    ),
    (r"drag(?: and drop)?", drag),
    (r"set|change|configure|complete|modify|move|adjust|update", assign),
    (r"copy", copy),
    (r"upload", upload),
    (r"refresh|reload", refresh),
    (r"keep|leave", keep),
    (r"confirm|skip|save", confirm),
    (r"add", add),
    (r"use", use),
    (
        r"continue|proceed|go on|move on|submit|send|apply|finish|close|dismiss|cancel|download",
        pressed,
    ),
)
