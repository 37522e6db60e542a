"""A task on the loopback site: its page says in `window.reached` how it stands, and
episodes of it in the session's Chromium."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from proofwalk.console.observation import Observation
from proofwalk.console.waiting.deadlines import Deadlines
from proofwalk.gym.episode import ConsoleEpisode
from proofwalk.gym.episode_limits import Limits
from proofwalk.gym.tasks import Claim, TaskPage, Validation
from proofwalk.kernel.clock import SystemClock
from tests.console.conftest import Site

BODY = """<h1>Task SEED</h1><button onclick="window.reached = 1">Right</button> <button onclick="window.reached = -1">Wrong</button>
<button>Idle</button> <button disabled>Off</button>"""


class SiteTask:
    """Reached when `Right` is clicked, lost when `Wrong` is."""

    def __init__(self, site: Site, body: str = BODY) -> None:
        self.name = "site.buttons"
        self.viewport = (800, 600)
        self.site = site
        self.body = body
        self.torn_down = 0
        self.claims: tuple[Claim, ...] = ()

    async def prepare(self) -> Sequence[str]:
        return [self.site.host]

    async def start(self, page: TaskPage, seed: int) -> str:
        await page.open(self.site.show(self.body.replace("SEED", str(seed))))
        return f"Click Right of task {seed}"

    async def validate(self, page: TaskPage, claims: Sequence[Claim]) -> Validation:
        self.claims = tuple(claims)
        reached = await page.evaluate("() => window.reached ?? 0")
        return Validation(reward=float(reached > 0), done=reached != 0, info={"reached": reached})

    async def teardown(self, page: TaskPage) -> None:
        self.torn_down += 1

    async def close(self) -> None:
        pass


def mark(observation: Observation, name: str) -> int:
    """The mark of the element with this name."""
    return next(e.mark for e in observation.elements if name in (e.name, e.label, e.value))


def click(observation: Observation, name: str) -> str:
    """The action that clicks it."""
    return f'{{"type": "click", "id": {mark(observation, name)}}}'


@pytest.fixture
async def open_episode(
    browser: str, tmp_path: Path
) -> AsyncIterator[Callable[..., ConsoleEpisode]]:
    """Makes episodes in the session's Chromium and closes them."""
    opened: list[ConsoleEpisode] = []

    def make(task: Any, **more: Any) -> ConsoleEpisode:
        options = {
            "clock": SystemClock(),
            "artifacts": tmp_path,
            "endpoint": browser,
            "limits": Limits(steps=8),
            "deadlines": Deadlines(quiet=4.0, command=8.0),
            **more,
        }
        episode = ConsoleEpisode(task, **options)
        opened.append(episode)
        return episode

    yield make
    for episode in opened:
        await episode.close()
