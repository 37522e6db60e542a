"""Whether a proposed rule may be believed.

It has to confirm the walk that it was made of, and each further walk of the document;
to deny a log in which nothing happened; and to deny every near miss (another value,
another operation, a refusal, another time, a forbidden event). A rule that fails one of
these is not written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from proofwalk.kernel.outcomes import Decision
from proofwalk.suites.recording import Recording
from proofwalk.suites.rules.sharpness import Judging, sharpness_of


@dataclass(frozen=True, kw_only=True)
class RuleProof:
    """What was asked of a rule, and what it failed."""

    near_misses: int
    walks: int
    """Walks that it had to confirm."""
    problems: tuple[str, ...]
    """In words; none for a rule that holds."""


def prove_rule(rule_yaml: str, recordings: Sequence[Recording], judging: Judging) -> RuleProof:
    """Ask all of it; the near misses are made of the first recording. Raises
    `rule.invalid`."""
    decide = judging(rule_yaml)
    first = recordings[0]
    sharp = sharpness_of(rule_yaml, first, judging)
    problems = [f"it confirms a near miss: {why}" for why in sharp.accepted]
    for number, recording in enumerate(recordings, start=1):
        if decide(recording) is not Decision.CONFIRMED:
            problems.append(f"it does not confirm walk {number}")
    if decide(replace(first, events=())) is Decision.CONFIRMED:
        problems.append("it confirms a log in which nothing happened")
    if not sharp.near_misses:
        problems.append("no near miss could be made of it")
    return RuleProof(near_misses=sharp.near_misses, walks=len(recordings), problems=tuple(problems))
