"""Groups asked of the rollout role and fetched from it: begun by name, watched, each
episode kept as soon as it is finished (`group_store`).

A group that is asked for again, by whom a crash interrupted too, is answered with what
there is of it. A role that is away is asked again until the group's time is up; then
what is left of the group is cancelled, since what it holds is needed by others. Next:
`group_rollouts`, `group_stream`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import structlog

from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.api.rollout.v1.rollout_pb2_grpc import RolloutStub
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.kernel.reward import Reward
from proofwalk.suites.model import Task
from proofwalk.trainer.configuration import RolloutsConfig
from proofwalk.trainer.group_reading import Reading
from proofwalk.trainer.group_store import Kept, RolloutStore
from proofwalk.trainer.group_tasks import ScenarioOf, asked, reward_of_member
from proofwalk.trainer.group_trajectories import Trouble, Unfit
from proofwalk.trainer.role_channels import RoleChannels

T = TypeVar("T")
_BEGIN_S = 120.0
_FETCH_S = 60.0
_CANCEL_S = 30.0
_WATCH_S = 300.0
"""A watch that lasts longer is begun again where it was."""
_PAUSE_S = 0.5
_AGAIN = (Status.UNAVAILABLE, Status.ABORTED, Status.DEADLINE_EXCEEDED, Status.RESOURCE_EXHAUSTED)
_NOT_THERE = (
    "artefact.not_recorded",
    "artefact.collected",
    "episode.not_found",
    "verification.not_found",
)
log = structlog.get_logger()


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """A group and how many of its episodes are wanted."""

    part: str
    """Name of the file that keeps them."""
    id: str
    task: Task
    episodes: int
    temperature: float | None
    trajectories: bool

    def is_complete(self, found: Mapping[int, Kept]) -> bool:
        """Whether all that are wanted are among these."""
        return all(number in found for number in range(self.episodes))


class GroupFetcher:
    """Of one run. Everything runs in one event loop."""

    def __init__(
        self,
        config: RolloutsConfig,
        *,
        principal: str,
        channels: RoleChannels,
        store: RolloutStore,
        reading: Reading,
        scenario_of: ScenarioOf,
    ) -> None:
        self._config = config
        self._caller = pb.Caller(principal=principal)
        self._channels = channels
        self._store = store
        self._reading = reading
        self._scenario_of = scenario_of

    async def begin(self, group: Wanted) -> None:
        """Raises what the rollout role has against the task."""
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
        await self._rollout.RunGroup(request, timeout=_BEGIN_S)

    async def fetched_before(self, group: Wanted) -> dict[int, Kept]:
        """What was fetched of a group before, by number."""
        return await asyncio.to_thread(self._store.read, group.part, group.id)

    async def collect(self, group: Wanted, found: dict[int, Kept]) -> None:
        """Fetch and keep each episode of a group that was begun, into `found`, as it
        finishes. When time is up the rest is cancelled: what it holds is needed by
        others."""
        try:
            async with asyncio.timeout(self._config.deadline_s):
                await _patiently(lambda: self._watch(group, found))
        except TimeoutError:
            log.warning(
                "group_late",
                group=group.id,
                missing=sum(number not in found for number in range(group.episodes)),
            )
            await self.cancel(group.id)

    async def cancel(self, name: str) -> None:
        """End what is left of a group; a role that is away is told in the log."""
        try:
            await self._rollout.CancelGroup(
                pb.CancelGroupRequest(group_id=name, caller=self._caller), timeout=_CANCEL_S
            )
        except ProofwalkError as error:
            log.warning("group_not_cancelled", group=name, code=error.code, reason=error.message)

    async def _watch(self, group: Wanted, found: dict[int, Kept]) -> None:
        after = 0
        while not group.is_complete(found):
            request = pb.WatchGroupRequest(group_id=group.id, after=after, caller=self._caller)
            call = self._rollout.WatchGroup(request, timeout=_WATCH_S)
            try:
                async for member in call:
                    if member.number not in found:
                        found[member.number] = await self._fetched(group, member)
                    after = member.sequence
                    if group.is_complete(found):
                        return
            except ProofwalkError as error:
                if error.status is not Status.DEADLINE_EXCEEDED:
                    raise
            finally:
                call.cancel()

    async def _fetched(self, group: Wanted, member: pb.GroupMember) -> Kept:
        """A finished episode with what is learned from it, kept."""
        kept = Kept(member=member)
        if group.trajectories and isinstance(reward_of_member(group.task, member), Reward):
            try:
                data = await _patiently(lambda: self._trajectory(member))
                attempts = await asyncio.to_thread(self._reading.attempts, data, member)
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

    async def _trajectory(self, member: pb.GroupMember) -> bytes:
        request = pb.GetArtefactRequest(
            verification_id=member.verification_id,
            kind=self._reading.artefact,
            episode=member.episode,
            caller=self._caller,
        )
        call = self._rollout.GetArtefact(request, timeout=_FETCH_S)
        try:
            return b"".join([chunk.data async for chunk in call])
        except ProofwalkError as error:
            if error.code in _NOT_THERE:
                raise Unfit(Trouble.ABSENT, error.message) from error
            raise
        finally:
            call.cancel()

    @property
    def _rollout(self) -> Any:
        return RolloutStub(self._channels.to("rollout"))


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
