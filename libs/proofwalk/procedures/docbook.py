"""Turns DocBook (4 and 5) into an outline.

`docbook_tree` parses; `_Reader` turns elements into nodes. A `procedure` is an ordered
list whose `step`s hold further steps in `substeps`. What names a control (`guimenu`,
`guibutton`, `menuchoice`, …) is set bold, what is typed or printed is code. References
to other places (`xref`) have no text of their own. See `outline`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from proofwalk.procedures import docbook_names as names
from proofwalk.procedures import docbook_tree, icons
from proofwalk.procedures.docbook_tree import Element, Text
from proofwalk.procedures.model import InlineRole
from proofwalk.procedures.outline import (
    PSEUDO_LEVEL,
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
    paragraphs,
    plain,
)

_INFO = re.compile(r"(?:[a-z0-9]+)?info")


def read(text: str) -> tuple[str, tuple[Node, ...]]:
    """Return an empty title and the outline of a DocBook text whose lines end in LF."""
    return "", _blocks(docbook_tree.parse(text), 0)


def _blocks(parent: Element, level: int) -> tuple[Node, ...]:
    """Return the nodes below `parent`. `level` is that of a title in it; at 0 a title
    is a paragraph."""
    nodes: list[Node] = []
    pending: list[Fragment] = []
    for child in parent.children:
        if isinstance(child, Text):
            pending.append(_fragment(child, InlineRole.TEXT, ""))
        elif (block := _block_of(child)) is not None:
            _flush(nodes, pending)
            nodes.extend(block(child, level))
        else:
            _inline(child, InlineRole.TEXT, "", pending)
    _flush(nodes, pending)
    return tuple(nodes)


def _front_titles(one: Element, level: int) -> tuple[Node, ...]:
    return tuple(node for title in one.elements("title") for node in _title(title, level))


def _title(one: Element, level: int) -> tuple[Node, ...]:
    pieces = _pieces(one)
    if not plain(pieces):
        return ()
    if level == 0:
        return (Paragraph(fragments=pieces),)
    return (Heading(level=level, fragments=pieces, line=one.line),)


def _titled(one: Element, _level: int) -> Iterable[Node]:
    """Return what a procedure or an example holds, under its title."""
    nodes: list[Node] = []
    steps = tuple(_item(step) for step in one.elements("step"))
    rest = Element(one.name, one.attributes, one.line)
    first = next(one.elements("step"), None)
    for child in one.children:
        if isinstance(child, Element) and child.name in ("title", "info"):
            nodes.extend((_title if child.name == "title" else _front_titles)(child, PSEUDO_LEVEL))
        elif child is first:
            nodes.extend(_blocks(rest, 0))
            rest.children.clear()
            nodes.append(Listing(ordered=True, items=steps, line=child.line))
        elif not (isinstance(child, Element) and child.name == "step"):
            rest.children.append(child)
    return [*nodes, *_blocks(rest, 0)]


def _listing(one: Element, _level: int) -> tuple[Node, ...]:
    ordered = one.name in names.ORDERED
    start = one.attributes.get("startingnumber", "")
    if one.name == "variablelist":
        items = tuple(map(_defined, one.elements("varlistentry")))
    else:
        items = tuple(map(_item, one.elements(*names.LISTS[one.name])))
    number = int(start) if re.fullmatch(r"[0-9]{1,6}", start) else 1
    return (Listing(ordered=ordered, items=items, line=one.line, start=number),)


def _note(one: Element, _level: int) -> tuple[Node, ...]:
    inner = _blocks(one, 0)
    return (Note(nodes=inner, line=one.line),) if inner else ()


def _table(one: Element, _level: int) -> tuple[Node, ...]:
    rows = tuple(row for row in map(_row, one.below("row", "tr")) if any(row.cells))
    return (Table(rows=rows, line=one.line),) if rows else ()


def _item(one: Element) -> Item:
    return Item(nodes=_blocks(one, 0), line=one.line)


def _defined(entry: Element) -> Item:
    """Return terms with their definition as one item: `term: definition`."""
    head: list[Fragment] = []
    for term in entry.elements("term"):
        if head:
            head.append(Fragment(role=InlineRole.TEXT, text=", ", line=term.line))
        head.extend(_pieces(term))
    inner = [node for item in entry.elements("listitem") for node in _blocks(item, 0)]
    head.append(
        Fragment(role=InlineRole.TEXT, text=": ", line=head[-1].line if head else entry.line)
    )
    first = inner[0] if inner else None
    if isinstance(first, Paragraph):
        head.extend(first.fragments)
        del inner[0]
    return Item(nodes=(Paragraph(fragments=tuple(head)), *inner), line=entry.line)


def _row(row: Element) -> Row:
    contents = tuple(_blocks(cell, 0) for cell in row.elements("entry", "td", "th"))
    space = Fragment(role=InlineRole.TEXT, text=" ", line=row.line)
    cells = tuple(
        plain(piece for run in paragraphs(cell) for piece in (*run, space)) for cell in contents
    )
    return Row(cells=cells, line=row.line, contents=contents)


def _code(one: Element, _level: int) -> tuple[Node, ...]:
    pieces = _pieces(one)
    lines = [piece.line for piece in pieces if piece.text.strip()]
    if not lines:
        return ()
    text = "".join(piece.text for piece in pieces).strip("\n")
    return (Code(text=text, line=min(lines), end_line=max(lines)),)


def _figure(one: Element, _level: int) -> tuple[Node, ...]:
    alt, target = _image(one)
    return (Figure(alt=alt, target=target, line=one.line),) if target else ()


def _image(one: Element) -> tuple[str, str]:
    """Return the alternative text and the address of the first image in an element."""
    own = [one] if one.name in ("graphic", "inlinegraphic") else []
    data = next(iter([*own, *one.below("imagedata", "graphic")]), None)
    words = next(one.below("textobject", "alt"), None)
    alt = plain(_pieces(words)) if words is not None else ""
    return alt, data.attributes.get("fileref", "") if data is not None else ""


def _pieces(one: Element) -> tuple[Fragment, ...]:
    """Return all text below an element."""
    pieces: list[Fragment] = []
    for child in one.children:
        if isinstance(child, Text):
            pieces.append(_fragment(child, InlineRole.TEXT, ""))
        else:
            _inline(child, InlineRole.TEXT, "", pieces)
    return tuple(pieces)


def _inline(one: Element, role: InlineRole, target: str, pieces: list[Fragment]) -> None:
    if one.name in names.DROPPED:
        return
    if one.name in ("inlinemediaobject", "inlinegraphic"):
        alt, address = _image(one)
        text = alt or icons.of_file(address)
        pieces.append(Fragment(role=InlineRole.IMAGE, text=text, line=one.line, target=address))
        return
    role = _role(one, role)
    target = one.attributes.get("href") or one.attributes.get("url") or target
    joint = names.JOINED.get(one.name, "")
    parts = [child for child in one.children if not joint or _is_part(child)]
    for at, child in enumerate(parts):
        if joint and at:
            line = child.line
            pieces.append(Fragment(role=role, text=joint, line=line, target=target))
        if isinstance(child, Text):
            pieces.append(_fragment(child, role, target))
        else:
            _inline(child, role, target, pieces)


def _is_part(child: Element | Text) -> bool:
    return isinstance(child, Element) and child.name not in names.DROPPED


def _role(one: Element, role: InlineRole) -> InlineRole:
    if role in (InlineRole.STRONG, InlineRole.CODE):
        return role
    if one.name in names.STRONG or one.attributes.get("role") in ("bold", "strong"):
        return InlineRole.STRONG
    if one.name in names.CODE:
        return InlineRole.CODE
    if one.name in ("link", "ulink", "olink"):
        return InlineRole.LINK
    return InlineRole.EMPHASIS if one.name in ("emphasis", "citetitle") else role


def _fragment(text: Text, role: InlineRole, target: str) -> Fragment:
    return Fragment(role=role, text=text.text, line=text.line, target=target)


def _flush(nodes: list[Node], pending: list[Fragment]) -> None:
    node = paragraph(pending)
    pending.clear()
    if node is not None:
        nodes.append(node)


_Block = Callable[[Element, int], Iterable[Node]]
_BLOCKS: dict[str, _Block] = {
    **dict.fromkeys(names.SECTIONS, lambda one, level: _blocks(one, min(level + 1, 6))),
    **dict.fromkeys(names.TEXTS, lambda one, _level: _blocks(one, 0)),
    **dict.fromkeys(names.NOTES, _note),
    **dict.fromkeys(names.CODE_BLOCKS, _code),
    **dict.fromkeys(names.FIGURES, _figure),
    **dict.fromkeys(names.TABLES, _table),
    **dict.fromkeys(names.LISTS, _listing),
    **dict.fromkeys(("procedure", "example"), _titled),
    "title": _title,
    "bridgehead": lambda one, _level: _title(one, PSEUDO_LEVEL),
}


def _block_of(one: Element) -> _Block | None:
    """Return the reader of a block; None for what stands in a line."""
    return _BLOCKS.get(one.name) or (_front_titles if _INFO.fullmatch(one.name) else None)
