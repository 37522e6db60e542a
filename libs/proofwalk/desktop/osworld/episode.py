"""One task on one desktop, from a restored machine to its score: what a harness of
policies calls.

    async with osworld_episode(task, image, folder=…, clock=…) as episode:
        while not episode.over:
            step = await episode.step(policy(episode.observation))
        episode.score

The score is there once the policy said that it is done, or that the task cannot be
done, or has no steps left. Failures of the machine, of the setup and of what the score
is looked up with are raised, and there is no score: they say nothing about the policy.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from proofwalk.console import actions as a
from proofwalk.console.acting.results import ActionResult
from proofwalk.console.functions import NO_FUNCTIONS
from proofwalk.console.observation import Observation
from proofwalk.desktop.image import Image
from proofwalk.desktop.machine import Machine
from proofwalk.desktop.osworld.evaluation import check, evaluate
from proofwalk.desktop.osworld.setup import Fetch, no_network, prepare
from proofwalk.desktop.osworld.task import OsworldTask
from proofwalk.desktop.session import DesktopSession
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import conflict

MOST_STEPS = 50
"""Of a policy, unless said otherwise: what EvoCUA is given (table 1)."""


@dataclass(frozen=True, kw_only=True)
class EpisodeStep:
    """What came of one action."""

    observation: Observation
    result: ActionResult
    over: bool


class OsworldEpisode:
    """Made by `osworld_episode`."""

    def __init__(
        self,
        task: OsworldTask,
        session: DesktopSession,
        observation: Observation,
        *,
        fetch: Fetch,
        most_steps: int,
    ) -> None:
        self.task = task
        self.session = session
        self.observation = observation
        """The latest look."""
        self.score: float | None = None
        """0 to 1; None while the episode is not over."""
        self.steps = 0
        self._fetch = fetch
        self._most_steps = most_steps

    @property
    def over(self) -> bool:
        return self.score is not None

    async def step(self, action: a.Action) -> EpisodeStep:
        """Do it. Raises `osworld.over`, and what looks, setups and getters raise."""
        if self.over:
            raise conflict("osworld.over", f"the episode of {self.task.id} is over")
        self.steps += 1
        result = ActionResult(ok=True, message="")
        match action:
            case a.TaskComplete() | a.SubStepComplete():
                await self._end(unachievable=False)
            case a.TaskUnachievable():
                await self._end(unachievable=True)
            case a.Note():
                result = ActionResult(ok=True, message="noted")
            case a.Provision():
                result = ActionResult(
                    ok=False, message="a desktop's task has what it has", code="action.unsupported"
                )
            case a.CallApi():
                result = NO_FUNCTIONS
            case _:
                result = await self.session.perform(action)
                self.observation = await self.session.observe()
        if self.score is None and self.steps >= self._most_steps:
            await self._end(unachievable=False)
        return EpisodeStep(observation=self.observation, result=result, over=self.over)

    async def _end(self, *, unachievable: bool) -> None:
        seat = self.session.seat
        self.score = await evaluate(
            self.task,
            seat.guest,
            said_unachievable=unachievable,
            fetch=self._fetch,
            screen=seat.screen,
        )


@asynccontextmanager
async def osworld_episode(
    task: OsworldTask,
    image: Image,
    *,
    folder: Path,
    clock: Clock,
    fetch: Fetch = no_network,
    most_steps: int = MOST_STEPS,
    pictures: bool = True,
) -> AsyncIterator[OsworldEpisode]:
    """A desktop of its own, prepared for the task; the machine's files are in `folder`,
    which ends with it.

    Raises `osworld.unsupported` before anything is started, `sandbox.start_failed`,
    `osworld.setup_failed`, and what `fetch` raises.
    """
    check(task)
    machine = await Machine.start(image, folder=folder)
    try:
        seat = await machine.seat()
        try:
            await prepare(task.config, seat.guest, fetch=fetch, screen=seat.screen)
            session = DesktopSession(seat, clock=clock, pictures=pictures)
            yield OsworldEpisode(
                task, session, await session.observe(), fetch=fetch, most_steps=most_steps
            )
            await session.close()
        finally:
            await seat.leave()
    finally:
        await machine.end()
