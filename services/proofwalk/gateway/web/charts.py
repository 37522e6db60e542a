"""Verdicts by day as stacked bars: the geometry that a template draws as SVG.

Outcomes fall into four groups, which a reader tells apart without colour: each has a
place in the stack, a pattern of its own, a name in the legend, and its numbers in the
table beside. A day without verdicts has an empty bar.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.chassis.rpc.vocabulary import OUTCOMES
from proofwalk.kernel.outcomes import OutcomeKind

GROUPS = ("verified", "defect", "untold", "cancelled")
"""From the foot of a bar to its head."""
GROUP_OF: Mapping[OutcomeKind, str] = {
    OutcomeKind.VERIFIED: "verified",
    OutcomeKind.DOC_DEFECT: "defect",
    OutcomeKind.SUSPECTED: "defect",
    OutcomeKind.UNPROVEN: "untold",
    OutcomeKind.AGENT_FAILURE: "untold",
    OutcomeKind.ENV_FAILURE: "untold",
    OutcomeKind.JUDGE_SPLIT: "untold",
    OutcomeKind.CANCELLED: "cancelled",
}
TOLD = GROUPS[:3]
"""The groups of what was walked to an end; shares are of these."""
HEIGHT = 140
BAR = 28
STEP = 40


@dataclass(frozen=True, kw_only=True)
class Segment:
    """A group's part of a bar."""

    group: str
    count: int
    top: float
    height: float


@dataclass(frozen=True, kw_only=True)
class Bar:
    """A day."""

    day: str
    left: int
    counts: Mapping[str, int]
    segments: Sequence[Segment]


@dataclass(frozen=True, kw_only=True)
class Share:
    """A group's part of all verdicts that say something."""

    group: str
    count: int
    percent: int


@dataclass(frozen=True, kw_only=True)
class Chart:
    """Verdicts of the last days."""

    bars: Sequence[Bar]
    shares: Sequence[Share]
    highest: int
    """The largest number of verdicts of one day."""
    total: int

    @property
    def width(self) -> int:
        return STEP * len(self.bars)


def chart_of(verdicts: Iterable[pb.VerdictCount], *, today: date, days: int) -> Chart:
    """The chart of `days` days up to today."""
    by_day: dict[str, Counter[str]] = {
        (today - timedelta(days=ago)).isoformat(): Counter() for ago in reversed(range(days))
    }
    for one in verdicts:
        if one.day in by_day:
            by_day[one.day][GROUP_OF[OUTCOMES.require(one.outcome)]] += one.count
    highest = max(counts.total() for counts in by_day.values())
    totals = sum(by_day.values(), Counter[str]())
    return Chart(
        bars=[
            Bar(day=day, left=STEP * place, counts=counts, segments=_stack(counts, highest))
            for place, (day, counts) in enumerate(by_day.items())
        ],
        shares=_shares(totals),
        highest=highest,
        total=totals.total(),
    )


def _stack(counts: Counter[str], highest: int) -> Sequence[Segment]:
    segments: list[Segment] = []
    foot = float(HEIGHT)
    for group in GROUPS:
        if count := counts[group]:
            height = count / highest * HEIGHT
            foot -= height
            segments.append(
                Segment(group=group, count=count, top=round(foot, 2), height=round(height, 2))
            )
    return segments


def _shares(totals: Counter[str]) -> Sequence[Share]:
    of = sum(totals[group] for group in TOLD)
    return [
        Share(
            group=group, count=totals[group], percent=round(100 * totals[group] / of) if of else 0
        )
        for group in TOLD
    ]
