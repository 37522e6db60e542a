"""The rule for choosing, and what a field and a value are read from. `entries` has the
verbs that enter."""

from __future__ import annotations

import re
from dataclasses import replace

from proofwalk.agent.policies.literal.clauses import (
    EXAMPLE,
    Clause,
    head_of,
    noun_of,
    object_of,
    plain_path,
)
from proofwalk.agent.policies.literal.controls import click
from proofwalk.agent.policies.literal.intents import Intent, IntentKind, ScopeKind
from proofwalk.agent.policies.literal.marks import LABEL
from proofwalk.procedures.model import InlineRole

_LISTED_OBJECTS = re.compile(
    r"\s*(?:the|your|an?)\s+(?P<list>(?:[\w -]+?,\s*)+(?:and|or)\s+[\w"
    r" -]+?)(?P<rest>\s+(?:that|which|you|for|in|from)\b[^,.;]*|\s*[,.;]|\s*$)",
    re.I,
)
_SEVERAL_AS = re.compile(
    rf"(?P<values>{LABEL}(?:(?:\s*,)?\s*(?:and\s+)?{LABEL})+)\s+(?:as|for|from|in|under)\s+(?:the"
    rf" |your )?(?P<field>{LABEL})",
    re.I,
)
"""`**GET** and **PUT** as **Allowed Methods**`: each is a choice of the same field."""
_FOR_BOTH = re.compile(
    rf"(?P<value>{LABEL})\s+(?:as|for)\s+both\s+(?P<fields>{LABEL}\s+and\s+{LABEL})", re.I
)
_FOR_A_ROW = re.compile(
    rf"\s*{LABEL}\s+for (?:the|your|an?) (?:[\w -]+ (?:that|which|whose|in which|to which)"
    rf" |[a-z][\w -]* {LABEL}\s*\.?\s*$)",
    re.I,
)
"""`choose **Delete** for the secret that you want to delete`, `choose **Mute** for the
alert rule `name``."""
_DESCRIBED_AS = re.compile(
    rf"\s*(?P<what>(?:the|your|an?)\s+[^,;.{LABEL[1:-1]}]+?)\s+(?:as|for)\s+(?:the |your"
    rf" )?(?P<field>{LABEL})",
    re.I,
)
"""`select the project that collects the logs as **Project**`."""
_IN_THE_ROW = re.compile(rf"{LABEL}\s+(?:in|from) the row (?:of|for|with|that)\b", re.I)
_PLAIN_NAME = re.compile(
    r"\s*(?P<name>[A-Z][\w-]*(?:\s+[A-Z][\w-]*)+)\s*(?:[.,;]|\bto\b|\band\b|$)"
)
"""`Select New Filter to create a rule`: two words with capitals and no article are a
control's name."""


def choose(clause: Clause) -> list[Intent]:
    """Choose or select: a menu path, a region, a check box, an option, a row."""
    labels, text = clause.labels, clause.text
    if clause.bar is ScopeKind.NAVIGATION and labels:
        return [clause.intent(IntentKind.NAVIGATE, labels)]
    region = re.search(r"\bregions?\b", text, re.I)
    in_top_bar = clause.bar is ScopeKind.TOP_BAR or (clause.has(ScopeKind.CORNER) and region)
    if in_top_bar and not clause.field and (region or labels):
        place = (
            labels[0].parts[-1]
            if labels and not (region and labels[0].role is InlineRole.LINK)
            else None
        )
        return [clause.intent(IntentKind.REGION, labels[:1], value=place)]
    menu = next(
        (scope.label for scope in clause.scopes if scope.kind is ScopeKind.MENU and scope.label), ""
    )
    if menu and labels:
        return [clause.intent(IntentKind.CLICK, labels[:1], path=(menu, *labels[0].parts))]
    noun = noun_of(text)
    if noun == "check box":
        return [
            clause.intent(IntentKind.CHECK, [label], checked=not clause.verb.startswith("de"))
            for label in labels
        ]
    of_a_row = labels and (
        clause.has(ScopeKind.COLUMN) or _IN_THE_ROW.search(text) or _FOR_A_ROW.match(text)
    )
    if (
        noun in ("tab", "button", "link", "icon", "menu", "card")
        or of_a_row
        or any(len(label.parts) > 1 for label in labels)
    ):
        return click(clause)
    if (
        re.search(r"\bcheck ?box\b", text, re.I)
        or (not labels and re.search(r"\b(?:want to|row|instances?\b.*\bthat)\b", text, re.I))
    ) and not clause.field:
        if labels and not re.search(r"\b(?:of|next to|before) the\b", text, re.I):
            return [
                clause.intent(IntentKind.CHECK, [label], checked=not clause.verb.startswith("de"))
                for label in labels
            ]
        return [clause.intent(IntentKind.SELECT_ROW, labels, phrase=object_of(clause))]
    both = _FOR_BOTH.search(text)
    if both:
        given = clause.folded.label(both["value"])
        fields = clause.folded.labels_in(both["fields"])
        return [
            clause.intent(IntentKind.SET, [one, given], path=one.parts, value=given.text)
            for one in fields
        ]
    several = _SEVERAL_AS.search(text)
    if several:
        name = clause.folded.label(several["field"])
        values = clause.folded.labels_in(several["values"])
        return [
            clause.intent(IntentKind.SET, [name, one], path=name.parts, value=one.text)
            for one in values
        ]
    path = plain_path(text)
    if path and not labels and not clause.field:
        return [clause.intent(IntentKind.CLICK, [], path=path)]
    named = _PLAIN_NAME.match(text)
    if named is not None and not labels and not clause.field:
        return [clause.intent(IntentKind.CLICK, [], path=(named["name"],))]
    if clause.field and not labels and re.match(r"\s*this (?:option|check ?box)\b", text, re.I):
        return [clause.intent(IntentKind.CHECK, [], path=(clause.field,))]
    if any(
        label.role is InlineRole.LINK and label.target and not label.target.startswith("#")
        for label in labels
    ) and re.match(r"\s*(?:an?|one of|the)\b", text, re.I):
        return []
    pair = re.search(
        rf"(?P<a>{LABEL})\s+(?:as|for|from|in|under)\s+(?:the |your )?(?P<b>{LABEL})", text, re.I
    )
    if pair:
        wanted, name = clause.folded.label(pair.group("a")), clause.folded.label(pair.group("b"))
        return [clause.intent(IntentKind.SET, [name, wanted], path=name.parts, value=wanted.text)]
    described = _DESCRIBED_AS.match(text)
    if described:
        name = clause.folded.label(described["field"])
        return [
            clause.intent(
                IntentKind.SET,
                [name],
                path=name.parts,
                phrase=clause.folded.plain(described["what"]),
            )
        ]
    return [
        (
            replace(intent, chosen=True)
            if intent.kind is IntentKind.SET and intent.value is None
            else intent
        )
        for intent in set_value(clause, options=True)
    ]


def set_value(clause: Clause, *, options: bool) -> list[Intent]:
    """A field and a value out of what the clause has."""
    text, labels = clause.text, clause.labels
    parts = EXAMPLE.split(text, maxsplit=1)
    example = parts[1] if len(parts) > 1 else ""
    main = clause.folded.labels_in(parts[0])
    shown = clause.folded.labels_in(example)
    bare = "" if shown else re.split(r"[\s,;]", example.strip(" ."), maxsplit=1)[0].strip(" .,;")
    value = shown[0].text if shown else bare or None
    if clause.field:
        fields: tuple[str, ...] = (clause.field,)
        if value is None and main:
            value = main[0].text
            if (
                options
                and len(main) > 1
                and not re.search(rf"{LABEL}\s*(?:,\s*)?or\s+{LABEL}", parts[0])
            ):
                return [
                    clause.intent(IntentKind.SET, [label], path=fields, value=label.text)
                    for label in main
                ]
        return [
            clause.intent(
                IntentKind.SET,
                labels,
                path=fields,
                value=value,
                phrase=object_of(clause),
                example=bool(example),
            )
        ]
    if not main:
        listed = _LISTED_OBJECTS.match(text) if value is None else None
        if listed:
            rest = " ".join(listed.group("rest").split()).strip(" ,.;")
            rest = re.sub(r"\s*,?\s*(?:and|then)$", "", rest)
            ones = [
                re.sub(r"^(?:and|or|the|an?|your)\s+", "", one.strip(), flags=re.I)
                for one in re.split(r",|\band\b", listed.group("list"))
            ]
            return [
                clause.intent(
                    IntentKind.SET,
                    [],
                    path=(one,),
                    noun="words",
                    phrase=f"the {one} {rest}".strip(),
                )
                for one in ones
                if one and one != "then"
            ]
        phrase = object_of(clause)
        head = head_of(phrase)
        if not head and value is None:
            return []
        heads = [part.strip() for part in re.split(r"\s+and\s+", head)] if value is None else [head]
        return [
            clause.intent(
                IntentKind.SET,
                shown,
                path=(one,) if one else (),
                value=value,
                noun="words",
                phrase=phrase,
                example=bool(example),
            )
            for one in heads
        ]
    if value is not None:
        return [
            clause.intent(
                IntentKind.SET, [*main[:1], *shown], path=main[0].parts, value=value, example=True
            )
        ]
    if len(main) > 1 and re.search(rf"{LABEL}\s*(?:,\s*)?(?:or)\s+{LABEL}", text, re.I):
        main = main[:1]
    codes = [label for label in main if label.role is InlineRole.CODE]
    names = [label for label in main if label.role is not InlineRole.CODE]
    if not options and len(codes) == 1 and len(names) == 1:
        return [
            clause.intent(
                IntentKind.SET, [*names, *codes], path=names[0].parts, value=codes[0].text
            )
        ]
    if options:
        return [clause.intent(IntentKind.SET, [label], path=(), value=label.text) for label in main]
    if codes:
        head = head_of(re.sub(LABEL, " ", clause.text))
        return [
            clause.intent(
                IntentKind.SET,
                codes[:1],
                path=(head,) if head else (),
                value=codes[0].text,
                noun="words",
            )
        ]
    return [clause.intent(IntentKind.SET, [label], path=label.parts) for label in names]
