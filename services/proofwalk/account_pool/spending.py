"""What leases cost and accounts have left, as the cloud tells it, kept in rows.

Money never stands in the way of cleanliness: a bill that cannot be read leaves the last
figure as it is, says so in the log, and is read again. A cloud without a bill has no
figure, which is not 0.

A lease with a cap is read while it lives. Each lease is read when its release has been
proven; one that left something, before that is swept (a sweep may give money back, and
a rotation may begin the account's books again) and when nothing of it is left: what
runs until then costs it. That last figure settles it. Where the bill gave no answer
then, it is read later, for the time up to the account's next lease.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog

from proofwalk.account_pool import costs, ledger, repository
from proofwalk.account_pool.domain import Account, Grant
from proofwalk.account_pool.gauges import PoolMetrics
from proofwalk.account_pool.proving import CALL_S
from proofwalk.account_pool.settings import AccountPoolSettings
from proofwalk.account_pool.vault import Vault
from proofwalk.chassis.database import Database
from proofwalk.cloud.adapters import Clouds
from proofwalk.cloud.money import MICROS, Money
from proofwalk.cloud.ports import Billing, Cloud
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, conflict, invalid
from proofwalk.kernel.leases import LeaseState

LATE_S = 86_400.0
"""Seconds after its end in which a lease's late bill is read."""
LATE_LEASES = 50
"""Most leases whose late bill is read in one look."""
_log: structlog.stdlib.BoundLogger = structlog.get_logger()


@dataclass(frozen=True, kw_only=True)
class Spending:
    """The money side of the pool."""

    database: Database
    clouds: Clouds
    vault: Vault
    settings: AccountPoolSettings
    clock: Clock
    metrics: PoolMetrics

    def cap(self, cloud: Cloud, asked: float | None) -> int | None:
        """What a lease may cost, in millionths: the lower of the request and the
        setting. Raises `account.bad_cap`, `account.no_bill`."""
        if asked is not None and not 0 < asked <= 1e9:
            raise invalid("account.bad_cap", f"a lease's cap is more than 0, not {asked:g}")
        if cloud.billing is None:
            if asked is not None:
                raise conflict(
                    "account.no_bill",
                    "the target's cloud tells no bill, so no cap can be kept",
                    hint="ask without max_cost",
                )
            return None
        bounds = [one for one in (asked, self.settings.max_lease_cost) if one is not None]
        return round(min(bounds) * MICROS) if bounds else None

    async def note_lease(
        self, cloud: Cloud, account: Account, *, capped_only: bool = False, settled: bool = False
    ) -> None:
        """Read what the account's newest lease cost, unless that is settled; ends it if
        that is more than it may. With `capped_only`, one without a cap is not looked
        at; `settled` where nothing of it is left in the account."""
        if cloud.billing is None:
            return
        async with self.database.read() as transaction:
            grant = await repository.last_grant(transaction, account.account_id)
        if grant is None or grant.settled or (capped_only and grant.max_cost_micros is None):
            return
        await self._note(cloud.billing, account, grant, until=self.clock.now(), settled=settled)

    async def late(self) -> list[Grant]:
        """Leases whose account was handed on before the bill gave an answer; given up a
        day after their end."""
        since = self.clock.now() - timedelta(seconds=LATE_S)
        async with self.database.read() as transaction:
            return await ledger.unsettled(transaction, since=since, limit=LATE_LEASES)

    async def settle(self, grant: Grant) -> None:
        """Read what a late lease cost, up to the account's next lease."""
        cloud = await self.clouds.get(grant.target)
        async with self.database.read() as transaction:
            account = await repository.account(transaction, grant.account_id)
            following = await ledger.following(transaction, grant)
        if account is not None and cloud.billing is not None:
            until = following or self.clock.now()
            await self._note(cloud.billing, account, grant, until=until, settled=True)

    async def _note(
        self, billing: Billing, account: Account, grant: Grant, *, until: datetime, settled: bool
    ) -> None:
        cost = await self._spent(billing, account, since=grant.granted_at, until=until)
        if cost is None:
            return
        ended = await self.database.run(
            lambda t: costs.note_cost(
                t, lease_id=grant.lease_id, cost=cost, clock=self.clock, settled=settled
            )
        )
        if ended is not None:
            self.metrics.over_budget.inc()
            _log.warning("lease_over_budget", account_id=ended.account_id, reason=ended.reason)

    async def shortage(self, cloud: Cloud, account: Account) -> str:
        """Read what the account has left; why it is too little to lend it, or
        nothing."""
        if cloud.billing is None:
            return ""
        balance = await self._left(cloud.billing, account)
        if balance is None:
            return ""
        minimum = self._minimum(balance)
        withdrawn = await self.database.run(
            lambda t: costs.note_balance(
                t, account_id=account.account_id, balance=balance, minimum=minimum
            )
        )
        if withdrawn is not None:
            _log.warning(
                "account_withdrawn", account_id=withdrawn.account_id, reason=withdrawn.reason
            )
        return costs.low_balance_words(balance, minimum) if balance.micros < minimum.micros else ""

    async def look(self, account: Account) -> None:
        """Bring one account's figures up to date: the cost of a lease with a cap, the
        balance of a free account."""
        cloud = await self.clouds.get(account.target)
        if account.state is LeaseState.LEASED:
            await self.note_lease(cloud, account, capped_only=True)
        elif account.state is LeaseState.FREE and account.secret:
            await self.shortage(cloud, account)

    async def ledger(self, *, target: str, account_id: str, limit: int) -> list[Grant]:
        """Leases with what they cost, newest first."""
        async with self.database.read() as transaction:
            return await ledger.grants(
                transaction, target=target, account_id=account_id, limit=limit
            )

    def _minimum(self, balance: Money) -> Money:
        return Money.of(self.settings.min_balance, balance.currency)

    async def _spent(
        self, billing: Billing, account: Account, *, since: datetime, until: datetime
    ) -> Money | None:
        try:
            async with asyncio.timeout(CALL_S):
                opened = self.vault.of_account(account)
                return await billing.spend(opened, since=since, until=until)
        except (ProofwalkError, TimeoutError) as error:
            self._unread("cost_not_read", account, error)
            return None

    async def _left(self, billing: Billing, account: Account) -> Money | None:
        try:
            async with asyncio.timeout(CALL_S):
                return await billing.balance(self.vault.of_account(account))
        except (ProofwalkError, TimeoutError) as error:
            self._unread("balance_not_read", account, error)
            return None

    def _unread(self, event: str, account: Account, error: Exception) -> None:
        self.metrics.bills_unread.inc()
        _log.warning(event, account_id=account.account_id, reason=str(error))
