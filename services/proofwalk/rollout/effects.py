"""An episode's side effects: each one behind an intent row, each one taken back from
the rows alone.

`do` says in SQL what is about to be done, does it, and says what it gave. `take_back`
reads the open intents and takes back whatever they name: the browser first, then the
resources, then the account. An intent without a result is *asked again* under the same
request id, which either finds what was made or makes it, and then takes that back. A
peer that is merely away is asked again until the caller's patience (`undo_s`) ends;
what a peer refuses for good is left to that peer's own expiry and proof, and said so.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from typing import TypeVar, Unpack

import structlog

from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.kernel.jobs import EpisodePhase
from proofwalk.kernel.json_values import JsonValue
from proofwalk.kernel.leases import LOST
from proofwalk.rollout import episode_usecases, usecases
from proofwalk.rollout.claimed_episode import ClaimedEpisode
from proofwalk.rollout.episode_repository import IntentRow
from proofwalk.rollout.judgement import Judgement
from proofwalk.rollout.leases_kept import Holds, Interrupted
from proofwalk.rollout.ports import AccountLease, Sandbox
from proofwalk.rollout.stored import EpisodeFacts, IntentResult

T = TypeVar("T")
log = structlog.get_logger()

_FIRST_PAUSE_S = 0.2
_LONGEST_PAUSE_S = 3.0
_UNKNOWN = (
    Status.UNAVAILABLE,
    Status.DEADLINE_EXCEEDED,
    Status.ABORTED,
    Status.CANCELLED,
    Status.INTERNAL,
)
"""After these nobody knows whether the effect took place; every other failure is the
peer's word that it did not."""


class Effects:
    """What one episode does to the world, under one claim."""

    def __init__(self, claimed: ClaimedEpisode) -> None:
        deps, held, row, episode = claimed.deps, claimed.claim, claimed.row, claimed.episode
        self._deps, self._held, self._row = deps, held, row
        self._episode_id = episode.id
        self._ttl = timedelta(seconds=deps.settings.hold_ttl_s)
        self.phase = episode.phase
        self.role = row.signed_in_as.role if row.signed_in_as is not None else ""
        """Of the account that is leased."""
        self.seconds: dict[str, float] = {}
        self.holds = Holds(deps.db, deps.peers, held, clock=deps.clock, ttl=self._ttl)

    async def enter(
        self, phase: EpisodePhase, judgement: Judgement | None = None, **facts: Unpack[EpisodeFacts]
    ) -> None:
        """Move the episode on."""
        self.phase = phase
        await episode_usecases.enter_phase(
            self._deps.db,
            self._held,
            self._episode_id,
            phase,
            clock=self._deps.clock,
            facts=facts,
            judgement=judgement,
        )

    async def say(self, type: str, **data: JsonValue) -> None:
        """Append to the verification's history."""
        await episode_usecases.record_event(
            self._deps.db,
            self._held,
            type=type,
            clock=self._deps.clock,
            episode_id=self._episode_id,
            data=data,
        )

    async def do(
        self, key: str, call: Callable[[], Awaitable[T]], result: Callable[[T], IntentResult]
    ) -> T:
        """Intend, do, settle. The intent survives a crash between any two of them."""
        started = self._deps.clock.monotonic()
        await episode_usecases.intend(
            self._deps.db, self._held, self._episode_id, key, clock=self._deps.clock
        )
        try:
            value = await call()
        except ProofwalkError as error:
            if key in ("account", "sandbox") and _refused(error):
                await self._mark_undone(key, {"refused": error.code})
            raise
        await episode_usecases.settle(
            self._deps.db,
            self._held,
            self._episode_id,
            key,
            result=result(value),
            clock=self._deps.clock,
        )
        self.seconds[key] = round(self._deps.clock.monotonic() - started, 4)
        return value

    async def lease_account(self) -> AccountLease:
        """An account, waited for in the pool's queue while none is free."""
        wait_s = self._deps.settings.account_wait_s
        lease = await self.do(
            "account",
            lambda: self._patiently(lambda: self._acquire_account(wait_s), wait_s),
            lambda lease: {
                "lease_id": lease.lease_id,
                "epoch": lease.epoch,
                "account_id": lease.account_id,
                "external_id": lease.external_id,
            },
        )
        self.holds.hold_account(lease)
        return lease

    async def acquire_sandbox(self) -> Sandbox:
        """A sandbox, waited for while none is free."""
        sandbox = await self.do(
            "sandbox",
            lambda: self._patiently(self._ask_for_sandbox, self._deps.settings.sandbox_wait_s),
            lambda sandbox: {
                "sandbox_id": sandbox.sandbox_id,
                "epoch": sandbox.epoch,
                "warm": sandbox.warm,
            },
        )
        self.holds.hold_sandbox(sandbox)
        return sandbox

    async def release_sandbox(self, sandbox: Sandbox) -> None:
        """End the browser; one that has ended already is as good."""
        self.holds.sandbox = None
        try:
            result: IntentResult = {
                "refused_hosts": dict(await self._deps.peers.sandboxes.release(sandbox))
            }
        except ProofwalkError as error:
            if _away(error):
                raise
            # Not there any more, or not to be ended by us: its lease, which is not
            # renewed any longer, ends it.
            result = {"refused_hosts": {}, "left": error.code}
        await self._mark_undone("sandbox", result)

    async def take_back(self) -> None:
        """Take back what the open intents name; the caller bounds how long."""
        self.holds.let_resources_go()
        while True:
            try:
                await self.holds.guard(self._undo_patiently(), heed_cancel=False)
                return
            except Interrupted as interruption:
                # A hold ended while it was being handed back: the peer says so itself
                # when it is asked again.
                log.warning(
                    "hold_lost_in_cleanup",
                    episode=self._episode_id,
                    reason=interruption.outcome.reason,
                )
                self.holds.account = self.holds.sandbox = None
            except ProofwalkError as error:
                if not _away(error):
                    raise
                # The claim was not renewed in time: its row was out of reach. Whoever
                # has taken over fences us when it is not any more; if nobody has, all
                # of it is still ours to take back.
                log.warning("cleanup_waits", episode=self._episode_id, code=error.code)
                await asyncio.sleep(_FIRST_PAUSE_S)

    async def _undo_patiently(self) -> None:
        pause = _FIRST_PAUSE_S
        while True:
            try:
                await self._undo()
                return
            except ProofwalkError as error:
                if not _away(error):
                    raise
                log.warning(
                    "cleanup_waits", episode=self._episode_id, code=error.code, reason=error.message
                )
            await asyncio.sleep(pause)
            pause = min(pause * 1.5, _LONGEST_PAUSE_S)

    async def _undo(self) -> None:
        intents = {
            intent.key: intent
            for intent in await episode_usecases.open_intents(self._deps.db, self._episode_id)
        }
        if "sandbox" in intents:
            result = intents["sandbox"].result
            known = (
                Sandbox(
                    sandbox_id=result["sandbox_id"],
                    epoch=result["epoch"],
                    cdp_endpoint="",
                    warm=False,
                )
                if result
                else None
            )
            sandbox = known or await _ask_again(self._ask_for_sandbox)
            if sandbox is None:
                await self._mark_undone("sandbox", {})
            else:
                await self.release_sandbox(sandbox)
        if "account" in intents:
            lease = self._lease_of(intents["account"].result) or await _ask_again(
                self._acquire_account
            )
            if lease is None:
                await self._mark_undone("account", {})
            else:
                await self._hand_back(
                    lease, [one for key, one in intents.items() if _is_resource(key)]
                )

    async def _hand_back(self, lease: AccountLease, resources: Sequence[IntentRow]) -> None:
        """Sweep the account and release it."""
        self.holds.hold_account(lease)
        try:
            swept = await self._sweep(lease)
            await self.enter(EpisodePhase.RELEASE)
            self.holds.account = None
            released = await self._deps.peers.accounts.release(lease)
        except ProofwalkError as error:
            self.holds.account = None
            if error.code not in LOST:
                raise
            await self._still_ours()
            # The pool has taken the account back already: it quarantines, sweeps and
            # proves it by itself.
            for key in (*(one.key for one in resources), "account"):
                await self._mark_undone(key, {"stale": True})
            return
        if "left" not in swept and released.clean and not released.unproven:
            await self._prove(resources, lease.ref.target)
        for one in resources:
            await self._mark_undone(one.key, swept)
        await self._mark_undone("account", {"clean": released.clean})
        await self.say(
            "account_released",
            account=lease.external_id,
            clean=released.clean,
            unproven=released.unproven,
            leftovers=[f"{left.product}/{left.type} {left.id}" for left in released.leftovers],
        )

    async def _prove(self, resources: Sequence[IntentRow], target: str) -> None:
        """Say of the records that met the walk's needs that nothing was left behind.
        What cannot be said now is said by a later walk."""
        for one in resources:
            used = one.result or {}
            if not used.get("meta_id"):
                continue
            try:
                await self._deps.peers.provisioner.prove(
                    used["meta_id"],
                    used["meta_version"],
                    run=used["provisioning_id"],
                    target=target,
                )
            except ProofwalkError as error:
                log.warning("record_not_proven", code=error.code, reason=error.message)

    async def _sweep(self, lease: AccountLease) -> IntentResult:
        """Destroy what the lease made; what cannot be destroyed is left to the pool,
        which does not take such an account for clean."""
        try:
            inspection = await self._deps.peers.accounts.inspect(lease)
            swept = await self._deps.peers.provisioner.sweep(lease, inspection.leftovers)
        except ProofwalkError as error:
            if _away(error) or error.code in LOST:
                raise
            log.error(
                "sweep_failed", episode=self._episode_id, code=error.code, reason=error.message
            )
            await self.say("cleanup_failed", reason=error.message, code=error.code)
            return {"left": error.code}
        await self.say("resources_destroyed", swept=swept)
        return {"swept": swept}

    async def _still_ours(self) -> None:
        """Raises `lease.stale_epoch` when it is the claim that ended, not the account's
        lease."""
        await usecases.renew_claim(self._deps.db, self._held, ttl=self._ttl, clock=self._deps.clock)

    def _lease_of(self, result: IntentResult) -> AccountLease | None:
        if not result:
            return None
        return AccountLease(
            lease_id=result["lease_id"],
            account_id=result["account_id"],
            external_id=result["external_id"],
            target=self._row.order.target,
            epoch=result["epoch"],
        )

    async def _mark_undone(self, key: str, result: IntentResult) -> None:
        await episode_usecases.undone(
            self._deps.db, self._held, self._episode_id, key, result=result, clock=self._deps.clock
        )

    async def _acquire_account(self, wait_s: float = 0.0) -> AccountLease:
        return await self._deps.peers.accounts.acquire(
            request_id=f"{self._episode_id}:account",
            target=self._row.order.target,
            demand=self._row.demand(self.role),
            holder=self._episode_id,
            ttl=self._ttl,
            wait=timedelta(seconds=wait_s),
        )

    async def _ask_for_sandbox(self) -> Sandbox:
        return await self._deps.peers.sandboxes.acquire(
            request_id=f"{self._episode_id}:sandbox",
            tool=self._deps.peers.walker.tool(self._row.order.target),
            holder=self._episode_id,
            ttl=self._ttl,
            allowed_hosts=self._deps.peers.walker.allowed_hosts(self._row.order.target),
        )

    async def _patiently(self, call: Callable[[], Awaitable[T]], wait_s: float) -> T:
        """Call again while nothing is free, at most `wait_s`."""
        end = self._deps.clock.monotonic() + wait_s
        pause = _FIRST_PAUSE_S
        while True:
            try:
                return await call()
            except ProofwalkError as error:
                if (
                    error.status is not Status.RESOURCE_EXHAUSTED
                    or self._deps.clock.monotonic() + pause > end
                ):
                    raise
            await asyncio.sleep(pause)
            pause = min(pause * 1.5, _LONGEST_PAUSE_S)


def _is_resource(key: str) -> bool:
    return key == "provision" or key.startswith("on_demand_")


def _refused(error: ProofwalkError) -> bool:
    """Whether the peer's answer means that it made nothing; a browser that did not
    start is ended by the scheduler itself."""
    return error.status not in _UNKNOWN or error.code == "sandbox.start_failed"


def _away(error: ProofwalkError) -> bool:
    return error.code != "sandbox.start_failed" and (
        error.retryable or error.status in (Status.UNAVAILABLE, Status.DEADLINE_EXCEEDED)
    )


async def _ask_again(acquire: Callable[[], Awaitable[T]]) -> T | None:
    """What an intent without a result made; None when it made nothing and nothing is to
    be had now."""
    try:
        return await acquire()
    except ProofwalkError as error:
        if _refused(error):
            return None
        raise
