"""Sub-steps under construction, from the items of a list.

Reading order survives flattening: a sub-step's `sentences` come first, then its
`blocks` in order. A paragraph after a table, bullets or code becomes one `PARAGRAPH`
block per sentence, and what follows a nested list belongs to the last item of that
list. So executing sentences, then blocks, sub-step by sub-step, is executing the
document from top to bottom.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from proofwalk.procedures import sentences as splitting
from proofwalk.procedures.model import (
    Block,
    BlockKind,
    Inline,
    InlineRole,
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

MAX_LIST_DEPTH = 8
"""How deep lists may nest in one another."""
_OPTIONAL = re.compile(r"^\W{0,3}(?:optional\b|（可选）|可选)", re.IGNORECASE)
_ORDERING = (BlockKind.TABLE, BlockKind.BULLETS, BlockKind.CODE)


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


class SubStepBuilder:
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
