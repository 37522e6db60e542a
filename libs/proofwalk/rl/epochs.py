"""Passes over a fixed set of what is learned from: samples (`sft`), pairs of them
(`dpo`).

The loop: take the next `batch_size` pieces of the epoch's order, let the method update
on them, go on. Order and batch are functions of seed and step, so that a run that was
stopped needs only its step; how it resumes is in `runs`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import torch

from proofwalk.rl.adapters import adapted, fingerprint
from proofwalk.rl.hooks import Hooks
from proofwalk.rl.optimizers import adamw, set_learning_rate
from proofwalk.rl.processes import Process
from proofwalk.rl.runs import Run, RunResult
from proofwalk.rl.samples import shuffled
from proofwalk.rl.settings import EpochSettings

Piece = TypeVar("Piece")


class Lesson(Protocol[Piece]):
    """A method with what it learns from."""

    @property
    def pieces(self) -> Sequence[Piece]: ...

    @property
    def digest(self) -> str:
        """Identity of the pieces, in order."""
        ...

    def tokens(self, piece: Piece) -> int:
        """How many are read to learn from it."""
        ...

    def update(
        self, model: Any, optimizer: Any, chosen: Sequence[Piece], process: Process
    ) -> dict[str, float]:
        """One step of the optimizer, at its learning rate. Returns what was
        measured."""
        ...


def run_epochs(
    model: Any,
    tokenizer: Any,
    lesson: Lesson[Piece],
    settings: EpochSettings,
    folder: Path,
    hooks: Hooks,
) -> RunResult:
    """Trains `model` in place (LoRA: wraps it; the adapters are in the checkpoints),
    resuming what `folder` holds.

    Metrics of a step: those of the lesson's update, learning_rate, epoch,
    tokens_per_second. Raises `rl.run_differs`, `rl.checkpoint_damaged`,
    `rl.checkpoint_unfit`.
    """
    process = hooks.process_for(settings)
    torch.manual_seed(settings.seed)
    origin = f"{fingerprint(model)} {lesson.digest}"
    model = adapted(model, settings)
    model, optimizer = process.prepare(model, adamw(model, settings))
    model.train()
    run = Run(
        folder,
        settings,
        model=model,
        tokenizer=tokenizer,
        optimizer=optimizer,
        process=process,
        origin=origin,
        on_metrics=hooks.on_metrics,
    )
    run.resume()
    batches = Epochs(lesson.pieces, settings)

    def update(step: int) -> Mapping[str, float]:
        epoch, chosen = batches.batch(step)
        rate = set_learning_rate(optimizer, settings, step=step, total=batches.steps)
        began = hooks.clock.monotonic()
        values = lesson.update(model, optimizer, chosen, process)
        seconds = max(hooks.clock.monotonic() - began, 1e-9)
        return {
            **values,
            "learning_rate": rate,
            "epoch": float(epoch),
            "tokens_per_second": sum(map(lesson.tokens, chosen)) / seconds,
        }

    return run.go_on(batches.steps, update, should_stop=hooks.should_stop, validate=hooks.validate)


class Epochs(Generic[Piece]):
    """The batches of a run: in each epoch all pieces, in an order of its own."""

    def __init__(self, pieces: Sequence[Piece], settings: EpochSettings) -> None:
        self._pieces = pieces
        self._settings = settings
        self._per_epoch = -(-len(pieces) // settings.batch_size)
        whole = settings.epochs * self._per_epoch
        self.steps = min(whole, settings.steps or whole)
        self._order: list[int] = []
        self._epoch = -1

    def batch(self, step: int) -> tuple[int, list[Piece]]:
        """Return the epoch of a step (both from 0), and the step's pieces."""
        epoch, number = divmod(step, self._per_epoch)
        if epoch != self._epoch:
            seed = self._settings.seed
            self._order = shuffled(len(self._pieces), seed=seed, epoch=epoch)
            self._epoch = epoch
        first = number * self._settings.batch_size
        chosen = self._order[first : first + self._settings.batch_size]
        return epoch, [self._pieces[index] for index in chosen]
