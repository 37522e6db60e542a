"""Parses DocBook's XML into a small tree in which each text has its line.

Expat parses: it reads nothing but the text that it is given, so no external entity,
document type or included file is opened. Entities are not expanded by it either. One
that the document declares as text stands for that text; any other is written as its
name (`&dashboard;` is *dashboard*), as its file does not come with the document. The
tree is bounded in depth, elements, and text from entities.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from xml.parsers import expat

from proofwalk.kernel.errors import invalid
from proofwalk.procedures.outline import too_deep

MAX_ELEMENT_DEPTH = 100
"""How deep elements may nest."""
MAX_ELEMENTS = 200_000
"""Most elements of a document."""
MAX_ENTITY = 300
"""Most characters that an entity stands for."""
MAX_REPLACED = 1_000_000
"""Most characters from entities in a document; later ones are written as names."""

_NAMESPACE = "http://docbook.org/ns/docbook"
_REFERENCE = re.compile(r"&([^&;\s]{1,100});")
_TAG = re.compile(r"<[^<>]{0,300}>")


@dataclass(frozen=True, slots=True)
class Text:
    """A run of text on one line."""

    text: str
    line: int


@dataclass(slots=True)
class Element:
    """An element. `name` has no namespace; that of another vocabulary is `-`."""

    name: str
    attributes: Mapping[str, str]
    line: int
    children: list[Element | Text] = field(default_factory=list)

    def elements(self, *names: str) -> Iterator[Element]:
        """Yield the child elements, of these names if any are given."""
        for child in self.children:
            if isinstance(child, Element) and (not names or child.name in names):
                yield child

    def below(self, *names: str) -> Iterator[Element]:
        """Yield the elements of these names below this one, in reading order. What such
        an element holds is not looked into."""
        waiting = list(reversed(list(self.elements())))
        while waiting:
            one = waiting.pop()
            if one.name in names:
                yield one
            else:
                waiting.extend(reversed(list(one.elements())))


def parse(text: str) -> Element:
    """Return the root of a text. Raises `document.malformed`, `document.too_deep`,
    `document.too_many_elements`."""
    builder = _Builder()
    try:
        builder.parser.Parse(text.encode("utf-8", "replace"), True)
    except expat.ExpatError as error:
        raise invalid(
            "document.malformed",
            f"the document is no well-formed XML: {expat.ErrorString(error.code)} in line"
            f" {error.lineno}",
            hint="check it with `xmllint --noout`",
        ) from None
    return builder.root


class _Builder:
    """Builds the tree from what Expat tells."""

    def __init__(self) -> None:
        self.root = Element("", {}, 1)
        self._stack = [self.root]
        self._elements = 0
        self._entities: dict[str, str] = {}
        self._replaced = 0
        self.parser = expat.ParserCreate("utf-8", " ")
        self.parser.UseForeignDTD(True)
        self.parser.buffer_text = False
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.EntityDeclHandler = self._declared
        self.parser.SkippedEntityHandler = self._skipped
        self.parser.ExternalEntityRefHandler = self._outside
        # with it, Expat leaves entities to this class
        self.parser.DefaultHandler = self._rest

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._elements += 1
        if self._elements > MAX_ELEMENTS:
            raise invalid(
                "document.too_many_elements",
                f"the document has more than {MAX_ELEMENTS} elements",
                hint="verify the part of the document that holds the procedure",
            )
        if len(self._stack) > MAX_ELEMENT_DEPTH:
            raise too_deep()
        space, _, local = name.rpartition(" ")
        one = Element(
            local if space in ("", _NAMESPACE) else "-",
            {key.rpartition(" ")[2]: value for key, value in attributes.items()},
            self.parser.CurrentLineNumber,
        )
        self._stack[-1].children.append(one)
        self._stack.append(one)

    def _end(self, _name: str) -> None:
        self._stack.pop()

    def _text(self, text: str) -> None:
        self._stack[-1].children.append(Text(text, self.parser.CurrentLineNumber))

    def _declared(
        self,
        name: str,
        is_parameter: bool,
        value: str | None,
        _base: str | None,
        _system: str | None,
        _public: str | None,
        _notation: str | None,
    ) -> None:
        if value is not None and not is_parameter:
            self._entities.setdefault(name, self._resolved(value))

    def _resolved(self, value: str) -> str:
        """Return the text of an entity's value. It may name only entities before it."""
        known = _REFERENCE.sub(self._named, _TAG.sub("", value[: 4 * MAX_ENTITY]))
        return " ".join(known.split())[:MAX_ENTITY]

    def _named(self, found: re.Match[str]) -> str:
        return self._entities.get(found[1]) or _standard(found[1])

    def _skipped(self, name: str, is_parameter: bool) -> None:
        if is_parameter:
            return
        own = self._entities.get(name)
        if own is not None and self._replaced + len(own) <= MAX_REPLACED:
            self._replaced += len(own)
            self._text(own)
        else:
            self._text(_standard(name))

    def _outside(
        self, context: str, _base: str | None, _system: str | None, _public: str | None
    ) -> int:
        """Write an entity of another file as its name, and go on."""
        names = [part for part in (context or "").split("\f") if part and "=" not in part]
        self._text(" ".join(names[-1:]))
        return 1

    def _rest(self, _data: str) -> None:
        """Comments, the document type and processing instructions say nothing."""


def _standard(name: str) -> str:
    """Return the character of a name that HTML knows (`nbsp`), else the name itself."""
    written = f"&{name};"
    known = html.unescape(written)
    return name if known == written else known
