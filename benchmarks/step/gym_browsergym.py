"""BrowserGym on MiniWoB++, as shipped or with its sleeps off (`tuned`). Runs in the
peers' virtual environment."""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import browsergym.miniwob  # noqa: F401  # registers the tasks
import gymnasium
from browsergym.core import env as gym_env

from benchmarks.observe.peer_browsergym import _Chat
from benchmarks.step.commands import Taken, serve
from benchmarks.step.episodes import EPISODES, SELECTORS

_BID = "([selector, nth]) => document.querySelectorAll(selector)[nth].getAttribute('bid')"
_TUNED = {"slow_mo": 0, "pre_observation_delay": 0.0}


class Environment:
    def __init__(self, executable: str, base_url: str, *, tuned: bool) -> None:
        gym_env.Chat = _Chat
        self._options: dict[str, Any] = {
            "task_kwargs": {"base_url": base_url},
            "pw_chromium_kwargs": {"executable_path": executable},
            "disable_env_checker": True,
            **(_TUNED if tuned else {}),
        }
        self._env: Any = None

    def make(self, task: str) -> None:
        self.close()
        self._env = gymnasium.make(f"browsergym/miniwob.{task}", **self._options)

    def reset(self, seed: int, mode: str) -> dict[str, Any]:
        with Taken() as taken:
            self._env.reset(seed=seed)
        return {"ms": taken.ms, "mode": "full"}

    def step(self, task: str, number: int) -> dict[str, Any]:
        op = EPISODES[task][number]
        bid = self._env.unwrapped.page.evaluate(_BID, [SELECTORS[op.kind], op.nth])
        action = f"fill({bid!r}, {op.text!r})" if op.text else f"click({bid!r})"
        with Taken() as taken:
            seen, reward, terminated, _, _ = self._env.step(action)
        error = str(seen["last_action_error"])[:200]
        return {
            "ms": taken.ms,
            "cpu_ms": taken.cpu_ms,
            "reward": reward,
            "done": terminated,
            "error": error,
        }

    def close(self) -> None:
        env, self._env = self._env, None
        if env is not None:
            env.close()


if __name__ == "__main__":
    # it says of each reset that slow_mo is not the task's
    logging.getLogger("browsergym.core.env").setLevel(logging.ERROR)
    environment = Environment(sys.argv[1], sys.argv[2], tuned=sys.argv[3] == "tuned")
    serve(environment, environment.close)
