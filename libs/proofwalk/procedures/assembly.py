"""Turns an outline into a document: which lists are procedures, what their sub-steps
say, and which ids they have.

A procedure is an ordered list outside notes and outside the prerequisites. A list that
an unindented table or note interrupts, and that goes on with the next number, is one
list. Headings of the form *Step 1: …* make one procedure together, with the text below
them as its content; headings that are only numbered do so if the document has no
ordered list.

Reading order survives flattening: a sub-step's `sentences` come first, then its
`blocks` in order. A paragraph after a table, bullets or code becomes one `PARAGRAPH`
block per sentence, and what follows a nested list belongs to the last item of that
list. So executing sentences, then blocks, sub-step by sub-step, is executing the
document from top to bottom.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from proofwalk.kernel.errors import invalid
from proofwalk.procedures import sentences as splitting
from proofwalk.procedures.model import (
    Block,
    BlockKind,
    Document,
    Inline,
    InlineRole,
    Procedure,
    Sentence,
    SourceSpan,
    SubStep,
)
from proofwalk.procedures.outline import (
    Code,
    Figure,
    Fragment,
    Heading,
    Item,
    Listing,
    Node,
    Note,
    Paragraph,
    Table,
    last_line,
    paragraphs,
    plain,
    too_deep,
)

MAX_SUBSTEPS = 400
"""Most sub-steps in all procedures of a document. At 40 agent steps each, more could
never be walked."""

MAX_LIST_DEPTH = 8
"""How deep lists may nest in one another."""

_PREREQUISITES = re.compile(
    r"prerequisites?\b|before (?:you|we)"
    r" (?:begin|start|proceed)|requirements\b|preparations?\b|前提条件|准备工作",
    re.IGNORECASE,
)
_STEP = re.compile(
    r"^\s*(?:step\s*(?P<step>\d{1,3})|第?步骤\s*(?P<cjk>\d{1,3}))\s*(?:[:.)\-–—：、]\s*|$|\s)",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"^\s*(?P<number>\d{1,3})[.)、]\s+")
_OPTIONAL = re.compile(r"^\W{0,3}(?:optional\b|（可选）|可选)", re.IGNORECASE)
_ORDERING = (BlockKind.TABLE, BlockKind.BULLETS, BlockKind.CODE)


def assemble(
    nodes: Sequence[Node], *, name: str, title: str, media_type: str, digest: str
) -> Document:
    """Return the document of an outline. Its title is the first heading of level 1,
    else any heading, else `title` (front matter, `<title>`), else `name`."""
    nodes = _steps_as_list(nodes)
    walk = _Walk(name)
    walk.run(nodes)
    first = next(
        (plain(node.fragments) for node in nodes if isinstance(node, Heading) and node.level == 1),
        "",
    )
    heading = first or next(
        (plain(node.fragments) for node in nodes if isinstance(node, Heading)), ""
    )
    procedures = tuple(_procedures(walk.lists, name))
    return Document(
        name=name,
        title=heading or title or name,
        media_type=media_type,
        digest=digest,
        prerequisites=tuple(walk.prerequisites),
        procedures=procedures,
    )


@dataclass(kw_only=True)
class _NumberedList:
    """An ordered list with the headings above it. It grows while the list goes on."""

    headings: tuple[str, ...]
    start: int
    items: list[Item]
    between: list[Node] = field(default_factory=list)

    def adopt(self, listing: Listing) -> bool:
        """Append `listing` if its number continues this list. Return True if it
        does."""
        if listing.start == 1 or listing.start != self.start + len(self.items):
            return False
        last = self.items[-1]
        self.items[-1] = Item(nodes=(*last.nodes, *self.between), line=last.line)
        self.between = []
        self.items.extend(listing.items)
        return True


class _Walk:
    """Goes over the top-level nodes, and remembers the headings above."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._trail: list[tuple[int, str]] = []
        self._current: _NumberedList | None = None
        self.lists: list[_NumberedList] = []
        self.prerequisites: list[Sentence] = []

    def run(self, nodes: Iterable[Node]) -> None:
        """Collect procedures and prerequisites."""
        for node in nodes:
            if isinstance(node, Heading):
                while self._trail and self._trail[-1][0] >= node.level:
                    self._trail.pop()
                self._trail.append((node.level, plain(node.fragments)))
                self._current = None
            elif any(_PREREQUISITES.match(text) for _, text in self._trail[1:] or self._trail):
                for pieces in paragraphs([node]):
                    self.prerequisites.extend(splitting.split(pieces, file=self._name))
            elif isinstance(node, Listing) and node.ordered and node.items:
                self._ordered(node)
            else:
                if self._current:
                    self._current.between.append(node)
                if isinstance(node, Listing):
                    self._inside_bullets(node)

    def _ordered(self, listing: Listing) -> None:
        if self._current and self._current.adopt(listing):
            return
        headings = tuple(text for _, text in self._trail)
        self._current = _NumberedList(
            headings=headings, start=listing.start, items=list(listing.items)
        )
        self.lists.append(self._current)

    def _inside_bullets(self, listing: Listing) -> None:
        """Collect lists of steps below bullets, which are alternatives ("Method 1",
        "Method 2")."""
        for item in listing.items:
            head = next(
                (
                    plain(node.fragments)
                    for node in item.nodes
                    if isinstance(node, Paragraph | Heading)
                ),
                "",
            )
            for node in item.nodes:
                if isinstance(node, Listing) and node.ordered and len(node.items) > 1:
                    headings = (*(text for _, text in self._trail), *((head[:80],) if head else ()))
                    self.lists.append(
                        _NumberedList(headings=headings, start=node.start, items=list(node.items))
                    )


def _steps_as_list(nodes: Sequence[Node]) -> Sequence[Node]:
    """Return `nodes` with each run of step headings replaced by the list that it stands
    for."""
    listed = any(isinstance(node, Listing) and node.ordered for node in nodes)
    patterns = (_STEP,) if listed else (_STEP, _NUMBERED)
    for pattern in patterns:
        steps = [
            index
            for index, node in enumerate(nodes)
            if isinstance(node, Heading) and pattern.match(plain(node.fragments))
        ]
        if len(steps) < 2:
            continue
        level = min(node.level for index in steps if isinstance(node := nodes[index], Heading))
        return _grouped(nodes, pattern, level)
    return nodes


def _grouped(nodes: Sequence[Node], pattern: re.Pattern[str], level: int) -> list[Node]:
    out: list[Node] = []
    items: list[Item] = []
    content: list[Node] = []
    start = line = 1

    def close() -> None:
        if content:
            items.append(Item(nodes=tuple(content), line=line))
            content.clear()

    for node in nodes:
        step = (
            pattern.match(plain(node.fragments))
            if isinstance(node, Heading) and node.level == level
            else None
        )
        if isinstance(node, Heading) and (step or node.level <= level):
            close()
            if not step and items:
                out.append(
                    Listing(ordered=True, items=tuple(items), line=items[0].line, start=start)
                )
                items = []
        if isinstance(node, Heading) and step:
            number = int(next(group for group in step.groups() if group))
            start = start if items else number
            line = node.line
            rest = _without(
                node.fragments,
                len(plain(node.fragments)) - len(plain(node.fragments)[step.end() :]),
            )
            content.append(Paragraph(fragments=rest))
        elif content:
            content.append(
                Paragraph(fragments=node.fragments) if isinstance(node, Heading) else node
            )
        else:
            out.append(node)
    close()
    if items:
        out.append(Listing(ordered=True, items=tuple(items), line=items[0].line, start=start))
    return out


def _without(fragments: Sequence[Fragment], length: int) -> tuple[Fragment, ...]:
    """Return `fragments` without the first `length` visible characters."""
    rest: list[Fragment] = []
    for piece in fragments:
        if length <= 0 or piece.role is InlineRole.IMAGE:
            rest.append(piece)
        elif len(piece.text) > length:
            rest.append(replace(piece, text=piece.text[length:], role=InlineRole.TEXT))
            length = 0
        else:
            length -= len(piece.text)
    return tuple(rest)


def _procedures(lists: Sequence[_NumberedList], name: str) -> Iterable[Procedure]:
    uses: dict[str, int] = {}
    total = 0
    for one in lists:
        builder = _Builder(name)
        builder.items(one.items, prefix="", start=one.start, depth=1)
        substeps = tuple(
            step for draft in builder.drafts if (step := draft.finished(name)) is not None
        )
        if not substeps:
            continue
        total += len(substeps)
        if total > MAX_SUBSTEPS:
            raise invalid(
                "document.too_many_steps",
                f"the document has more than {MAX_SUBSTEPS} sub-steps",
                hint="verify the part of the document that holds the procedure",
            )
        slug = _slug(one.headings)
        uses[slug] = uses.get(slug, 0) + 1
        span = SourceSpan(
            file=name,
            line=min(step.span.line for step in substeps),
            end_line=max(step.span.end_line for step in substeps),
        )
        yield Procedure(
            id=slug if uses[slug] == 1 else f"{slug}~{uses[slug]}",
            title=one.headings[-1] if one.headings else "",
            headings=one.headings,
            substeps=substeps,
            span=span,
        )


def _slug(headings: Sequence[str]) -> str:
    parts = []
    for heading in headings:
        folded = unicodedata.normalize("NFKC", heading).lower()
        parts.append(re.sub(r"[^\w]+", "-", folded).strip("-_"))
    slug = "/".join(part for part in parts if part) or "procedure"
    if len(slug) > 120:
        slug = slug[:100].rstrip("-/") + "-" + hashlib.sha256(slug.encode()).hexdigest()[:12]
    return slug


@dataclass(kw_only=True)
class _Draft:
    """A sub-step under construction."""

    number: str
    line: int
    sentences: list[Sentence] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    closed: bool = False
    """Set when nested items follow: later text was written behind them."""

    def finished(self, name: str) -> SubStep | None:
        """Return the sub-step, or None for an item without content."""
        if not self.sentences and not self.blocks:
            return None
        text = " ".join(sentence.text for sentence in self.sentences)
        spans = [sentence.span for sentence in self.sentences] + [
            block.span for block in self.blocks
        ]
        span = SourceSpan(
            file=name,
            line=min(one.line for one in spans),
            end_line=max(one.end_line for one in spans),
        )
        return SubStep(
            number=self.number,
            text=text,
            sentences=tuple(self.sentences),
            span=span,
            blocks=tuple(self.blocks),
            optional=bool(_OPTIONAL.match(text)),
        )


class _Builder:
    """Flattens items into drafts, in reading order."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.drafts: list[_Draft] = []

    def items(self, items: Iterable[Item], *, prefix: str, start: int, depth: int) -> None:
        """Add each item and its nested items. Numbers count from `start`."""
        if depth > MAX_LIST_DEPTH:
            raise too_deep()
        for offset, item in enumerate(items):
            draft = _Draft(number=f"{prefix}{start + offset}", line=item.line)
            self.drafts.append(draft)
            nested = 0
            for node in item.nodes:
                nested += self._node(node, draft, nested, depth)

    def _node(self, node: Node, draft: _Draft, nested: int, depth: int) -> int:
        """Add one node of an item. Return how many nested items it had."""
        target = self.drafts[-1] if nested else draft
        match node:
            case Paragraph() | Heading():
                self._paragraph(node.fragments, target, behind=bool(nested))
            case Listing() if node.ordered:
                self.items(node.items, prefix=f"{draft.number}.", start=nested + 1, depth=depth + 1)
                return len(node.items)
            case Listing():
                inner = _ordered_inside(node)
                block = self._bullets(node, depth)
                target.blocks.extend([block] if block else [])
                for listing in inner:
                    self.items(
                        listing.items, prefix=f"{draft.number}.", start=nested + 1, depth=depth + 1
                    )
                    nested += len(listing.items)
                return sum(len(listing.items) for listing in inner)
            case _:
                block = self._block(node)
                target.blocks.extend([block] if block else [])
        return 0

    def _paragraph(self, fragments: Sequence[Fragment], draft: _Draft, *, behind: bool) -> None:
        sentences = splitting.split(fragments, file=self._name)
        if behind or any(block.kind in _ORDERING for block in draft.blocks):
            draft.blocks.extend(
                Block(kind=BlockKind.PARAGRAPH, span=one.span, inlines=one.inlines)
                for one in sentences
            )
        else:
            draft.sentences.extend(sentences)

    def _bullets(self, listing: Listing, depth: int) -> Block | None:
        flat = _flat_bullets(listing, depth)
        rows = [(line, splitting.inlines(pieces)) for line, pieces in flat]
        rows = [(line, runs) for line, runs in rows if runs]
        if not rows:
            return None
        return Block(
            kind=BlockKind.BULLETS,
            span=self._span(listing, rows[0][0]),
            items=tuple(runs for _, runs in rows),
            row_lines=tuple(line for line, _ in rows),
        )

    def _block(self, node: Note | Table | Code | Figure) -> Block | None:
        match node:
            case Note():
                pieces = list(_spaced(paragraphs(node.nodes)))
                tables = [child for child in node.nodes if isinstance(child, Table)]
                rows = [row for table in tables for row in table.rows]
                if not plain(pieces) and not rows:
                    return None
                line = next((piece.line for piece in pieces if piece.text.strip()), node.line)
                return Block(
                    kind=BlockKind.NOTE,
                    span=self._span(node, line),
                    inlines=splitting.inlines(pieces),
                    rows=tuple(row.cells for row in rows),
                    row_lines=tuple(row.line for row in rows),
                )
            case Table():
                return Block(
                    kind=BlockKind.TABLE,
                    span=self._span(node, node.rows[0].line if node.rows else node.line),
                    rows=tuple(row.cells for row in node.rows),
                    row_lines=tuple(row.line for row in node.rows),
                )
            case Code():
                return Block(
                    kind=BlockKind.CODE,
                    span=self._span(node, node.line),
                    inlines=(_run(InlineRole.CODE, node.text),),
                )
            case Figure():
                run = Inline(role=InlineRole.IMAGE, text=node.alt, target=node.target)
                return Block(kind=BlockKind.IMAGE, span=self._span(node, node.line), inlines=(run,))

    def _span(self, node: Node, line: int) -> SourceSpan:
        return SourceSpan(file=self._name, line=line, end_line=max(line, last_line(node)))


def _run(role: InlineRole, text: str) -> Inline:
    return Inline(role=role, text=text)


def _spaced(runs: Iterable[Sequence[Fragment]]) -> Iterable[Fragment]:
    for pieces in runs:
        yield from pieces
        if pieces:
            yield Fragment(role=InlineRole.TEXT, text=" ", line=pieces[-1].line)


def _flat_bullets(listing: Listing, depth: int) -> list[tuple[int, list[Fragment]]]:
    """Return each bullet's own text with its line. Deeper bullets follow theirs;
    ordered lists inside are left out."""
    if depth > MAX_LIST_DEPTH:
        raise too_deep()
    out: list[tuple[int, list[Fragment]]] = []
    for item in listing.items:
        own: list[Fragment] = []
        deeper: list[tuple[int, list[Fragment]]] = []
        for node in item.nodes:
            if isinstance(node, Listing):
                deeper.extend([] if node.ordered else _flat_bullets(node, depth + 1))
            else:
                own.extend(_spaced(paragraphs([node])))
        line = next((piece.line for piece in own if piece.text.strip()), item.line)
        out.extend([(line, own), *deeper])
    return out


def _ordered_inside(listing: Listing) -> list[Listing]:
    out: list[Listing] = []
    for item in listing.items:
        for node in item.nodes:
            if isinstance(node, Listing):
                out.extend([node] if node.ordered else _ordered_inside(node))
    return out
