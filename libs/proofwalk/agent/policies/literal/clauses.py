"""A clause: a verb and the words after it, without the phrases that say where; and what
its words say by themselves.

`controls`, `entries` and `selections` hold the rules that turn a clause into intents,
one per family of verbs. `verbs` says which rule a verb has. A rule returns an empty
list if it cannot read the clause; `accounting` finds what a rule passed over.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from proofwalk.agent.reading.intents import Intent, IntentKind, Origin, Scope, ScopeKind
from proofwalk.agent.reading.marks import LABEL, Folded, Label


@dataclass(frozen=True, kw_only=True)
class Clause:
    """A verb and what follows it, without scope phrases."""

    folded: Folded
    verb: str
    text: str
    scopes: tuple[Scope, ...]
    words: tuple[str, ...]
    """The labels of the scope phrases."""
    origin: Origin

    @property
    def labels(self) -> list[Label]:
        return self.folded.labels_in(self.text)

    @property
    def field(self) -> str:
        """The field that a scope names; empty without one."""
        return next((scope.label for scope in self.scopes if scope.kind is ScopeKind.FIELD), "")

    def scope_of(self, *kinds: ScopeKind) -> Scope | None:
        """The first scope of one of these kinds."""
        return next((scope for scope in self.scopes if scope.kind in kinds), None)

    def has(self, *kinds: ScopeKind) -> bool:
        return any(scope.kind in kinds for scope in self.scopes)

    @property
    def bar(self) -> ScopeKind | None:
        """The bar that the clause names, or else the sentence."""
        bars = (ScopeKind.NAVIGATION, ScopeKind.TOP_BAR)
        return next((scope.kind for scope in self.scopes if scope.kind in bars), None)

    def intent(
        self,
        kind: IntentKind,
        labels: list[Label] | None = None,
        *,
        path: tuple[str, ...] | None = None,
        value: str | None = None,
        checked: bool = True,
        noun: str = "",
        phrase: str = "",
        example: bool = False,
    ) -> Intent:
        """Return an intent of this clause; `labels` are the words that it accounts
        for."""
        used = labels or []
        return Intent(
            kind=kind,
            path=(
                path if path is not None else tuple(part for label in used for part in label.parts)
            ),
            value=value,
            checked=checked,
            noun=noun,
            phrase=phrase,
            target=next((label.target for label in used if label.target), ""),
            scopes=self.scopes,
            example=example,
            words=tuple(label.text for label in used),
            origin=self.origin,
        )


Rule = Callable[[Clause], list[Intent]]
EXAMPLE = re.compile(r"\b(?:for example|for instance|such as|e\.g\.?|example:)[,:]?\s*", re.I)
THE = re.compile(r"\b(?:the|your|a|an|this|its)\s+(?P<phrase>[^,;.]+)", re.I)
_PURPOSE = re.compile(
    r"\s+(?:to (?!live\b)(?:[a-z]+)|in order to|so that|as needed|based on|according to)\b.*$", re.I
)
_NOUN = re.compile(
    rf"{LABEL}\s+(?P<noun>buttons?|tab|link|icon|check ?box(?:es)?|switch|radio"
    r" button|option|menu|card|toggle|key)\b",
    re.I,
)
OF_A_FIELD = rf"\b(?:for|in|into|below|under|above|next to|beside) (?:the )?{LABEL}(?!\s*\))"
"""`such as `7` below **Depth**`: where the example belongs."""
_ARROW = re.compile(r"\s*(?:>|→|»)\s*")
_PLAIN_PATH = re.compile(
    r"^\s*(?:the\s+)?(?P<path>[A-Z][\w&/ -]*?(?:\s*(?:>|→|»)\s*[A-Z][\w&/"
    r" -]*?)+)\s*(?:[.,;]|\band\b|$)"
)


def plain_path(text: str) -> tuple[str, ...]:
    """Return the entries of a path without markup at the start of a text, `Settings >
    Access`; empty if there is no path."""
    found = _PLAIN_PATH.match(text)
    return tuple(part.strip() for part in _ARROW.split(found["path"])) if found else ()


def noun_of(text: str) -> str:
    found = _NOUN.search(text)
    return (
        found.group("noun")
        .lower()
        .rstrip("s")
        .replace("checkboxe", "check box")
        .replace("checkbox", "check box")
        if found
        else ""
    )


def object_of(clause: Clause) -> str:
    """Return the clause's object in plain words: `a name`, `the instance that you want
    to stop`."""
    text = EXAMPLE.split(clause.text)[0]
    found = THE.search(text)
    plain = clause.folded.plain(found.group() if found else text)
    return re.sub(r"(?:\s+(?:and|then))+$", "", plain.strip(" ,.;:")).strip(" ,.;:")


_DESCRIBED_BY = re.compile(
    r"(?: (?:to|on|at|into|by))? (?:that|which|whose|where|you|we)\b|"
    r" (?:for|of|in|from|with|using)\b|"
    r" (?:on|to|into|by|at|under) (?=(?:the|your|an?|this|each|its|all)\b)|"
    r"^(?:that|which|whose|where|for|of|in|from|with)\b",
    re.I,
)
"""What behind a thing's name says which one it is: `the pump you filled`."""


def head_of(phrase: str) -> str:
    """`a name for the VPC` → `name`."""
    bare = re.sub(
        r"^(?:the|your|a|an|this|its)\s+(?:(?:desired|preferred|appropriate|suitable)\s+)?",
        "",
        phrase,
        flags=re.I,
    )
    return _PURPOSE.sub("", _DESCRIBED_BY.split(bare, maxsplit=1)[0]).strip(" ,.;")


def noun_after(text: str, end: int) -> str:
    found = re.match(r"\s+(button|tab|link|icon)\b", text[end:], re.I)
    return found.group(1).lower() if found else ""
