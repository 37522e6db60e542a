"""The stored form of a judgement: a flat JSON document, written into an episode's facts and into the job's verdict.

What goes in comes out: `dump` and `outcome_of` are inverse as far as a successor needs it. Reports, the API and the CLI read this
form; `domain` is where it is decided.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from proofwalk.agent.cascade.budget import NOTHING_SPENT, Spent
from proofwalk.kernel.clock import isoformat
from proofwalk.kernel.outcomes import EnvCause, Finding, Goal, Outcome, OutcomeKind
from proofwalk.rollout.domain import Judgement
from proofwalk.rollout.ports import JudgedEvent, Reward


def dump(
    judgement: Judgement, reward: Reward | None, *, seconds: Mapping[str, float], cost: float, spent: Spent = NOTHING_SPENT
) -> dict[str, Any]:
    """A judgement with the evidence behind it."""
    outcome = judgement.outcome
    return {
        "outcome": outcome.kind.value,
        "cause": outcome.cause.value if outcome.cause else "",
        "code": outcome.code,
        "reason": outcome.reason,
        "blame": outcome.blame.value,
        "evidence": judgement.evidence.value,
        "goal": judgement.goal.value,
        "finding": None if judgement.finding is None else _finding(judgement.finding),
        "noted": [_finding(finding) for finding in judgement.noted],
        "audit_events": list(judgement.audit_events),
        "substeps": [{**asdict(step), "status": step.status.value} for step in judgement.substeps],
        "events": [] if reward is None else dump_events(reward),
        "missing": [] if reward is None else list(reward.missing),
        "rule": "" if reward is None else reward.rule,
        "judges": []
        if reward is None
        else [{**asdict(one), "evidence": [dict(item) for item in one.evidence]} for one in reward.judges],
        "seconds": dict(seconds),
        "cost": cost,
        "asked": asdict(spent),
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {**asdict(finding), "kind": finding.kind.value}


def spent_by(records: Iterable[Mapping[str, Any]]) -> Spent:
    """What episodes with these judgements have taken of the budget for asking a model; one without a judgement is not counted."""
    return sum((Spent(**record["asked"]) for record in records if "asked" in record), NOTHING_SPENT)


def dump_events(reward: Reward) -> list[dict[str, Any]]:
    """The events of the window, oldest first, each saying whether the rule wanted or forbade it."""
    matched = {event.id: event for event in reward.matched}
    forbidden = {event.id for event in reward.violations}
    known: dict[str, JudgedEvent] = {event.id: event for event in [*reward.observed, *reward.matched, *reward.violations]}
    return [
        {
            "id": event.id,
            "time": isoformat(event.time),
            "service": event.service,
            "name": event.name,
            "kind": event.kind,
            "ok": event.ok,
            "error_code": event.error_code,
            "actor": event.actor,
            "request": event.request_json,
            "resources": list(event.resources),
            "matched": event.id in matched,
            "forbidden": event.id in forbidden,
            "expectation": matched[event.id].expectation if event.id in matched else "",
        }
        for event in sorted(known.values(), key=lambda event: (event.time, event.id))
    ]


def outcome_of(record: Mapping[str, Any]) -> Outcome:
    """The typed outcome of a stored judgement."""
    cause = str(record["cause"])
    return Outcome(
        kind=OutcomeKind(record["outcome"]),
        cause=EnvCause(cause) if cause else None,
        reason=str(record["reason"]),
        code=str(record["code"]),
    )


def bare(
    outcome: Outcome, substeps: Sequence[Mapping[str, Any]] = (), *, seconds: Mapping[str, float] | None = None
) -> dict[str, Any]:
    """The record of an episode that ended before anything could be judged."""
    return {
        "outcome": outcome.kind.value,
        "cause": outcome.cause.value if outcome.cause else "",
        "code": outcome.code,
        "reason": outcome.reason,
        "blame": outcome.blame.value,
        "evidence": "none",
        "goal": Goal.UNKNOWN.value,
        "finding": None,
        "noted": [],
        "audit_events": [],
        "substeps": [dict(step) for step in substeps],
        "events": [],
        "missing": [],
        "rule": "",
        "judges": [],
        "seconds": dict(seconds or {}),
        "cost": 0.0,
    }
