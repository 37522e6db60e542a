"""A run of a method that learns from its own rollouts (`grpo`, `webrl`).

The loop: gather a step's groups, let the method learn from them, record what was
measured, give the source the new weights. How a run resumes is in `runs`; what groups
are, and which episodes count, in `rollouts`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proofwalk.rl import rollouts
from proofwalk.rl.hooks import Hooks
from proofwalk.rl.optimizers import set_learning_rate
from proofwalk.rl.processes import Process
from proofwalk.rl.rollouts import RolloutGroup, RolloutSource
from proofwalk.rl.runs import Beside, Run, RunResult
from proofwalk.rl.settings import RolloutSettings


@dataclass(frozen=True, kw_only=True)
class Trained:
    """A policy in training, wrapped for its process."""

    model: Any
    tokenizer: Any
    optimizer: Any
    origin: str
    """`adapters.fingerprint` of the model as it was given."""
    beside: Beside | None = None


@dataclass(frozen=True, kw_only=True)
class Learned:
    """What a method made of a step's groups."""

    metrics: Mapping[str, float]
    tokens: int
    """Of the samples that were learned from, prompts included."""


ENVIRONMENT_STEPS = "environment_steps"
"""The metric that `RolloutSettings.environment_steps` bounds the sum of."""

Learn = Callable[[Sequence[RolloutGroup], int], Learned]
"""From the groups of step `step` (from 0), at the optimizer's learning rate."""


def run_on_rollouts(
    trained: Trained,
    learn: Learn,
    source: RolloutSource,
    settings: RolloutSettings,
    folder: Path,
    hooks: Hooks,
) -> RunResult:
    """Trains the policy on the source's rollouts, resuming what `folder` holds.

    Validation runs before the first step and every `validate_every`; each writes a
    checkpoint and the best is kept. Metrics of a step: those of `learn`,
    environment_steps (of all episodes that were fetched for it), learning_rate,
    rollout_seconds, update_seconds, tokens_per_second (of the update). Raises what the
    source raises, `rl.run_differs`, `rl.checkpoint_damaged`, `rl.checkpoint_unfit`.
    """
    process, clock = hooks.process_for(settings), hooks.clock
    run = Run(
        folder,
        settings,
        model=trained.model,
        tokenizer=trained.tokenizer,
        optimizer=trained.optimizer,
        process=process,
        origin=trained.origin,
        on_metrics=hooks.on_metrics,
        beside=trained.beside,
    )

    def publish(step: int) -> None:
        _publish(source, trained.model, step, process)

    def advance(step: int) -> Mapping[str, float]:
        began = clock.monotonic()
        groups = process.shared(lambda: rollouts.gather(source, step, settings))
        rolled = clock.monotonic()
        rate = set_learning_rate(trained.optimizer, settings, step=step, total=settings.steps)
        learned = learn(groups, step)
        seconds = max(clock.monotonic() - rolled, 1e-9)
        return {
            **learned.metrics,
            ENVIRONMENT_STEPS: float(rollouts.steps_of(groups)),
            "learning_rate": rate,
            "rollout_seconds": rolled - began,
            "update_seconds": seconds,
            "tokens_per_second": learned.tokens / seconds,
        }

    run.resume()
    publish(run.step)
    if run.step == 0 and hooks.validate is not None:
        run.record({}, updates=0, validate=hooks.validate)
    return run.go_on(
        settings.steps,
        advance,
        should_stop=hooks.should_stop,
        validate=hooks.validate,
        publish=publish,
        spent=lambda: _is_spent(run, settings.environment_steps),
    )


def _is_spent(run: Run, bound: int | None) -> bool:
    """Whether the run's episodes have come to so many steps."""
    return bound is not None and sum(row.get(ENVIRONMENT_STEPS, 0) for row in run.metrics) >= bound


def _publish(source: RolloutSource, model: Any, step: int, process: Process) -> None:
    """Give the source the weights after `step` updates."""
    whole = process.whole(model)
    if process.rank == 0:
        whole.eval()
        source.publish(rollouts.version_of(step), whole)
        whole.train()
