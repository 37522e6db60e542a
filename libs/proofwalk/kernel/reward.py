"""What an episode earns: the one definition of a reward, for rollout groups, training,
suites and data.

AliyunConsoleAgent §5.2, Eq. 1: 1.0 if ActionTrail confirms success or both judges agree
on it, 0.0 if they agree on failure, -1 ("otherwise") excluded from training. Excluded
is a type here and never a number: it enters no mean, no deviation and no gradient.
§5.1's task-level filter adds the document: a trajectory that finds a true inconsistency
is a success. Rules, first match:

| ended as | it is known of the document that | reward |
|---|---|---|
| env_failure, judge_split, cancelled, unproven | - | excluded |
| verified on `page` or `none` | - | excluded: no channel of Eq. 1 says so |
| verified on anything else | it has a defect | 0: it was walked through unseen |
| verified on anything else | it is right, or nothing | 1 |
| doc_defect, suspected | nothing | excluded: the page is all that it rests on |
| doc_defect, suspected | the report names its defect | 1 |
| doc_defect, suspected | it is right, or wrong elsewhere | 0: else blaming is the shortest walk of all |
| agent_failure | - | 0, or what `Credit` gives for what the log shows of the rule |

A rollout group walks each episode once, so its findings are `suspected` there, and what
is known of the document takes the place of the second witness. Eq. 1 has no 0 by rule
alone; ActionTrail rewards are called binary there, and so a denied rule, a walk that
gave up and one that used up its budget earn 0 here.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from proofwalk.kernel.outcomes import Evidence, OutcomeKind


class DocumentTruth(StrEnum):
    """What is known of the document that was walked, apart from the walk: a suite knows
    it."""

    UNKNOWN = "unknown"
    RIGHT = "right"
    WRONG = "wrong"
    """It has a defect, and the walk reported another one or none."""
    WRONG_AS_REPORTED = "wrong_as_reported"
    """It has a defect, and the walk's report names it."""


class Credit(StrEnum):
    """What a failure earns."""

    NONE = "none"
    PARTIAL = "partial"
    """Ours: met / (met + missing + forbidden), unless nothing is short: then something
    else went wrong, a sub-step that was left out, say."""
    TIERS = "tiers"
    """RiskWebWorld's Eq. 2 (App. G): 0.3 for a reasonable trajectory. A judge says
    there what is reasonable; here the log does: it shows some of what the rule asks
    for, and nothing that it forbids. 0.1 for a task that was completed within its
    steps: the policy said that it was done. One that gave up was not completed, else
    giving up at once would be worth more than trying."""


_REASONABLE, _COMPLETED = 0.3, 0.1


@dataclass(frozen=True, kw_only=True)
class Shaping:
    """How a failure is rewarded. `met`, `missing` and `forbidden` count what the log
    shows of the rule; 0 where it was not held against one. `completed`: the policy said
    that it was done."""

    credit: Credit = Credit.NONE
    met: int = 0
    missing: int = 0
    forbidden: int = 0
    completed: bool = False


BINARY = Shaping()


@dataclass(frozen=True, kw_only=True)
class Reward:
    """1 is a success, 0 a failure; between them with some `Credit` alone."""

    value: float


@dataclass(frozen=True, kw_only=True)
class Excluded:
    """The episode says nothing about the policy (Eq. 1's -1)."""

    why: str


_PROVEN = (Evidence.AUDIT, Evidence.VALIDATOR, Evidence.JUDGES)


def reward_of(
    outcome: OutcomeKind,
    evidence: Evidence,
    expectation: DocumentTruth = DocumentTruth.UNKNOWN,
    shaping: Shaping = BINARY,
) -> Reward | Excluded:
    """The table in the module's docstring. `expectation` is what is known of the
    document."""
    wrong = expectation in (DocumentTruth.WRONG, DocumentTruth.WRONG_AS_REPORTED)
    match outcome:
        case OutcomeKind.VERIFIED if evidence not in _PROVEN:
            return Excluded(why=f"verified on {evidence.value} alone")
        case OutcomeKind.VERIFIED:
            return Reward(value=0.0 if wrong else 1.0)
        case OutcomeKind.DOC_DEFECT | OutcomeKind.SUSPECTED if expectation is DocumentTruth.UNKNOWN:
            return Excluded(why="a finding that nobody confirms")
        case OutcomeKind.DOC_DEFECT | OutcomeKind.SUSPECTED:
            return Reward(value=1.0 if expectation is DocumentTruth.WRONG_AS_REPORTED else 0.0)
        case OutcomeKind.AGENT_FAILURE:
            return Reward(value=_credit(shaping))
        case (
            OutcomeKind.UNPROVEN
            | OutcomeKind.ENV_FAILURE
            | OutcomeKind.JUDGE_SPLIT
            | OutcomeKind.CANCELLED
        ):
            return Excluded(why=outcome.value)


def _credit(shaping: Shaping) -> float:
    short = shaping.missing + shaping.forbidden
    match shaping.credit:
        case Credit.NONE:
            return 0.0
        case Credit.PARTIAL:
            return shaping.met / (shaping.met + short) if short else 0.0
        case Credit.TIERS:
            if shaping.met and not shaping.forbidden:
                return _REASONABLE
            return _COMPLETED if shaping.completed else 0.0


def value_of(reward: Reward | Excluded) -> float | None:
    """The number; None for an excluded episode."""
    return reward.value if isinstance(reward, Reward) else None
