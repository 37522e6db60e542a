"""Turns reStructuredText into an outline, through docutils with everything that reaches
outside the text switched off.

Files, URLs, raw output, configuration files and warnings are disabled. `rst_roles`
answers the roles that Sphinx defines; what a `.. role::` in the source registers in
docutils' process-wide tables is removed again. A paragraph's line is checked against
the source, because docutils is not exact in every construct. The content of an unknown
directive is parsed as if the directive were not there.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Sequence
from typing import Any

from docutils import nodes as dn
from docutils.core import publish_doctree
from docutils.parsers.rst import Parser, roles
from docutils.readers import standalone

from proofwalk.kernel.errors import invalid
from proofwalk.procedures.html_tags import is_note
from proofwalk.procedures.model import InlineRole
from proofwalk.procedures.outline import (
    MAX_DEPTH,
    Code,
    Figure,
    Fragment,
    Heading,
    Item,
    Listing,
    Node,
    Note,
    Paragraph,
    Row,
    Table,
    paragraph,
    plain,
    too_deep,
)
from proofwalk.procedures.rst_inline import InlineReader
from proofwalk.procedures.rst_names import Names
from proofwalk.procedures.rst_roles import inliner_of_roles

MAX_LENGTH = 1_000_000
"""Most characters of a source. docutils is the slowest of the three parsers, and no
page of documentation comes near this."""
_SETTINGS: dict[str, Any] = {
    "_disable_config": True,
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "report_level": 5,
    "halt_level": 5,
    "exit_status_level": 5,
    "warning_stream": False,
    "doctitle_xform": False,
    "docinfo_xform": False,
    "syntax_highlight": "none",
    "line_length_limit": 10_000,
    "tab_width": 8,
    "smart_quotes": False,
    "traceback": True,
}
_FOREIGN_BREAKS = re.compile("[\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029]")
_UNKNOWN = re.compile(r'Unknown directive type "(?P<name>[^"]+)"')
_OPTION = re.compile(r"\s*:[\w-]+:(?:\s|$)")
_PARSING = threading.Lock()
_ADMONITIONS = (
    dn.note, dn.tip, dn.hint, dn.important, dn.warning, dn.caution, dn.danger, dn.attention, dn.error, dn.admonition
)  # fmt: skip
_SKIPPED = (
    dn.comment,
    dn.substitution_definition,
    dn.target,
    dn.pending,
    dn.topic,
    dn.footnote,
    dn.citation,
    dn.raw,
    dn.caption,
)


class _AsWritten(standalone.Reader):  # type: ignore[type-arg]
    """docutils' reader without its transforms. They resolve what `Names` resolves, in
    time that a document can blow up."""

    def get_transforms(self) -> list[Any]:
        return []


def read(text: str, *, first_line: int = 1, nested: int = 0) -> tuple[str, tuple[Node, ...]]:
    """Return an empty title and the outline of an RST text whose lines end in LF."""
    if len(text) > MAX_LENGTH:
        raise invalid(
            "document.too_large",
            f"the reStructuredText document has {len(text)} characters; at most {MAX_LENGTH} are"
            " read",
            hint="verify the file that holds the procedure",
        )
    source = _FOREIGN_BREAKS.sub(" ", text)
    with _PARSING:
        registry = vars(roles)["_roles"]
        registered = dict(registry)
        try:
            parser = Parser(inliner=inliner_of_roles())
            tree = publish_doctree(
                source,
                reader=_AsWritten(parser=parser),
                parser=parser,
                settings_overrides=dict(_SETTINGS),
            )
        finally:
            registry.clear()
            registry.update(registered)
    return "", _Reader(source.split("\n"), first_line, nested, Names(tree)).blocks(tree.children, 1)


class _Reader:
    """Walks the docutils tree."""

    def __init__(self, lines: Sequence[str], first_line: int, nested: int, names: Names) -> None:
        self._lines = lines
        self._shift = first_line - 1
        self._nested = nested
        self._names = names
        self._depth = 0
        self._last = 1

    def blocks(self, children: Iterable[dn.Node], level: int) -> tuple[Node, ...]:
        """Return the outline of `children`; `level` is that of the next heading."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise too_deep()
        found = [
            node
            for child in children
            if isinstance(child, dn.Element)
            for node in self._block(child, level)
        ]
        self._depth -= 1
        return tuple(found)

    def _block(self, node: dn.Element, level: int) -> Iterable[Node]:
        match node:
            case dn.section():
                return self.blocks(node.children, level + 1)
            case dn.title() | dn.subtitle():
                pieces = self._text(node)
                at = max(1, level - 1)
                return (
                    (Heading(level=min(at, 6), fragments=pieces, line=pieces[0].line),)
                    if plain(pieces)
                    else ()
                )
            case dn.paragraph():
                one = paragraph(self._text(node))
                return (one,) if one else ()
            case dn.rubric():
                pieces = self._text(node)
                return (
                    (Heading(level=min(level, 6), fragments=pieces, line=pieces[0].line),)
                    if plain(pieces)
                    else ()
                )
            case dn.enumerated_list() | dn.bullet_list():
                return (self._listing(node),)
            case dn.definition_list() | dn.field_list() | dn.option_list():
                return (self._definitions(node),)
            case dn.table():
                rows = self._rows(node)
                return (Table(rows=rows, line=rows[0].line),) if rows else ()
            case dn.literal_block() | dn.doctest_block():
                return self._code(node)
            case dn.image():
                return (
                    Figure(
                        alt=str(node.get("alt", "")),
                        target=str(node.get("uri", "")),
                        line=self._line(node),
                    ),
                )
            case dn.system_message():
                return self._unknown(node)
            case _ if isinstance(node, _ADMONITIONS):
                return self._note(node)
            case _ if isinstance(node, _SKIPPED):
                return ()
            case dn.block_quote() | dn.line_block() | dn.line():
                return self._loose(node, level)
            case _:
                return self._loose(node, level)

    def _loose(self, node: dn.Element, level: int) -> tuple[Node, ...]:
        if node.children and all(isinstance(child, dn.Text | dn.Inline) for child in node.children):
            one = paragraph(self._text(node))
            return (one,) if one else ()
        return self.blocks(node.children, level)

    def _note(self, node: dn.Element) -> tuple[Node, ...]:
        titles = dn.title, dn.subtitle
        inner = self.blocks([child for child in node.children if not isinstance(child, titles)], 6)
        return (Note(nodes=inner, line=self._line(node)),) if inner else ()

    def _listing(self, node: dn.Element) -> Listing:
        line = self._line(node)
        items = []
        for child in node.children:
            if isinstance(child, dn.Element):
                at = self._line(child)
                items.append(Item(nodes=self.blocks(child.children, 6), line=at))
        start = int(node.get("start", 1)) if isinstance(node, dn.enumerated_list) else 1
        return Listing(
            ordered=isinstance(node, dn.enumerated_list), items=tuple(items), line=line, start=start
        )

    def _definitions(self, node: dn.Element) -> Listing:
        items = []
        for child in node.children:
            if not isinstance(child, dn.Element) or len(child.children) < 2:
                continue
            head = child.children[0]
            term = self._text(head) if isinstance(head, dn.Element) else ()
            body = child.children[-1]
            inner = self.blocks(body.children, 6) if isinstance(body, dn.Element) else ()
            line = term[0].line if term else self._line(child)
            colon = Fragment(role=InlineRole.TEXT, text=": ", line=line)
            if inner and isinstance(inner[0], Paragraph):
                inner = (Paragraph(fragments=(*term, colon, *inner[0].fragments)), *inner[1:])
            else:
                inner = (Paragraph(fragments=term), *inner)
            items.append(Item(nodes=inner, line=line))
        return Listing(ordered=False, items=tuple(items), line=self._line(node))

    def _rows(self, node: dn.Element) -> tuple[Row, ...]:
        rows: list[Row] = []
        for row in node.findall(dn.row):
            cells: list[str] = []
            contents: list[tuple[Node, ...]] = []
            lines: list[int] = []
            for entry in row.children:
                inner = self.blocks(entry.children, 6) if isinstance(entry, dn.Element) else ()
                pieces = [piece for one in inner for piece in _flat(one)]
                cells.append(plain(pieces))
                contents.append(inner)
                lines.extend(piece.line for piece in pieces if piece.text.strip())
            if any(cells):
                rows.append(Row(cells=tuple(cells), line=min(lines), contents=tuple(contents)))
        return tuple(rows)

    def _code(self, node: dn.Element) -> tuple[Node, ...]:
        text = node.astext()
        if not text.strip():
            return ()
        first = self._find(text.split("\n", 1)[0].strip(), self._raw_line(node))
        return (
            Code(
                text=text,
                line=first,
                end_line=min(first + text.count("\n"), len(self._lines) + self._shift),
            ),
        )

    def _unknown(self, node: dn.Element) -> tuple[Node, ...]:
        """Return the content of an unknown directive (`.. tabs::`, `..
        versionadded::`)."""
        found = _UNKNOWN.search(node.children[0].astext()) if node.children else None
        blocks = [child for child in node.children if isinstance(child, dn.literal_block)]
        if not found or not blocks or self._nested >= 5:
            return ()
        lines = blocks[0].astext().split("\n")
        body = 1
        while body < len(lines) and (_OPTION.match(lines[body]) or not lines[body].strip()):
            body += 1
        rest = lines[body:]
        indent = min((len(line) - len(line.lstrip()) for line in rest if line.strip()), default=0)
        if not any(line.strip() for line in rest):
            return ()
        first = self._find(lines[0].strip(), self._raw_line(node)) + body
        _, inner = read(
            "\n".join(line[indent:] for line in rest), first_line=first, nested=self._nested + 1
        )
        return (Note(nodes=inner, line=first),) if inner and is_note(found["name"]) else inner

    def _raw_line(self, node: dn.Node) -> int:
        at: dn.Node | None = node
        while at is not None and getattr(at, "line", None) is None:
            at = at.parent
        line = at.line if at is not None else None
        return (
            min(max(int(line), 1), len(self._lines))
            if isinstance(line, int)
            else min(self._last, len(self._lines))
        )

    def _line(self, node: dn.Element) -> int:
        return self._raw_line(node) + self._shift

    def _find(self, needle: str, near: int) -> int:
        """Return the line with `needle` nearest to `near` (in this text), as a line of
        the document; `near` if none has it."""
        if needle:
            for distance in range(25):
                for line in (near - distance, near + distance):
                    if 1 <= line <= len(self._lines) and needle in self._lines[line - 1]:
                        return line + self._shift
        return near + self._shift

    def _text(self, node: dn.Element) -> tuple[Fragment, ...]:
        head = (node.rawsource or node.astext()).strip().split("\n", 1)[0].strip()
        line = self._find(head, self._raw_line(node))
        self._last = line - self._shift
        limit = len(self._lines) + self._shift
        reader = InlineReader(line, limit, self._names)
        reader.take(node, InlineRole.TEXT, "")
        return tuple(reader.fragments)


def _flat(node: Node) -> Iterable[Fragment]:
    match node:
        case Paragraph() | Heading():
            return (
                *node.fragments,
                Fragment(role=InlineRole.TEXT, text=" ", line=node.fragments[0].line),
            )
        case Listing():
            return [piece for item in node.items for child in item.nodes for piece in _flat(child)]
        case Note():
            return [piece for child in node.nodes for piece in _flat(child)]
        case Code():
            return (Fragment(role=InlineRole.CODE, text=node.text + " ", line=node.line),)
        case _:
            return ()
