"""Keeps what a policy saw at each of its decisions, so that a walk can be compiled
afterwards.

A wrapper around any policy: `looks` are the observations of the steps in
`Walk.history`, one for each, without pictures. An answer that the loop could not read
is in neither.
"""

from __future__ import annotations

from dataclasses import replace

from proofwalk.agent.core.policy import Decision, Policy, Turn
from proofwalk.console.observation import Observation


class Recording:
    """The policy itself, as the loop sees it."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self.name = policy.name
        self.looks: list[Observation] = []

    async def decide(self, turn: Turn) -> Decision:
        decision = await self._policy.decide(turn)
        self.looks.append(without_pictures(turn.observation))
        return decision

    async def close(self) -> None:
        await self._policy.close()


def without_pictures(observation: Observation) -> Observation:
    """The observation as a script needs it."""
    if not observation.screenshot and not observation.raw_screenshot:
        return observation
    return replace(observation, screenshot=b"", raw_screenshot=b"")
