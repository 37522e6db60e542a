"""Two runs of a procedure beside each other: steps aligned by sub-step and by what was
done. Pure.

Runs of steps for one sub-step are held against each other in their order; within a pair
of them equal deeds (`verification_steps.ShownStep.deed`) meet, as in a diff of lines.
What lies between two meetings stands side by side, and a step without a partner alone.
The first row that is not the same on both sides is the first difference; whatever
differs later may follow from it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from proofwalk.gateway.web.verification_steps import ShownStep


@dataclass(frozen=True, kw_only=True)
class Row:
    """A step of one run beside one of the other, either of them absent."""

    substep: str
    left: ShownStep | None
    right: ShownStep | None
    is_first_difference: bool = False

    @property
    def is_same(self) -> bool:
        """Both runs did it."""
        return (
            self.left is not None and self.right is not None and self.left.deed == self.right.deed
        )


@dataclass(frozen=True, kw_only=True)
class Alignment:
    """Two runs, row by row."""

    rows: Sequence[Row]
    first_difference: Row | None
    """None where both runs did the same to their end."""

    @property
    def same(self) -> int:
        """Rows that both runs did."""
        return sum(row.is_same for row in self.rows)


def aligned(left: Sequence[ShownStep], right: Sequence[ShownStep]) -> Alignment:
    """Two runs beside each other; each step of both stands in exactly one row."""
    rows = list(_rows(_by_substep(left), _by_substep(right)))
    first = next((at for at, row in enumerate(rows) if not row.is_same), None)
    if first is None:
        return Alignment(rows=rows, first_difference=None)
    rows[first] = replace(rows[first], is_first_difference=True)
    return Alignment(rows=rows, first_difference=rows[first])


def _rows(left: Sequence[_Stretch], right: Sequence[_Stretch]) -> Iterator[Row]:
    numbers = [one.substep for one in left], [one.substep for one in right]
    for is_equal, ours, theirs in _blocks(*numbers):
        if is_equal:
            for one, other in zip(left[ours], right[theirs], strict=True):
                yield from _paired(one.substep, one.steps, other.steps)
            continue
        for one in left[ours]:
            yield from _paired(one.substep, one.steps, ())
        for other in right[theirs]:
            yield from _paired(other.substep, (), other.steps)


def _paired(substep: str, left: Sequence[ShownStep], right: Sequence[ShownStep]) -> Iterator[Row]:
    deeds = [one.deed for one in left], [one.deed for one in right]
    for _, ours, theirs in _blocks(*deeds):
        for one, other in itertools.zip_longest(left[ours], right[theirs]):
            yield Row(substep=substep, left=one, right=other)


def _blocks(left: Sequence[str], right: Sequence[str]) -> Iterator[tuple[bool, slice, slice]]:
    """Where both are equal, and what lies between, in order."""
    for tag, begin, end, other_begin, other_end in SequenceMatcher(
        None, left, right, autojunk=False
    ).get_opcodes():
        yield tag == "equal", slice(begin, end), slice(other_begin, other_end)


@dataclass(frozen=True, kw_only=True)
class _Stretch:
    """Steps in a row for one sub-step."""

    substep: str
    steps: Sequence[ShownStep]


def _by_substep(steps: Sequence[ShownStep]) -> Sequence[_Stretch]:
    return [
        _Stretch(substep=substep, steps=list(stretch))
        for substep, stretch in itertools.groupby(steps, key=lambda one: one.substep)
    ]
