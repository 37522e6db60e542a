"""A cluster over an in-memory backend whose sandboxes are names."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from proofwalk.chassis.database import Database
from proofwalk.kernel.clock import Clock, ManualClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.ids import IdSource, SeededIds
from proofwalk.sandbox_scheduler.backend import Discarded, Pulse
from proofwalk.sandbox_scheduler.cluster import Cluster
from proofwalk.sandbox_scheduler.domain import Sandbox, SandboxState, Shard, Tool
from proofwalk.sandbox_scheduler.reconciliation import Instance, Phase
from proofwalk.sandbox_scheduler.settings import SandboxSchedulerSettings

TTL = timedelta(seconds=30)


class FakeBackend:
    """Sandboxes that end with their process, in one shard. `running` is what runs; it
    starts when it is told to, unless `start_errors` or `hangs` say otherwise."""

    shared = False
    ordinals = False

    def __init__(self, *, process: str = "") -> None:
        self.tool = Tool(name="chromium", version="140", backend="fake")
        self._process = process
        self.pulse = Pulse()
        self.running: dict[str, Instance] = {}
        self.allowed: dict[str, list[str]] = {}
        self.start_errors: deque[str] = deque()
        self.end_errors: deque[BaseException] = deque()
        self.allow_errors: deque[BaseException] = deque()
        self.observe_errors: deque[BaseException] = deque()
        self.hangs = False
        self._count = 0

    async def observe(self, shard: Shard) -> Sequence[Instance]:
        if self.observe_errors:
            raise self.observe_errors.popleft()
        return list(self.running.values())

    async def scale(self, shard: Shard, size: int) -> None:
        while len(self.running) < size:
            self._count += 1
            name = f"{self._process}instance-{self._count}"
            phase, reason = Phase.READY, ""
            if self.hangs:
                phase = Phase.STARTING
            elif self.start_errors:
                phase, reason = Phase.FAILED, self.start_errors.popleft()
            self.running[name] = Instance(
                id=name,
                place=name,
                ordinal=self._count,
                phase=phase,
                endpoint=f"ws://127.0.0.1/{name}",
                reason=reason,
            )
            self.pulse.beat()

    async def discard(
        self,
        shard: Shard,
        place: str,
        instance: str,
        *,
        force: bool = False,
        sandbox: Sandbox | None = None,
    ) -> Discarded:
        if self.end_errors:
            raise self.end_errors.popleft()
        self.running.pop(instance, None)
        return Discarded(gone=True, refused_hosts={"tracker.example": 3})

    async def admit(self, sandbox: Sandbox, hosts: Sequence[str]) -> str:
        if self.allow_errors:
            raise self.allow_errors.popleft()
        self.allowed[sandbox.id] = list(hosts)
        return sandbox.cdp_endpoint

    async def remove(self, shard: Shard) -> None:
        return

    async def close(self) -> None:
        self.running.clear()


class Setting:
    """A cluster, its backend and its clock."""

    def __init__(
        self,
        db: Database,
        *,
        owner: str = "owner_1",
        clock: Clock | None = None,
        ids: IdSource | None = None,
        **settings: Any,
    ) -> None:
        self.db = db
        self.clock = clock if isinstance(clock, ManualClock) else ManualClock()
        self.backend = FakeBackend(process=owner)
        told = {
            "warm": 1,
            "quota": 3,
            "start_s": 5.0,
            "poll_s": 0.02,
            "cooldown_s": 0.0,
            **settings,
        }
        # Past validation: what takes seconds in earnest, a test has not got.
        self.settings = SandboxSchedulerSettings().model_copy(update=told)
        self.ids = ids or SeededIds(3)
        self.cluster = Cluster(
            self.backend, db=db, clock=self.clock, ids=self.ids, settings=self.settings, owner=owner
        )

    async def settle(self) -> None:
        """Look until what was started has been seen."""
        for _ in range(3):
            await self.cluster.look()

    async def acquire(
        self, request_id: str, *, tool: str = "chromium", ttl: timedelta = TTL
    ) -> Sandbox:
        return await self.cluster.acquire(
            request_id=request_id,
            tool=tool,
            holder=f"holder of {request_id}",
            ttl=ttl,
            allowed_hosts=["console.example:443"],
        )

    async def states(self) -> list[str]:
        return sorted(row.state.value for row in await self.cluster.rows())

    async def in_state(self, state: SandboxState) -> list[Sandbox]:
        return [row for row in await self.cluster.rows() if row.state is state]

    async def leased(self) -> list[str]:
        return [row.id for row in await self.in_state(SandboxState.LEASED)]


async def code_of(call: Any) -> str:
    """The code of the error that a call ends with."""
    try:
        await call
    except ProofwalkError as error:
        return error.code
    raise AssertionError("it was not refused")
