"""Cells as they are kept, and what they come to. Pure, but for the journal's file."""

from __future__ import annotations

import json
import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from proofwalk.kernel.json_values import JsonObject

ALLOWED_S = 1.0
"""What a call may take beyond its deadline: it looks why there was no connection, and
the machine has other work."""


@dataclass(frozen=True, kw_only=True)
class Ended:
    """How a call ended."""

    seconds: float
    code: str
    """Of the error that the caller was told; empty when it was answered."""
    ended: bool = True
    """False for one that had to be cancelled."""


@dataclass(frozen=True, kw_only=True)
class Cell:
    """An edge under a condition."""

    edge: str
    condition: str
    deadline_s: float
    control: Ended
    """The call that nothing disturbed."""
    calls: Sequence[Ended] = ()
    """Those made under the condition."""
    attempts: int = 0
    """Tries of those that reached upstream."""
    connections: int = 0
    """Connections made for those."""
    stalled_s: float = 0.0
    """The longest time for which the bench itself stood still meanwhile."""
    recovered_s: float | None = None
    """From the end of the condition until a call was answered; None: not at all."""
    left: Sequence[str] = ()
    """What was there when nobody called any more."""
    seconds: float = 0.0

    @property
    def is_measured(self) -> bool:
        """Whether the control was answered."""
        return self.control.ended and not self.control.code

    @property
    def past_s(self) -> float:
        """By how much the latest call outlived its deadline."""
        return max([0.0, *(one.seconds - self.deadline_s for one in self.calls)])

    def late(self) -> list[Ended]:
        """Calls that outlived their deadline by more than is allowed."""
        latest = self.deadline_s + ALLOWED_S + self.stalled_s
        return [one for one in self.calls if not one.ended or one.seconds > latest]

    @property
    def untyped(self) -> list[str]:
        """What callers were told that is no error of ours."""
        return [one.code for one in self.calls if one.code.startswith("!")]

    @property
    def amplification(self) -> float:
        """Tries that reached upstream for one call."""
        return self.attempts / len(self.calls) if self.calls else 0.0

    def at_rest(self, left: Sequence[str], *, seconds: float) -> Cell:
        """The cell with what it left behind."""
        return replace(self, left=tuple(left), seconds=seconds)


def keep(path: Path, cell: Cell) -> None:
    """Add a cell to a journal."""
    path.parent.mkdir(parents=True, exist_ok=True)
    whole = not path.is_file() or path.read_bytes().endswith(b"\n")
    with path.open("a", encoding="utf-8") as file:
        file.write(("" if whole else "\n") + json.dumps(asdict(cell)) + "\n")


def read(path: Path) -> list[Cell]:
    """What a journal holds; a line that a kill cut off is left out, and a later line of
    a cell takes the place of an earlier one."""
    if not path.is_file():
        return []
    cells: dict[tuple[str, str], Cell] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            continue
        row["control"] = Ended(**row["control"])
        row["calls"] = tuple(Ended(**one) for one in row["calls"])
        row["left"] = tuple(row["left"])
        cell = Cell(**row)
        cells[cell.edge, cell.condition] = cell
    return list(cells.values())


def figures_of(cells: Sequence[Cell]) -> JsonObject:
    """Over the cells whose control was answered: calls that outlived their deadline,
    the most tries for one call, cells that did not recover, and what was left."""
    measured = [one for one in cells if one.is_measured]
    calls = [call for one in measured for call in one.calls]
    recoveries = [one.recovered_s for one in measured if one.recovered_s is not None]
    worst = max(measured, key=lambda one: one.amplification, default=None)
    return {
        "edges": len({one.edge for one in measured}),
        "cells": len(measured),
        "not_measured": {
            f"{one.edge} | {one.condition}": one.control.code or "it did not end"
            for one in cells
            if not one.is_measured
        },
        "calls": len(calls),
        "past_deadline": sum(len(one.late()) for one in measured),
        "most_past_deadline_s": round(max([one.past_s for one in measured], default=0.0), 2),
        "late": [f"{one.edge} | {one.condition}" for one in measured if one.late()],
        "untyped": {
            f"{one.edge} | {one.condition}": one.untyped[0] for one in measured if one.untyped
        },
        "codes": dict(Counter(call.code or "answered" for call in calls).most_common()),
        "amplification": {
            "most": round(worst.amplification, 2) if worst is not None else 0.0,
            "at": f"{worst.edge} | {worst.condition}" if worst is not None else "",
            "median": round(statistics.median([one.amplification for one in measured] or [0.0]), 2),
        },
        "recovered": len(recoveries),
        "not_recovered": [
            f"{one.edge} | {one.condition}" for one in measured if one.recovered_s is None
        ],
        "recovery_s": {
            "median": round(statistics.median(recoveries or [0.0]), 2),
            "max": round(max(recoveries, default=0.0), 2),
        },
        "left": {f"{one.edge} | {one.condition}": list(one.left) for one in measured if one.left},
    }


def row_of(cell: Cell) -> JsonObject:
    """A cell in a result."""
    return {
        **asdict(cell),
        "past_s": round(cell.past_s, 2),
        "amplification": round(cell.amplification, 2),
    }
