"""Splits fragments into sentences, each with its lines.

A sentence ends at `.`, `!`, `?` before a space and something that can begin a sentence,
or at `。！？` anywhere. It does not end inside a bold, code or link run (a label may
contain a period), after an abbreviation (`e.g.`, `vs.`), after the number of an
enumeration, or before a lower-case word of plain text, so versions, file names and
instance types stay whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from proofwalk.procedures.model import Inline, InlineRole, Sentence, SourceSpan
from proofwalk.procedures.outline import Fragment

ABBREVIATIONS = frozenset(
    [
        *(
            "e.g.",
            "i.e.",
            "vs.",
            "cf.",
            "no.",
            "fig.",
            "sec.",
            "approx.",
            "inc.",
            "ltd.",
            "co.",
            "dr.",
            "mr.",
            "mrs.",
            "ms.",
        ),
        *("st.", "incl.", "resp.", "viz.", "al.", "ver.", "eq."),
    ]
)
_STOP = re.compile(r"[.!?…]+[\"'”’)\]»]*(?=\s)|[。！？]+[”’」』）]*")
_GOES_ON = frozenset(">→»›,;")
"""What no sentence begins with: `**More** (**...**) > **Drain**`."""
_SPACES = re.compile(r"\s+")
_LAST_WORD = re.compile(r"\S+$")
_ENUMERATOR = re.compile(r"\(?(?:\d{1,3}|[A-Za-z])[.)]+$")
_CLOSED = (InlineRole.STRONG, InlineRole.CODE, InlineRole.LINK)


def _visible(piece: Fragment) -> str:
    """Return a fragment's part in the running text. An image has none: its alternative
    text must not decide where sentences end."""
    return "" if piece.role is InlineRole.IMAGE else piece.text


def _boundaries(pieces: Sequence[Fragment]) -> list[int]:
    """Return the offsets in the concatenated text at which sentences end."""
    flat = "".join(_visible(piece) for piece in pieces)
    owner: list[int] = []
    starts: list[int] = []
    for index, piece in enumerate(pieces):
        starts.append(len(owner))
        owner.extend([index] * len(_visible(piece)))
    boundaries: list[int] = []
    begin = 0
    for stop in _STOP.finditer(flat):
        end = stop.end()
        index = owner[stop.start()]
        inside_end = starts[index] + len(pieces[index].text)
        if pieces[index].role in _CLOSED and end < inside_end and flat[end:inside_end].strip():
            continue
        following = end
        while following < len(flat) and flat[following].isspace():
            following += 1
        if following == len(flat) or flat[following] in _GOES_ON:
            continue
        if stop.group()[0] not in "。！？":
            word = _LAST_WORD.search(flat[max(begin, end - 24) : end])
            last = word.group().lstrip("([\"'“‘").lower() if word else ""
            if last in ABBREVIATIONS or (
                _ENUMERATOR.match(last) and not flat[begin : end - len(last)].strip()
            ):
                continue
            plain_next = pieces[owner[following]].role in (InlineRole.TEXT, InlineRole.EMPHASIS)
            if plain_next and flat[following].islower():
                continue
        boundaries.append(end)
        begin = following
    return boundaries


def _cut(pieces: Sequence[Fragment], boundaries: Sequence[int]) -> list[list[Fragment]]:
    """Return the pieces of each sentence. A piece with a boundary inside is divided
    there."""
    parts: list[list[Fragment]] = [[]]
    limits = [*boundaries, sum(len(_visible(piece)) for piece in pieces) + 1]
    at = 0
    for piece in pieces:
        if piece.role is InlineRole.IMAGE:
            parts[-1].append(piece)
            continue
        rest = piece.text
        while at + len(rest) > limits[len(parts) - 1]:
            head = limits[len(parts) - 1] - at
            parts[-1].append(replace(piece, text=rest[:head]))
            at, rest = at + head, rest[head:]
            parts.append([])
        parts[-1].append(piece if rest is piece.text else replace(piece, text=rest))
        at += len(rest)
    return parts


@dataclass(slots=True)
class _Run:
    """An inline under construction; the parts are joined once, at the end."""

    role: InlineRole
    target: str
    parts: list[str]


def inlines(fragments: Iterable[Fragment]) -> tuple[Inline, ...]:
    """Return fragments as the model's inlines: neighbours of one role joined, white
    space single, both edges trimmed."""
    joined: list[_Run] = []
    gap = said = False
    for piece in fragments:
        if piece.role is InlineRole.IMAGE:
            joined.append(_Run(piece.role, piece.target, [" ".join(piece.text.split())]))
            continue
        text = _SPACES.sub(" ", piece.text)
        if text.startswith(" "):
            gap, text = True, text[1:]
        trailing = text.endswith(" ")
        text = text[:-1] if trailing else text
        if not text:
            gap = gap or trailing
            continue
        previous = joined[-1] if joined else None
        space = " " if gap and said else ""
        if previous and (previous.role, previous.target) == (piece.role, piece.target):
            previous.parts += (space, text)
        elif space and piece.role is InlineRole.TEXT:
            joined.append(_Run(piece.role, piece.target, [space, text]))
        else:
            if space and previous and previous.role is InlineRole.TEXT:
                previous.parts.append(space)
                previous.target = ""
            elif space:
                joined.append(_Run(InlineRole.TEXT, "", [space]))
            joined.append(_Run(piece.role, piece.target, [text]))
        gap, said = trailing, True
    return tuple(
        Inline(role=run.role, text="".join(run.parts), target=run.target) for run in joined
    )


def text_of(runs: Iterable[Inline]) -> str:
    """Return the visible text of inlines; images have none."""
    return "".join(run.text for run in runs if run.role is not InlineRole.IMAGE).strip()


def divided(fragments: Iterable[Fragment]) -> list[list[Fragment]]:
    """Return the fragments of each sentence of one paragraph that says something. An
    image behind the last sentence is its last piece."""
    pieces = tuple(fragments)
    parts: list[list[Fragment]] = []
    for part in _cut(pieces, _boundaries(pieces)):
        if parts and not any(_visible(piece).strip() for piece in part):
            parts[-1].extend(part)
        elif part:
            parts.append(part)
    return parts


def split(fragments: Iterable[Fragment], *, file: str) -> tuple[Sentence, ...]:
    """Return the sentences of one paragraph, in order. Images keep their place in
    `inlines` and add nothing to `text`."""
    pieces = tuple(fragments)
    sentences: list[Sentence] = []
    for part in _cut(pieces, _boundaries(pieces)):
        runs = inlines(part)
        text = text_of(runs)
        lines = [piece.line for piece in part if _visible(piece).strip()]
        if text:
            span = SourceSpan(file=file, line=min(lines), end_line=max(lines))
            sentences.append(Sentence(text=text, span=span, inlines=runs))
    return tuple(sentences)
