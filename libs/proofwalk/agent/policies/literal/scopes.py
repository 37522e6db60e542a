"""Reads where in the console a sentence points to: fields, dialogs, pages, columns, the
navigation pane.

Scope phrases are cut out of a clause first. The clause's verb acts on the labels that
remain.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from proofwalk.agent.reading.intents import SEARCH, Scope, ScopeKind
from proofwalk.agent.reading.marks import LABEL, Folded

_NOUNS: tuple[tuple[ScopeKind, str], ...] = (
    (
        ScopeKind.FIELD,
        r"fields?|text ?box(?:es)?|input box|text field|text area|parameter|(?:drop-?down|"
        r"drop down)(?: (?:list|menu|box|selector)){0,2}|select box|slider|"
        r"combo box|property|setting|option|selector|radio group|box",
    ),
    (
        ScopeKind.DIALOG,
        r"dialog(?: box)?|message(?: box)?|panel|drawer|pane|(?:pop-?up|dialog|confirmation)"
        r" (?:window|dialog|"
        r"box|message)|pop-?up|window|"
        r"wizard",
    ),
    (ScopeKind.PAGE, r"(?:list |details? |management |wizard )?page|view|screen|console|form"),
    (
        ScopeKind.SECTION,
        r"sections?|headings?|area|card|step|block|group|list|table|category|widget|tile|toolbar",
    ),
    (ScopeKind.TAB, r"tab(?: page)?"),
    (ScopeKind.COLUMN, r"column"),
    (ScopeKind.MENU, r"menu"),
)
_PREPOSITION = (
    r"(?:in|on|from|under|within|into|inside|for|of|at|next to|beside|below|above|to the"
    r" (?:left|right) of)"
)
_ARTICLE = r"(?:the |your |this |that )?"
_NAMED = tuple(
    (
        kind,
        re.compile(
            rf"\b{_PREPOSITION}\s+{_ARTICLE}(?P<label>{LABEL})\s+(?:{nouns})\b(?: (?:that|which)"
            r" (?:appears?|"
            rf"is displayed|opens?))?",
            re.I,
        ),
    )
    for kind, nouns in _NOUNS
)
_FOR = re.compile(
    rf"(?:^|,|\band|\bthen)\s*(?:for|from|under|in|next to)\s+{_ARTICLE}(?P<label>{LABEL})\s*,",
    re.I,
)
_NEXT_TO = re.compile(
    rf"(?<={LABEL})\s+(?:next to|beside|to the (?:left|right) of)\s+{_ARTICLE}(?P<label>{LABEL})",
    re.I,
)
WHOLE = re.compile(r"\b(?:console|dashboard|web UI|portal)$", re.I)
"""`In the **Acme Console**, …`: where all of it is, and no field."""
_SEARCH_BOX = re.compile(r"\b(?:in|into|using) the (?:[\w-]+ )?search (?:box|field|bar)\b", re.I)
_UNNAMED: tuple[tuple[ScopeKind, re.Pattern[str]], ...] = (
    (
        ScopeKind.NAVIGATION,
        re.compile(
            r"\b(?:in|on|from|at) the (?:left(?:-side|-hand)?[\w -]*?(?:pane|menu|bar|sidebar)|"
            r"(?:side )?nav(?:igation)? (?:pane|menu|bar)|side ?bar)\b",
            re.I,
        ),
    ),
    (
        ScopeKind.TOP_BAR,
        re.compile(
            r"\b(?:in|on|from|at) the (?:top[\w -]*?(?:bar|menu)|(?:upper|top)[- ](?:left|right)"
            r" corner of the top[\w -]*bar)\b",
            re.I,
        ),
    ),
    (
        ScopeKind.CORNER,
        re.compile(
            r"\b(?:in|on|from|at) the (?:(?:upper|top)[- ](?:left|right)(?:[- ]hand)? corner(?: of"
            r" the (?:page|console|screen|window))?|"
            r"top of the (?:page|screen))\b",
            re.I,
        ),
    ),
    (
        ScopeKind.DIALOG,
        re.compile(
            r"\b(?:in|on) the (?:[a-z-]+ ){0,2}(?:(?:dialog(?: box)?|message(?:"
            r" box)?|panel|drawer|pop-?up(?: window)?|window|confirmation)\b"
            r"(?: (?:that|which) (?:appears?|is displayed|opens?|pops up)| displayed)?"
            r"|pane (?:that|which) (?:appears?|is displayed|opens?)\b)",
            re.I,
        ),
    ),
    (
        ScopeKind.PAGE,
        re.compile(
            r"\bon the (?:[a-z-]+ ){0,3}page\b(?: (?:that|which) (?:appears?|is"
            r" displayed|opens?))?",
            re.I,
        ),
    ),
)


@dataclass(frozen=True, kw_only=True)
class Scoped:
    """A clause without its scope phrases; a removed phrase leaves one space."""

    rest: str
    scopes: tuple[Scope, ...]
    words: tuple[str, ...]
    """The labels of the removed phrases."""


def take_scopes(folded: Folded, clause: str) -> Scoped:
    """Cut the scope phrases out of a clause."""
    scopes: list[Scope] = []
    words: list[str] = []
    rest = clause

    def take(kind: ScopeKind, found: re.Match[str]) -> str:
        label = folded.label(found.group("label"))
        words.append(label.text)
        if kind is ScopeKind.FIELD and WHOLE.search(label.text):
            return " "
        scopes.append(Scope(kind=kind, label=label.parts[-1]))
        return " , " if found.group().rstrip().endswith(",") else " "

    for kind, pattern in _NAMED:
        rest = pattern.sub(lambda found, kind=kind: take(kind, found), rest)  # type: ignore[misc]
    rest = _FOR.sub(lambda found: take(ScopeKind.FIELD, found), rest)
    rest = _NEXT_TO.sub(lambda found: take(ScopeKind.FIELD, found), rest)
    if _SEARCH_BOX.search(rest):
        scopes.append(Scope(kind=ScopeKind.FIELD, label=SEARCH))
        rest = _SEARCH_BOX.sub(" ", rest)
    for kind, pattern in _UNNAMED:
        if pattern.search(rest):
            scopes.append(Scope(kind=kind))
            rest = pattern.sub(" ", rest)
    return Scoped(rest=re.sub(r"\s+", " ", rest), scopes=tuple(scopes), words=tuple(words))
