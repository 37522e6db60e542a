"""Headings of the form *Step 1: …*, which make one list together, with the text
below them as its content; headings that are only numbered do so if the document has
no ordered list."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from proofwalk.procedures.model import (
    InlineRole,
)
from proofwalk.procedures.outline import (
    Fragment,
    Heading,
    Item,
    Listing,
    Node,
    Paragraph,
    plain,
)

_STEP = re.compile(
    r"^\s*(?:step\s*(?P<step>\d{1,3})|第?步骤\s*(?P<cjk>\d{1,3}))\s*(?:[:.)\-–—：、]\s*|$|\s)",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"^\s*(?P<number>\d{1,3})[.)、]\s+")


def steps_as_list(nodes: Sequence[Node]) -> Sequence[Node]:
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
