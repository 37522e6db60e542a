"""`proofwalk/Console-v0` on MiniWoB++, through Gymnasium's own interface."""

from __future__ import annotations

import sys
from typing import Any

import gymnasium

from benchmarks.step.commands import Taken, serve
from benchmarks.step.episodes import EPISODES, Kind, Op
from proofwalk.console.actions import Click, Type
from proofwalk.console.observation import Element, Observation
from proofwalk.gym.registration import ENV_ID, register


def _is(element: Element, kind: Kind) -> bool:
    if element.tag != "input" or kind == "button":
        return element.tag == kind
    return (
        element.input_type == "checkbox"
        if kind == "checkbox"
        else element.input_type in {"", "text", "password"}
    )


class Environment:
    def __init__(self, executable: str) -> None:
        register()
        self._executable = executable
        self._env: gymnasium.Env[dict[str, Any], str] | None = None
        self._seen: Observation | None = None

    def make(self, task: str) -> None:
        """Take up a task, in a browser of its own."""
        self.close()
        self._env = gymnasium.make(
            ENV_ID, task=f"miniwob.{task}", chromium=self._executable, disable_env_checker=True
        )

    def reset(self, seed: int, mode: str) -> dict[str, Any]:
        assert self._env is not None
        with Taken() as taken:
            _, info = self._env.reset(seed=seed, options={"reset_mode": mode})
        self._seen = info["observation"]
        return {"ms": taken.ms, "mode": info["reset_mode"]}

    def step(self, task: str, number: int) -> dict[str, Any]:
        assert self._env is not None
        assert self._seen is not None
        op = EPISODES[task][number]
        action = self._action(op)
        with Taken() as taken:
            _, reward, terminated, _, info = self._env.step(action)
        self._seen = info["observation"]
        error = (
            ""
            if info["result_code"] == "" and info["reward_valid"]
            else str(info["result_code"] or "environment failure")
        )
        return {
            "ms": taken.ms,
            "cpu_ms": taken.cpu_ms,
            "reward": reward,
            "done": terminated,
            "error": error,
        }

    def _action(self, op: Op) -> str:
        assert self._seen is not None
        marks = [
            element.mark
            for element in self._seen.elements
            if not element.offscreen and _is(element, op.kind)
        ]
        if len(marks) <= op.nth:
            shown = [
                (e.role, e.tag, e.input_type, e.name, e.offscreen) for e in self._seen.elements
            ]
            raise RuntimeError(f"{op} is not among {shown}")
        mark = marks[op.nth]
        return (Type(id=mark, text=op.text) if op.text else Click(id=mark)).model_dump_json()

    def close(self) -> None:
        env, self._env = self._env, None
        if env is not None:
            env.close()


if __name__ == "__main__":
    environment = Environment(sys.argv[1])
    serve(environment, environment.close)
