"""GRPO's and WebRL's rollouts from the rollout role: groups of episodes with names that
follow from run, step and task (`rl.rollouts.RolloutSource`).

`roll` begins a step's groups and those of the next `ahead` steps, waits for its own,
and keeps each episode as soon as it is finished (`group_fetching`): whatever dies, the
same call made again finds what was kept, asks for the same groups by the same names, is
answered with what there is of them, and fetches the rest. Where groups are streamed, a
step's are those that have ended when it begins (`group_stream`). `publish` hands the
policy's weights to the inference role (`group_publishing`); episodes under way go on,
and each answer says which weights gave it. `validate` walks the validation tasks with
the weights that it is given.

What an episode counts for, and what of it is learned, `group_counting` says.

The class blocks, as `rl.rollout_loop` calls it; what it waits for goes on in an event
loop in a thread of its own. Not for several threads at once, and not from within a
running event loop.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import structlog

from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.chassis.loop_thread import LoopThread
from proofwalk.chassis.tracing import Tracing
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import invalid
from proofwalk.kernel.reward import value_of
from proofwalk.rl.advantages import oversampled
from proofwalk.rl.images import Eyes
from proofwalk.rl.rollouts import RolloutGroup, step_of, version_of
from proofwalk.rl.settings import RolloutSettings
from proofwalk.suites.model import Task
from proofwalk.suites.storage import load_suite
from proofwalk.trainer.configuration import RolloutsConfig, ValidationConfig
from proofwalk.trainer.group_counting import Told, complain, counted
from proofwalk.trainer.group_fetching import Wanted
from proofwalk.trainer.group_limits import check_settings, check_tasks
from proofwalk.trainer.group_order import BegunGroup
from proofwalk.trainer.group_parts import RunParts, Seat, run_parts
from proofwalk.trainer.group_pictures import pictures_in
from proofwalk.trainer.group_reading import Reading
from proofwalk.trainer.group_store import Kept
from proofwalk.trainer.group_stream import GroupStream
from proofwalk.trainer.group_tasks import (
    ScenarioOf,
    as_outcomes,
    drawn,
    group_of,
    named,
    no_scenario,
    part_of,
    promising,
    reward_of_member,
    streamed_group,
    streamed_part,
)
from proofwalk.trainer.group_validation import Validation
from proofwalk.trainer.group_weights import Precision, WeightsFolder
from proofwalk.trainer.role_channels import RoleChannels, own_certificate

log = structlog.get_logger()


class GroupRollouts:
    """Made by `group_rollouts`; `close` it."""

    def __init__(
        self,
        config: RolloutsConfig,
        *,
        tasks: Mapping[str, Task],
        validation: Validation | None,
        tokenizer: Any,
        settings: RolloutSettings,
        eyes: Eyes | None,
        run: RunParts,
    ) -> None:
        self._config = config
        self._tasks = tasks
        self._validation = validation
        self._run_id = run.seat.id
        self._tokenizer = tokenizer
        self._settings = settings
        self._eyes = eyes
        self._store = run.store
        self._reading = run.reading
        self._loop = run.seat.loop
        self._channels = run.seat.channels
        self._fetcher = run.fetcher
        self._publisher = run.publisher
        self._stream: GroupStream | None = None
        if config.streamed:
            self._stream = GroupStream(
                run.fetcher,
                run.order,
                tasks=tasks,
                config=config,
                settings=settings,
                wanted=self._streamed,
            )
        self._given: dict[tuple[int, str], int] = {}
        """Episodes of a step's task that were handed out."""
        self._promising: dict[int, tuple[str, ...]] = {}
        """Tasks of the steps so far, where they depend on what was before."""
        self._open: dict[str, None] = {}
        """Groups that were begun and not waited for."""
        self.excluded: Counter[str] = Counter()
        """What was left out so far: by `Trouble`, or by outcome and cause."""

    # RolloutSource

    def tasks(self, step: int) -> Sequence[str]:
        """Raises `trainer.too_few_tasks`. Where groups are streamed this waits for
        those of the step, and raises what `GroupStream.take` raises."""
        config, seed = self._config, self._settings.seed
        if self._stream is not None:
            return list(self._groups_of(step))
        if config.task_sampling == "uniform":
            return drawn(tuple(self._tasks), per_step=config.tasks_per_step, seed=seed, step=step)
        if step not in self._promising:
            group = self._settings.group_size
            self._promising[step] = promising(
                tuple(self._tasks),
                self._told(step),
                group=group,
                per_step=config.tasks_per_step,
                seed=seed,
                step=step,
            )
        return self._promising[step]

    def _groups_of(self, step: int) -> Mapping[str, BegunGroup]:
        assert self._stream is not None, "groups are streamed"
        return self._loop.run(self._stream.take(step))

    def _told(self, step: int) -> dict[str, tuple[float, float]]:
        """Successes and failures (`as_outcomes`) of each task, in what is kept of the
        steps that were over when this step's groups were named."""
        rewards: dict[str, list[float]] = {}
        for past in range(step - self._config.ahead):
            for task in self.tasks(past):
                group = self._wanted(task, past, 0)
                found = [
                    self._earned(group.task, one)
                    for one in self._store.members(group.part, group.id)
                ]
                rewards.setdefault(task, []).extend(
                    reward for reward in found if reward is not None
                )
        return {task: as_outcomes(values) for task, values in rewards.items()}

    def _earned(self, task: Task, member: pb.GroupMember) -> float | None:
        return value_of(reward_of_member(task, member, shaped=self._config.reward))

    def roll(self, wanted: Mapping[str, int], step: int) -> Sequence[RolloutGroup]:
        """Raises `trainer.rollouts_late` when no episode was finished in time,
        `trainer.policy_not_served` when other weights than the run's acted in all that
        count, `trainer.images_unsupported`, and what the rollout role has against the
        tasks."""
        first = not any(number == step for number, _ in self._given)
        if first:
            self._given.clear()
        before = {task: self._given.get((step, task), 0) for task in wanted}
        groups = [self._wanted(task, step, before[task] + count) for task, count in wanted.items()]
        ahead = self._ahead(step) if first else []
        found = self._loop.run(self._walked(groups, ahead))
        rolled: list[RolloutGroup] = []
        tally: Counter[str] = Counter()
        config = self._config
        told = Told(
            temperature=self._settings.temperature,
            forced=config.grammar_forced_tokens == "train",
            reward=config.reward,
            eyes=self._eyes,
        )
        for group, kept in zip(groups, found, strict=True):
            numbers = range(before[group.task.id], group.episodes)
            rollouts = tuple(
                counted(
                    f"{group.id}.{number}",
                    group.task,
                    kept.get(number),
                    told=told,
                    step=step,
                    tally=tally,
                )
                for number in numbers
            )
            self._given[step, group.task.id] = group.episodes
            rolled.append(RolloutGroup(task=group.task.id, rollouts=rollouts))
        self.excluded += tally
        count = sum(rollout.reward is not None for group in rolled for rollout in group.rollouts)
        log.info("rollouts_fetched", step=step, counted=count, excluded=dict(tally))
        if not count:
            complain(tally, total=sum(wanted.values()), deadline_s=self._config.deadline_s)
        return rolled

    def publish(self, version: str, model: Any) -> None:
        """Raises what LoadWeights has against the weights, `trainer.version_taken`."""
        self._reading.vocabulary = int(model.config.get_text_config().vocab_size)
        self._publisher.publish(version, model, self._tokenizer)
        if self._stream is not None:
            self._loop.run(self._stream.published(step_of(version)))

    # For `rl.runs.Validate`

    def validate(self, step: int, model: Any) -> float:
        """Raises `trainer.no_validation`, and what `Validation.scored` raises."""
        if self._validation is None:
            raise invalid("trainer.no_validation", "this run has no validation tasks")
        self.publish(version_of(step), model)
        return self._validation.scored(
            step, lambda groups: self._loop.run(self._walked(groups, []))
        )

    def close(self, *, abandon: bool = False) -> None:
        """Disconnect; with `abandon`, cancel the groups that were begun ahead and that
        nobody will wait for."""
        try:
            self._loop.run(self._closed(abandon))
        finally:
            self._loop.close()

    # Groups

    def _wanted(self, task: str, step: int, episodes: int) -> Wanted:
        if self._stream is not None:
            return replace(self._streamed(self._groups_of(step)[task]), episodes=episodes)
        return Wanted(
            part=part_of(step),
            id=group_of(self._run_id, step, task),
            task=self._tasks[task],
            episodes=episodes,
            temperature=self._settings.temperature,
            trajectories=True,
        )

    def _streamed(self, group: BegunGroup) -> Wanted:
        return Wanted(
            part=streamed_part(group.number, per_step=self._config.tasks_per_step),
            id=streamed_group(self._run_id, group.number, group.task),
            task=self._tasks[group.task],
            episodes=oversampled(self._settings.group_size, self._settings.oversampling),
            temperature=self._settings.temperature,
            trajectories=True,
        )

    def _ahead(self, step: int) -> list[Wanted]:
        if self._stream is not None:
            return []
        size = oversampled(self._settings.group_size, self._settings.oversampling)
        last = min(step + self._config.ahead, self._settings.steps - 1)
        return [
            self._wanted(task, later, size)
            for later in range(step + 1, last + 1)
            for task in self.tasks(later)
        ]

    async def _walked(
        self, groups: Sequence[Wanted], ahead: Sequence[Wanted]
    ) -> list[dict[int, Kept]]:
        """What is finished of each group when all of it is, or when time is up."""
        found = [await self._fetcher.fetched_before(group) for group in groups]
        left = [
            (group, kept)
            for group, kept in zip(groups, found, strict=True)
            if not group.is_complete(kept)
        ]
        for group, _ in left:
            await self._fetcher.begin(group)
        for group in ahead:
            await self._fetcher.begin(group)
            self._open[group.id] = None
        try:
            async with asyncio.TaskGroup() as tasks:
                for group, kept in left:
                    tasks.create_task(
                        self._fetcher.collect(group, kept), name=f"collect {group.id}"
                    )
        except BaseExceptionGroup as failures:
            # Callers know errors by their codes; the others are this one's, or of its
            # cause.
            raise failures.exceptions[0] from None
        for group in groups:
            self._open.pop(group.id, None)
        return found

    async def _closed(self, abandon: bool) -> None:
        if self._stream is not None:
            await self._stream.close(abandon=abandon)
        if abandon:
            for name in self._open:
                await self._fetcher.cancel(name)
        self._open.clear()
        await self._channels.close()


def group_rollouts(
    config: RolloutsConfig,
    *,
    run_id: str,
    folder: Path,
    rollout: str,
    inference: str,
    tokenizer: Any,
    settings: RolloutSettings,
    clock: Clock,
    validation: ValidationConfig | None = None,
    precision: Precision = "model",
    adapters: bool = False,
    scenario_of: ScenarioOf = no_scenario,
    tracing: Tracing | None = None,
    eyes: Eyes | None = None,
) -> GroupRollouts:
    """Return the source of a run's rollouts. `folder` is the run's; `rollout` and
    `inference` are the addresses of those roles. Blocks to read the suites.

    `precision` and `adapters` say how weights are published (`group_weights`),
    `scenario_of` what the target's console knows a task's scenario as, `eyes` how a
    model that sees reads the pictures in the run's folder. Raises
    `suite.…`, `trainer.task_unknown`, `trainer.scenario_missing`, `trainer.no_tasks`,
    `trainer.too_few_tasks`, `trainer.group_too_large`, `trainer.temperature_unserved`.
    """
    tasks = named(load_suite(config.suite), config.tasks, scenario_of=scenario_of)
    check_settings(settings, config)
    check_tasks(tuple(tasks), config, settings)
    validated = _validation(
        validation, config, scenario_of=scenario_of, run_id=run_id, settings=settings
    )
    seat = Seat(
        id=run_id,
        folder=folder / "rollouts",
        loop=LoopThread(f"rollouts of {run_id}"),
        channels=RoleChannels(
            {"rollout": rollout, "inference": inference},
            tracing=tracing or Tracing("trainer"),
            tls=own_certificate(),
        ),
    )
    keep = settings.max_staleness + 2
    weights = WeightsFolder(folder / "weights", keep=keep, precision=precision, adapters=adapters)
    reading = Reading(run_id=run_id, eyes=eyes, pictures=pictures_in(folder))
    return GroupRollouts(
        config,
        tasks=tasks,
        validation=validated,
        tokenizer=tokenizer,
        settings=settings,
        eyes=eyes,
        run=run_parts(
            config, seat, weights=weights, reading=reading, scenario_of=scenario_of, clock=clock
        ),
    )


def _validation(
    validation: ValidationConfig | None,
    config: RolloutsConfig,
    *,
    scenario_of: ScenarioOf,
    run_id: str,
    settings: RolloutSettings,
) -> Validation | None:
    if validation is None:
        return None
    suite = load_suite(validation.suite or config.suite)
    tasks = named(suite, validation.tasks, scenario_of=scenario_of)
    return Validation(tasks, runs=validation.runs, run_id=run_id, settings=settings)
