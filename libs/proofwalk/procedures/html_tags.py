"""Tags of HTML, one by one: which are void, dropped or notes, and which are left
open."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode

from proofwalk.procedures import html_lines
from proofwalk.procedures.html_lines import TokenKind
from proofwalk.procedures.html_visibility import is_hidden

_VOID = frozenset(
    [
        "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"
    ]
)  # fmt: skip
DROPPED = frozenset(
    [
        "script", "style", "template", "noscript", "nav", "footer", "svg", "math", "select", "option", "textarea", "input",
        "iframe", "object", "embed", "audio", "video", "canvas", "head", "title", "meta", "link", "base", "dialog",
        "datalist", "figcaption"
    ]
)  # fmt: skip
_NOTE_WORDS = frozenset(
    [
        "note", "notes", "notice", "tip", "tips", "hint", "important", "warning", "caution", "danger", "attention", "info",
        "admonition", "alert", "callout", "seealso"
    ]
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Tag:
    """A start tag by itself."""

    name: str
    attributes: Mapping[str, str]

    @property
    def void(self) -> bool:
        return self.name in _VOID

    @property
    def hidden(self) -> bool:
        return self.name in DROPPED or is_hidden(self.attributes)

    @property
    def note(self) -> bool:
        return is_note_element(self.name, self.attributes)


def is_note(word: str) -> bool:
    """Return True if the name of a class or container says that it is a note."""
    return word.lower() in _NOTE_WORDS


def tag(source: str) -> Tag | None:
    """Return the start tag at the beginning of `source`, or None."""
    node = LexborHTMLParser(f"<body>{source}").css_first("body > *")
    return Tag(name=node.tag or "", attributes=attributes_of(node)) if node is not None else None


def unclosed(source: str) -> list[Tag]:
    """Return the elements that `source` opens and leaves open, outermost first."""
    stack: list[tuple[str, str]] = []
    for token in html_lines.tokens(source):
        if token.kind is TokenKind.START and token.name not in _VOID:
            stack.append((token.name, source[token.begin : token.end]))
        elif token.kind is TokenKind.END and any(name == token.name for name, _ in stack):
            while stack.pop()[0] != token.name:
                pass
    return [found for _, start in stack if (found := tag(start)) is not None]


def unopened(source: str) -> list[str]:
    """Return the names of the end tags in `source` whose start is elsewhere."""
    open_names: list[str] = []
    names: list[str] = []
    for token in html_lines.tokens(source):
        if token.kind is TokenKind.START and token.name not in _VOID:
            open_names.append(token.name)
        elif token.kind is TokenKind.END:
            if token.name in open_names:
                while open_names.pop() != token.name:
                    pass
            else:
                names.append(token.name)
    return names


def attributes_of(node: LexborNode) -> dict[str, str]:
    return {name: value or "" for name, value in node.attributes.items()}


def is_note_element(name: str, attributes: Mapping[str, str]) -> bool:
    if attributes.get("role", "").lower() in ("note", "alert"):
        return True
    if name not in ("div", "section", "aside", "p", "blockquote", "span", "table"):
        return False
    return any(
        word.lower() in _NOTE_WORDS
        for part in attributes.get("class", "").split()
        for word in re.split(r"[-_]+", part)
    )
