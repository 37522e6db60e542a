"""The tree between a format and a document: headings, paragraphs, lists, notes and
tables, each run of text with its line.

The readers (`markdown`, `rst`, `html`, `docbook`) each build an outline; `assembly`
turns it into procedures without knowing the format. Invariant that every reader keeps:
a `Fragment` never spans two source lines unless it is one unbreakable piece (a code
span), and `line` is the 1-based line of its first character.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from proofwalk.kernel.errors import ProofwalkError, invalid
from proofwalk.procedures.model import InlineRole

MAX_DEPTH = 40
"""How deep blocks may nest in a source. People write five levels; deeper sources are
made to exhaust a parser."""


@dataclass(frozen=True, kw_only=True)
class Fragment:
    """A run of inline text of one role on one line. A break between source lines is a
    space at a fragment's edge."""

    role: InlineRole
    text: str
    line: int
    target: str = ""


@dataclass(frozen=True, kw_only=True)
class Heading:
    """A heading; level 1 is the highest. `PSEUDO_LEVEL` marks a bold paragraph that
    serves as one."""

    level: int
    fragments: tuple[Fragment, ...]
    line: int


PSEUDO_LEVEL = 9


@dataclass(frozen=True, kw_only=True)
class Paragraph:
    """Running text."""

    fragments: tuple[Fragment, ...]


@dataclass(frozen=True, kw_only=True)
class Item:
    """An item of a list and everything in it."""

    nodes: tuple[Node, ...]
    line: int


@dataclass(frozen=True, kw_only=True)
class Listing:
    """A list. `start` is the number of an ordered list's first item."""

    ordered: bool
    items: tuple[Item, ...]
    line: int
    start: int = 1


@dataclass(frozen=True, kw_only=True)
class Note:
    """A note, warning or tip: it comments on a procedure and holds none."""

    nodes: tuple[Node, ...]
    line: int


@dataclass(frozen=True, kw_only=True)
class Row:
    """A table row. `cells` are the texts; `contents` what each cell holds, if the
    format's reader says so."""

    cells: tuple[str, ...]
    line: int
    contents: tuple[tuple[Node, ...], ...] = ()


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table, its header first."""

    rows: tuple[Row, ...]
    line: int


@dataclass(frozen=True, kw_only=True)
class Code:
    """A code block."""

    text: str
    line: int
    end_line: int


@dataclass(frozen=True, kw_only=True)
class Figure:
    """An image that stands alone."""

    alt: str
    target: str
    line: int


Node = Heading | Paragraph | Listing | Note | Table | Code | Figure


def too_deep() -> ProofwalkError:
    """Return the error for a source that nests deeper than a reader follows."""
    return invalid(
        "document.too_deep",
        f"the document nests lists, quotes or elements more than {MAX_DEPTH} levels deep",
        hint="flatten the nesting, or verify the part of the document that holds the procedure",
    )


def plain(fragments: Iterable[Fragment]) -> str:
    """Return the visible text with single spaces; images have none."""
    return " ".join(
        "".join(piece.text for piece in fragments if piece.role is not InlineRole.IMAGE).split()
    )


def paragraph(fragments: Iterable[Fragment]) -> Paragraph | Figure | Heading | None:
    """Return the node for a run of fragments: a paragraph, a lone image, a bold line
    that serves as a heading, or None."""
    pieces = tuple(piece for piece in fragments if piece.text or piece.role is InlineRole.IMAGE)
    solid = [piece for piece in pieces if piece.text.strip() or piece.role is InlineRole.IMAGE]
    if not solid:
        return None
    if len(solid) == 1 and solid[0].role is InlineRole.IMAGE:
        return Figure(alt=solid[0].text, target=solid[0].target, line=solid[0].line)
    text = plain(pieces)
    if (
        all(piece.role is InlineRole.STRONG for piece in solid)
        and len(text) <= 60
        and text[-1:] not in ".。!?！？;；,"
    ):
        return Heading(level=PSEUDO_LEVEL, fragments=pieces, line=solid[0].line)
    return Paragraph(fragments=pieces)


def last_line(node: Node) -> int:
    """Return the last line that a node's content is known to reach."""
    match node:
        case Heading() | Paragraph():
            return max((piece.line for piece in node.fragments), default=1)
        case Code():
            return node.end_line
        case Table():
            return max((row.line for row in node.rows), default=node.line)
        case Listing():
            return max(
                (last_line(child) for item in node.items for child in item.nodes), default=node.line
            )
        case Note():
            return max((last_line(child) for child in node.nodes), default=node.line)
        case Figure():
            return node.line


def paragraphs(nodes: Iterable[Node]) -> Iterator[tuple[Fragment, ...]]:
    """Yield the running text below `nodes` in reading order: paragraphs, list items,
    notes and headings inside them."""
    for node in nodes:
        match node:
            case Paragraph() | Heading():
                yield node.fragments
            case Listing():
                for item in node.items:
                    yield from paragraphs(item.nodes)
            case Note():
                yield from paragraphs(node.nodes)
            case Table() | Code() | Figure():
                continue
