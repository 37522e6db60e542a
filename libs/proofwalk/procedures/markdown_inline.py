"""Reads the inline tokens of a Markdown block into fragments: roles, links, pictures.

HTML between the words is read tag by tag. Signs that are drawn with a font or a short
code are pictures (`icons`); a short code that only lays a page out is nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping

from markdown_it.token import Token

from proofwalk.procedures import html, html_tags, icons
from proofwalk.procedures.model import InlineRole
from proofwalk.procedures.outline import Fragment

_TAG = re.compile(r"<(?P<end>/?)(?P<name>[A-Za-z][\w-]*)")


def read_inline(token: Token) -> tuple[Fragment, ...]:
    """Return the fragments of an inline token."""
    reader = _InlineReader(token)
    for child in token.children or ():
        reader.take(child)
    return tuple(reader.end())


def _sign(name: str, attributes: Mapping[str, str]) -> list[str] | None:
    """The words that a sign begins with; None for an element that is no sign."""
    if icons.has_ligature(name, attributes):
        return []
    drawn = icons.of_element(name, attributes)
    return [drawn] if drawn else None


class _InlineReader:
    """Tracks which roles are open from one inline token to the next."""

    def __init__(self, token: Token) -> None:
        self.fragments: list[Fragment] = []
        self._breaks = [found.start() for found in re.finditer("\n", token.content)]
        self._first = token.map[0] + 1 if token.map else 1
        self._strong = 0
        self._emphasis = 0
        self._code = 0
        self._links: list[str] = []
        self._hidden = ""
        self._hidden_depth = 0
        self._sign: list[str] | None = None
        """The words of a sign that is open."""
        self._sign_tag = ""

    def take(self, token: Token) -> None:
        """Add one inline token."""
        line = self._first + bisect_left(self._breaks, token.meta.get("at", 0))
        if token.type == "html_inline":
            self._html(token.content, line)
        elif self._hidden:
            return
        elif token.type in ("text", "text_special", "softbreak", "hardbreak"):
            self._add(
                self._role(), token.content or (" " if token.type.endswith("break") else ""), line
            )
        elif token.type == "code_inline":
            self._add(InlineRole.CODE, token.content, line)
        elif token.type == "image":
            self._image(token.content, str(token.attrGet("src") or ""), line)
        elif token.type in ("strong_open", "strong_close"):
            self._strong += token.nesting
        elif token.type in ("em_open", "em_close"):
            self._emphasis += token.nesting
        elif token.type == "link_open":
            self._links.append(str(token.attrGet("href") or ""))
        elif token.type == "link_close" and self._links:
            self._links.pop()

    def end(self) -> list[Fragment]:
        """Return the fragments. The words of a sign that was never closed are text."""
        if self._sign is not None:
            words, self._sign = "".join(self._sign), None
            self._add(InlineRole.TEXT, words, self._first + len(self._breaks))
        return self.fragments

    def _role(self) -> InlineRole:
        if self._code > 0:
            return InlineRole.CODE
        if self._strong > 0:
            return InlineRole.STRONG
        if self._links:
            return InlineRole.LINK
        return InlineRole.EMPHASIS if self._emphasis > 0 else InlineRole.TEXT

    def _add(self, role: InlineRole, text: str, line: int) -> None:
        if self._sign is not None:
            self._sign.append(text)
            return
        runs = [(text, False)] if role is InlineRole.CODE else icons.split(text)
        for run, sign in runs:
            if sign:
                self._image(run, "", line)
            elif run:
                target = self._links[-1] if self._links else ""
                self.fragments.append(Fragment(role=role, text=run, line=line, target=target))

    def _image(self, alt: str, target: str, line: int) -> None:
        alt = alt or icons.of_file(target)
        self.fragments.append(Fragment(role=InlineRole.IMAGE, text=alt, line=line, target=target))

    def _html(self, source: str, line: int) -> None:
        found = _TAG.match(source)
        if not found:
            return
        name, step = found["name"].lower(), -1 if found["end"] else 1
        if self._hidden:
            self._hidden_depth += step if name == self._hidden else 0
            self._hidden = self._hidden if self._hidden_depth > 0 else ""
            return
        if self._sign is not None and step < 0 and name == self._sign_tag:
            shown, self._sign = "".join(self._sign).strip(), None
            self._image(shown, "", line)
            return
        tag = html_tags.tag(source) if step > 0 else None
        if tag and tag.hidden:
            if not tag.void:
                self._hidden, self._hidden_depth = name, 1
        elif tag and (sign := _sign(name, tag.attributes)) is not None:
            self._sign, self._sign_tag = sign, name
        elif name in html.STRONG_TAGS:
            self._strong += step
        elif name in html.EMPHASIS_TAGS:
            self._emphasis += step
        elif name in html.CODE_TAGS:
            self._code += step
        elif name == "br":
            self._add(InlineRole.TEXT, " ", line)
        elif name == "a" and tag:
            self._links.append(tag.attributes.get("href", ""))
        elif name == "a" and self._links:
            self._links.pop()
        elif name == "img" and tag:
            self._image(tag.attributes.get("alt", ""), tag.attributes.get("src", ""), line)
