"""Groups of episodes that follow one another without a barrier: as soon as an update
has taken some, others are begun in their place, while the update is computed.

The flow is a task of the run's event loop. It begins groups up to the bound of
`group_order`, each as a task that fetches what ends, and waits when the bound is
reached. `take` blocks until `group_order.batch_of` has a batch for the update. What an
update took is in the order's file before it learns, so that `take` of the same step,
after a crash too, gives the same; and until the first step that is new, nothing is
begun: what would be begun then, with weights of long ago, would be too old when its
turn comes.

Everything but the constructor runs in the loop; the order's file and the store are
written in threads. Next: `group_rollouts`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from proofwalk.chassis.tasks import end
from proofwalk.kernel.reward import value_of
from proofwalk.rl.settings import RolloutSettings
from proofwalk.suites.model import Task
from proofwalk.trainer.configuration import RolloutsConfig
from proofwalk.trainer.group_fetching import GroupFetcher, Wanted
from proofwalk.trainer.group_order import (
    BegunGroup,
    GroupOrder,
    batch_of,
    most_under_way,
    rarest,
)
from proofwalk.trainer.group_store import Kept
from proofwalk.trainer.group_tasks import as_outcomes, promising, reward_of_member


class GroupStream:
    """Of one run."""

    def __init__(
        self,
        fetcher: GroupFetcher,
        order: GroupOrder,
        *,
        tasks: Mapping[str, Task],
        config: RolloutsConfig,
        settings: RolloutSettings,
        wanted: Callable[[BegunGroup], Wanted],
    ) -> None:
        self._fetcher = fetcher
        self._order = order
        self._tasks = tasks
        self._config = config
        self._settings = settings
        self._wanted = wanted
        self._groups: dict[int, BegunGroup] | None = None
        """By number; None until the order was read."""
        self._ended: set[int] = set()
        self._rewards: dict[str, list[float]] = {}
        self._published = 0
        self._next_step = 0
        """The first update that has taken nothing."""
        self._changed = asyncio.Condition()
        self._flow: asyncio.Task[None] | None = None
        self._failure: BaseException | None = None

    async def published(self, step: int) -> None:
        """From now on the weights after `step` updates act."""
        self._published = step

    async def take(self, step: int) -> Mapping[str, BegunGroup]:
        """The groups that update `step` learns from, by task, in the order in which
        they were begun. Raises `trainer.order_damaged`, and what the rollout role has
        against the tasks."""
        groups = await self._begun()
        if step > 0 and not groups:
            raise self._order.missing()
        numbers: Sequence[int] = [group.number for group in groups.values() if group.step == step]
        if not numbers:
            self._next_step = step
            await self._tell()
            if self._flow is None:
                self._flow = asyncio.create_task(self._flowing(groups), name="flow of groups")
            numbers = await self._batch(step, groups)
            await asyncio.to_thread(self._order.take, step, numbers)
            for number in numbers:
                groups[number] = replace(groups[number], step=step)
            self._next_step = step + 1
            await self._tell()
        return {groups[number].task: groups[number] for number in numbers}

    async def close(self, *, abandon: bool) -> None:
        """End the flow; with `abandon`, also the groups that no update will take."""
        if self._flow is not None:
            await end([self._flow])
        for group in _waiting(self._groups or {}):
            if abandon and group.number not in self._ended:
                await self._fetcher.cancel(self._wanted(group).id)

    async def _begun(self) -> dict[int, BegunGroup]:
        if self._groups is None:
            read = await asyncio.to_thread(self._order.read)
            self._groups = {group.number: group for group in read}
        return self._groups

    async def _batch(self, step: int, groups: Mapping[int, BegunGroup]) -> tuple[int, ...]:
        def ready() -> tuple[int, ...] | None:
            if self._failure is not None:
                raise self._failure
            return batch_of(
                _waiting(groups),
                self._ended,
                step=step,
                per_step=self._config.tasks_per_step,
                max_staleness=self._settings.max_staleness,
            )

        async with self._changed:
            numbers = await self._changed.wait_for(ready)
        assert numbers is not None, "it was waited for"
        return numbers

    async def _flowing(self, groups: dict[int, BegunGroup]) -> None:
        """Begin groups while there is room, until it is cancelled or a group fails."""
        try:
            async with asyncio.TaskGroup() as walks:
                await self._remember(groups)
                for group in _waiting(groups):
                    walks.create_task(self._walk(group), name=f"group {group.number}")
                while True:
                    async with self._changed:
                        await self._changed.wait_for(lambda: self._has_room(groups))
                    group = BegunGroup(
                        number=len(groups), task=self._drawn(groups), at=self._published
                    )
                    await asyncio.to_thread(self._order.begin, group)
                    groups[group.number] = group
                    walks.create_task(self._walk(group), name=f"group {group.number}")
        except BaseExceptionGroup as failures:
            # Callers know errors by their codes; the others are this one's, or of its
            # cause.
            self._failure = failures.exceptions[0]
            await self._tell()

    async def _walk(self, group: BegunGroup) -> None:
        wanted = self._wanted(group)
        found = await self._fetcher.fetched_before(wanted)
        if not wanted.is_complete(found):
            await self._fetcher.begin(wanted)
            await self._fetcher.collect(wanted, found)
        self._note(group.task, found)
        self._ended.add(group.number)
        await self._tell()

    async def _remember(self, groups: Mapping[int, BegunGroup]) -> None:
        """What groups came to that an earlier process learned from."""
        if self._config.task_sampling == "informativeness":
            for group in groups.values():
                if group.step is not None:
                    self._note(group.task, await self._fetcher.fetched_before(self._wanted(group)))

    def _note(self, task: str, found: Mapping[int, Kept]) -> None:
        rewards = [
            value_of(reward_of_member(self._tasks[task], kept.member, shaped=self._config.reward))
            for kept in found.values()
        ]
        self._rewards.setdefault(task, []).extend(one for one in rewards if one is not None)

    def _has_room(self, groups: Mapping[int, BegunGroup]) -> bool:
        return len(_waiting(groups)) < most_under_way(
            per_step=self._config.tasks_per_step,
            max_staleness=self._settings.max_staleness,
            updates_left=self._settings.steps - self._next_step,
        )

    def _drawn(self, groups: Mapping[int, BegunGroup]) -> str:
        """The task of the next group: none that an update will have already."""
        taken = {group.task for group in _waiting(groups)}
        free = [task for task in self._tasks if task not in taken]
        if self._config.task_sampling == "uniform":
            return rarest([group.task for group in groups.values()], free, seed=self._settings.seed)
        (task,) = promising(
            free,
            {task: as_outcomes(rewards) for task, rewards in self._rewards.items()},
            group=self._settings.group_size,
            per_step=1,
            seed=self._settings.seed,
            step=len(groups),
        )
        return task

    async def _tell(self) -> None:
        async with self._changed:
            self._changed.notify_all()


def _waiting(groups: Mapping[int, BegunGroup]) -> list[BegunGroup]:
    """Those that no update has taken."""
    return [group for group in groups.values() if group.step is None]
