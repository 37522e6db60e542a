"""A pool over an in-memory backend."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from proofwalk.chassis.database import Database
from proofwalk.kernel.clock import Clock, ManualClock
from proofwalk.kernel.ids import IdSource, SeededIds
from proofwalk.sandbox_scheduler.backend import Started
from proofwalk.sandbox_scheduler.domain import SandboxState, Tool
from proofwalk.sandbox_scheduler.pool import Pool
from proofwalk.sandbox_scheduler.repository import SandboxRow
from proofwalk.sandbox_scheduler.settings import SandboxSchedulerSettings

TTL = timedelta(seconds=30)


class FakeBackend:
    """Browsers as names. `running` is what would be running."""

    def __init__(self) -> None:
        self.tool = Tool(name="chromium", version="140", backend="fake")
        self.running: set[str] = set()
        self.allowed: dict[str, list[str]] = {}
        self.orphans_ended: list[int] = []
        self.start_errors: deque[BaseException] = deque()
        self.end_errors: deque[BaseException] = deque()
        self.hangs = asyncio.Event()
        """Set: starting takes for ever."""
        self._pid = 1000

    async def start(self, sandbox_id: str) -> Started:
        self.running.add(sandbox_id)
        if self.hangs.is_set():
            await asyncio.Event().wait()
        await asyncio.sleep(0)
        if self.start_errors:
            raise self.start_errors.popleft()
        self._pid += 1
        return Started(cdp_endpoint=f"ws://127.0.0.1/{sandbox_id}", pid=self._pid, pid_started=1.5)

    async def allow(self, sandbox_id: str, hosts: Sequence[str]) -> None:
        self.allowed[sandbox_id] = list(hosts)

    async def is_alive(self, sandbox_id: str) -> bool:
        return sandbox_id in self.running

    async def end(self, sandbox_id: str) -> Mapping[str, int]:
        if self.end_errors:
            raise self.end_errors.popleft()
        self.running.discard(sandbox_id)
        return {"tracker.example": 3}

    async def end_orphan(self, pid: int, pid_started: float) -> None:
        assert pid_started == 1.5
        self.orphans_ended.append(pid)


class Setting:
    """A pool, its backend and its clock."""

    def __init__(
        self, db: Database, *, owner: str = "owner_1", clock: Clock | None = None, ids: IdSource | None = None, **settings: Any
    ) -> None:
        self.db = db
        self.clock = clock if isinstance(clock, ManualClock) else ManualClock()
        self.backend = FakeBackend()
        # Past validation: a browser's start takes seconds, which a test has not got.
        self.settings = SandboxSchedulerSettings().model_copy(update={"warm": 1, "quota": 3, "start_s": 5.0, **settings})
        self.ids = ids or SeededIds(3)
        self.pool = Pool(self.backend, db=db, clock=self.clock, ids=self.ids, settings=self.settings, owner=owner)

    async def acquire(self, request_id: str, *, tool: str = "chromium", ttl: timedelta = TTL) -> SandboxRow:
        return await self.pool.acquire(
            request_id=request_id, tool=tool, holder=f"holder of {request_id}", ttl=ttl, allowed_hosts=["console.example:443"]
        )

    async def states(self) -> list[str]:
        return sorted(row.state.value for row in await self.pool.rows())

    async def leased(self) -> list[str]:
        return [row.id for row in await self.pool.rows() if row.state is SandboxState.LEASED]
