"""What a run may ask of the rollout role and of the engine. Pure; no torch."""

from __future__ import annotations

from collections.abc import Sequence

from proofwalk.kernel.errors import invalid
from proofwalk.rl.advantages import oversampled
from proofwalk.rl.settings import RolloutSettings
from proofwalk.trainer.configuration import RolloutsConfig
from proofwalk.trainer.group_order import most_under_way

LARGEST_GROUP = 256
"""Episodes that RunGroup takes."""


def check_tasks(tasks: Sequence[str], config: RolloutsConfig, settings: RolloutSettings) -> None:
    """Raise `trainer.too_few_tasks`: a step takes each task once, and what is streamed
    walks none twice at a time."""
    needed = config.tasks_per_step
    if config.streamed:
        needed = most_under_way(
            per_step=needed, max_staleness=settings.max_staleness, updates_left=settings.steps
        )
    if needed > len(tasks):
        raise invalid(
            "trainer.too_few_tasks",
            f"{needed} tasks are walked at a time, and there are {len(tasks)}",
            hint="lower tasks_per_step, or max_staleness where rollouts are streamed",
        )


def check_settings(settings: RolloutSettings, config: RolloutsConfig) -> None:
    """Raise `trainer.group_too_large` or `trainer.temperature_unserved` for settings
    that the rollout role or the engine cannot serve."""
    started = oversampled(settings.group_size, settings.oversampling) * (
        1 + settings.resampling_rounds
    )
    if started > LARGEST_GROUP:
        raise invalid(
            "trainer.group_too_large",
            f"a group may come to {started} episodes, and the rollout role takes {LARGEST_GROUP}",
            hint="lower group_size, oversampling or resampling_rounds",
        )
    if settings.temperature != 1.0 and (config.ahead or config.streamed):
        raise invalid(
            "trainer.temperature_unserved",
            f"at temperature {settings.temperature:g} the engine's log-probabilities are of another"
            " distribution, so rollouts cannot be begun ahead",
            hint="set settings.temperature to 1, or rollouts.ahead to 0 and stream nothing",
        )
