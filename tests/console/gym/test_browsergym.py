"""BrowserGym both ways: its task in our environment, our task in its."""

from __future__ import annotations

import asyncio
import types
from collections.abc import Callable
from typing import Any

import gymnasium
import pytest
from playwright.sync_api import Page, sync_playwright

from proofwalk.console.browser.chromium import find_chromium
from proofwalk.gym.episode import ConsoleEpisode
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.outcomes import OutcomeKind
from tests.console.conftest import Site
from tests.console.gym.conftest import SiteTask, click

browsergym = pytest.importorskip("browsergym.core")
from browsergym.core.task import AbstractBrowserTask  # noqa: E402

from proofwalk.gym.browsergym import (  # noqa: E402
    BrowserGymTask,
    browsergym_task,
    register_in_browsergym,
)
from proofwalk.gym.pages import run_now  # noqa: E402

GREETING = (
    "<p id=said></p><button onclick=\"said.textContent = 'hello SEED'\">Greet</button><button"
    " onclick=\"alert('hm')\">Ask</button>"
)


class GreetTask(AbstractBrowserTask):  # type: ignore[misc]
    """A task as BrowserGym's users write them."""

    torn_down = 0

    def __init__(self, seed: int, url: str) -> None:
        super().__init__(seed)
        self.viewport = {"width": 640, "height": 480}
        self.url = url
        self.number = int(self.random.randint(0, 1000))

    @classmethod
    def get_task_id(cls) -> str:
        return "greet"

    def setup(self, page: Page) -> tuple[list[dict[str, str]], dict[str, Any]]:
        self.page = page
        page.goto(self.url)
        page.evaluate("(n) => { document.title = `Greeting ${n}` }", self.number)
        return [{"type": "text", "text": f"Greet {self.number}"}], {}

    def validate(
        self, page: Page, chat_messages: list[dict[str, Any]]
    ) -> tuple[float, bool, str, dict[str, Any]]:
        assert page is self.page
        done = page.locator("#said").inner_text() == "hello"
        gave_up = any(message["role"] == "infeasible" for message in chat_messages)
        return float(done), done or gave_up, "Greeted!" if done else "", {"gave_up": gave_up}

    def teardown(self) -> None:
        GreetTask.torn_down += 1


async def test_its_task_runs_in_our_environment(
    open_episode: Callable[..., ConsoleEpisode], site: Site
) -> None:
    url = site.show(GREETING.replace(" SEED", ""))
    episode = open_episode(BrowserGymTask(GreetTask, allowed_hosts=[site.host], url=url))
    GreetTask.torn_down = 0
    goals = []
    for mode in ("full", "soft", "full"):
        begun = await episode.reset(6, mode)
        goals.append(begun.goal)
        assert begun.observation.title == begun.goal.replace("Greet", "Greeting")
        assert begun.observation.viewport == (640, 480)
        asked = await episode.step(click(begun.observation, "Ask"))
        assert asked.observation.browser_dialog == "alert: hm"
        answered = await episode.step('{"type": "answer_dialog", "accept": true}')
        greeted = await episode.step(click(answered.observation, "Greet"))
        assert (greeted.reward, greeted.terminated, greeted.validation.message) == (
            1.0,
            True,
            "Greeted!",
        )
    assert len(set(goals)) == 1
    await episode.reset(6)
    given_up = await episode.step('{"type": "task_unachievable", "reason": "no"}')
    assert given_up.outcome is not None
    assert (given_up.outcome.kind, given_up.validation.info) == (
        OutcomeKind.AGENT_FAILURE,
        {"gave_up": True},
    )
    await episode.close()
    assert GreetTask.torn_down == 4


@pytest.fixture
def in_browsergym() -> Callable[[Callable[[], None]], None]:
    """Runs a function where BrowserGym's Playwright may be: in a thread without an
    event loop, with the machine's Chromium."""

    def run(body: Callable[[], None]) -> None:
        def work() -> None:
            with sync_playwright() as driver:
                chromium = driver.chromium

                def launch(**more: Any) -> Any:
                    more["args"] = [*(more.get("args") or []), "--no-sandbox"]
                    return chromium.launch(executable_path=find_chromium(None), **more)

                shim = types.SimpleNamespace(
                    selectors=driver.selectors, chromium=types.SimpleNamespace(launch=launch)
                )
                browsergym._set_global_playwright(shim)
                try:
                    body()
                finally:
                    browsergym._set_global_playwright(None)

        asyncio.run(asyncio.to_thread(work))

    return run


def _bid(env: Any, text: str) -> str:
    return str(env.unwrapped.page.get_by_text(text, exact=True).get_attribute("bid"))


def test_our_task_runs_in_its_environment(
    in_browsergym: Callable[[Callable[[], None]], None], site: Site
) -> None:
    tasks: list[SiteTask] = []

    def make() -> SiteTask:
        tasks.append(SiteTask(site))
        return tasks[-1]

    def body() -> None:
        browsergym.register_task("proofwalk.test", browsergym_task(make, "test"))
        env = gymnasium.make("browsergym/proofwalk.test", disable_env_checker=True)
        try:
            seen, _ = env.reset(seed=9)
            assert seen["goal"] == "Click Right of task 9"
            _, reward, terminated, _, info = env.step(f"click('{_bid(env, 'Idle')}')")
            assert (reward, terminated, info["task_info"]) == (0.0, False, {"reached": 0})
            _, reward, terminated, _, info = env.step(f"click('{_bid(env, 'Right')}')")
            assert (reward, terminated, info["task_info"]) == (1.0, True, {"reached": 1})
        finally:
            env.close()

    in_browsergym(body)
    assert [task.torn_down for task in tasks] == [1]


def test_a_family_registers_by_name(in_browsergym: Callable[[Callable[[], None]], None]) -> None:
    def body() -> None:
        env = gymnasium.make(register_in_browsergym("miniwob.click-test"), disable_env_checker=True)
        try:
            seen, _ = env.reset(seed=1)
            assert seen["goal"] == "Click the button."
            assert env.step(f"click('{_bid(env, 'Click Me!')}')")[1:3] == (1.0, True)
        finally:
            env.close()

    in_browsergym(body)


def test_a_task_that_waits_for_something_else_needs_a_loop() -> None:
    async def waits() -> None:
        await asyncio.sleep(0)

    with pytest.raises(ProofwalkError, match=r"gym\.task_awaits"):
        run_now(waits())
