"""Derives what a clause's words are: things, and what is said about each.

Lark's Earley parser finds every derivation of the tokens under `clause.lark`.
Derivations that differ in nothing that matters are one. A text without exactly one is
`None`: either the grammar does not have it, or it may mean two things (`derivations`
tells which). `policies.literal.derived` says what is done with the things.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from lark import Lark, Tree
from lark import Token as Terminal
from lark.exceptions import LarkError
from lark.lexer import Lexer
from lark.visitors import CollapseAmbiguities

from proofwalk.agent.reading.english.tokens import Token, tokens_of

MAX_TOKENS = 60
"""A longer clause is not parsed: an Earley chart grows with the square of its
length."""
_MAX_DERIVATIONS = 32


@dataclass(frozen=True, kw_only=True)
class Tail:
    """What is said about a thing behind its head."""

    kind: str
    """The terminal that begins it: `OF`, `BESIDE`, `RELATIVE`, `CONDITION`, …"""
    begins: str = ""
    """The words of a preposition: `next to`."""
    text: str
    """Its words without those that begin it; all of them for a span."""
    head: Token | None = None
    """The head of the things that it names; None for a span."""
    several: bool = False
    """It names more than one thing."""


@dataclass(frozen=True, kw_only=True)
class Thing:
    """A noun phrase: `the red dot beside the pump that you want to drain`."""

    determiner: str = ""
    words: tuple[Token, ...]
    """Its words up to the head, which is the last one."""
    tails: tuple[Tail, ...] = ()

    @property
    def head(self) -> Token:
        return self.words[-1]

    @property
    def labels(self) -> tuple[str, ...]:
        """Its folded labels, without those of its tails."""
        return tuple(token.text for token in self.words if token.kind == "LABEL")

    def tail(self, *kinds: str) -> Tail | None:
        """The first tail of one of these kinds."""
        return next((tail for tail in self.tails if tail.kind in kinds), None)


@dataclass(frozen=True, kw_only=True)
class Derived:
    """The things of a clause, and the word that joins them."""

    things: tuple[Thing, ...]
    joint: str = ""
    """`and`, `or`; empty for one thing."""


class _TokenLexer(Lexer):
    """Hands over tokens that were made before."""

    __future_interface__ = 2

    def __init__(self, conf: object) -> None:
        pass

    def lex(self, lexer_state: Any, parser_state: Any) -> Iterator[Terminal]:
        for place, token in enumerate(lexer_state.text):
            yield Terminal(token.kind, token.text, start_pos=place)


@cache
def _parser() -> Lark:
    grammar = files(__package__).joinpath("clause.lark").read_text(encoding="utf-8")
    return Lark(
        grammar,
        start="clause",
        parser="earley",
        lexer=_TokenLexer,
        ambiguity="explicit",
        propagate_positions=False,
    )


def derived(text: str) -> Derived | None:
    """Return the one derivation of the words after a verb; None if there is none, or
    more than one."""
    found = derivations(text)
    return found[0] if len(found) == 1 else None


def derivations(text: str) -> tuple[Derived, ...]:
    """Return every derivation that differs in its things or joint."""
    tokens = tokens_of(text)
    if not tokens or len(tokens) > MAX_TOKENS:
        return ()
    try:
        forest = _parser().parse(tokens)
    except LarkError:
        return ()
    trees = CollapseAmbiguities().transform(forest)
    return tuple(dict.fromkeys(_derived(tree) for tree in trees[:_MAX_DERIVATIONS]))


def _derived(tree: Tree[Terminal]) -> Derived:
    things = tuple(_thing(one) for one in tree.children if isinstance(one, Tree))
    joints = [one.type for one in tree.children if isinstance(one, Terminal)]
    joint = "or" if "OR" in joints else "and" if joints else ""
    return Derived(things=things, joint=joint)


def _thing(tree: Tree[Terminal]) -> Thing:
    determiners = [one.value for one in tree.children if isinstance(one, Terminal)]
    parts = [one for one in tree.children if isinstance(one, Tree)]
    core = next(part for part in parts if part.data == "core")
    return Thing(
        determiner=" ".join(determiners).casefold(),
        words=_tokens(core),
        tails=tuple(_tail(part) for part in parts if part.data == "tail"),
    )


def _tail(tree: Tree[Terminal]) -> Tail:
    begins = tree.children[0]
    assert isinstance(begins, Terminal)
    named = next((one for one in tree.children if isinstance(one, Tree)), None)
    if named is None:
        return Tail(kind=begins.type, text=begins.value)
    cores = [one for one in named.children if isinstance(one, Tree)]
    words = " ".join(
        one.value if isinstance(one, Terminal) else " ".join(token.text for token in _tokens(one))
        for one in named.children
    )
    return Tail(
        kind=begins.type,
        begins=begins.value,
        text=words.replace(" ,", ","),
        head=_tokens(cores[0])[-1],
        several=len(cores) > 1,
    )


def _tokens(tree: Tree[Terminal]) -> tuple[Token, ...]:
    return tuple(
        Token(kind=one.type, text=one.value) for one in tree.children if isinstance(one, Terminal)
    )
