"""Turns HTML into an outline, as a reader of the page would see it: without scripts,
comments and what a style hides.

`html_lines` marks the lines before Lexbor parses; `_Reader` walks the repaired tree and
turns elements into nodes. Hidden text is left out because a document is data from
outside: words that no reader sees must not become steps that an agent executes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from selectolax.lexbor import LexborHTMLParser, LexborNode

from proofwalk.procedures import html_lines, icons
from proofwalk.procedures.html_lines import LINE_ATTRIBUTE
from proofwalk.procedures.html_tags import DROPPED, attributes_of, is_note_element
from proofwalk.procedures.html_visibility import hiding_names, is_hidden
from proofwalk.procedures.model import InlineRole
from proofwalk.procedures.outline import (
    Code,
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

STRONG_TAGS = frozenset(["b", "strong"])
EMPHASIS_TAGS = frozenset(["i", "em", "cite", "dfn"])
CODE_TAGS = frozenset(["code", "kbd", "samp", "tt", "var"])
MAX_ELEMENT_DEPTH = 100
"""How deep elements may nest. Pages of large help centres reach about 40."""
_HEADING = re.compile(r"h([1-6])")


def read(text: str) -> tuple[str, tuple[Node, ...]]:
    """Return the page's title and the outline of its main content. Lines end in LF."""
    tree = LexborHTMLParser(html_lines.annotate(text))
    titles = tree.css("title")
    title = " ".join((titles[0].text() or "").split()) if titles else ""
    mains = [node for node in tree.css("main, [role=main]") if not is_hidden(attributes_of(node))]
    articles = [node for node in tree.css("article") if not is_hidden(attributes_of(node))]
    candidates = mains if len(mains) == 1 else articles if len(articles) == 1 else []
    root = candidates[0] if candidates else tree.body
    return title, _Reader(hiding_names(tree)).blocks(root) if root is not None else ()


def read_fragment(text: str, first_line: int) -> tuple[Node, ...]:
    """Return the outline of a piece of HTML inside another document, which begins on
    `first_line`."""
    tree = LexborHTMLParser("<body>" + html_lines.annotate(text, first_line))
    return _Reader(hiding_names(tree)).blocks(tree.body) if tree.body is not None else ()


class _Reader:
    """Walks elements; inline content collects until a block begins or ends."""

    def __init__(self, hiding: frozenset[str]) -> None:
        self._hiding = hiding
        self._depth = 0

    def _unseen(self, name: str, attributes: Mapping[str, str]) -> bool:
        if name in DROPPED or is_hidden(attributes):
            return True
        names = {f".{part}" for part in attributes.get("class", "").split()} | {
            f"#{attributes.get('id', '')}"
        }
        return not self._hiding.isdisjoint(names)

    def blocks(self, parent: LexborNode) -> tuple[Node, ...]:
        """Return the nodes below `parent`."""
        nodes: list[Node] = []
        pending: list[Fragment] = []
        self._children(parent, nodes, pending, InlineRole.TEXT, "", _line(attributes_of(parent), 1))
        _flush(nodes, pending)
        return tuple(nodes)

    def _children(
        self,
        parent: LexborNode,
        nodes: list[Node],
        pending: list[Fragment],
        role: InlineRole,
        target: str,
        line: int,
    ) -> None:
        self._depth += 1
        if self._depth > MAX_ELEMENT_DEPTH:
            raise too_deep()
        child = parent.child
        while child is not None:
            if child.is_text_node:
                for text, at in html_lines.pieces(child.text_content or "", line):
                    pending.append(Fragment(role=role, text=text, line=at, target=target))
            elif child.is_element_node:
                self._element(child, nodes, pending, role, target)
            child = child.next
        self._depth -= 1

    def _element(
        self,
        node: LexborNode,
        nodes: list[Node],
        pending: list[Fragment],
        role: InlineRole,
        target: str,
    ) -> None:
        name, attributes = node.tag or "", attributes_of(node)
        line = _line(attributes, 1)
        if self._unseen(name, attributes):
            return
        if name == "br":
            pending.append(Fragment(role=InlineRole.TEXT, text=" ", line=line))
        elif name == "img":
            alt, address = html_lines.unmarked(attributes.get("alt", "")), attributes.get("src", "")
            alt = alt or icons.of_file(address)
            pending.append(Fragment(role=InlineRole.IMAGE, text=alt, line=line, target=address))
        elif icons.has_ligature(name, attributes) or icons.of_element(name, attributes):
            sign = icons.of_element(name, attributes) or html_lines.unmarked(node.text().strip())
            pending.append(Fragment(role=InlineRole.IMAGE, text=sign, line=line))
        elif name in _INLINE and not is_note_element(name, attributes):
            address = attributes.get("href", target) if name == "a" else target
            self._children(node, nodes, pending, _role(name, role), address, line)
        else:
            _flush(nodes, pending)
            nodes.extend(self._block(node, name, attributes, line))

    def _block(
        self, node: LexborNode, name: str, attributes: Mapping[str, str], line: int
    ) -> Iterable[Node]:
        heading = _HEADING.fullmatch(name)
        if heading:
            pieces = tuple(self._inline(node, line))
            return (
                (Heading(level=int(heading.group(1)), fragments=pieces, line=line),)
                if plain(pieces)
                else ()
            )
        if name in ("ol", "ul", "menu"):
            return (self._listing(node, name == "ol", attributes, line),)
        if name == "dl":
            return (Listing(ordered=False, items=self._definitions(node), line=line),)
        if name == "table" and not is_note_element(name, attributes):
            rows = self._rows(node)
            return (Table(rows=rows, line=line),) if rows else ()
        if name == "pre":
            pieces = tuple(self._inline(node, line))
            text = "".join(piece.text for piece in pieces).strip("\n")
            lines = [piece.line for piece in pieces if piece.text.strip()]
            return (Code(text=text, line=min(lines), end_line=max(lines)),) if lines else ()
        inner = self.blocks(node)
        return (
            (Note(nodes=inner, line=line),)
            if inner and is_note_element(name, attributes)
            else inner
        )

    def _inline(self, node: LexborNode, line: int) -> Iterable[Fragment]:
        """Return all text below `node`, with a space where a block begins."""
        nodes: list[Node] = []
        pending: list[Fragment] = []
        self._children(node, nodes, pending, InlineRole.TEXT, "", line)
        if not nodes:
            return pending
        _flush(nodes, pending)
        return [piece for one in nodes for piece in _spaced(one)]

    def _listing(
        self, node: LexborNode, ordered: bool, attributes: Mapping[str, str], line: int
    ) -> Listing:
        items: list[Item] = []
        child = node.child
        while child is not None:
            if child.is_element_node:
                own = attributes_of(child)
                if not self._unseen(child.tag or "", own):
                    nodes = self.blocks(child) if child.tag == "li" else tuple(self._stray(child))
                    items.append(Item(nodes=nodes, line=_line(own, line)))
            child = child.next
        start = attributes.get("start", "").strip()
        return Listing(
            ordered=ordered,
            items=tuple(items),
            line=line,
            start=int(start) if re.fullmatch(r"\d{1,6}", start) else 1,
        )

    def _stray(self, child: LexborNode) -> Iterable[Node]:
        """Return the content of a list outside its items."""
        nodes: list[Node] = []
        pending: list[Fragment] = []
        self._element(child, nodes, pending, InlineRole.TEXT, "")
        _flush(nodes, pending)
        return nodes

    def _definitions(self, node: LexborNode) -> tuple[Item, ...]:
        """Return each term with its definitions as one item: `term: definition`."""
        items: list[Item] = []
        term: tuple[Fragment, ...] = ()
        for child in node.css("dt, dd"):
            attributes = attributes_of(child)
            if self._unseen(child.tag or "", attributes):
                continue
            line = _line(attributes, 1)
            if child.tag == "dt":
                term = tuple(self._inline(child, line))
            else:
                colon = Fragment(role=InlineRole.TEXT, text=": ", line=line)
                head = (*term, colon, *self._inline(child, line))
                items.append(Item(nodes=(Paragraph(fragments=head),), line=head[0].line))
        return tuple(items)

    def _rows(self, table: LexborNode) -> tuple[Row, ...]:
        rows: list[Row] = []
        groups = [table]
        while groups:
            child = groups.pop(0).child
            while child is not None:
                attributes = attributes_of(child) if child.is_element_node else {}
                if child.is_element_node and not self._unseen(child.tag or "", attributes):
                    if child.tag in ("thead", "tbody", "tfoot"):
                        groups.append(child)
                    elif child.tag == "tr":
                        contents = self._cells(child)
                        cells = tuple(
                            plain(piece for one in cell for piece in _spaced(one))
                            for cell in contents
                        )
                        line = _line(attributes, 1)
                        rows.append(Row(cells=cells, line=line, contents=contents))
                child = child.next
        return tuple(row for row in rows if any(row.cells))

    def _cells(self, row: LexborNode) -> tuple[tuple[Node, ...], ...]:
        cells: list[tuple[Node, ...]] = []
        child = row.child
        while child is not None:
            if child.is_element_node and child.tag in ("td", "th"):
                attributes = attributes_of(child)
                seen = not self._unseen(child.tag, attributes)
                cells.append(self.blocks(child) if seen else ())
            child = child.next
        return tuple(cells)


_INLINE = frozenset(
    [
        "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins",
        "kbd", "label", "mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u",
        "var", "wbr", "button"
    ]
)  # fmt: skip


def _role(name: str, role: InlineRole) -> InlineRole:
    if role is InlineRole.CODE or name in CODE_TAGS:
        return InlineRole.CODE
    if role is InlineRole.STRONG or name in STRONG_TAGS:
        return InlineRole.STRONG
    if role is InlineRole.LINK or name == "a":
        return InlineRole.LINK
    return InlineRole.EMPHASIS if name in EMPHASIS_TAGS else role


def _line(attributes: Mapping[str, str], fallback: int) -> int:
    value = attributes.get(LINE_ATTRIBUTE, "")
    return int(value) if value.isascii() and value.isdigit() else fallback


def _flush(nodes: list[Node], pending: list[Fragment]) -> None:
    node = paragraph(pending)
    pending.clear()
    if node is not None:
        nodes.append(node)


def _spaced(node: Node) -> Iterable[Fragment]:
    """Return the text of a block, with a space where the next block begins."""
    pieces = tuple(_fragments(node))
    line = pieces[-1].line if pieces else 1
    return (*pieces, Fragment(role=InlineRole.TEXT, text=" ", line=line))


def _fragments(node: Node) -> Iterable[Fragment]:
    match node:
        case Paragraph() | Heading():
            return node.fragments
        case Listing():
            return [
                piece for item in node.items for child in item.nodes for piece in _fragments(child)
            ]
        case Note():
            return [piece for child in node.nodes for piece in _fragments(child)]
        case Table():
            return [
                Fragment(role=InlineRole.TEXT, text=" ".join(row.cells), line=row.line)
                for row in node.rows
            ]
        case Code():
            return [Fragment(role=InlineRole.CODE, text=node.text, line=node.line)]
        case _:
            return [
                Fragment(role=InlineRole.IMAGE, text=node.alt, line=node.line, target=node.target)
            ]
