"""Tasks of `proofwalk.gym` in browsers, one browser an episode.

An index is `TASK@SEED`: the task's name in its family, and the instance of it that the
seed stands for.
"""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from proofwalk.console.actions import Action
from proofwalk.controller.task_sets import Environment, Turn
from proofwalk.gym.episode import ConsoleEpisode, console_episode
from proofwalk.gym.episode_answers import Begun
from proofwalk.gym.episode_limits import Limits
from proofwalk.gym.miniwob import MiniwobTask, task_names
from proofwalk.gym.tasks import ConsoleTask
from proofwalk.kernel.clock import Clock


class ConsoleEnvironment:
    """A `ConsoleEpisode` that has begun."""

    def __init__(self, episode: ConsoleEpisode, begun: Begun) -> None:
        self._episode = episode
        self.goal = begun.goal
        self.observation = begun.observation

    async def step(self, action: Action) -> Turn:
        stepped = await self._episode.step(action)
        self.observation = stepped.observation
        scored = stepped.outcome is not None and stepped.reward_valid
        return Turn(
            observation=stepped.observation,
            ok=stepped.result.ok,
            message="; ".join(filter(None, [stepped.result.message, stepped.validation.message])),
            outcome=stepped.outcome,
            score=min(max(stepped.reward, 0.0), 1.0) if scored else None,
        )


@dataclass(frozen=True, kw_only=True)
class Browsers:
    """How an episode gets its browser."""

    clock: Clock
    limits: Limits = field(default_factory=Limits)
    chromium: Path | None = None
    """The binary; None: the one on this machine."""
    endpoint: str | None = None
    """CDP endpoint of a running browser that all episodes share; None: each starts its
    own."""

    def episode(
        self, task: ConsoleTask, artifacts: Path
    ) -> AbstractAsyncContextManager[ConsoleEpisode]:
        """An episode that has not begun."""
        return console_episode(
            task,
            clock=self.clock,
            artifacts=artifacts,
            endpoint=self.endpoint,
            chromium=self.chromium,
            limits=self.limits,
        )


class ConsoleTasks:
    """A set of console tasks; `task` makes the one of a name."""

    def __init__(
        self,
        name: str,
        names: Sequence[str],
        task: Callable[[str], ConsoleTask],
        *,
        browsers: Browsers,
        seeds: int = 1,
        capacity: int = 2,
    ) -> None:
        """`seeds`: instances of each task."""
        self.name = name
        self.indices: Sequence[str] = tuple(
            f"{one}@{seed}" for one in names for seed in range(seeds)
        )
        self.capacity = capacity
        self._task = task
        self._browsers = browsers

    @asynccontextmanager
    async def open(self, index: str, *, pictures: bool) -> AsyncIterator[Environment]:
        task, _, seed = index.rpartition("@")
        with tempfile.TemporaryDirectory(prefix="proofwalk-controller-") as folder:
            async with self._browsers.episode(self._task(task), Path(folder)) as episode:
                yield ConsoleEnvironment(episode, await episode.reset(int(seed)))


def miniwob_tasks(browsers: Browsers, *, seeds: int, capacity: int) -> ConsoleTasks:
    """The 125 tasks of MiniWoB++. Raises `gym.no_miniwob`."""
    return ConsoleTasks(
        "miniwob", task_names(), MiniwobTask, browsers=browsers, seeds=seeds, capacity=capacity
    )
