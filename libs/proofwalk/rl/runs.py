"""What the loops share: a run's folder, its metrics, its checkpoints, and how it goes
on after a crash.

    <folder>/settings.json     as given, with the digest of what the run began with
    <folder>/metrics.jsonl     a line a step; cut back to the checkpoint when a run resumes
    <folder>/checkpoints/      see `checkpoints`

A run that finds a checkpoint resumes from it and repeats the steps after it, bit for
bit on a CPU: weights, moments, generators and position are restored, order is a
function of the seed, and the learning rate one of the step. It refuses to resume under
other settings, or from other data or weights.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from proofwalk.kernel.errors import conflict
from proofwalk.rl import checkpoints
from proofwalk.rl.checkpoints import Checkpoints
from proofwalk.rl.processes import Process
from proofwalk.rl.run_files import Checkpoint, write_metrics
from proofwalk.rl.settings import RunSettings

OnMetrics = Callable[[int, Mapping[str, float]], None]
"""Called on rank 0 after each step with the number of updates done and what was
measured."""
ShouldStop = Callable[[], bool]
"""Asked on rank 0 before each step; True ends the run with a checkpoint."""
Validate = Callable[[int, Any], float]
"""(updates done, whole model) to a score, higher is better. Called on rank 0 alone,
with the model in eval mode."""


class Beside(Protocol):
    """What a method learns or keeps beside the policy, in a run's checkpoints with
    it."""

    def write(self, folder: Path) -> None:
        """Put it into files of a checkpoint's folder."""
        ...

    def read(self, folder: Path) -> None:
        """Put it back as it was written. Raises `rl.checkpoint_unfit`."""
        ...


@dataclass(frozen=True, kw_only=True)
class RunResult:
    """How a run ended."""

    status: Literal["finished", "stopped"]
    step: int
    last: Path
    best: Path | None
    metrics: tuple[Mapping[str, float], ...]


class Run:
    """One run's state on disk, and in `step` how many updates are done."""

    def __init__(
        self,
        folder: Path,
        settings: RunSettings,
        *,
        model: Any,
        tokenizer: Any,
        optimizer: Any,
        process: Process,
        origin: str,
        on_metrics: OnMetrics,
        beside: Beside | None = None,
    ) -> None:
        self._folder = folder
        self._settings = settings.model_dump(mode="json")
        self._checkpoint_every = settings.checkpoint_every
        self._validates_after = settings.validates_after
        self._model = model
        self._tokenizer = tokenizer
        self._optimizer = optimizer
        self._process = process
        self._origin = origin
        self._on_metrics = on_metrics
        self._beside = beside
        self._store = Checkpoints(folder / "checkpoints")
        self._saved: int | None = None
        self._scores: dict[int, float] = {}
        self.metrics: list[dict[str, float]] = []
        self.step = 0

    def resume(self) -> None:
        """Continues from the last checkpoint, if there is one. Raises `rl.run_differs`,
        `rl.checkpoint_damaged`, `rl.checkpoint_unfit`."""
        checkpoint = self._store.last()
        if checkpoint is None:
            if self._process.rank == 0:
                self._folder.mkdir(parents=True, exist_ok=True)
                described = {"settings": self._settings, "origin": self._origin}
                (self._folder / "settings.json").write_text(
                    json.dumps(described, indent=1) + "\n", encoding="utf-8"
                )
                write_metrics(self._folder / "metrics.jsonl", [])
            self._process.wait()
            return
        self._refuse_another(checkpoint)
        self._store.verify(checkpoint)
        self._process.read(
            self._model,
            self._optimizer,
            lambda model: checkpoints.read_state(checkpoint.path, model),
        )
        if self._beside is not None:
            self._beside.read(checkpoint.path)
        self.metrics = checkpoints.read_generators(checkpoint.path)
        self.step = self._saved = checkpoint.manifest.step
        if self._process.rank == 0:
            write_metrics(self._folder / "metrics.jsonl", self.metrics)
        self._process.wait()

    def go_on(
        self,
        total: int,
        update: Callable[[int], Mapping[str, float]],
        *,
        should_stop: ShouldStop,
        validate: Validate | None,
        publish: Callable[[int], None] | None = None,
        spent: Callable[[], bool] = lambda: False,
    ) -> RunResult:
        """Call `update(step)` until `total` updates are done, or nothing is left to do
        them with (`spent`), or `should_stop` says so.

        Each step is recorded with what `update` returned, and validated where that is
        due; then `publish` is called with the number of updates done.
        """
        while self.step < total and not spent():
            if self._process.shared(should_stop):
                self.save()
                return self.result("stopped")
            due = self._validates_after(self.step, total)
            self.record(update(self.step), validate=validate if due else None)
            if publish is not None:
                publish(self.step)
        self.save()
        return self.result("finished")

    def record(
        self, values: Mapping[str, float], *, updates: int = 1, validate: Validate | None = None
    ) -> None:
        """So many updates more are done (0: the policy as given); with `validate`,
        scores it as it is now, and saves."""
        self.step += updates
        row = {"step": float(self.step), **values}
        if validate is not None:
            model = self._process.whole(self._model)
            if self._process.rank == 0:
                row["validation"] = self._scores[self.step] = _scored(validate, self.step, model)
        self.metrics.append(row)
        if self._process.rank == 0:
            with (self._folder / "metrics.jsonl").open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
            self._on_metrics(self.step, row)
        if validate is not None or self.step % self._checkpoint_every == 0:
            self.save()

    def save(self) -> None:
        """A checkpoint of this step, once."""
        if self._saved == self.step:
            return
        self._saved = self.step
        score = self._scores.get(self.step)
        model, moments = self._process.whole(self._model), self._process.moments(self._optimizer)

        def write(folder: Path) -> None:
            checkpoints.write_state(
                folder,
                model=model,
                tokenizer=self._tokenizer,
                moments=moments,
                metrics=self.metrics,
            )
            if self._beside is not None:
                self._beside.write(folder)

        if self._process.rank == 0:
            self._store.save(
                write,
                step=self.step,
                position={"step": self.step},
                score=score,
                settings=self._settings,
                origin=self._origin,
            )
        self._process.wait()

    def result(self, status: Literal["finished", "stopped"]) -> RunResult:
        """After a save."""
        last, best = self._store.last(), self._store.best()
        assert last is not None, "a run ends with a checkpoint"
        return RunResult(
            status=status,
            step=self.step,
            last=last.path,
            best=None if best is None else best.path,
            metrics=tuple(self.metrics),
        )

    def _refuse_another(self, checkpoint: Checkpoint) -> None:
        before, now = checkpoint.manifest.settings, self._settings
        differing = sorted(
            name for name in before.keys() | now.keys() if before.get(name) != now.get(name)
        )
        if checkpoint.manifest.origin != self._origin:
            differing.append("the data or the weights that it began with")
        if differing:
            raise conflict(
                "rl.run_differs",
                f"{self._folder} holds a run with other values of: {', '.join(differing)}",
                hint="resume it as it was, or give another folder",
            )


def _scored(validate: Validate, step: int, model: Any) -> float:
    was_training = model.training
    model.eval()
    try:
        return float(validate(step, model))
    finally:
        model.train(was_training)
