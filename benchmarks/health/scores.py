"""The mutation score of a package: what its trials come to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.health.journal import Fate, Trial, tally
from benchmarks.record import judged, share
from proofwalk.kernel.json_values import JsonObject

TARGET = 0.85
"""The least share of mutants that the near tests are to notice."""


@dataclass(frozen=True, kw_only=True)
class Score:
    """The trials of a package, of so many that are planned, of so many that there
    are."""

    trials: tuple[Trial, ...]
    planned: int
    candidates: int

    @property
    def is_complete(self) -> bool:
        return len(self.trials) == self.planned

    @property
    def noticed(self) -> int:
        """A mutant whose tests do not end is noticed, too."""
        fates = tally(self.trials)
        return fates[Fate.KILLED] + fates[Fate.TIMEOUT]

    @property
    def survivors(self) -> tuple[Trial, ...]:
        return tuple(trial for trial in self.trials if trial.fate is Fate.SURVIVED)

    @property
    def is_missed(self) -> bool:
        """Whether what was measured is below the target."""
        tried = self.noticed + len(self.survivors)
        return tried > 0 and self.noticed < TARGET * tried

    def to_json(self) -> JsonObject:
        estimate = share(self.noticed, self.noticed + len(self.survivors))
        return {
            "score": judged(estimate["value"], at_least=TARGET),
            "interval": [estimate["low"], estimate["high"]],
            "fates": {fate.value: count for fate, count in tally(self.trials).items()},
            "planned": self.planned,
            "candidates": self.candidates,
            "survivors": [line(trial) for trial in self.survivors],
        }


def line(trial: Trial) -> str:
    """Where a mutant is, what became of it, and what it changed."""
    mutant = trial.mutant
    kind = mutant.operator.removeprefix("core/")
    return f"{mutant.module}:{mutant.line} {trial.fate} {kind} {trial.change}".rstrip()


def measured(scores: Sequence[Score]) -> int:
    """How many mutants were tried."""
    return sum(len(score.trials) for score in scores)
