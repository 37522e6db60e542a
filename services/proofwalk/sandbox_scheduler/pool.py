"""The pool: rows and browsers together.

The row comes before the browser at the start and after it at the end, so whatever dies in between is found by looking at the rows:
`adopt` ends what a predecessor left, `tend` (a periodic loop) ends expired leases, crashed and hung browsers, and keeps the pool warm.
Handing out is one compare-and-swap on a row; nothing waits for a browser's start but a request that found nothing warm.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import timedelta

import structlog

from proofwalk.chassis.database import Database
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, invalid, not_found, unavailable
from proofwalk.kernel.ids import IdSource
from proofwalk.sandbox_scheduler import usecases
from proofwalk.sandbox_scheduler.backend import Backend
from proofwalk.sandbox_scheduler.domain import Census, SandboxState, Tool
from proofwalk.sandbox_scheduler.repository import SandboxRow
from proofwalk.sandbox_scheduler.settings import SandboxSchedulerSettings

log = structlog.get_logger()


class Pool:
    """Sandboxes of one backend's tool."""

    def __init__(
        self, backend: Backend, *, db: Database, clock: Clock, ids: IdSource, settings: SandboxSchedulerSettings, owner: str
    ) -> None:
        self._backend = backend
        self._db = db
        self._clock = clock
        self._ids = ids
        self._settings = settings
        self._owner = owner
        self._closing = False
        self._killing: set[str] = set()

    @property
    def tool(self) -> Tool:
        """What this pool hands out."""
        return self._backend.tool

    @property
    def quota(self) -> int:
        """Sandboxes at most."""
        return self._settings.quota

    async def census(self) -> Census:
        """How many there are."""
        return await usecases.count(self._db, self.tool.name)

    async def rows(self) -> Sequence[SandboxRow]:
        """Every sandbox that has not ended."""
        return await usecases.live(self._db)

    async def adopt(self) -> None:
        """End what a predecessor left: its browsers died with it, but a row may still say otherwise."""
        for row in await usecases.live(self._db):
            if row.owner != self._owner:
                await usecases.end(self._db, row.id, reason="its scheduler went away")
                if row.pid:
                    await self._backend.end_orphan(row.pid, row.pid_started)
                await usecases.is_gone(self._db, row.id, refused_hosts={}, clock=self._clock)

    async def acquire(
        self, *, request_id: str, tool: str, holder: str, ttl: timedelta, allowed_hosts: Sequence[str]
    ) -> SandboxRow:
        """A sandbox for a request. Raises `tool.unknown`, `sandbox.none_free`, `sandbox.start_failed`."""
        name, _, version = tool.partition("@")
        if name != self.tool.name or (version and version != self.tool.version):
            raise not_found("tool.unknown", f"there is no tool {tool!r}", hint=f"known: {self.tool.name}@{self.tool.version}")
        if not 0 < len(request_id) <= 255:
            raise invalid(
                "sandbox.bad_request_id", "a request carries an id of 1 to 255 characters; it makes the call repeatable"
            )
        _check_ttl(ttl)
        grant = usecases.Grant(request_id=request_id, tool=name, holder=holder, ttl=ttl)
        known = await usecases.granted(self._db, request_id, clock=self._clock)
        row = known or await usecases.grant_warm(self._db, grant, owner=self._owner, warm=True, clock=self._clock)
        while row is None:
            fresh = await usecases.reserve_cold(
                self._db, grant, quota=self.quota, owner=self._owner, new_id=self._ids.new("sbx"), clock=self._clock
            )
            await self._start(fresh)
            row = await usecases.grant_warm(self._db, grant, owner=self._owner, warm=False, clock=self._clock)
        await self._backend.allow(row.id, allowed_hosts)
        return row

    async def renew(self, sandbox_id: str, *, epoch: int, ttl: timedelta) -> SandboxRow:
        """Extend a lease."""
        _check_ttl(ttl)
        return await usecases.renew(self._db, sandbox_id, epoch=epoch, ttl=ttl, clock=self._clock)

    async def release(self, sandbox_id: str, *, epoch: int) -> Mapping[str, int]:
        """End a leased sandbox; returns refused hosts with counts."""
        self._killing.add(sandbox_id)
        try:
            row = await usecases.end(self._db, sandbox_id, reason="released", epoch=epoch)
            if row.state is SandboxState.ENDED:
                return row.refused_hosts
            return await self._kill(sandbox_id)
        finally:
            self._killing.discard(sandbox_id)

    async def tend(self) -> None:
        """One look at the pool."""
        for row in await usecases.live(self._db):
            try:
                reason = await self._why_to_end(row)
                if reason:
                    log.warning("sandbox_ended", sandbox=row.id, state=row.state.value, reason=reason)
                    await usecases.end(self._db, row.id, reason=reason)
                    await self._kill(row.id)
            except Exception as error:
                # One browser that cannot be looked at must not keep the others from being ended.
                log.exception("sandbox_not_tended", sandbox=row.id, error=error)
        try:
            await self.fill()
        except ProofwalkError as error:
            log.warning("pool_not_filled", code=error.code, reason=error.message)
        await usecases.forget(self._db, keep_s=self._settings.keep_ended_s, clock=self._clock)

    async def fill(self) -> None:
        """Start what the pool lacks, one at a time: browsers that start together start slowly."""
        while not self._closing:
            row = await usecases.reserve_to_fill(
                self._db,
                tool=self.tool.name,
                warm=self._settings.warm,
                quota=self.quota,
                owner=self._owner,
                new_id=self._ids.new("sbx"),
                clock=self._clock,
            )
            if row is None:
                return
            await self._start(row)

    async def close(self) -> None:
        """End every sandbox of this process."""
        self._closing = True
        for row in await usecases.live(self._db):
            if row.owner == self._owner:
                await usecases.end(self._db, row.id, reason="the scheduler stopped")
                await self._kill(row.id)

    async def _start(self, row: SandboxRow) -> None:
        try:
            async with asyncio.timeout(self._settings.start_s):
                started = await self._backend.start(row.id)
            await usecases.is_up(
                self._db, row.id, cdp_endpoint=started.cdp_endpoint, pid=started.pid, pid_started=started.pid_started
            )
        except BaseException as error:
            reason = error.message if isinstance(error, ProofwalkError) else type(error).__name__
            await asyncio.shield(self._abandon(row.id, f"it did not start: {reason}"))
            if isinstance(error, TimeoutError):
                raise unavailable(
                    "sandbox.start_failed", f"a browser did not start within {self._settings.start_s:g} s", hint="try again"
                ) from error
            raise

    async def _abandon(self, sandbox_id: str, reason: str) -> None:
        await usecases.end(self._db, sandbox_id, reason=reason)
        await self._kill(sandbox_id)

    async def _kill(self, sandbox_id: str) -> Mapping[str, int]:
        self._killing.add(sandbox_id)
        try:
            refused = await self._backend.end(sandbox_id)
            await usecases.is_gone(self._db, sandbox_id, refused_hosts=refused, clock=self._clock)
            return refused
        finally:
            self._killing.discard(sandbox_id)

    async def _why_to_end(self, row: SandboxRow) -> str:
        if row.id in self._killing:
            return ""  # whoever ends it writes down what its wall refused; a second end would not know
        if row.state is SandboxState.ENDING:
            return row.reason or "its end was interrupted"
        if row.owner != self._owner:
            return "its scheduler went away"
        if row.state is SandboxState.STARTING:
            late = timedelta(seconds=self._settings.start_s * 2)
            return "its start was interrupted" if self._clock.now() - row.created_at > late else ""
        if row.state is SandboxState.LEASED and row.expires_at is not None and row.expires_at <= self._clock.now():
            return "its lease expired"
        return "" if await self._backend.is_alive(row.id) else "its browser crashed or hangs"


def _check_ttl(ttl: timedelta) -> None:
    if ttl <= timedelta(0):
        raise invalid("lease.bad_ttl", f"a lease needs a positive time to live, got {ttl}")
