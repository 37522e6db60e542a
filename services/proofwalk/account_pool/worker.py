"""The loops: leases whose time has passed, proofs and sweeps that wait, accounts that
targets name.

Each looks at the rows, so a lost process or a lost message loses nothing; each claims a
row before it works on it, so several processes of this role share the work.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import partial

import structlog

from proofwalk.account_pool import idle_accounts, queue, repository, usecases
from proofwalk.account_pool.domain import Account
from proofwalk.account_pool.pool import Pool
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.leases import LeaseState

_MARGIN_S = 30.0
_EAGER_S = 1.0
"""Seconds until a target that could not be read, or has no account yet, is read
again."""
_log: structlog.stdlib.BoundLogger = structlog.get_logger()


class Worker:
    """The pool's background work."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._synced = asyncio.Event()
        self._unread: dict[str, str] = {}
        """Why a target could not be read, as it was last logged; the same reason is not
        logged at every look."""

    async def reap(self) -> None:
        """Quarantine what late holders had; show the counts and who waits."""
        pool = self._pool
        for account in await pool.database.run(lambda t: usecases.expire_due(t, clock=pool.clock)):
            pool.metrics.expired.inc()
            _log.warning(
                "lease_expired",
                account_id=account.account_id,
                epoch=account.epoch,
                reason=account.reason,
            )
        async with pool.database.read() as transaction:
            pool.metrics.show(await repository.counts(transaction))
            now = pool.clock.now()
            pool.metrics.show_waits(await queue.waits(transaction, now=now), now=now)

    async def look_at_money(self) -> None:
        """Read what leases cost and free accounts have left, a few side by side; end
        and withdraw by it. Bills that gave no answer in time are read after that."""
        pool = self._pool
        turns = asyncio.Semaphore(pool.settings.sweep_concurrency)
        async with asyncio.TaskGroup() as group:
            for account in await pool.accounts():
                if account.offered:
                    work = partial(pool.spending.look, account)
                    group.create_task(self._of_money(work, account.account_id, turns))
        async with asyncio.TaskGroup() as group:
            for grant in await pool.spending.late():
                work = partial(pool.spending.settle, grant)
                group.create_task(self._of_money(work, grant.account_id, turns))

    async def _of_money(
        self, work: Callable[[], Awaitable[None]], account_id: str, turns: asyncio.Semaphore
    ) -> None:
        async with turns:
            try:
                await work()
            except ProofwalkError as error:
                _log.warning(
                    "money_not_looked_at",
                    account_id=account_id,
                    code=error.code,
                    reason=error.message,
                )

    async def tend(self) -> None:
        """Take up proofs whose process died, and sweep what is quarantined, a few
        accounts side by side."""
        pool = self._pool
        async with pool.database.read() as transaction:
            waiting = [
                *await repository.unattended(transaction, LeaseState.PROVING, pool.clock.now()),
                *await repository.unattended(transaction, LeaseState.QUARANTINED, pool.clock.now()),
            ]
        turns = asyncio.Semaphore(pool.settings.sweep_concurrency)
        async with asyncio.TaskGroup() as group:
            for account in waiting:
                group.create_task(self._tend(account, turns))

    async def _tend(self, account: Account, turns: asyncio.Semaphore) -> None:
        pool = self._pool
        async with turns:
            busy_s = max(pool.settings.sweep_deadline_s, pool.settings.proof_deadline_s) + _MARGIN_S
            try:
                claimed = await pool.database.run(
                    lambda t: usecases.claim(
                        t,
                        account_id=account.account_id,
                        state=account.state,
                        busy_s=busy_s,
                        clock=pool.clock,
                    )
                )
                if claimed is None:
                    return
                if claimed.state is LeaseState.PROVING:
                    await pool.settle(claimed)
                else:
                    await pool.sweep(claimed)
            except ProofwalkError as error:
                _log.warning(
                    "account_not_tended",
                    account_id=account.account_id,
                    code=error.code,
                    reason=error.message,
                )

    async def rotate_old(self) -> None:
        """Replace the credentials of one free account, if they are old. It is out of
        service until that is done; after a crash, or where the cloud gives no answer,
        `tend` goes on with it."""
        pool = self._pool
        age_s = pool.settings.rotate_free_after_s
        if not age_s:
            return
        account = await pool.database.run(
            lambda t: idle_accounts.withdraw_for_rotation(
                t, older_than=timedelta(seconds=age_s), clock=pool.clock
            )
        )
        if account is not None:
            _log.info("credentials_due", account_id=account.account_id)
            await self._tend(account, asyncio.Semaphore())

    async def sweep_loop(self) -> None:
        """Tend now, after each sync that found something, and every `sweep_s`."""
        while True:
            try:
                await self.tend()
            except Exception:
                _log.exception("tending_failed")
            try:
                async with asyncio.timeout(self._pool.settings.sweep_s):
                    await self._synced.wait()
            except TimeoutError:
                continue
            self._synced.clear()

    async def sync_loop(self) -> None:
        """Read every target's accounts, soon again where that failed."""
        while True:
            try:
                complete = await self.sync()
            except Exception:
                complete = False
                _log.exception("syncing_failed")
            await asyncio.sleep(
                self._pool.settings.sync_s
                if complete
                else min(_EAGER_S, self._pool.settings.sync_s)
            )

    async def sync(self) -> bool:
        """Read every target's accounts; whether all could be read and each has one."""
        complete = True
        for target_id in self._pool.clouds.catalog.with_clouds():
            try:
                added = await self._pool.sync(target_id)
                if added:
                    _log.info("accounts_added", target=target_id, count=added)
                    self._synced.set()
                complete = complete and bool(await self._pool.accounts(target_id))
                self._unread.pop(target_id, None)
            except (ProofwalkError, TimeoutError) as error:
                complete = False
                reason = str(error)
                if self._unread.get(target_id) != reason:
                    _log.warning("accounts_not_read", target=target_id, reason=reason)
                self._unread[target_id] = reason
            except Exception:
                complete = False
                _log.exception("accounts_not_read", target=target_id)
        return complete
