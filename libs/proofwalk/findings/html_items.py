"""One item more or less in a list of an HTML source.

The items that reach into the step's line are offered; which of them is the step's is
found by reading the result (`attempts`). A new item repeats the indentation of its line
and, if the other's text stands in a paragraph, the paragraph. Items that carry a number
of their own (`value`) are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from proofwalk.findings.attempts import NoPatch, Refusal
from proofwalk.findings.source import Edit, Source
from proofwalk.procedures.html_lines import Token, TokenKind, tokens

_VALUE = re.compile(r"\svalue\s*=", re.I)
_PARAGRAPH = re.compile(r"\s*<p(?:\s[^<>]*)?>", re.I)
_REST = re.compile(r"[ \t]*(?:\r\n|\r|\n)")
_LISTS = ("ol", "ul", "menu")


@dataclass(frozen=True, kw_only=True)
class Item:
    """The characters [begin, end) of an item; `content` is where its content begins."""

    begin: int
    content: int
    end: int


def inserted(source: Source, line: int, sentence: str) -> Iterator[tuple[Edit, ...]]:
    """Yield the edits that put an item with `sentence` before an item of `line`. Raises
    `NoPatch`."""
    text = source.text
    for item in _items(source, line):
        head = text[source.starts[source.position(item.begin)[0] - 1] : item.begin]
        inner = f"<p>{sentence}</p>" if _PARAGRAPH.match(text, item.content) else sentence
        behind = "" if head.strip() else source.newline + head
        yield (Edit(begin=item.begin, end=item.begin, text=f"<li>{inner}</li>{behind}"),)


def removed(source: Source, line: int) -> Iterator[tuple[Edit, ...]]:
    """Yield the edits that take an item of `line` out, with its lines if it fills them.
    Raises `NoPatch`."""
    for item in _items(source, line):
        begin = source.starts[source.position(item.begin)[0] - 1]
        rest = _REST.match(source.text, item.end)
        if rest is not None and not source.text[begin : item.begin].strip():
            yield (Edit(begin=begin, end=rest.end(), text=""),)
        else:
            yield (Edit(begin=item.begin, end=item.end, text=""),)


def exchanged(source: Source, line: int, other: int) -> Iterator[tuple[Edit, ...]]:
    """Yield the edits that exchange the contents of an item of `line` and of one of the
    line `other`. Raises `NoPatch`."""
    for first in _items(source, line):
        for second in _items(source, other):
            if first.end <= second.begin:
                yield (
                    Edit(
                        begin=first.content,
                        end=first.end,
                        text=source.text[second.content : second.end],
                    ),
                    Edit(
                        begin=second.content,
                        end=second.end,
                        text=source.text[first.content : first.end],
                    ),
                )


def _items(source: Source, line: int) -> list[Item]:
    first, last = source.lines(line, line)
    stream = list(tokens(source.text))
    items = [
        _whole(stream, at)
        for at, token in enumerate(stream)
        if token.kind is TokenKind.START and token.name == "li" and token.begin < last
    ]
    items = [item for item in items if item.end > first]
    if not items:
        raise NoPatch(Refusal.NOT_A_LIST, f"line {line} is in no item of a list")
    if any(_VALUE.search(source.text, item.begin, item.content) for item in items):
        raise NoPatch(Refusal.NOT_A_LIST, "the list's items have numbers of their own")
    return items


def _whole(stream: Sequence[Token], at: int) -> Item:
    """Return the item that begins with this tag. One without an end tag ends with the
    next item, or with its list."""
    start, depth = stream[at], 0
    for token in stream[at + 1 :]:
        is_end = token.kind is TokenKind.END
        if token.kind is TokenKind.TEXT or token.name not in ("li", *_LISTS):
            continue
        if token.name in _LISTS and not is_end:
            depth += 1
        elif depth:
            depth -= token.name in _LISTS
        else:
            end = token.end if is_end and token.name == "li" else token.begin
            return Item(begin=start.begin, content=start.end, end=end)
    return Item(begin=start.begin, content=start.end, end=start.end)
