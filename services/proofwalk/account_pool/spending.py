"""What leases cost and accounts have left, as the cloud tells it, kept in rows.

Money never stands in the way of cleanliness: a bill that cannot be read leaves the last
figure as it is, says so in the log, and is read again. A cloud without a bill has no
figure, which is not 0.

A lease with a cap is read while it lives, and each lease when it is released and before
what a late holder left is swept: a sweep may give money back, and a rotation may begin
the account's books again.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import structlog

from proofwalk.account_pool import costs, repository
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
        self, cloud: Cloud, account: Account, *, capped_only: bool = False
    ) -> None:
        """Read what the account's newest lease cost, unless that was done after its
        end; ends it if that is more than it may. With `capped_only`, one without a cap
        is not looked at."""
        if cloud.billing is None:
            return
        async with self.database.read() as transaction:
            grant = await repository.last_grant(transaction, account.account_id)
        if grant is None or grant.is_settled or (capped_only and grant.max_cost_micros is None):
            return
        cost = await self._spent(cloud.billing, account, grant)
        if cost is None:
            return
        ended = await self.database.run(
            lambda t: costs.note_cost(t, lease_id=grant.lease_id, cost=cost, clock=self.clock)
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
            return await repository.grants(
                transaction, target=target, account_id=account_id, limit=limit
            )

    def _minimum(self, balance: Money) -> Money:
        return Money.of(self.settings.min_balance, balance.currency)

    async def _spent(self, billing: Billing, account: Account, grant: Grant) -> Money | None:
        try:
            async with asyncio.timeout(CALL_S):
                return await billing.spend(
                    self.vault.of_account(account), since=grant.granted_at, until=self.clock.now()
                )
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
