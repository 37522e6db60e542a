"""A cluster: the rows of a tool and what runs of it, brought together by looking.

`look` is one pass over the shards that this process tends: claim or renew them, see
what runs, write down what that means (`looks.look`), then act: scale, discard. It
runs in a loop, and at once for a request that finds nothing warm; all who ask before a
pass has begun share it. Granting is one transaction and waits for none of this.

A request that finds nothing warm leaves a row that says so, wherever it came in:
whoever tends a shard with room makes it larger. It is told the reason when sandboxes do
not come up, and leaves no row behind.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

import structlog

from proofwalk.chassis.database import Database
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, invalid, not_found
from proofwalk.kernel.ids import IdSource
from proofwalk.sandbox_scheduler import looks, ownership, usecases
from proofwalk.sandbox_scheduler.backend import Backend
from proofwalk.sandbox_scheduler.domain import (
    Census,
    Sandbox,
    SandboxState,
    Shard,
    Tool,
    not_started,
)
from proofwalk.sandbox_scheduler.reconciliation import Instance, Limits, Policy
from proofwalk.sandbox_scheduler.settings import SandboxSchedulerSettings

log = structlog.get_logger()
_FAILURES = 2
"""Sandboxes that did not come up since a request began to wait, after which it waits no
longer."""
_AT_ONCE = 16
"""Instances that are discarded at the same time."""


class Cluster:
    """The sandboxes of one backend's tool, as one scheduler process tends and grants
    them."""

    def __init__(
        self,
        backend: Backend,
        *,
        db: Database,
        clock: Clock,
        ids: IdSource,
        settings: SandboxSchedulerSettings,
        owner: str,
    ) -> None:
        self._backend = backend
        self._db = db
        self._clock = clock
        self._ids = ids
        self._settings = settings
        self._owner = owner
        self._policy = Policy(
            warm=settings.warm,
            quota=settings.quota,
            shard_size=settings.shard_size if backend.shared else settings.quota,
            burst=settings.burst,
            ordinals=backend.ordinals,
        )
        self._shards = -(-settings.quota // self._policy.shard_size)
        self._terms = looks.Terms(
            policy=self._policy,
            limits=Limits(start_s=settings.start_s * 2, end_s=settings.end_s),
            # A child that nobody wants is memory of this machine, and another one is
            # there in a second.
            cooldown_s=settings.cooldown_s if backend.shared else 0.0,
        )
        # At its start, a process knows that what ended with its predecessor is gone,
        # and need not wait for a lease to run out.
        self._seizes = not backend.shared
        self._looking = asyncio.Lock()
        self._next: asyncio.Task[None] | None = None
        self._passes: set[asyncio.Task[None]] = set()
        self._closing = False

    @property
    def tool(self) -> Tool:
        """What this cluster's sandboxes are."""
        return self._backend.tool

    @property
    def quota(self) -> int:
        """Sandboxes at most."""
        return self._settings.quota

    async def census(self) -> Census:
        """How many there are."""
        return await usecases.count(self._db, self.tool.name, clock=self._clock)

    async def rows(self) -> Sequence[Sandbox]:
        """Every sandbox that has not ended."""
        return [row for row in await usecases.live(self._db) if row.tool == self.tool.name]

    async def acquire(
        self,
        *,
        request_id: str,
        tool: str,
        holder: str,
        ttl: timedelta,
        allowed_hosts: Sequence[str],
    ) -> Sandbox:
        """A sandbox for a request. Raises `tool.unknown`, `sandbox.none_free`,
        `sandbox.start_failed`."""
        name, _, version = tool.partition("@")
        if name != self.tool.name or (version and version != self.tool.version):
            raise not_found(
                "tool.unknown",
                f"there is no tool {tool!r}",
                hint=f"known: {self.tool.name}@{self.tool.version}",
            )
        if not 0 < len(request_id) <= 255:
            raise invalid(
                "sandbox.bad_request_id",
                "a request carries an id of 1 to 255 characters; it makes the call repeatable",
            )
        _check_ttl(ttl)
        wish = usecases.Grant(
            request_id=request_id,
            tool=self.tool,
            holder=holder,
            ttl=ttl,
            owner=None if self._backend.shared else self._owner,
            fresh_s=self._settings.fresh_s,
        )
        row = await usecases.granted(self._db, request_id, clock=self._clock)
        row = (
            row
            or await usecases.grant(self._db, wish, warm=True, clock=self._clock)
            or await self._wait_for(wish)
        )
        try:
            address = await self._backend.admit(row, allowed_hosts)
        except BaseException:
            # Nobody may have a sandbox whose wall stands elsewhere.
            await asyncio.shield(self._end(row, "what it may reach could not be set"))
            raise
        return replace(row, cdp_endpoint=address)

    async def _wait_for(self, wish: usecases.Grant) -> Sandbox:
        tool, patience = self.tool.name, self._settings.start_s
        since = await usecases.wait(
            self._db,
            wish.request_id,
            tool,
            quota=self.quota,
            wait_s=patience * 2,
            clock=self._clock,
        )
        row = None
        failures: Sequence[str] = ()
        try:
            async with asyncio.timeout(patience):
                while row is None and len(failures) < _FAILURES:
                    beats = self._backend.pulse.count
                    await self.look()
                    row = await usecases.grant(self._db, wish, warm=False, clock=self._clock)
                    if row is None:
                        failures, _ = await usecases.trouble(self._db, tool, since=since)
                        await self._backend.pulse.after(beats, self._settings.poll_s)
        except TimeoutError:
            failures, trouble = await usecases.trouble(self._db, tool, since=since)
            raise not_started(
                tool, patience, "; ".join([*failures, trouble] if trouble else failures)
            ) from None
        finally:
            if row is None:
                await asyncio.shield(usecases.stop_waiting(self._db, wish.request_id))
        if row is None:
            raise not_started(tool, patience, failures[-1])
        return row

    async def renew(self, sandbox_id: str, *, epoch: int, ttl: timedelta) -> Sandbox:
        """Extend a lease."""
        _check_ttl(ttl)
        return await usecases.renew(self._db, sandbox_id, epoch=epoch, ttl=ttl, clock=self._clock)

    async def release(self, sandbox_id: str, *, epoch: int) -> Mapping[str, int]:
        """End a leased sandbox; returns refused hosts with counts."""
        row = await usecases.end(self._db, sandbox_id, reason="released", epoch=epoch)
        if row.state is not SandboxState.LEASED:
            return row.refused_hosts
        return await self._discard(row)

    async def _end(self, row: Sandbox, reason: str) -> None:
        await usecases.end(self._db, row.id, reason=reason, epoch=row.epoch)
        await self._discard(row)

    async def _discard(self, row: Sandbox) -> Mapping[str, int]:
        """The row says that it ends, so a backend that cannot do it now is asked again
        by the next look."""
        shard = Shard(tool=row.tool, version=row.version, number=row.shard)
        try:
            result = await self._backend.discard(shard, row.place, row.instance, sandbox=row)
        except ProofwalkError as error:
            log.warning(
                "instance_not_discarded", place=row.place, code=error.code, reason=error.message
            )
            return {}
        await usecases.discarded(
            self._db,
            row.id,
            refused_hosts=result.refused_hosts,
            gone=result.gone,
            clock=self._clock,
        )
        return result.refused_hosts

    async def look(self) -> None:
        """One pass that begins after this call; shared with whoever asked for it as
        well."""
        if self._next is None:
            self._next = asyncio.create_task(self._look_in_turn())
            self._passes.add(self._next)
            self._next.add_done_callback(self._passes.discard)
        await asyncio.shield(self._next)

    async def _look_in_turn(self) -> None:
        async with self._looking:
            self._next = None
            if not self._closing:
                await self._look()

    async def _look(self) -> None:
        for shard in await self.claim():
            try:
                await self.look_at(shard)
            except Exception as error:
                # One shard that cannot be seen must not keep the others from being
                # tended.
                log.exception("shard_not_tended", tool=shard.tool, shard=shard.number, error=error)
        await usecases.forget(self._db, keep_s=self._settings.keep_ended_s, clock=self._clock)

    async def claim(self) -> Sequence[Shard]:
        """The shards that this process is to tend, until it claims again."""
        owned = await ownership.claim(
            self._db,
            self.tool,
            count=self._shards,
            by=self._owner,
            ttl_s=self._settings.shard_ttl_s,
            seize=self._seizes,
            clock=self._clock,
        )
        self._seizes = False
        return owned

    async def look_at(self, shard: Shard) -> None:
        """One look at one shard, which this process has claimed. Raises
        `shard.stale_epoch`, `sandbox.cluster_unreachable`."""
        seen = await self._backend.observe(shard)
        looked = await looks.look(
            self._db,
            shard,
            seen,
            tool=self.tool,
            by=self._owner,
            terms=self._terms,
            ids=self._ids,
            clock=self._clock,
        )
        for row, reason in looked.changes.end:
            log.warning("sandbox_ended", sandbox=row.id, state=row.state.value, reason=reason)
        await self._backend.scale(shard, looked.size)
        # Where ordinals rule, those beyond the size end by themselves; taking one away
        # would only make another in between.
        doomed = [
            (instance, force)
            for instance, force in looked.changes.discard
            if force or not self._policy.ordinals or instance.ordinal < looked.size
        ]
        at_once = asyncio.Semaphore(_AT_ONCE)
        await asyncio.gather(
            *(self._take_away(shard, instance, force, at_once) for instance, force in doomed)
        )
        needed = shard.version == self.tool.version and shard.number < self._shards
        if not needed and not seen and looked.size == 0:
            await self._backend.remove(shard)
            await ownership.remove(self._db, shard, by=self._owner)

    async def _take_away(
        self, shard: Shard, instance: Instance, force: bool, at_once: asyncio.Semaphore
    ) -> None:
        async with at_once:
            try:
                await self._backend.discard(shard, instance.place, instance.id, force=force)
            except ProofwalkError as error:
                log.warning(
                    "instance_not_discarded",
                    place=instance.place,
                    code=error.code,
                    reason=error.message,
                )

    async def close(self) -> None:
        """Tend no more. What ends with this process is ended; what does not is left to
        whoever claims its shard."""
        self._closing = True
        async with self._looking:
            await self._backend.close()
            if not self._backend.shared:
                await self._write_off()
            await ownership.resign(self._db, self.tool, by=self._owner, clock=self._clock)
        await asyncio.gather(*self._passes, return_exceptions=True)

    async def _write_off(self) -> None:
        owned = await ownership.claim(
            self._db,
            self.tool,
            count=0,
            by=self._owner,
            ttl_s=self._settings.shard_ttl_s,
            seize=False,
            clock=self._clock,
        )
        for shard in owned:
            await looks.look(
                self._db,
                shard,
                [],
                tool=self.tool,
                by=self._owner,
                terms=self._terms,
                ids=self._ids,
                clock=self._clock,
            )


def _check_ttl(ttl: timedelta) -> None:
    if ttl <= timedelta(0):
        raise invalid("lease.bad_ttl", f"a lease needs a positive time to live, got {ttl}")
