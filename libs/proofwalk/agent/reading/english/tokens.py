"""Cuts the words after a clause's verb into the terminals of `clause.lark`.

The lexicon is `words.yaml`. What a word is may depend on the words around it: `to`
before a bare verb begins a purpose, `that` behind a noun a relative clause. Such a
span, up to the next comma or the end, is one token, so the grammar never looks inside.
A word that no list has is a `WORD`; a character that no token takes makes the clause
unreadable.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from pydantic import BaseModel, ConfigDict

from proofwalk.agent.reading.marks import LABEL
from proofwalk.chassis.yaml_documents import YamlBounds, read_yaml

_MAX_LEXICON_BYTES = 100_000
_L = LABEL[1:-1]
_SPAN_END = rf"[^,;{_L}]*"
_TO_AN_ACT = rf"to (?!(?:the|an?|your|its|this|that|each|any|all|\d)\b|[A-Z{_L}])[a-z-]+\b"


@dataclass(frozen=True, kw_only=True)
class Token:
    """A terminal and its words, as they stand in the folded text."""

    kind: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Lexicon:
    """The lists of `words.yaml`, ready to be matched."""

    verbs: Mapping[str, str]
    """The class of each verb."""
    kinds: Mapping[str, str]
    """The terminal of each noun and closed word, in lower case."""
    words: re.Pattern[str]
    """Matches the longest known word, or else any word."""
    adjectives: frozenset[str]


class _Words(BaseModel):
    """`words.yaml`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    verbs: dict[str, tuple[str, ...]]
    nouns: dict[str, tuple[str, ...]]
    determiners: tuple[str, ...]
    beside: tuple[str, ...]
    places: tuple[str, ...]
    adverbs: tuple[str, ...]
    relatives: tuple[str, ...]
    participles: tuple[str, ...]
    owners: tuple[str, ...]
    conditions: tuple[str, ...]
    purposes: tuple[str, ...]
    adjectives: tuple[str, ...]


@cache
def _words() -> _Words:
    text = files(__package__).joinpath("words.yaml").read_text(encoding="utf-8")
    return _Words.model_validate(read_yaml(text, YamlBounds(max_bytes=_MAX_LEXICON_BYTES)))


@cache
def lexicon() -> Lexicon:
    """Return the lexicon, read once."""
    words = _words()
    kinds: dict[str, str] = {}
    for noun_kind, nouns in words.nouns.items():
        terminal = "PLACENOUN" if noun_kind == "place" else noun_kind.upper()
        for noun in nouns:
            for form in (noun, *_plurals(noun)):
                kinds.setdefault(form, terminal)
    for terminal, closed in (
        ("DETERMINER", words.determiners),
        ("BESIDE", words.beside),
        ("PLACE", words.places),
        ("ADVERB", words.adverbs),
    ):
        kinds |= dict.fromkeys(closed, terminal)
    kinds |= {"of": "OF", "for": "FOR", "to": "TO", "into": "TO", "with": "WITH"}
    kinds |= {"and": "AND", "or": "OR"}
    known = "|".join(re.escape(word) for word in sorted(kinds, key=len, reverse=True))
    return Lexicon(
        verbs={verb: kind for kind, verbs in words.verbs.items() for verb in verbs},
        kinds=kinds,
        words=re.compile(rf"(?:(?:{known})(?![\w'’-])|[\w][\w'’./@+-]*)", re.I),
        adjectives=frozenset(words.adjectives),
    )


def _plurals(noun: str) -> tuple[str, ...]:
    if noun.endswith(("s", "x", "ch", "sh")):
        return (f"{noun}es",)
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return (f"{noun[:-1]}ies",)
    return (f"{noun}s",)


@cache
def _spans() -> tuple[tuple[str, re.Pattern[str]], ...]:
    words = _words()

    def beginning(closed: Iterable[str]) -> str:
        return "|".join(re.escape(word) for word in closed)

    return (
        ("SHOWN", re.compile(rf"\(\s*{LABEL}\s*\)")),
        ("ASIDE", re.compile(rf"\([^(){_L}]*\)")),
        ("PURPOSE", re.compile(rf"(?:{beginning(words.purposes)})\b{_SPAN_END}", re.I)),
        ("PURPOSE", re.compile(rf"{_TO_AN_ACT}{_SPAN_END}")),
        ("CONDITION", re.compile(rf"(?:{beginning(words.conditions)})\b{_SPAN_END}", re.I)),
        ("RELATIVE", re.compile(rf"(?:{beginning(words.relatives)})\b{_SPAN_END}", re.I)),
        ("RELATIVE", re.compile(rf"(?:{beginning(words.owners)})\b{_SPAN_END}", re.I)),
        ("RELATIVE", re.compile(rf"(?:{beginning(words.participles)})\b{_SPAN_END}", re.I)),
    )


def tokens_of(text: str) -> tuple[Token, ...] | None:
    """Return the tokens of a folded text; None where a character fits none."""
    found = tuple(_scan(text))
    return None if any(token.kind == "" for token in found) else found


def _scan(text: str) -> Iterator[Token]:
    place, before = 0, ""
    while place < len(text):
        if text[place].isspace():
            place += 1
            continue
        token = _token_at(text, place, before)
        yield token
        place += max(len(token.text), 1)
        before = token.kind


_SINGLE = {",": "COMMA"}
_NOT_BEFORE_A_SPAN = frozenset(
    ("", "DETERMINER", "OF", "FOR", "WITH", "BESIDE", "PLACE", "AND", "OR")
)
"""Behind these, `that` is a determiner and `to` no purpose."""


def _token_at(text: str, place: int, before: str) -> Token:
    if re.match(LABEL, text[place]):
        return Token(kind="LABEL", text=text[place])
    if text[place] in _SINGLE:
        return Token(kind=_SINGLE[text[place]], text=text[place])
    if before not in _NOT_BEFORE_A_SPAN or text[place] == "(":
        for kind, form in _spans():
            span = form.match(text, place)
            if span is not None:
                return Token(kind=kind, text=span.group())
    word = lexicon().words.match(text, place)
    if word is None:
        return Token(kind="", text=text[place])
    said = word.group().rstrip("./-")
    kind = lexicon().kinds.get(said.casefold(), "WORD")
    if said.casefold().endswith(("'s", "’s", "s'", "s’")):
        kind = "POSSESSIVE"
    return Token(kind=kind, text=said)
