"""How a rule stands to a walk that is right, and to the near misses of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import yaml

from proofwalk.kernel.outcomes import Decision
from proofwalk.suites.recording import Recording
from proofwalk.suites.rules.answer_misses import answer_misses, missed
from proofwalk.suites.rules.near_misses import near_misses

Judging = Callable[[str], Callable[[Recording], Decision | None]]
"""The judge of a rule (YAML) over a complete log. Raises `rule.invalid`."""


@dataclass(frozen=True, kw_only=True)
class Sharpness:
    """How a rule stands to the near misses of a passing episode."""

    confirmed: bool
    """Whether the judge confirms the recording itself."""
    near_misses: int
    accepted: tuple[str, ...]
    """What the judge confirmed although it should not: each near miss in words."""


def sharpness_of(rule_yaml: str, recording: Recording, judging: Judging) -> Sharpness:
    """Judge a recording and the near misses of it. Raises `rule.invalid`."""
    decide = judging(rule_yaml)
    rule = yaml.safe_load(rule_yaml)
    misses = (*near_misses(rule, recording), *answer_misses(rule, recording))
    judged = [(miss, decide(missed(recording, miss))) for miss in misses]
    accepted = [
        f"{miss.place}: {miss.why}" for miss, decision in judged if decision is Decision.CONFIRMED
    ]
    return Sharpness(
        confirmed=decide(recording) is Decision.CONFIRMED,
        near_misses=len(misses),
        accepted=tuple(accepted),
    )
