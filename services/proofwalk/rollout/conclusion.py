"""What the episodes of a verification come to: whether there is another one, which decides, and the verdict. Pure.

Attempts are repeated where the environment, the agent or the judges failed. A finding has two witnesses:
an episode that ends with one (`domain.SEEN_ONCE`) is followed by a second episode, on an account that is
leased and proven clean anew and in a browser of its own, whatever the number of attempts. Where that one
finds the same fault in the same line, and the log does not contradict it, the verdict is `doc_defect`;
else `suspected`, with both sightings. What the environment failed is no sighting and is tried again,
`SECOND_TRIES` times in all. Members of a rollout group have one episode: nobody asks a second time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol, TypeVar

from proofwalk.kernel.outcomes import Evidence, FindingKind, Outcome, OutcomeKind, SubStepStatus
from proofwalk.rollout.domain import SEEN_ONCE

SECOND_TRIES = 2
"""Episodes that are begun for a second sighting."""
_ABSENT = frozenset({FindingKind.RENAMED.value, FindingKind.MISSING.value})
"""Two names of one fault: the thing is not there under its name; what is near differs with the page."""


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """One episode as the decision about another one sees it."""

    outcome: Outcome
    lost: bool = False
    """Its worker died; that is nobody's failure and does not count against the attempts that were asked for."""


def wants_another(attempts: Sequence[Attempt], *, allowed: int, lost_allowed: int, second_sighting: bool = True) -> bool:
    """Whether a verification goes on with another episode."""
    counted = [attempt for attempt in attempts if not attempt.lost]
    lost = len(attempts) - len(counted)
    ended_lost = bool(attempts) and attempts[-1].lost
    if ended_lost and lost > lost_allowed:
        return False
    first = next((at for at, attempt in enumerate(counted) if attempt.outcome.code == SEEN_ONCE), None)
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
    def outcome(self) -> str: ...
    @property
    def lost(self) -> bool: ...
    @property
    def facts(self) -> Mapping[str, Any]: ...
    @property
    def started_at(self) -> datetime: ...
    @property
    def finished_at(self) -> datetime | None: ...


E = TypeVar("E", bound=Episode)


def decisive(episodes: Sequence[E]) -> E | None:
    """The episode that a verdict rests on: of those that are over and not lost, the last with a finding,
    else the last; where all are lost, the last; None when none is over."""
    over = [episode for episode in episodes if "judgement" in episode.facts]
    counted = [episode for episode in over if not episode.lost] or over
    found = [episode for episode in counted if episode.outcome == OutcomeKind.SUSPECTED] or counted
    return found[-1] if found else None


def concluded(episodes: Sequence[E]) -> dict[str, Any]:
    """The judgement that the verdict repeats, with every sighting where there was a finding."""
    decides = decisive(episodes)
    assert decides is not None, "an episode is over"
    record = dict(decides.facts["judgement"])
    seen = [one for one in episodes if not one.lost and "judgement" in one.facts]
    first = next((one for one in seen if one.outcome == OutcomeKind.SUSPECTED), None)
    if first is None or record["finding"] is None:
        return record
    later = [one for one in seen if one.number > first.number]
    told = next((one for one in later if one.outcome != OutcomeKind.ENV_FAILURE), None)
    record["sightings"] = [_sighting(one) for one in (first, *later)]
    record["second_sighting_seconds"] = round(sum(_seconds(one) for one in later), 3)
    if told is not None and _agree(first.facts["judgement"], told.facts["judgement"]):
        return {
            **record,
            "outcome": OutcomeKind.DOC_DEFECT.value,
            "code": "",
            "reason": record["finding"]["message"],
            "blame": Outcome(kind=OutcomeKind.DOC_DEFECT, reason="").blame.value,
            "evidence": Evidence.PAGE.value,
        }
    return {**record, "reason": _why_only_suspected(first, told), "substeps": [_suspected(step) for step in record["substeps"]]}


def _agree(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    one, other = first["finding"], second["finding"]
    if one is None or other is None or (first["code"], second["code"]) != (SEEN_ONCE, SEEN_ONCE):
        return False
    same_kind = one["kind"] == other["kind"] or {one["kind"], other["kind"]} <= _ABSENT
    return (one["file"], one["line"]) == (other["file"], other["line"]) and same_kind


def _why_only_suspected(first: Episode, second: Episode | None) -> str:
    judgement = first.facts["judgement"]
    reason = str(judgement["reason"])
    if judgement["code"] != SEEN_ONCE:
        return reason
    if second is None:
        return f"seen in one episode alone: {reason}"
    found = second.facts["judgement"]["finding"]
    if found is None:
        return f"seen in one episode and not in a second one, which ended as {second.outcome}: {reason}"
    return f"seen in one episode; a second one found another fault (line {found['line']}: {found['message']}): {reason}"


def _sighting(episode: Episode) -> dict[str, Any]:
    record = episode.facts["judgement"]
    return {
        "episode": episode.number,
        "outcome": episode.outcome,
        "code": record["code"],
        "reason": record["reason"],
        "goal": record.get("goal", "unknown"),
        "finding": record["finding"],
        "seconds": round(_seconds(episode), 3),
    }


def _seconds(episode: Episode) -> float:
    return (episode.finished_at - episode.started_at).total_seconds() if episode.finished_at else 0.0


def _suspected(step: Mapping[str, Any]) -> dict[str, Any]:
    if step["status"] != SubStepStatus.DEFECT:
        return dict(step)
    return {**step, "status": SubStepStatus.NOT_VERIFIED.value, "reason": f"suspected: {step['reason']}"}
