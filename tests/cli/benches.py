"""A small bench of methods whose arms are not trained: what its tests share."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from proofwalk.experiments.bench.journal import Journal
from proofwalk.experiments.learn import beginning, evaluation
from proofwalk.experiments.learn.experiment import Experiment, Stage, run_stages
from proofwalk.experiments.learn.ledger import Entry
from proofwalk.experiments.methods import pipeline, walking
from proofwalk.experiments.methods.arm import Arm, Bench
from proofwalk.experiments.methods.recipe import MethodsRecipe, WalksPhase
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import invalid
from proofwalk.kernel.json_values import JsonObject
from proofwalk.platform.laboratories import Laboratories
from proofwalk.platform.settings import Settings
from proofwalk.rl.run_files import write_metrics
from proofwalk.suites.counting.rows import Row
from tests.cli.recipes import LEAST

_GRPO = {"method": "grpo", "group_size": 2}
METHODS: Mapping[str, Any] = {
    "more": {"paper": "control", "phases": [{"kind": "samples", "settings": {"method": "sft"}}]},
    "grpo": {"paper": "A", "phases": [{"kind": "rollouts", "settings": _GRPO}]},
    "rft": {
        "paper": "B",
        "phases": [{"kind": "walks", "runs": "2:1,4", "settings": {"method": "sft"}}],
    },
    "pulse": {
        "paper": "C",
        "phases": [
            {"kind": "rollouts", "until": 0.5, "settings": _GRPO},
            {"kind": "successes", "until": 0.5, "settings": {"method": "sft"}},
            {"kind": "rollouts", "settings": _GRPO},
        ],
    },
}
BENCH: Mapping[str, Any] = {
    **{name: value for name, value in LEAST.items() if name != "grpo"},
    "name": "small",
    "walked": ["a", "b"],
    "environment_steps": 100,
    "seeds": [1, 2, 3],
    "evaluate": {"runs": 2},
    "methods": METHODS,
}


class Trained:
    """Stands in for the trainer, the walks and the measurement, and says what was asked
    of them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked: list[tuple[str, JsonObject]] = []
        self.walked: list[int] = []
        self.measured: list[tuple[str, str, list[int]]] = []
        self.written = 3
        self.reward = 0.5
        self.steps_over = 10
        self.fails: set[str] = set()
        monkeypatch.setattr(beginning, "train", self._train)
        monkeypatch.setattr(beginning, "measure", self._measure)
        monkeypatch.setattr(walking, "walk", self._walk)
        monkeypatch.setattr(walking, "write", lambda *_, **__: self.written)
        monkeypatch.setattr(evaluation, "serve", self._serve)
        monkeypatch.setattr(evaluation, "check_serving", self._serve)
        monkeypatch.setattr(pipeline, "BEGINNING", STAGES)

    async def _serve(self, *_: object) -> str:
        return "v"

    async def _train(
        self, arm: Arm, stage: str, config: JsonObject, process: object, *, seconds: float
    ) -> dict[str, Any]:
        if arm.name in self.fails:
            raise invalid("learn.run_failed", f"{arm.name} failed")
        self.asked.append((f"{arm.name}:{arm.seed} {stage}", config))
        settings: Any = config["settings"]
        bound = settings.get("environment_steps")
        row = {"step": 1.0, "entropy": 0.5}
        if bound is not None:
            row |= {"environment_steps": bound + self.steps_over, "reward": self.reward}
        folder = arm.folder / "home/state/trainer/runs" / stage / "checkpoints" / "step-1"
        folder.mkdir(parents=True, exist_ok=True)
        write_metrics(arm.metrics(stage), [row])
        for name in ("model.safetensors", "optimizer.pt"):
            (folder / name).write_text("x", encoding="utf-8")
        return {"version": f"{stage}@1", "folder": str(folder), "steps": 1}

    async def _measure(
        self, arm: Arm, stage: str, made: JsonObject, *, numbers: Sequence[int]
    ) -> dict[str, Any]:
        self.measured.append((f"{arm.name}:{arm.seed}", str(made["version"]), [*numbers]))
        journal = Journal(arm.rows(stage), run={}, resume=False)
        for number in numbers:
            journal.add(row_of_run("d", number, passed=arm.name == "grpo"))
        return {"runs": len(numbers)}

    async def _walk(
        self, arm: Arm, phase: WalksPhase, place: object, *, out: Path, bound: int
    ) -> int:
        self.walked.append(bound)
        return bound + self.steps_over


def row_of_run(task: str, run: int, *, passed: bool | None) -> Row:
    """None: the environment lost it."""
    outcome = {True: "verified", False: "agent_failure", None: "env_failure"}[passed]
    return Row(
        task=task,
        digest="d",
        run=run,
        policy="llm",
        product="dns",
        difficulty="standard",
        language="en",
        outcome=outcome,
    )


class _Nothing(Laboratories):
    """Starts nothing."""

    @asynccontextmanager
    async def serving(self, home: Path, **_: Any) -> AsyncIterator[Any]:
        yield _Channels()

    @asynccontextmanager
    async def training(self, home: Path, *, threads: int) -> AsyncIterator[Any]:
        yield _Channels()


class _Channels:
    grpc = None

    @property
    def process(self) -> _Channels:
        return self

    def channel(self, role: str) -> _Channels:
        return self


def _made(name: str) -> Callable[[Bench, Entry], Any]:
    async def run(bench: Bench, _: Entry) -> dict[str, Any]:
        return {"version": "start@9", "folder": str(bench.folder / name)}

    return run


STAGES = tuple(
    Stage(name=name, parts=("name",), after=(), run=_made(name)) for name in ("tasks", "sft")
)


def bench_of(folder: Path, said: list[str] | None = None, **changes: Any) -> Bench:
    recipe = MethodsRecipe.model_validate({**BENCH, **changes})
    say = (lambda _: None) if said is None else said.append
    return Experiment(recipe, _Nothing(Settings()), folder=folder, clock=ManualClock(), say=say)


async def with_start(bench: Bench) -> Bench:
    """With the common checkpoint made."""
    await run_stages(bench, STAGES)
    return bench
