"""What the controller serves: named sets of tasks, and an episode of one of them.

An episode is an environment from its first look to its outcome. Whatever fails around
it is raised as a `ProofwalkError`, and then there is no outcome: whoever walks it calls
that the environment's failure.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from proofwalk.console.actions import Action
from proofwalk.console.observation import Observation
from proofwalk.kernel.outcomes import Outcome


@dataclass(frozen=True, kw_only=True)
class Turn:
    """What came of one action. `outcome` is set exactly when the episode is over;
    `score`, 0 to 1, where the outcome says something about the agent."""

    observation: Observation
    ok: bool
    message: str
    outcome: Outcome | None = None
    score: float | None = None


class Environment(Protocol):
    """A running episode; one caller at a time."""

    goal: str
    observation: Observation
    """The latest look."""

    async def step(self, action: Action) -> Turn:
        """Do it and look. Raises what the environment fails with."""
        ...


class TaskSet(Protocol):
    """Tasks of one kind."""

    name: str
    indices: Sequence[str]
    capacity: int
    """Episodes that may run at a time."""

    def open(self, index: str, *, pictures: bool) -> AbstractAsyncContextManager[Environment]:
        """An episode of its own of one of `indices`, prepared. Ends with the block;
        raises what could not be prepared."""
        ...
