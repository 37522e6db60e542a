"""Opinions of a judge about steps that the rules keep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from proofwalk.agent.policies.replay.pruning import (
    is_control,
)
from proofwalk.console import actions as a
from proofwalk.datasets.collection import Episode
from proofwalk.datasets.step_actions import action_of
from proofwalk.datasets.verdicts import StepRule, Verdict


@dataclass(frozen=True, kw_only=True)
class Opinion:
    """What a judge makes of a step."""

    useful: bool
    why: str = ""


class StepJudge(Protocol):
    """Tells whether a step brought the walk forward (§5.1: an LLM-based evaluation of
    steps)."""

    async def judge(self, episode: Episode, at: int) -> Opinion:
        """About the step at this position. Raises `ProofwalkError` when it cannot be
        asked: that is no opinion, and drops nothing."""
        ...


def judgeable(episode: Episode, verdicts: Sequence[Verdict]) -> list[int]:
    """Positions of the steps that a judge is asked about: those that no rule has
    dropped, but for what only steers the walk."""
    actions = [action_of(step) for step in episode.steps]
    return [
        at
        for at, action in enumerate(actions)
        if verdicts[at].rule is None
        and action is not None
        and not is_control(action)
        and not isinstance(action, a.TaskUnachievable)
    ]


async def with_judge(
    episode: Episode, verdicts: Sequence[Verdict], judge: StepJudge
) -> list[Verdict]:
    """The verdicts with the judge's word on the steps that it is asked about."""
    return with_opinions(
        verdicts, {at: await judge.judge(episode, at) for at in judgeable(episode, verdicts)}
    )


def with_opinions(verdicts: Sequence[Verdict], opinions: Mapping[int, Opinion]) -> list[Verdict]:
    """The verdicts with opinions by position: what was found useless is dropped."""
    return [
        (
            Verdict(rule=StepRule.JUDGED, why=opinions[at].why)
            if at in opinions and not opinions[at].useful
            else verdict
        )
        for at, verdict in enumerate(verdicts)
    ]
