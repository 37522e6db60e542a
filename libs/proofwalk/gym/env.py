"""`proofwalk/Console-v0`: `ConsoleEpisode` behind Gymnasium's synchronous interface.

The episode runs in a loop of its own thread, so that the environment works in a script,
in a notebook and inside a running event loop alike. An environment that is not closed
ends its browser when it is collected or when the program ends; a program that is killed
takes the browser with it (`chassis.deathwatch`).

Observation: what a model reads (`text`, `goal`, `last_action`, `last_result`,
`last_ok`, `url`) and the viewport with its marks (`screenshot`, uint8, height x width x
3). The native `Observation` is in `info["observation"]`, for policies of the house.
`info` also has `trace_id`, `task`, `seed`, `steps`, `outcome` (None while the episode
runs), `reward_valid`, `task_info`, and after a reset `reset_mode`, after a step
`result_code`. When `reward_valid` is False the reward is -1 and means nothing.
"""

from __future__ import annotations

import io
import shutil
import tempfile
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from PIL import Image

from proofwalk.chassis.tracing import Tracing
from proofwalk.console.actions import Action
from proofwalk.console.functions import Functions
from proofwalk.console.looking.prompt_text import render
from proofwalk.console.observation import Observation
from proofwalk.console.waiting.deadlines import Deadlines
from proofwalk.gym.episode import ConsoleEpisode
from proofwalk.gym.episode_answers import ResetMode
from proofwalk.gym.episode_limits import Limits
from proofwalk.gym.spaces import ActionText, AnyText
from proofwalk.gym.tasks import ConsoleTask, Family, resolve
from proofwalk.gym.worker import EnvLoop
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import conflict, invalid
from proofwalk.kernel.outcomes import Outcome

_ACTION_LENGTH = 20_000
_URL_LENGTH = 2_000
_RESULT_LENGTH = 4_000
_GOAL_LENGTH = 8_000
_SLACK_S = 30.0
"""Added to the episode's own bounds before its thread is given up."""


class ConsoleEnv(gymnasium.Env[dict[str, Any], str]):
    """A console as a Gymnasium environment; see the module."""

    metadata = {  # noqa: RUF012
        "render_modes": ["rgb_array"],
        "render_fps": 1,
    }

    def __init__(
        self,
        task: str | ConsoleTask,
        *,
        browser: str | None = None,
        chromium: Path | str | None = None,
        reset_mode: ResetMode = "full",
        step_limit: int = 20,
        text_budget: int = 8_000,
        limits: Limits | None = None,
        deadlines: Deadlines | None = None,
        secrets: Mapping[str, str] | None = None,
        families: Mapping[str, Family] | None = None,
        artifacts: Path | str | None = None,
        tracing: Tracing | None = None,
        functions: Functions | None = None,
        render_mode: str | None = None,
    ) -> None:
        """Prepare an environment; `reset` begins an episode. `browser` is the CDP
        endpoint of a running browser. Without it, one is started: `chromium`, or the
        one on this machine. `limits` replaces `step_limit`; `text_budget` is in
        characters; `artifacts` is the folder of files to upload; `functions` may be
        called beside acting by hand."""
        _check_modes(reset_mode, render_mode)
        self.render_mode = render_mode
        self.task = resolve(task, families)
        self.reset_mode: ResetMode = reset_mode
        self._text_budget = text_budget
        self._goal = ""
        self._seed = 0
        self._steps = 0
        self._picture: NDArray[np.uint8] = self._blank()
        folder = (
            Path(artifacts)
            if artifacts is not None
            else Path(tempfile.mkdtemp(prefix="proofwalk-gym-"))
        )
        self._episode = ConsoleEpisode(
            self.task,
            clock=SystemClock(),
            artifacts=folder,
            endpoint=browser,
            chromium=Path(chromium) if chromium is not None else None,
            limits=limits or Limits(steps=step_limit),
            deadlines=deadlines,
            secrets=secrets,
            tracing=tracing,
            functions=functions,
        )
        self._worker = EnvLoop(f"console-env-{self.task.name}")
        self._end = weakref.finalize(
            self, _end, self._worker, self._episode, None if artifacts is not None else folder
        )
        self.action_space = ActionText(_ACTION_LENGTH)
        self.observation_space = _observation_space(self._picture, text_budget)

    @property
    def episode(self) -> ConsoleEpisode:
        """The asynchronous episode; its coroutines belong to the environment's own
        loop."""
        return self._episode

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin an episode. `options["reset_mode"]` overrides the environment's for
        this call. Raises `ProofwalkError` if the environment fails; the next reset then
        begins with a fresh session."""
        super().reset(seed=seed)
        mode = (options or {}).get("reset_mode", self.reset_mode)
        if mode not in ("full", "soft"):
            raise invalid("gym.bad_reset_mode", f"reset_mode is 'full' or 'soft', not {mode!r}")
        self._seed = seed % 2**32 if seed is not None else int(self.np_random.integers(2**32))
        begun = self._worker.run(
            self._episode.reset(self._seed, mode), self._episode.limits.reset + _SLACK_S, "reset"
        )
        self._goal, self._steps = begun.goal, 0
        seen = self._seen(begun.observation, action="", result="", ok=True)
        return seen, {
            **self._step_info(begun.observation, outcome=None, valid=True, task_info={}),
            "reset_mode": begun.mode,
        }

    def step(
        self, action: str | Action
    ) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Perform one action: JSON text, or an action of `console.actions`."""
        if not self._end.alive:
            raise conflict("gym.closed", "the environment is closed", hint="make another one")
        stepped = self._worker.run(
            self._episode.step(action), self._episode.limits.step + _SLACK_S, "step"
        )
        self._steps += 1
        result = stepped.result
        message = "; ".join(filter(None, [result.message, stepped.validation.message]))
        seen = self._seen(stepped.observation, action=stepped.action, result=message, ok=result.ok)
        info = self._step_info(
            stepped.observation,
            outcome=stepped.outcome,
            valid=stepped.reward_valid,
            task_info=dict(stepped.validation.info),
        )
        info["result_code"] = result.code
        return seen, float(stepped.reward), stepped.terminated, stepped.truncated, info

    def render(self) -> NDArray[np.uint8] | None:
        """Return the latest screenshot, with marks; None without a render mode."""
        return self._picture.copy() if self.render_mode == "rgb_array" else None

    def close(self) -> None:
        """End everything that was started. Idempotent."""
        self._end()

    def _seen(
        self, observation: Observation, *, action: str, result: str, ok: bool
    ) -> dict[str, Any]:
        self._picture = self._pixels(observation.screenshot)
        return {
            "text": render(observation, budget=self._text_budget)[: 2 * self._text_budget],
            "screenshot": self._picture.copy(),
            "url": observation.url[:_URL_LENGTH],
            "goal": self._goal[:_GOAL_LENGTH],
            "last_action": action[:_ACTION_LENGTH],
            "last_result": result[:_RESULT_LENGTH],
            "last_ok": int(ok),
        }

    def _step_info(
        self,
        observation: Observation,
        *,
        outcome: Outcome | None,
        valid: bool,
        task_info: dict[str, Any],
    ) -> dict[str, Any]:
        return {
            "observation": observation,
            "trace_id": self._episode.trace_id,
            "task": self.task.name,
            "seed": self._seed,
            "steps": self._steps,
            "outcome": outcome,
            "reward_valid": valid,
            "task_info": task_info,
        }

    def _blank(self) -> NDArray[np.uint8]:
        width, height = self.task.viewport
        return np.zeros((height, width, 3), np.uint8)

    def _pixels(self, jpeg: bytes) -> NDArray[np.uint8]:
        """Return the picture in the task's size: that of another size is cut or
        padded."""
        pixels = self._blank()
        if jpeg:
            with Image.open(io.BytesIO(jpeg)) as image:
                shown = np.asarray(image.convert("RGB"))
            height, width = (
                min(a, b) for a, b in zip(shown.shape[:2], pixels.shape[:2], strict=True)
            )
            pixels[:height, :width] = shown[:height, :width]
        return pixels


def _check_modes(reset_mode: str, render_mode: str | None) -> None:
    """Raise `gym.bad_reset_mode` or `gym.bad_render_mode` for a mode that is none."""
    if reset_mode not in ("full", "soft"):
        raise invalid("gym.bad_reset_mode", f"reset_mode is 'full' or 'soft', not {reset_mode!r}")
    if render_mode not in (None, "rgb_array"):
        raise invalid(
            "gym.bad_render_mode", f"render_mode is None or 'rgb_array', not {render_mode!r}"
        )


def _observation_space(picture: NDArray[np.uint8], text_budget: int) -> spaces.Dict:
    """Return the space of observations with pictures of `picture`'s size."""
    height, width = picture.shape[:2]
    return spaces.Dict(
        {
            "text": AnyText(2 * text_budget),
            "screenshot": spaces.Box(0, 255, (height, width, 3), np.uint8),
            "url": AnyText(_URL_LENGTH),
            "goal": AnyText(_GOAL_LENGTH),
            "last_action": AnyText(_ACTION_LENGTH),
            "last_result": AnyText(_RESULT_LENGTH),
            "last_ok": spaces.Discrete(2),
        }
    )


def _end(worker: EnvLoop, episode: ConsoleEpisode, folder: Path | None) -> None:
    """Close the episode and delete its folder. A reference to the environment here
    would keep it from being collected."""
    try:
        worker.end_with(episode.close, 3 * episode.limits.close)
    finally:
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
