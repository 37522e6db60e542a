"""What the episodes of a verification come to: whether there is another one, which
decides, and the verdict. Pure.

Attempts are repeated where the environment, the agent or the judges failed. A finding
has two witnesses: an episode that ends with one (`domain.SEEN_ONCE`) is followed by a
second episode, on an account that is leased and proven clean anew and in a browser of
its own, whatever the number of attempts. Where that one finds the same fault in the
same line, and the log does not contradict it, the verdict is `doc_defect`; else
`suspected`, with both sightings. What the environment failed is no sighting and is
tried again, `SECOND_TRIES` times in all. Members of a rollout group have one episode:
nobody asks a second time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol, TypeVar

from proofwalk.kernel.outcomes import Evidence, FindingKind, Outcome, OutcomeKind, SubStepStatus
from proofwalk.rollout.findings import SEEN_ONCE
from proofwalk.rollout.judgement import FindingSighting, Judgement, SubStepResult

SECOND_TRIES = 2
"""Episodes that are begun for a second sighting."""
_ABSENT = frozenset({FindingKind.RENAMED, FindingKind.MISSING})
"""Two names of one fault: the thing is not there under its name; what is near differs
with the page."""


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """One episode as the decision about another one sees it."""

    outcome: Outcome
    lost: bool = False
    """Its worker died; that is nobody's failure and does not count against the attempts
    that were asked for."""


def wants_another(
    attempts: Sequence[Attempt], *, allowed: int, lost_allowed: int, second_sighting: bool = True
) -> bool:
    """Whether a verification goes on with another episode."""
    counted = [attempt for attempt in attempts if not attempt.lost]
    lost = len(attempts) - len(counted)
    ended_lost = bool(attempts) and attempts[-1].lost
    if ended_lost and lost > lost_allowed:
        return False
    first = next(
        (at for at, attempt in enumerate(counted) if attempt.outcome.code == SEEN_ONCE), None
    )
    if first is not None:
        later = counted[first + 1 :]
        return second_sighting and len(later) < SECOND_TRIES and all(map(_says_nothing, later))
    if counted and not ended_lost and not counted[-1].outcome.retryable:
        return False
    return len(counted) < allowed


def _says_nothing(attempt: Attempt) -> bool:
    return attempt.outcome.kind is OutcomeKind.ENV_FAILURE


class Episode(Protocol):
    """What is stored of an episode."""

    @property
    def number(self) -> int: ...
    @property
    def judgement(self) -> Judgement | None:
        """None until it is over."""
        ...

    @property
    def lost(self) -> bool: ...
    @property
    def started_at(self) -> datetime: ...
    @property
    def finished_at(self) -> datetime | None: ...


E = TypeVar("E", bound=Episode)


def decisive(episodes: Sequence[E]) -> E | None:
    """The episode that a verdict rests on: of those that are over and not lost, the
    last with a finding, else the last; where all are lost, the last; None when none is
    over."""
    over = [(episode, episode.judgement) for episode in episodes if episode.judgement is not None]
    counted = [one for one in over if not one[0].lost] or over
    found = [one for one in counted if one[1].outcome.kind is OutcomeKind.SUSPECTED] or counted
    return found[-1][0] if found else None


def concluded(episodes: Sequence[Episode]) -> Judgement:
    """The judgement that the verdict repeats, with every sighting where there was a
    finding."""
    decides = decisive(episodes)
    assert decides is not None, "an episode is over"
    assert decides.judgement is not None, "an episode that is over is judged"
    judgement, finding = decides.judgement, decides.judgement.finding
    seen = [
        _Seen(one, one.judgement) for one in episodes if not one.lost and one.judgement is not None
    ]
    first = next((one for one in seen if one.kind is OutcomeKind.SUSPECTED), None)
    if first is None or finding is None:
        return judgement
    later = [one for one in seen if one.episode.number > first.episode.number]
    told = next((one for one in later if one.kind is not OutcomeKind.ENV_FAILURE), None)
    judgement = replace(
        judgement,
        sightings=tuple(one.sighting for one in (first, *later)),
        second_sighting_seconds=round(sum(one.seconds for one in later), 3),
    )
    if told is not None and _agree(first.judgement, told.judgement):
        return replace(
            judgement,
            outcome=Outcome(kind=OutcomeKind.DOC_DEFECT, reason=finding.message),
            evidence=Evidence.PAGE,
        )
    return replace(
        judgement,
        outcome=replace(judgement.outcome, reason=_why_only_suspected(first, told)),
        substeps=tuple(map(_suspected, judgement.substeps)),
    )


@dataclass(frozen=True)
class _Seen:
    """An episode that is over, with its judgement."""

    episode: Episode
    judgement: Judgement

    @property
    def kind(self) -> OutcomeKind:
        return self.judgement.outcome.kind

    @property
    def seconds(self) -> float:
        began, ended = self.episode.started_at, self.episode.finished_at
        return (ended - began).total_seconds() if ended else 0.0

    @property
    def sighting(self) -> FindingSighting:
        outcome = self.judgement.outcome
        return FindingSighting(
            episode=self.episode.number,
            outcome=outcome.kind,
            code=outcome.code,
            reason=outcome.reason,
            goal=self.judgement.goal,
            finding=self.judgement.finding,
            seconds=round(self.seconds, 3),
        )


def _agree(first: Judgement, second: Judgement) -> bool:
    one, other = first.finding, second.finding
    if one is None or other is None or {first.outcome.code, second.outcome.code} != {SEEN_ONCE}:
        return False
    same_kind = one.kind is other.kind or {one.kind, other.kind} <= _ABSENT
    return (one.file, one.line) == (other.file, other.line) and same_kind


def _why_only_suspected(first: _Seen, second: _Seen | None) -> str:
    outcome = first.judgement.outcome
    if outcome.code != SEEN_ONCE:
        return outcome.reason
    if second is None:
        return f"seen in one episode alone: {outcome.reason}"
    found = second.judgement.finding
    if found is None:
        return (
            f"seen in one episode and not in a second one, which ended as {second.kind}:"
            f" {outcome.reason}"
        )
    other = f"a second one found another fault (line {found.line}: {found.message})"
    return f"seen in one episode; {other}: {outcome.reason}"


def _suspected(step: SubStepResult) -> SubStepResult:
    if step.status is not SubStepStatus.DEFECT:
        return step
    return replace(step, status=SubStepStatus.NOT_VERIFIED, reason=f"suspected: {step.reason}")
