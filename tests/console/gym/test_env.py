"""`proofwalk/Console-v0` as Gymnasium sees it: its checker, its spaces, and no thread
or browser left behind."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import psutil
import pytest
from gymnasium.utils.env_checker import check_env

from proofwalk.console.actions import parse_action
from proofwalk.console.observation import Observation
from proofwalk.console.waiting.deadlines import Deadlines
from proofwalk.gym import ENV_ID, register
from proofwalk.gym.env import ConsoleEnv
from proofwalk.gym.spaces import ActionText, AnyText
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.outcomes import Outcome, OutcomeKind
from tests.console.conftest import Site
from tests.console.gym.conftest import SiteTask, click

FORGETFUL = """
import gymnasium, psutil
env = gymnasium.make("proofwalk.gym.plugin:proofwalk/Console-v0", task="miniwob.click-test")
env.reset(seed=1)
print([process.pid for process in psutil.Process().children(recursive=True)], flush=True)
"""


@pytest.fixture
def env(browser: str, site: Site) -> Iterator[ConsoleEnv]:
    made = ConsoleEnv(
        SiteTask(site), browser=browser, deadlines=Deadlines(quiet=4.0), render_mode="rgb_array"
    )
    yield made
    made.close()


@pytest.mark.timeout(180)
def test_gymnasiums_own_check_passes_without_a_warning(browser: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = gymnasium.make(
            f"proofwalk.gym.plugin:{ENV_ID}",
            task="miniwob.click-test",
            browser=browser,
            reset_mode="soft",
        )
        check_env(made.unwrapped)
        made.close()


def test_registering_twice_changes_nothing() -> None:
    register()
    first = gymnasium.registry[ENV_ID]
    register()
    assert gymnasium.registry[ENV_ID] is first


def test_a_step_gives_what_a_model_and_a_policy_need(env: ConsoleEnv, site: Site) -> None:
    seen, info = env.reset(seed=4)
    assert seen in env.observation_space
    assert (seen["goal"], seen["url"], seen["screenshot"].shape) == (
        "Click Right of task 4",
        site.url("/"),
        (600, 800, 3),
    )
    assert '"Right"' in seen["text"]
    assert len(np.unique(seen["screenshot"])) > 2
    assert isinstance(info["observation"], Observation)
    assert (info["outcome"], info["reward_valid"], info["seed"], info["reset_mode"]) == (
        None,
        True,
        4,
        "full",
    )
    action = click(info["observation"], "Right")
    seen, reward, terminated, truncated, info = env.step(action)
    assert seen in env.observation_space
    assert (reward, terminated, truncated, seen["last_action"], seen["last_ok"]) == (
        1.0,
        True,
        False,
        action,
        1,
    )
    assert isinstance(info["outcome"], Outcome)
    assert info["outcome"].kind is OutcomeKind.VERIFIED
    picture = env.render()
    assert picture is not None
    assert np.array_equal(picture, seen["screenshot"])


def test_the_same_seed_gives_the_same_look(env: ConsoleEnv) -> None:
    (one, _), (other, _), (third, _) = env.reset(seed=1), env.reset(seed=2), env.reset(seed=1)
    assert one["text"] == third["text"] != other["text"]
    assert np.array_equal(one["screenshot"], third["screenshot"])
    _, first = env.reset()
    assert first["seed"] not in (1, 2)


async def test_it_works_inside_a_running_loop(browser: str, site: Site) -> None:
    env = ConsoleEnv(SiteTask(site), browser=browser)
    try:
        _, info = env.reset(seed=0, options={"reset_mode": "soft"})
        assert env.step(click(info["observation"], "Right"))[1] == 1.0
    finally:
        env.close()


def test_closing_ends_thread_and_browser_and_may_be_repeated(site: Site) -> None:
    before = {process.pid for process in psutil.Process().children(recursive=True)}
    env = ConsoleEnv(SiteTask(site))
    env.reset(seed=0)
    started = [
        process
        for process in psutil.Process().children(recursive=True)
        if process.pid not in before
    ]
    assert any("--remote-debugging-port=0" in process.cmdline() for process in started)
    env.close()
    env.close()
    gone, alive = psutil.wait_procs(started, timeout=10)
    assert (len(gone) == len(started), alive) == (True, [])
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("console-env")]
    with pytest.raises(ProofwalkError, match=r"gym\.closed"):
        env.step("{}")
    with pytest.raises(ProofwalkError, match=r"gym\.closed"):
        env.reset()


def test_a_collected_environment_closes_itself(browser: str, site: Site) -> None:
    env = ConsoleEnv(SiteTask(site), browser=browser)
    env.reset(seed=0)
    thread = next(
        thread for thread in threading.enumerate() if thread.name.startswith("console-env")
    )
    del env
    gc.collect()
    thread.join(20)
    assert not thread.is_alive()


def test_a_program_that_forgets_to_close_leaves_no_browser() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", FORGETFUL], capture_output=True, text=True, timeout=50, check=True
    )
    pids = [int(pid) for pid in ended.stdout.strip("[]\n ").split(",")]
    assert len(pids) > 2
    _, alive = psutil.wait_procs(
        [psutil.Process(pid) for pid in pids if psutil.pid_exists(pid)], timeout=10
    )
    assert alive == []
    assert ended.stderr == ""


@pytest.mark.parametrize(
    "wrong", [{"reset_mode": "hard"}, {"render_mode": "human"}, {"task": "miniwob.none"}]
)
def test_wrong_arguments_are_named(site: Site, wrong: dict[str, Any]) -> None:
    with pytest.raises(ProofwalkError):
        ConsoleEnv(**{"task": SiteTask(site), **wrong})


def test_spaces_take_all_text_and_sample_actions() -> None:
    assert "größer 值 …" in AnyText(20)
    assert "x" * 21 not in AnyText(20)
    actions = ActionText(500)
    actions.seed(3)
    drawn = [actions.sample() for _ in range(30)]
    assert len({parse_action(text).type for text in drawn}) >= 3
    assert all(text in actions for text in drawn)
