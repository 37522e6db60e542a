"""Tasks of OSWorld's format on virtual machines, one machine an episode.

An index is a task's id. Tasks that these desktops cannot prepare or score are left out
of the indices when a set is read: nobody is measured by them.
"""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Protocol

from proofwalk.console.actions import Action
from proofwalk.controller.task_sets import Environment, Turn
from proofwalk.desktop.image import Image
from proofwalk.desktop.osworld.episode import MOST_STEPS, OsworldEpisode, osworld_episode
from proofwalk.desktop.osworld.evaluation import check
from proofwalk.desktop.osworld.files import files_of
from proofwalk.desktop.osworld.task import OsworldTask, read_index, read_task
from proofwalk.desktop.osworld.verdict import outcome_of
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, invalid


class DesktopEnvironment:
    """An `OsworldEpisode`."""

    def __init__(self, episode: OsworldEpisode) -> None:
        self._episode = episode
        self.goal = episode.task.instruction
        self.observation = episode.observation

    async def step(self, action: Action) -> Turn:
        step = await self._episode.step(action)
        self.observation = step.observation
        score = self._episode.score
        return Turn(
            observation=step.observation,
            ok=step.result.ok,
            message=step.result.message,
            outcome=None if score is None else outcome_of(score),
            score=score,
        )


class OpenDesktop(Protocol):
    """Begins a task on a desktop of its own (`desktops_of`)."""

    def __call__(
        self, task: OsworldTask, *, pictures: bool
    ) -> AbstractAsyncContextManager[OsworldEpisode]: ...


class DesktopTasks:
    """A set of desktop tasks by id."""

    def __init__(
        self,
        tasks: Mapping[str, OsworldTask],
        desktop: OpenDesktop,
        *,
        name: str = "osworld",
        capacity: int = 1,
    ) -> None:
        self.name = name
        self.indices: Sequence[str] = tuple(tasks)
        self.capacity = capacity
        self._tasks = tasks
        self._desktop = desktop

    @asynccontextmanager
    async def open(self, index: str, *, pictures: bool) -> AsyncIterator[Environment]:
        async with self._desktop(self._tasks[index], pictures=pictures) as episode:
            yield DesktopEnvironment(episode)


def desktops_of(
    image: Image, *, files: Path, clock: Clock, most_steps: int = MOST_STEPS
) -> OpenDesktop:
    """Machines of an image on this system; tasks download from the folder `files`."""

    @asynccontextmanager
    async def desktop(task: OsworldTask, *, pictures: bool) -> AsyncIterator[OsworldEpisode]:
        # Sockets are in it, whose paths have at most 107 bytes.
        with tempfile.TemporaryDirectory(prefix="pw-") as folder:
            async with osworld_episode(
                task,
                image,
                folder=Path(folder) / "machine",
                clock=clock,
                fetch=files_of(files),
                most_steps=most_steps,
                pictures=pictures,
            ) as episode:
                yield episode

    return desktop


def read_tasks(index: Path) -> Mapping[str, OsworldTask]:
    """The tasks of an index file that these desktops can prepare and score, by id.
    Raises `osworld.task_unreadable`, `osworld.task_invalid`, and
    `controller.no_tasks` where none is left."""
    tasks = {task_id: read_task(file) for task_id, file in read_index(index).items()}
    served = {task_id: task for task_id, task in tasks.items() if _is_supported(task)}
    if not served:
        raise invalid(
            "controller.no_tasks",
            f"{index} has {len(tasks)} tasks, and none that these desktops support",
            hint="docs/desktops.md lists what is supported",
        )
    return served


def _is_supported(task: OsworldTask) -> bool:
    try:
        check(task)
    except ProofwalkError:
        return False
    return True
