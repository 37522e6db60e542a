"""Puts what the log and the judges showed beside a judgement. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from proofwalk.agent.core.budget import Spent
from proofwalk.kernel.evidence import AuditEvent
from proofwalk.rollout.judgement import Judgement, WindowEvent
from proofwalk.rollout.ports import Reward


def with_evidence(
    judgement: Judgement,
    reward: Reward | None,
    *,
    seconds: Mapping[str, float],
    cost: float,
    spent: Spent,
) -> Judgement:
    """The judgement with what the reward service said, and what the episode took."""
    took = replace(judgement, seconds=dict(seconds), cost=cost, asked=spent)
    if reward is None:
        return took
    return replace(
        took,
        events=window_events(reward),
        missing=tuple(reward.missing),
        rule=reward.rule,
        judges=tuple(reward.judges),
        answered=tuple(reward.answered),
    )


def window_events(reward: Reward) -> tuple[WindowEvent, ...]:
    """The events of the window, oldest first, each saying whether the rule wanted or
    forbade it."""
    met = {cited.event.id: cited.expectation for cited in reward.matched}
    forbidden = {cited.event.id for cited in reward.violations}
    cited = [one.event for one in (*reward.matched, *reward.violations)]
    known: dict[str, AuditEvent] = {event.id: event for event in [*reward.observed, *cited]}
    return tuple(
        WindowEvent(
            event=event,
            matched=event.id in met,
            forbidden=event.id in forbidden,
            expectation=met.get(event.id, ""),
        )
        for event in sorted(known.values(), key=lambda event: (event.time, event.id))
    )
