"""What a reading of an item comes to: the classes that the benchmark counts.

Each item is in one of four:

`right`           the comparison says right, and every span was understood
`wrong`           the comparison says wrong or prose wrong; or it says partial or
                  nothing, and the reading does not say that it has not understood
                  something: a silent skip is wrong
`not_understood`  the reading names spans that it has not understood, and nothing wrong
                  was read
`prose`           the item asks for nothing, nothing was read, and every span was
                  understood

`silent` tells the silent skips among `wrong`. A wish ("If you want ...") that the
reader leaves out on purpose (T11 of `alignment`) is `not_understood`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from benchmarks.readings.alignment import Comparison, compare
from benchmarks.readings.labels import Item, units
from benchmarks.readings.product import Heard, hear


class Outcome(StrEnum):
    """The class of an item."""

    RIGHT = "right"
    WRONG = "wrong"
    NOT_UNDERSTOOD = "not_understood"
    PROSE = "prose"


@dataclass(frozen=True, kw_only=True)
class Scored:
    """An item, what was read in it, and what that comes to."""

    item: Item
    heard: Heard
    comparison: Comparison
    outcome: Outcome
    silent: bool

    def __str__(self) -> str:
        told = f"{self.outcome}, silent" if self.silent else str(self.outcome)
        lines = [f"{self.item.id} [{told}; {self.comparison.outcome}] {self.item.text}"]
        parts = {
            "label": units(self.item.acts),
            "read": self.heard.reads,
            "not understood": self.heard.not_understood,
            "prose": self.heard.prose,
            "missing": self.comparison.missing,
            "extra": self.comparison.extra,
        }
        lines += [
            f"    {name}: {'; '.join(map(str, part))}" for name, part in parts.items() if part
        ]
        return "\n".join(lines)


def outcome_of(comparison: Comparison, heard: Heard) -> tuple[Outcome, bool]:
    """The class, and whether something was skipped in silence."""
    if comparison.outcome in ("wrong", "prose wrong"):
        return Outcome.WRONG, False
    if heard.not_understood or comparison.wish:
        return Outcome.NOT_UNDERSTOOD, False
    match comparison.outcome:
        case "right":
            return Outcome.RIGHT, False
        case "prose right":
            return Outcome.PROSE, False
        case _:
            return Outcome.WRONG, True


def score(items: Iterable[Item]) -> list[Scored]:
    """Read every item and hold it against its label."""
    scored = []
    for item in items:
        heard = hear(item.text)
        comparison = compare(item, heard.reads)
        outcome, silent = outcome_of(comparison, heard)
        scored.append(
            Scored(item=item, heard=heard, comparison=comparison, outcome=outcome, silent=silent)
        )
    return scored
