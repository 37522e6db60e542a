"""What a document's procedures say, flattened so that two readings can be compared.

A patch is right if reading the patched source gives what was meant and nothing else:
one unit with other words, one step more, or one step less. So no edit relies on an
understanding of the format's mark-up that the reader does not share.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from proofwalk.procedures.model import (
    Block,
    BlockKind,
    Document,
    Inline,
    InlineRole,
    Procedure,
    SubStep,
)


@dataclass(frozen=True, kw_only=True)
class Unit:
    """A sentence, note, bullet or table row: what a finding may point at."""

    kind: str
    runs: tuple[Inline, ...]

    @property
    def text(self) -> str:
        return " ".join("".join(run.text for run in visible(self.runs)).split())


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a unit stands: procedure, step and unit by position, and its source
    lines."""

    procedure: int
    step: int
    unit: int
    line: int
    end_line: int


Step = tuple[Unit, ...]


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What a document says, and nothing of where."""

    about: tuple[object, ...]
    """Title, headings and prerequisites."""
    procedures: tuple[tuple[Step, ...], ...]

    def with_steps(self, procedure: int, steps: Sequence[Step]) -> Reading:
        """Return the reading with other steps of one procedure."""
        procedures = list(self.procedures)
        procedures[procedure] = tuple(steps)
        return replace(self, procedures=tuple(procedures))

    def steps_with(self, place: Place, units: Sequence[Unit]) -> Reading:
        """Return the reading with other units in the step of `place`."""
        steps = list(self.procedures[place.procedure])
        steps[place.step] = tuple(units)
        return self.with_steps(place.procedure, steps)


def visible(runs: Sequence[Inline]) -> tuple[Inline, ...]:
    """Return the runs that have a part in the running text: a picture has none."""
    return tuple(run for run in runs if run.role is not InlineRole.IMAGE)


def reading_of(document: Document) -> Reading:
    """Return what the document says."""
    about = (
        document.title,
        tuple(sentence.text for sentence in document.prerequisites),
        tuple((one.id, one.headings, one.is_numbered) for one in document.procedures),
    )
    return Reading(about=about, procedures=tuple(map(_steps, document.procedures)))


def places_of(document: Document, line: int, sentence: str) -> list[Place]:
    """Return where the sentence of a finding stands. If it stands on the finding's line
    once, no other place counts."""
    words = " ".join(sentence.split())
    places = [
        place
        for at, procedure in enumerate(document.procedures)
        for number, step in enumerate(procedure.substeps)
        for place, unit in _placed(step, at, number)
        if unit.text == words
    ]
    exact = [place for place in places if place.line == line]
    return exact if len(exact) == 1 else places


def _steps(procedure: Procedure) -> tuple[Step, ...]:
    return tuple(
        tuple(unit for _, unit in _placed(step, 0, number))
        for number, step in enumerate(procedure.substeps)
    )


def _placed(step: SubStep, procedure: int, number: int) -> list[tuple[Place, Unit]]:
    rows: list[tuple[int, int, Unit]] = [
        (one.span.line, one.span.end_line, Unit(kind="sentence", runs=one.inlines))
        for one in step.sentences
    ]
    for block in step.blocks:
        rows += _of_block(block)
    return [
        (Place(procedure=procedure, step=number, unit=at, line=line, end_line=end_line), unit)
        for at, (line, end_line, unit) in enumerate(rows)
    ]


def _of_block(block: Block) -> list[tuple[int, int, Unit]]:
    rows: list[tuple[int, int, Unit]] = []
    if block.inlines or block.kind in (BlockKind.NOTE, BlockKind.CODE, BlockKind.IMAGE):
        unit = Unit(kind=block.kind, runs=block.inlines)
        rows.append((block.span.line, block.span.end_line, unit))
    ends = [max(line, after - 1) for line, after in _following(block)]
    contents = [*block.items, *(_cells(row) for row in block.rows)]
    for line, end_line, runs in zip(block.row_lines, ends, contents, strict=False):
        rows.append((line, end_line, Unit(kind=block.kind, runs=runs)))
    return rows


def _following(block: Block) -> list[tuple[int, int]]:
    after = (*block.row_lines[1:], block.span.end_line + 1)
    return list(zip(block.row_lines, after, strict=False))


def _cells(row: tuple[str, ...]) -> tuple[Inline, ...]:
    """The cells that say something, divided as the findings of a table's rows are."""
    runs: list[Inline] = []
    for cell in (cell for cell in row if cell):
        runs += [Inline(role=InlineRole.TEXT, text=" | ")] if runs else []
        runs.append(Inline(role=InlineRole.TEXT, text=cell))
    return tuple(runs)
