"""What walks of field consoles came to.

A walk of a procedure as it stands is *right* when it says what a person found: verified
where the document is true, a finding at a wrong line and at no other where it is not,
and neither of both where nobody could tell. A *false alarm* blames a line that is true.
*Wrongly verified* counts walks that passed a document which cannot be followed. What is
none of these could not tell; why is counted by the verdict's words. Planted changes are
counted by themselves: found, where a finding is at the changed line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from benchmarks.field.tasks import FieldTask
from proofwalk.suites.counting.rows import SUSPECTED, VERIFIED, Row
from proofwalk.suites.counting.statistics import wilson


@dataclass(frozen=True, kw_only=True)
class Walk:
    """A walk and what came of it."""

    of: FieldTask
    row: Row

    @property
    def blamed(self) -> tuple[int, ...]:
        """Lines that the walk says are wrong."""
        return tuple(one.line for one in self.row.found)

    @property
    def hits(self) -> frozenset[int]:
        """Wrong lines that it told of."""
        return frozenset(
            wrong
            for wrong in self.of.wrong_lines
            if any(self.of.says(at, wrong) for at in self.blamed)
        )

    @property
    def is_false_alarm(self) -> bool:
        return any(
            not any(self.of.says(at, wrong) for wrong in self.of.wrong_lines) for at in self.blamed
        )

    @property
    def is_right(self) -> bool:
        """For a procedure as it stands."""
        if self.is_false_alarm:
            return False
        match self.of.procedure.expected:
            case "verified":
                return self.row.outcome == VERIFIED
            case "defect":
                return bool(self.hits)
            case "untellable":
                return self.row.outcome != VERIFIED and not self.blamed

    @property
    def is_wrongly_verified(self) -> bool:
        return (
            self.of.procedure.expected != "verified"
            and self.row.outcome == VERIFIED
            and not self.hits
        )

    @property
    def class_(self) -> str:
        """`right`, `false alarm`, `wrongly verified`, or why it could not tell."""
        if self.is_right:
            return "right"
        if self.is_false_alarm:
            return "false alarm"
        if self.is_wrongly_verified:
            return "wrongly verified"
        return self.row.outcome if self.row.outcome == SUSPECTED else self.row.failure or "unread"


def kept(walk: Walk) -> dict[str, Any]:
    """What a result keeps of a walk: no words of the document, its makers' own."""
    row = walk.row
    return {
        "task": row.task,
        "class": walk.class_,
        "outcome": row.outcome,
        "code": row.code,
        "blamed": list(walk.blamed),
        "steps": row.steps,
        "seconds": round(row.seconds, 1),
    }


def figures_of(walks: Sequence[Walk]) -> dict[str, Any]:
    """The figures of all walks, of the frozen ones, and by console."""
    return {
        "all": shares_of(walks),
        "frozen": shares_of([one for one in walks if one.of.is_frozen]),
        "by_console": {
            name: {
                "all": shares_of(group),
                "frozen": shares_of([one for one in group if one.of.is_frozen]),
            }
            for name, group in _grouped(walks, lambda one: one.of.console.console).items()
        },
    }


def shares_of(walks: Sequence[Walk]) -> dict[str, Any]:
    """Shares with 95 % intervals over these walks."""
    plain = [one for one in walks if one.of.planted is None]
    planted = [one for one in walks if one.of.planted is not None]
    told = [one for one in planted if one.of.planted.line in one.hits]  # type: ignore[union-attr]
    wrong = sum(len(set(one.of.wrong_lines)) for one in plain)
    steps = [one.row.seconds / one.row.steps for one in walks if one.row.steps]
    return {
        "procedures": len(plain),
        "right": _share(sum(one.is_right for one in plain), len(plain)),
        "verified_rightly": sum(one.is_right and one.row.outcome == VERIFIED for one in plain),
        "mismatches_found": _share(sum(len(one.hits) for one in plain), wrong),
        "false_alarms": _share(sum(one.is_false_alarm for one in plain), len(plain)),
        "wrongly_verified": sum(one.is_wrongly_verified for one in plain),
        "could_not_tell": dict(
            Counter(
                one.class_
                for one in plain
                if one.class_ not in ("right", "false alarm", "wrongly verified")
            ).most_common()
        ),
        "drift_found": _share(len(told), len(planted)),
        "drift_false_alarms": sum(one.is_false_alarm for one in planted),
        "seconds_a_step": round(median(steps), 2) if steps else None,
    }


def _share(hits: int, of: int) -> dict[str, Any]:
    bounds = wilson(hits, of)
    if bounds is None:
        return {"value": None, "count": hits, "of": of}
    return {
        "value": round(bounds.value, 4),
        "low": round(bounds.low, 4),
        "high": round(bounds.high, 4),
        "count": hits,
        "of": of,
    }


def _grouped(walks: Iterable[Walk], key: Callable[[Walk], str]) -> Mapping[str, list[Walk]]:
    groups: dict[str, list[Walk]] = {}
    for one in walks:
        groups.setdefault(key(one), []).append(one)
    return dict(sorted(groups.items()))
