"""The journal of rounds, and the figures that follow from it.

`recovery_s` is of effective faults alone, over the jobs that each found under way.
"""

from __future__ import annotations

import json
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.chaos.rounds import Result


@dataclass(frozen=True, kw_only=True)
class KeptFault:
    """A fault of a round that is over."""

    kind: str
    target: str
    effective: bool
    recovery_s: float | None


@dataclass(frozen=True, kw_only=True)
class Kept:
    """A round that is over."""

    number: int
    jobs: int
    seconds: float
    faults: Sequence[KeptFault]
    violations: Sequence[str]
    untold: Mapping[str, int]

    @property
    def effective(self) -> int:
        """How many of its faults count."""
        return sum(fault.effective for fault in self.faults)

    def told(self) -> str:
        """The round in a line."""
        faults = f"{self.effective} of {len(self.faults)} faults effective"
        untold = f", untold {dict(self.untold)}" if self.untold else ""
        broken = f", BROKEN {list(self.violations)}" if self.violations else ""
        return f"{self.jobs} jobs, {faults}, {self.seconds:.0f} s{untold}{broken}"


def keep(journal: Path, result: Result) -> Kept:
    """Add a round to the journal."""
    kept = Kept(
        number=result.round.number,
        jobs=len(result.round.jobs),
        seconds=result.seconds,
        faults=[
            KeptFault(
                kind=one.struck.fault.kind,
                target=one.struck.fault.target,
                effective=one.struck.is_effective,
                recovery_s=one.recovery_s,
            )
            for one in result.strikes
        ],
        violations=result.violations,
        untold=result.untold,
    )
    row = {**vars(kept), "faults": [vars(fault) for fault in kept.faults]}
    journal.parent.mkdir(parents=True, exist_ok=True)
    with journal.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")
    return kept


def read(journal: Path) -> list[Kept]:
    """The rounds that a journal has; none where there is no journal."""
    if not journal.is_file():
        return []
    rows = [json.loads(line) for line in journal.read_text(encoding="utf-8").splitlines()]
    return [
        Kept(**{**row, "faults": [KeptFault(**fault) for fault in row["faults"]]}) for row in rows
    ]


def figures_of(rounds: Sequence[Kept]) -> dict[str, Any]:
    """What was measured."""
    effective = [fault for one in rounds for fault in one.faults if fault.effective]
    recoveries = sorted(fault.recovery_s for fault in effective if fault.recovery_s is not None)
    broken = [f"round {one.number}: {found}" for one in rounds for found in one.violations]
    untold: Counter[str] = Counter()
    for one in rounds:
        untold.update(one.untold)
    return {
        "rounds": len(rounds),
        "jobs": sum(one.jobs for one in rounds),
        "faults": sum(len(one.faults) for one in rounds),
        "effective_faults": len(effective),
        "kinds": len({fault.kind for fault in effective}),
        "by_kind": dict(sorted(Counter(fault.kind for fault in effective).items())),
        "by_target": dict(sorted(Counter(fault.target for fault in effective).items())),
        "violations": len(broken),
        "broken": list(broken),
        "untold": dict(untold),
        "p50_s": _quantile(recoveries, 50),
        "p99_s": _quantile(recoveries, 99),
        "never_went_on": sum(fault.recovery_s is None for fault in effective),
    }


def _quantile(values: Sequence[float], percent: int) -> float | None:
    if len(values) < 2:
        return values[0] if values else None
    return round(statistics.quantiles(values, n=100, method="inclusive")[percent - 1], 2)
