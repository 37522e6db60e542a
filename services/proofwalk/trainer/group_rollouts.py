"""GRPO's and WebRL's rollouts from the rollout role: groups of episodes with names that
follow from run, step and task (`rl.rollouts.RolloutSource`).

`roll` begins a step's groups and those of the next `ahead` steps, waits for its own,
and keeps each episode as soon as it is finished (`group_store`): whatever dies, the
same call made again finds what was kept, asks for the same groups by the same names, is
answered with what there is of them, and fetches the rest. `publish` hands the policy's
weights to the inference role (`group_weights`); episodes under way go on, and each
answer says which weights gave it. `validate` walks the validation tasks with the
weights that it is given.

What an episode counts for, and what of it is learned, `group_counting` says.

The class blocks, as `rl.rollout_loop` calls it; inside, each call is a turn of an event
loop of its own. Not for several threads at once, and not from within a running event
loop.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import structlog
from prometheus_client import CollectorRegistry

from proofwalk.api.inference.v1.inference_pb2 import LoadWeightsRequest
from proofwalk.api.inference.v1.inference_pb2_grpc import InferenceStub
from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.api.rollout.v1.rollout_pb2_grpc import RolloutStub
from proofwalk.chassis.metrics import RpcMetrics
from proofwalk.chassis.rpc import RpcChannel
from proofwalk.chassis.tracing import Tracing
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, Status, conflict, invalid, unavailable
from proofwalk.kernel.reward import Reward, value_of
from proofwalk.rl.advantages import oversampled
from proofwalk.rl.images import Eyes
from proofwalk.rl.rollouts import RolloutGroup, version_of
from proofwalk.rl.settings import RolloutSettings
from proofwalk.suites.model import Task
from proofwalk.suites.storage import load_suite
from proofwalk.trainer.configuration import RolloutsConfig, ValidationConfig
from proofwalk.trainer.group_counting import Told, complain, counted
from proofwalk.trainer.group_pictures import keep_shown, pictures_in
from proofwalk.trainer.group_store import Kept, RolloutStore
from proofwalk.trainer.group_tasks import (
    ScenarioOf,
    as_outcomes,
    asked,
    drawn,
    group_id,
    group_of,
    named,
    no_scenario,
    part_of,
    promising,
    reward_of_member,
)
from proofwalk.trainer.group_trajectories import Attempt, Trouble, Unfit, attempts_of
from proofwalk.trainer.group_weights import Precision, WeightsFolder
from proofwalk.trajectories.trajectory import unbundled

T = TypeVar("T")
_LARGEST_GROUP = 256
_BEGIN_S = 120.0
_FETCH_S = 60.0
_WATCH_S = 300.0
"""A watch that lasts longer is begun again where it was."""
_LOAD_S = 600.0
_PAUSE_S = 0.5
_OTHER_NAMES = 9
_AGAIN = (Status.UNAVAILABLE, Status.ABORTED, Status.DEADLINE_EXCEEDED, Status.RESOURCE_EXHAUSTED)
_NOT_THERE = (
    "artefact.not_recorded",
    "artefact.collected",
    "episode.not_found",
    "verification.not_found",
)
log = structlog.get_logger()


@dataclass(frozen=True, kw_only=True)
class _Wanted:
    """A group and how many of its episodes are wanted."""

    part: str
    """Name of the file that keeps them."""
    id: str
    task: Task
    episodes: int
    temperature: float | None
    trajectories: bool


class GroupRollouts:
    """Made by `group_rollouts`; `close` it."""

    def __init__(
        self,
        config: RolloutsConfig,
        *,
        tasks: Mapping[str, Task],
        validation: ValidationConfig | None,
        validated: Mapping[str, Task],
        run_id: str,
        rollout: str,
        inference: str,
        tokenizer: Any,
        settings: RolloutSettings,
        store: RolloutStore,
        weights: WeightsFolder,
        scenario_of: ScenarioOf,
        tracing: Tracing,
        eyes: Eyes | None,
        pictures: Path,
    ) -> None:
        self._config = config
        self._tasks = tasks
        self._validation = validation
        self._validated = validated
        self._run_id = run_id
        self._caller = pb.Caller(principal=f"trainer:{run_id}")
        self._addresses = {"rollout": rollout, "inference": inference}
        self._tokenizer = tokenizer
        self._settings = settings
        self._store = store
        self._weights = weights
        self._scenario_of = scenario_of
        self._tracing = tracing
        self._eyes = eyes
        self._pictures = pictures
        self._metrics = RpcMetrics(CollectorRegistry())
        self._runner = asyncio.Runner()
        self._channels: dict[str, RpcChannel] = {}
        self._given: dict[tuple[int, str], int] = {}
        """Episodes of a step's task that were handed out."""
        self._promising: dict[int, tuple[str, ...]] = {}
        """Tasks of the steps so far, where they depend on what was before."""
        self._open: dict[str, None] = {}
        """Groups that were begun and not waited for."""
        self._published = ""
        self._vocabulary: int | None = None
        self.excluded: Counter[str] = Counter()
        """What was left out so far: by `Trouble`, or by outcome and cause."""

    # RolloutSource

    def tasks(self, step: int) -> Sequence[str]:
        """Raises `trainer.too_few_tasks`."""
        config, seed = self._config, self._settings.seed
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
        found = self._runner.run(self._walked(groups, ahead))
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
        self._vocabulary = int(model.config.get_text_config().vocab_size)
        if version == self._published:
            return
        aside = self._weights.write(model, self._tokenizer)
        for name in (version, *(f"{version}+{number}" for number in range(1, _OTHER_NAMES + 1))):
            placed = self._weights.place(aside, name)
            if placed is None:
                continue
            try:
                self._runner.run(self._load(name, placed.absolute().as_uri()))
            except ProofwalkError as error:
                if error.code != "inference.version_taken":
                    raise
                aside = self._weights.take_back(placed)
                continue
            self._published = version
            self._weights.prune(int(version.rpartition("-")[2]))
            log.info("weights_published", version=name)
            return
        raise conflict(
            "trainer.version_taken",
            f"{version} and {_OTHER_NAMES} names like it are other weights' at the inference role",
            hint="start the run under another id",
        )

    # For `rl.runs.Validate`

    def validate(self, step: int, model: Any) -> float:
        """The share of successes among the episodes of the validation tasks that say
        something about the policy, with these weights, at the temperature that users'
        verifications are walked at. Tasks of which all episodes say nothing are walked
        again as often as groups are.

        An episode that other weights acted in, since the run was resumed while it was
        under way, says nothing. Raises `trainer.validation_untold` when none says
        anything.
        """
        if self._validation is None:
            raise invalid("trainer.no_validation", "this run has no validation tasks")
        self.publish(version_of(step), model)
        episodes = dict.fromkeys(self._validated, self._validation.runs)
        rewards: dict[str, list[float]] = {}
        for _ in range(self._settings.resampling_rounds + 1):
            left = [task for task in self._validated if not rewards.get(task)]
            if not left:
                break
            groups = [self._validating(task, step, episodes[task]) for task in left]
            for group, kept in zip(groups, self._runner.run(self._walked(groups, [])), strict=True):
                told = [
                    value_of(reward_of_member(group.task, one.member))
                    for one in kept.values()
                    if self._acted(one.member, step)
                ]
                rewards[group.task.id] = [reward for reward in told if reward is not None]
                episodes[group.task.id] = min(
                    episodes[group.task.id] + self._validation.runs, _LARGEST_GROUP
                )
        flat = [reward for values in rewards.values() for reward in values]
        if not flat:
            raise unavailable(
                "trainer.validation_untold",
                f"no validation episode at step {step} says anything about the policy: the"
                " environment failed, or other weights acted",
                hint=(
                    "see the outcomes of the groups, and that the policy asks the inference role;"
                    " the run goes on from its checkpoint"
                ),
            )
        log.info(
            "validated",
            step=step,
            told=len(flat),
            silent=sum(not values for values in rewards.values()),
        )
        return sum(flat) / len(flat)

    def _acted(self, member: pb.GroupMember, step: int) -> bool:
        """Whether the weights of a step, and no others, acted in an episode; policies
        that ask no model have none."""
        ours = rf"{re.escape(self._run_id)}@{version_of(step)}(\+\d+)?"
        return all(re.fullmatch(ours, version) for version in member.policy_versions)

    def close(self, *, abandon: bool = False) -> None:
        """Disconnect; with `abandon`, cancel the groups that were begun ahead and that
        nobody will wait for."""
        try:
            self._runner.run(self._closed(abandon))
        finally:
            self._runner.close()

    # Groups

    def _wanted(self, task: str, step: int, episodes: int) -> _Wanted:
        return _Wanted(
            part=part_of(step),
            id=group_of(self._run_id, step, task),
            task=self._tasks[task],
            episodes=episodes,
            temperature=self._settings.temperature,
            trajectories=True,
        )

    def _validating(self, task: str, step: int, episodes: int) -> _Wanted:
        return _Wanted(
            part=f"v{step:08d}",
            id=group_id(self._run_id, f"v{step}", task),
            task=self._validated[task],
            episodes=episodes,
            temperature=None,
            trajectories=False,
        )

    def _ahead(self, step: int) -> list[_Wanted]:
        size = oversampled(self._settings.group_size, self._settings.oversampling)
        last = min(step + self._config.ahead, self._settings.steps - 1)
        return [
            self._wanted(task, later, size)
            for later in range(step + 1, last + 1)
            for task in self.tasks(later)
        ]

    async def _walked(
        self, groups: Sequence[_Wanted], ahead: Sequence[_Wanted]
    ) -> list[dict[int, Kept]]:
        """What is finished of each group when all of it is, or when time is up."""
        found = [
            await asyncio.to_thread(self._store.read, group.part, group.id) for group in groups
        ]
        for group, kept in zip(groups, found, strict=True):
            if not _complete(group, kept):
                await self._begin(group)
        for group in ahead:
            await self._begin(group)
            self._open[group.id] = None
        try:
            async with asyncio.TaskGroup() as tasks:
                for group, kept in zip(groups, found, strict=True):
                    if not _complete(group, kept):
                        tasks.create_task(self._collect(group, kept), name=f"collect {group.id}")
        except BaseExceptionGroup as failures:
            # Callers know errors by their codes; the others are this one's, or of its
            # cause.
            raise failures.exceptions[0] from None
        for group in groups:
            self._open.pop(group.id, None)
        return found

    async def _begin(self, group: _Wanted) -> None:
        task = asked(
            group.task,
            target=self._config.target,
            policy=self._config.policy,
            scenario=self._scenario_of(group.task),
            principal=self._caller.principal,
        )
        request = pb.RunGroupRequest(
            group_id=group.id, task=task, episodes=group.episodes, temperature=group.temperature
        )
        await self._rollout_stub.RunGroup(request, timeout=_BEGIN_S)

    async def _collect(self, group: _Wanted, found: dict[int, Kept]) -> None:
        """Fetch and keep each episode as it finishes. When time is up the rest is
        cancelled: what it holds is needed by the next step."""
        try:
            async with asyncio.timeout(self._config.deadline_s):
                await _patiently(lambda: self._watch(group, found))
        except TimeoutError:
            log.warning(
                "group_late",
                group=group.id,
                missing=sum(number not in found for number in range(group.episodes)),
            )
            await self._cancel(group.id)

    async def _watch(self, group: _Wanted, found: dict[int, Kept]) -> None:
        after = 0
        while not _complete(group, found):
            request = pb.WatchGroupRequest(group_id=group.id, after=after, caller=self._caller)
            call = self._rollout_stub.WatchGroup(request, timeout=_WATCH_S)
            try:
                async for member in call:
                    if member.number not in found:
                        found[member.number] = await self._fetched(group, member)
                    after = member.sequence
                    if _complete(group, found):
                        return
            except ProofwalkError as error:
                if error.status is not Status.DEADLINE_EXCEEDED:
                    raise
            finally:
                call.cancel()

    async def _fetched(self, group: _Wanted, member: pb.GroupMember) -> Kept:
        """A finished episode with what is learned from it, kept."""
        kept = Kept(member=member)
        if group.trajectories and isinstance(reward_of_member(group.task, member), Reward):
            try:
                data = await _patiently(lambda: self._trajectory(member))
                attempts = await asyncio.to_thread(self._attempts, data, member)
                kept = Kept(member=member, attempts=attempts)
            except Unfit as error:
                kept = Kept(member=member, trouble=error.trouble, why=str(error))
                log.warning(
                    "trajectory_unfit",
                    verification=member.verification_id,
                    trouble=error.trouble.value,
                    reason=kept.why,
                )
        await asyncio.to_thread(self._store.keep, group.part, group.id, kept)
        return kept

    def _attempts(self, data: bytes, member: pb.GroupMember) -> tuple[Attempt, ...]:
        """What a trajectory holds to learn from; its pictures are kept. Blocks. Raises
        `Unfit`, `trainer.images_unsupported`."""
        images: Mapping[str, bytes] = {}
        if self._eyes is not None:
            try:
                data, images = unbundled(data)
            except ProofwalkError as error:
                raise Unfit(Trouble.CORRUPT, error.message) from error
        attempts = attempts_of(
            data,
            verification_id=member.verification_id,
            run_id=self._run_id,
            vocabulary=self._vocabulary,
            looking=self._eyes is not None,
        )
        keep_shown(attempts, images, self._pictures)
        return attempts

    async def _trajectory(self, member: pb.GroupMember) -> bytes:
        request = pb.GetArtefactRequest(
            verification_id=member.verification_id,
            kind="trajectory" if self._eyes is None else "bundle",
            episode=member.episode,
            caller=self._caller,
        )
        call = self._rollout_stub.GetArtefact(request, timeout=_FETCH_S)
        try:
            return b"".join([chunk.data async for chunk in call])
        except ProofwalkError as error:
            if error.code in _NOT_THERE:
                raise Unfit(Trouble.ABSENT, error.message) from error
            raise
        finally:
            call.cancel()

    async def _cancel(self, name: str) -> None:
        try:
            await self._rollout_stub.CancelGroup(
                pb.CancelGroupRequest(group_id=name, caller=self._caller), timeout=30
            )
        except ProofwalkError as error:
            log.warning("group_not_cancelled", group=name, code=error.code, reason=error.message)

    # Roles

    async def _load(self, name: str, uri: str) -> None:
        request = LoadWeightsRequest(policy_version=f"{self._run_id}@{name}", uri=uri)
        await InferenceStub(self._channel("inference")).LoadWeights(request, timeout=_LOAD_S)

    @property
    def _rollout_stub(self) -> Any:
        return RolloutStub(self._channel("rollout"))

    def _channel(self, role: str) -> Any:
        """Made in the loop that uses it."""
        if role not in self._channels:
            self._channels[role] = RpcChannel(
                self._addresses[role], tracing=self._tracing, metrics=self._metrics
            )
        return self._channels[role].grpc

    async def _closed(self, abandon: bool) -> None:
        if abandon:
            for name in self._open:
                await self._cancel(name)
        self._open.clear()
        for channel in self._channels.values():
            await channel.close()
        self._channels.clear()


def _complete(group: _Wanted, found: Mapping[int, Kept]) -> bool:
    return all(number in found for number in range(group.episodes))


async def _patiently(call: Callable[[], Awaitable[T]]) -> T:
    """Call again while a role is away. The caller bounds the time."""
    while True:
        try:
            return await call()
        except ProofwalkError as error:
            if error.status not in _AGAIN:
                raise
            log.info("role_away", code=error.code, reason=error.message)
        await asyncio.sleep(_PAUSE_S)


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
    validated: Mapping[str, Task] = {}
    if validation is not None:
        validated = named(
            load_suite(validation.suite or config.suite), validation.tasks, scenario_of=scenario_of
        )
    _check_settings(settings, ahead=bool(config.ahead))
    source = GroupRollouts(
        config,
        tasks=tasks,
        validation=validation,
        validated=validated,
        run_id=run_id,
        rollout=rollout,
        inference=inference,
        tokenizer=tokenizer,
        settings=settings,
        store=RolloutStore(folder / "rollouts", clock=clock),
        weights=WeightsFolder(
            folder / "weights",
            keep=settings.max_staleness + 2,
            precision=precision,
            adapters=adapters,
        ),
        scenario_of=scenario_of,
        tracing=tracing or Tracing("trainer"),
        eyes=eyes,
        pictures=pictures_in(folder),
    )
    source.tasks(0)
    return source


def _check_settings(settings: RolloutSettings, *, ahead: bool) -> None:
    """Raise `trainer.group_too_large` or `trainer.temperature_unserved` for settings
    that the rollout role or the engine cannot serve."""
    started = oversampled(settings.group_size, settings.oversampling) * (
        1 + settings.resampling_rounds
    )
    if started > _LARGEST_GROUP:
        raise invalid(
            "trainer.group_too_large",
            f"a group may come to {started} episodes, and the rollout role takes {_LARGEST_GROUP}",
            hint="lower group_size, oversampling or resampling_rounds",
        )
    if settings.temperature != 1.0 and ahead:
        raise invalid(
            "trainer.temperature_unserved",
            f"at temperature {settings.temperature:g} the engine's log-probabilities are of another"
            " distribution, so rollouts cannot be begun ahead",
            hint="set settings.temperature to 1, or rollouts.ahead to 0",
        )
