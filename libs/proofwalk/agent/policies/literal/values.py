"""Reads the field and the value of a clause. `entries` has the verbs that enter,
`selections` those that choose."""

from __future__ import annotations

import re
from dataclasses import dataclass

from proofwalk.agent.policies.literal.clauses import EXAMPLE, OF_A_FIELD, Clause, head_of, object_of
from proofwalk.agent.reading.intents import Intent, IntentKind
from proofwalk.agent.reading.marks import LABEL, Label
from proofwalk.procedures.model import InlineRole

_LISTED_OBJECTS = re.compile(
    r"\s*(?:the|your|an?)\s+(?P<list>(?:[\w -]+,)+\s*(?:and|or)\s+[\w"
    r" -]+?)(?P<rest>\s+(?:that|which|you|for|in|from)\b[^,.;]*|\s*[,.;]|\s*$)",
    re.I,
)


_NO_HEAD = re.compile(r"^(?:\s*\b(?:and|then|the|an?|it|again|now|once|more)\b)+\s*$", re.I)
"""Words that join the next clause, and name no field."""
_NAMED_FIELD = re.compile(
    rf"\s*(?:the|an?|your)\s+(?P<field>(?:(?:{LABEL}|(?-i:[A-Z])[\w-]*)\s+)?{LABEL})"
    rf"(?:\s*\([^(){LABEL[1:-1]}]*\))?(?:\s+field)?\s*[.,]?\s*"
    r"(?:(?:and|then)\s*)*$",
    re.I,
)
"""`enter a `Name``: words behind an article name the field, whatever their markup. A
value has no article."""

_APPOSED = re.compile(
    r"\s*(?:the|an?|your|its)\s+(?:following\s+)?(?P<head>(?:[a-z][\w-]*\s+){0,3}?"
    rf"(?P<noun>name|value|word|text|phrase))\s+{LABEL}\s*[.,]?\s*(?:(?:and|then)\s*)*$",
    re.I,
)
"""`the name **web-1**`, `the word **drain**`: the value stands behind what it is."""
_ARTICLE = re.compile(r"^(?:the|an?|your|its) ", re.I)
_PARTICIPLE = re.compile(
    r"(?<=\w) (?:associated|attached|assigned|allocated|linked|connected|belonging)$", re.I
)
"""`the key attached to the mill`: what comes behind a name describes it."""
_LEFT_TO_YOU = re.compile(r"(?:whether|when|where|why|to [a-z]+)\b", re.I)
"""`specify whether you want it`, `select this to be told`: no field of a form."""
_VERB_FIRST = re.compile(r"(?:then )?[a-z]+ (?:the|your|an?|its|it|them|this|that)\b", re.I)
"""`a name and try the pump`: an act, and no second field."""
_OF_NO_FIELD = frozenset({"word", "words", "text", "phrase"})


@dataclass(frozen=True, kw_only=True)
class _Parts:
    """A clause's text, divided at *for example*."""

    order: str
    """The text before the example."""
    main: list[Label]
    """The labels in `order`."""
    cited: list[Label]
    """The labels in the example."""
    value: str | None
    """The example's value."""
    example: bool
    """True if the clause has an example."""


_ONLY_JOINED = re.compile(rf"\W*{LABEL}(?:(?:,|,? and)\s+{LABEL})+\W*", re.I)
"""`enter `a` and `b``: several values of one field."""


def set_value(clause: Clause, *, options: bool) -> list[Intent]:
    """Read the field and the value of a clause. `options`: a label without a field is
    an option's name, else a field's."""
    parts = _divided(clause)
    if clause.field:
        return _in_scope_field(clause, parts, options=options)
    if not parts.main:
        return _in_unmarked_field(clause, parts)
    if parts.value is not None:
        labels = [*parts.main[:1], *parts.cited]
        path = parts.main[0].parts
        return [clause.intent(IntentKind.SET, labels, path=path, value=parts.value, example=True)]
    return _by_labels(clause, parts.main, options=options)


def _divided(clause: Clause) -> _Parts:
    pieces = EXAMPLE.split(clause.text, maxsplit=1)
    example = pieces[1] if len(pieces) > 1 else ""
    cited = clause.folded.labels_in(re.split(OF_A_FIELD, example, maxsplit=1, flags=re.I)[0])
    bare = "" if cited else re.split(r"[\s,;]", example.strip(" ."), maxsplit=1)[0].strip(" .,;")
    return _Parts(
        order=pieces[0],
        main=clause.folded.labels_in(pieces[0]),
        cited=cited,
        value=cited[0].text if cited else bare or None,
        example=bool(example),
    )


def _in_scope_field(clause: Clause, parts: _Parts, *, options: bool) -> list[Intent]:
    """Set the field that a scope names. Several options are all chosen, unless they are
    alternatives."""
    fields, value = (clause.field,), parts.value
    if value is None and parts.main:
        value = parts.main[0].text
        alternatives = re.search(rf"{LABEL}\s*(?:,\s*)?or\s+{LABEL}", parts.order)
        each = options or _ONLY_JOINED.fullmatch(parts.order) is not None
        if each and len(parts.main) > 1 and not alternatives:
            return [
                clause.intent(IntentKind.SET, [label], path=fields, value=label.text)
                for label in parts.main
            ]
    return [
        clause.intent(
            IntentKind.SET,
            clause.labels,
            path=fields,
            value=value,
            phrase=object_of(clause),
            example=parts.example,
        )
    ]


def _in_unmarked_field(clause: Clause, parts: _Parts) -> list[Intent]:
    """Set fields that are named in plain words: `enter a name and description`."""
    listed = _LISTED_OBJECTS.match(clause.text) if parts.value is None else None
    if listed:
        return _listed(clause, listed)
    phrase = object_of(clause)
    head = head_of(phrase)
    if not head and parts.value is None:
        return []
    names = (
        [part.strip() for part in re.split(r"\s+and\s+", head)] if parts.value is None else [head]
    )
    names = [_PARTICIPLE.sub("", _ARTICLE.sub("", name)) for name in names]
    if _LEFT_TO_YOU.match(head) or any(_VERB_FIRST.match(name) for name in names[1:]):
        return []
    return [
        clause.intent(
            IntentKind.SET,
            parts.cited,
            path=(name,) if name else (),
            value=parts.value,
            noun="words",
            phrase=phrase,
            example=parts.example,
        )
        for name in names
    ]


def _listed(clause: Clause, listed: re.Match[str]) -> list[Intent]:
    """`specify the name, size, and type of the disk`: one field for each object."""
    rest = " ".join(listed.group("rest").split()).strip(" ,.;")
    rest = re.sub(r"\s*,?\s*(?:and|then)$", "", rest)
    names = [
        re.sub(r"^(?:and|or|the|an?|your)\s+", "", name.strip(), flags=re.I)
        for name in re.split(r",|\band\b", listed.group("list"))
    ]
    if any(_VERB_FIRST.match(name) for name in names):
        return []
    return [
        clause.intent(
            IntentKind.SET,
            [],
            path=(name,),
            noun="words",
            phrase=f"the {name} {rest}".strip(),
        )
        for name in names
        if name and name != "then"
    ]


def _by_labels(clause: Clause, main: list[Label], *, options: bool) -> list[Intent]:
    """Tell field from value by markup: code is a value. Of alternatives, the first is
    taken."""
    if len(main) > 1 and re.search(rf"{LABEL}\s*(?:,\s*)?(?:or)\s+{LABEL}", clause.text, re.I):
        main = main[:1]
    codes = [label for label in main if label.role is InlineRole.CODE]
    names = [label for label in main if label.role is not InlineRole.CODE]
    if [label.role for label in main] == [InlineRole.EMPHASIS, InlineRole.STRONG]:
        codes, names = main[:1], main[1:]  # `Enter *3* in **Depth**`
    if not options and len(codes) == 1 and len(names) == 1:
        labels, path = [*names, *codes], names[0].parts
        return [clause.intent(IntentKind.SET, labels, path=path, value=codes[0].text)]
    if options:
        return [clause.intent(IntentKind.SET, [label], path=(), value=label.text) for label in main]
    named = _NAMED_FIELD.match(clause.text)
    if codes and named is not None:
        words = clause.folded.plain(named["field"])
        return [clause.intent(IntentKind.SET, [*names, *codes], path=(words,))]
    apposed = _APPOSED.match(clause.text)
    of_no_field = apposed is not None and apposed["noun"].casefold() in _OF_NO_FIELD
    if apposed is not None and len(main) == 1 and (of_no_field or not codes):
        return [
            clause.intent(
                IntentKind.SET,
                main,
                path=() if of_no_field else (apposed["head"],),
                value=main[0].text,
                noun="words",
            )
        ]
    if codes:
        head = _NO_HEAD.sub("", head_of(re.sub(LABEL, " ", clause.text)))
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
