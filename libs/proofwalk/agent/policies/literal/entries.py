"""Rules for verbs that enter, set, turn on, keep or add. The value mostly stands before
or after the field."""

from __future__ import annotations

import re
from dataclasses import replace

from proofwalk.agent.page.words import UNIT
from proofwalk.agent.policies.literal.assignments import read_standing_value
from proofwalk.agent.policies.literal.clauses import EXAMPLE, Clause, noun_of, object_of
from proofwalk.agent.policies.literal.controls import go
from proofwalk.agent.policies.literal.values import set_value
from proofwalk.agent.reading.intents import FORM, TYPED, Intent, IntentKind
from proofwalk.agent.reading.marks import LABEL

_WAYS = {
    "on": True,
    "yes": True,
    "true": True,
    "enabled": True,
    "off": False,
    "no": False,
    "false": False,
    "disabled": False,
}
_AS_A_NAME = re.compile(
    rf"\s*(?P<value>{LABEL})\s+as\s+(?:an?|the|your)\s+(?P<field>[a-z][\w"
    r" -]*?)\s*[.,]?\s*(?:(?:and|then)\s*)*$",
    re.I,
)
_ITS_FIELD = re.compile(
    r"\s*(?:the|your)\s+(?P<field>(?:(?!\bin(?:to)?\b)[\w -])+?)\s+(?:text"
    r" )?(?:field|box)\s*[.,]?\s*(?:(?:and|then)\s*)*$",
    re.I,
)
_PLAIN_FIELD = re.compile(
    r"\b(?:in|into)\s+(?:the\s+)?(?:(?P<field>(?!(?:the|text|input)\b)[\w-]+"
    r"(?:\s+(?!(?:text|input) )[\w-]+){0,4}?)\s+(?:(?:text|input)\s+){0,2}(?:field|box|textbox)"
    r"|(?P<bare>(?:(?:text|input)\s+){0,2}(?:field|box|textbox)))\b",
    re.I,
)
"""`in the depth box`; `in the text box`, which has no name."""
_THING_TO_TURN = re.compile(
    r"\s*(?P<phrase>the\s+[a-z][\w -]*?\s+(?:that\s+)?you\s+(?:want|wish|need)\s+to\s+"
    r"(?P<way>enable|disable|(?:turn|switch) (?:on|off)|activate|deactivate))\s*[.,]?\s*"
    r"(?:(?:and|then)\s*)*$",
    re.I,
)
"""`toggle the environment you want to enable`: the switch beside a thing's name."""
_DESIRED = re.compile(
    r"\s*(?:your|an?|the)\s+(?:(?!(?:with|to|as|by)\b)[a-z][\w-]*,?\s+){1,5}"
    rf"(?:{EXAMPLE.pattern})(?!(?:the|an?|your)\b)\S",
    re.I,
)
"""`Set your operator, for example, **is**`: the field in words, and an example."""
_THE_FORM = re.compile(
    r"\s*the form(?P<prepared> as prepared)?(?P<demanded> as it demands)?"
    r"\s*[.,:;]?\s*(?:(?:and|then)\s*)*",
    re.I,
)
_LONE = re.compile(
    r"\s*(?P<phrase>(?:the|an?|your|its) (?P<field>[a-z][a-z-]*(?: [a-z-]+){0,2}?))"
    r"(?<! up)(?<! down)(?<! off)(?<! on)(?<! out)\s*[.,;]?\s*(?:(?:and|then)\s*)*",
    re.I,
)
"""`set the depth`: to what, is left open."""
_PARAMETERS = re.compile(
    r"\b(?:parameters?|settings|configurations?|fields|information|options|basic|following|table|as"
    r" described|items)\b",
    re.I,
)


def enter(clause: Clause) -> list[Intent]:
    """Enter, type, specify."""
    pair = re.search(
        rf"(?P<a>{LABEL})\s+(?:as|for)\s+(?:the |your )?(?P<b>{LABEL})", clause.text, re.I
    )
    if pair and not clause.field:
        value, name = clause.folded.label(pair.group("a")), clause.folded.label(pair.group("b"))
        return [clause.intent(IntentKind.SET, [name, value], path=name.parts, value=value.text)]
    form = _THE_FORM.fullmatch(clause.text)
    if form is not None:
        left = clause.intent(IntentKind.CONFIGURE, [], noun=FORM)
        prepared, demanded = form["prepared"] is not None, form["demanded"] is not None
        return [replace(left, optional=prepared, conditional=demanded)]
    if not clause.labels and not clause.field and _PARAMETERS.search(clause.text):
        return [clause.intent(IntentKind.CONFIGURE)]
    its_field = _ITS_FIELD.match(clause.text)
    if its_field is not None and not clause.field:
        return [clause.intent(IntentKind.SET, [], path=(its_field["field"],), noun="words")]
    as_name = _AS_A_NAME.match(clause.text)
    if as_name is not None and not clause.field:
        entered = clause.folded.label(as_name["value"])
        return [
            clause.intent(
                IntentKind.SET,
                [entered],
                path=(as_name["field"],),
                value=entered.text,
                noun="words",
            )
        ]
    plain_field = _PLAIN_FIELD.search(clause.text)
    if plain_field is not None and not clause.field and len(clause.labels) <= 1:
        given = clause.labels[0].text if clause.labels else None
        if plain_field["bare"] and given:
            typed = clause.intent(IntentKind.SET, clause.labels, value=given, noun=TYPED)
            return [replace(typed, path=())]
        rest = clause.text[: plain_field.start()] + clause.text[plain_field.end() :]
        phrase = "" if clause.labels else object_of(replace(clause, text=rest))
        return [
            clause.intent(
                IntentKind.SET,
                clause.labels,
                path=(plain_field["field"] or plain_field["bare"],),
                value=given,
                noun="words",
                phrase=phrase,
            )
        ]
    return [_as_entered(clause, intent) for intent in set_value(clause, options=False)]


def _as_entered(clause: Clause, intent: Intent) -> Intent:
    """Return the intent with what its verb says of it: `specify` leaves a choice open,
    and what is typed need not be the name of a field."""
    if intent.kind is not IntentKind.SET:
        return intent
    if clause.verb in ("specify", "provide"):
        return replace(intent, chosen=True) if intent.value is None else intent
    if clause.verb not in ("type", "enter") or not _is_bare(clause, intent):
        return intent
    if intent.label.isdigit():
        return replace(intent, path=(), value=intent.label, noun=TYPED)  # No field's name.
    typed = intent.label if clause.verb == "type" else None
    return replace(intent, value=intent.value or typed, noun=TYPED)


def _is_bare(clause: Clause, intent: Intent) -> bool:
    """True for words or a label right behind the verb, which may be what is typed:
    behind an article, they name a field."""
    if len(clause.labels) > 1:
        return False
    if not intent.path:
        return intent.value is not None and not intent.phrase
    if intent.value is not None:
        return False
    in_words = intent.noun == "words" and clause.verb == "type"
    if in_words and not clause.labels:
        alone = rf"\W*{re.escape(intent.phrase)}\W*(?:(?:and|then)\W*)*"
        return intent.phrase == intent.label and re.fullmatch(alone, clause.text) is not None
    return not intent.noun and _BARE.match(clause.text) is not None


_BARE = re.compile(rf"\s*{LABEL}(?!\s+(?:field|box|text ?box|area)\b)", re.I)
"""`type **drain**`: behind an article, a label is a field's name."""
_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
)
_DAY = rf"(?:\d{{4}}-\d\d-\d\d|\d{{1,2}} {_MONTH} \d{{4}}|{_MONTH} \d{{1,2}},? \d{{4}})"
_TO_A_NUMBER = re.compile(
    rf"\s*the (?P<head>[a-z][a-z -]*?) to (?P<value>{_DAY}|\d+(?:\.\d+)?"
    rf"(?: {UNIT})?)"
    r"\s*[.,]?\s*(?:(?:and|then)\s*)*$",
    re.I,
)
"""`Set the depth to 3`."""
_SLIDES = re.compile(rf"\bslider\b|{LABEL}\s+to\s+(?P<to>{LABEL}|\w)", re.I)
"""`drag the slider`, `drag **Size** to 5`: a slider is dragged to a number. Any other
drag drops one thing on another."""


def _to_a_value(clause: Clause) -> list[Intent]:
    """`the depth to `3``, `the depth to 3`: the field has no markup."""
    words = re.search(rf"\bthe (?P<head>[\w -]+?)\s+to\s+(?P<b>{LABEL})", clause.text, re.I)
    if words:
        value = clause.folded.label(words.group("b"))
        return [
            clause.intent(
                IntentKind.SET, [value], path=(words.group("head"),), value=value.text, noun="words"
            )
        ]
    number = _TO_A_NUMBER.match(clause.text)
    if number is None or clause.field or clause.labels:
        return []
    head, given = number["head"], number["value"]
    return [clause.intent(IntentKind.SET, [], path=(head,), value=given, noun="words")]


def _left_open(clause: Clause) -> list[Intent]:
    """`set your depth, for example 3`, `set the depth`: to what, is left open."""
    if _DESIRED.match(clause.text):
        return set_value(clause, options=True)
    lone = _LONE.fullmatch(clause.text)
    if lone is None or clause.field or _PARAMETERS.search(clause.text):
        return []
    phrase = lone["phrase"]
    return [clause.intent(IntentKind.SET, [], path=(lone["field"],), noun="words", phrase=phrase)]


def assign(clause: Clause) -> list[Intent]:
    """Set or change X to Y; configure the parameters."""
    text = clause.text
    slides = _SLIDES.search(text)
    if clause.verb in ("drag", "move") and not (
        slides and (slides["to"] is None or clause.folded.plain(slides["to"])[:1].isdigit())
    ):
        return []
    found = re.search(
        rf"(?P<a>{LABEL})[^{LABEL[1:-1]}]*?\b(?:to|as|=)\s+(?:the )?(?P<b>{LABEL})", text, re.I
    )
    if found:
        name, value = clause.folded.label(found.group("a")), clause.folded.label(found.group("b"))
        return [clause.intent(IntentKind.SET, [name, value], path=name.parts, value=value.text)]
    plain = re.search(
        rf"(?P<a>{LABEL})(?: [a-z-]+){{0,2}}\s+to\s+"
        rf"(?P<b>{_DAY}|\d[\d.,]* {UNIT}\b|[\w./:-]+)",
        text,
        re.I,
    )
    if plain and re.match(r"[A-Z\d]", plain.group("b")):
        name = clause.folded.label(plain.group("a"))
        return [
            clause.intent(
                IntentKind.SET, [name], path=name.parts, value=plain.group("b").rstrip(".")
            )
        ]
    words = _to_a_value(clause)
    if words:
        return words
    if clause.field and clause.labels:
        return [
            clause.intent(
                IntentKind.SET, clause.labels[:1], path=(clause.field,), value=clause.labels[0].text
            )
        ]
    left_open = _left_open(clause) if clause.verb == "set" else []
    if left_open:
        return left_open
    if not clause.labels:
        return (
            [clause.intent(IntentKind.CONFIGURE, [])]
            if clause.verb in ("configure", "complete", "set")
            else []
        )
    if _PARAMETERS.search(text):
        return [clause.intent(IntentKind.CONFIGURE, [])]
    if clause.verb == "complete":
        return []
    return [clause.intent(IntentKind.SET, [label], path=label.parts) for label in clause.labels]


def tick(clause: Clause) -> list[Intent]:
    """Turn on, turn off, enable, disable, clear; `turn X on`; `accept` terms."""
    checked = (
        re.match(
            r"(?:turn on|switch on|enable|check|tick|toggle on|read and accept|accept|agree)",
            clause.verb,
        )
        is not None
    )
    labels = clause.labels
    way = re.search(
        rf"{LABEL}(?:\s+(?:switch|toggle|option))?\s+(?P<way>on|off)\b", clause.text, re.I
    )
    to = re.search(
        rf"(?P<label>{LABEL})(?:\s+(?:switch|toggle|option))?\s+to\s+(?P<way>{LABEL}|\w+)",
        clause.text,
        re.I,
    )
    wanted = _THING_TO_TURN.match(clause.text)
    if wanted is not None and not labels:
        checked = wanted["way"].lower() in ("enable", "turn on", "activate", "switch on")
        phrase = clause.folded.plain(wanted["phrase"])
        return [clause.intent(IntentKind.CHECK, [], checked=checked, phrase=phrase)]
    if clause.verb == "toggle":
        if to is None:
            return []
        state = clause.folded.plain(to["way"]).casefold()
        if state not in _WAYS:
            return []
        switch = clause.folded.label(to["label"])
        words = [switch, *clause.folded.labels_in(to["way"])]
        return [clause.intent(IntentKind.CHECK, words, path=switch.parts, checked=_WAYS[state])]
    if clause.verb in ("turn", "switch"):
        if way is None:
            return go(clause)
        checked = way.group("way").lower() == "on"
        labels = labels[:1]
    if clause.field and not labels:
        return [clause.intent(IntentKind.CHECK, [], path=(clause.field,), checked=checked)]
    return [
        clause.intent(IntentKind.CHECK, [label], checked=checked, noun=noun_of(clause.text))
        for label in labels
    ]


def keep(clause: Clause) -> list[Intent]:
    """Keep or leave something as it is: the value that the sentence names is
    checked."""
    standing = read_standing_value(clause.folded, clause.text)
    if standing is not None:
        field, kept = standing
        return [
            clause.intent(IntentKind.EXPECT_VALUE, [field, kept], path=field.parts, value=kept.text)
        ]
    way = re.search(
        rf"(?P<label>{LABEL})[^{LABEL[1:-1]}]*\b(?P<way>(?:turned|switched)"
        r" (?:on|off)|selected|enabled|cleared)\b",
        clause.text,
        re.I,
    )
    if way is not None:
        checked = not way.group("way").lower().endswith(("off", "cleared"))
        return [
            clause.intent(
                IntentKind.CHECK, [clause.folded.label(way.group("label"))], checked=checked
            )
        ]
    return [clause.intent(IntentKind.MENTION, clause.labels)] if clause.labels else []


def add(clause: Clause) -> list[Intent]:
    """`add x to the A list`. Other things that are added need the clicks that the
    document names."""
    found = re.search(
        rf"(?P<values>{LABEL}(?:\s*(?:,|and)\s*{LABEL})*)\s+(?:to|under)\s+(?:the\s+)?(?P<field>{LABEL})",
        clause.text,
        re.I,
    )
    if found is None and not (clause.field and clause.labels):
        return [clause.intent(IntentKind.MENTION, clause.labels)] if clause.labels else []
    if found is None:
        return [
            clause.intent(IntentKind.SET, [one], path=(clause.field,), value=one.text, noun="entry")
            for one in clause.labels
        ]
    field = clause.folded.label(found.group("field"))
    values = clause.folded.labels_in(found.group("values"))
    return [
        clause.intent(
            IntentKind.SET, [field, value], path=field.parts, value=value.text, noun="entry"
        )
        for value in values
    ]
