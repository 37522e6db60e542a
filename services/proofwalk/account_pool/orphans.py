"""Orphans: what runs left behind in any account, told by the run's mark and their age,
and swept without touching anything that a live lease holds.

A proof compares an account with what was there at the grant, so what was left before
the grant is not seen by it; this looks at every account instead. A free account that
has orphans is leased to the sweep itself while they go, so that nobody else can get it,
and is judged anew under that lease; if some are left, it goes into quarantine with
them. One in quarantine is claimed as the worker claims it, and then swept as a whole.
What is leased or being proven is left alone. Should this process die, the sweep's own
lease runs out, and quarantine follows as for any holder.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

import structlog

from proofwalk.account_pool import idle_accounts, usecases
from proofwalk.account_pool.domain import Account
from proofwalk.account_pool.pool import Pool
from proofwalk.account_pool.proving import CALL_S
from proofwalk.chassis.database import Transaction
from proofwalk.cloud.ports import Inventory, ResourceRef
from proofwalk.cloud.sweeping import created_at, delete_until_gone, dependents_first, run_of
from proofwalk.kernel.errors import ProofwalkError, invalid
from proofwalk.kernel.leases import LeaseState

HOLDER = "orphan-sweep"
"""Who holds an account while its orphans go."""
_MARGIN_S = 30.0
_log: structlog.stdlib.BoundLogger = structlog.get_logger()


class Fate(StrEnum):
    """What becomes of an orphan."""

    DELETED = "deleted"
    WOULD_GO = "would_go"
    """It would be deleted, were this no dry run."""
    KEPT = "kept"
    LEFT = "left"
    """It was to be deleted, and is still there."""


@dataclass(frozen=True, kw_only=True)
class Orphan:
    """A resource that bears a run's mark, and what becomes of it."""

    account: Account
    resource: ResourceRef
    run: str
    fate: Fate
    reason: str
    """Why."""


def judged(
    account: Account, present: Sequence[ResourceRef], *, older_than: timedelta, now: datetime
) -> list[Orphan]:
    """The account's marked resources in the order in which they go, each with its fate
    were it swept now. Pure."""
    hold = _hold(account)
    found = []
    for resource in dependents_first([item for item in present if run_of(item)]):
        made = created_at(resource)
        if hold:
            fate, reason = Fate.KEPT, hold
        elif made is None and older_than:
            fate, reason = Fate.KEPT, "the inventory does not tell its age"
        elif made is not None and now - made < older_than:
            fate, reason = Fate.KEPT, f"{_words(now - made)} old"
        else:
            age = f", {_words(now - made)} old" if made is not None else ""
            fate, reason = Fate.WOULD_GO, f"no lease holds the account{age}"
        found.append(
            Orphan(
                account=account, resource=resource, run=run_of(resource), fate=fate, reason=reason
            )
        )
    return found


def _hold(account: Account) -> str:
    """Why nothing of the account may go; empty if it may."""
    if account.state is LeaseState.LEASED:
        return f"{account.holder} has leased the account"
    if account.state is LeaseState.PROVING:
        return "the account's release is being proven"
    return "" if account.offered else "its target does not name the account any more"


def _words(age: timedelta) -> str:
    return f"{int(age.total_seconds())} s"


@dataclass(frozen=True, kw_only=True)
class OrphanSweep:
    """Looks at every account of the pool."""

    pool: Pool

    async def sweep(self, *, target: str, older_than_s: float, dry_run: bool) -> list[Orphan]:
        """All orphans of a target's accounts (of all targets: empty) and what became of
        them. An account that cannot be looked at is told as such and stops no other.
        Raises `sweep.bad_age`, `target.unknown`."""
        if not 0 <= older_than_s <= 1e9:
            raise invalid("sweep.bad_age", f"an age is 0 s or more, not {older_than_s:g} s")
        if target:
            await self.pool.clouds.get(target)
        older_than = timedelta(seconds=older_than_s)
        turns = asyncio.Semaphore(self.pool.settings.sweep_concurrency)

        async def one(account: Account) -> list[Orphan]:
            async with turns:
                return await self._account(account, older_than, dry_run)

        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(one(account)) for account in await self.pool.accounts(target)
            ]
        return [orphan for task in tasks for orphan in task.result()]

    async def _account(
        self, account: Account, older_than: timedelta, dry_run: bool
    ) -> list[Orphan]:
        try:
            inventory = (await self.pool.clouds.get(account.target)).inventory
            if inventory is None:
                return []
            found = self._judged(account, await self._present(inventory, account), older_than)
            if dry_run or not any(orphan.fate is Fate.WOULD_GO for orphan in found):
                return found
            taken = await self.pool.database.run(lambda t: self._take(t, account))
            if taken is None:
                return [_left_alone(one, "the account is somebody's by now") for one in found]
            return await self._clear(inventory, taken, older_than)
        except (ProofwalkError, TimeoutError) as error:
            _log.warning(
                "orphans_not_swept", account_id=account.account_id, reason=_in_words(error)
            )
            return [_unseen(account, _in_words(error))]

    async def _present(self, inventory: Inventory, account: Account) -> Sequence[ResourceRef]:
        async with asyncio.timeout(CALL_S):
            return await inventory.list(self.pool.vault.of_account(account))

    def _judged(
        self, account: Account, present: Sequence[ResourceRef], older_than: timedelta
    ) -> list[Orphan]:
        return judged(account, present, older_than=older_than, now=self.pool.clock.now())

    async def _take(self, transaction: Transaction, account: Account) -> Account | None:
        """The account, kept from everybody else; None if it is not idle any more."""
        pool = self.pool
        busy_s = pool.settings.sweep_deadline_s + _MARGIN_S
        if account.state is LeaseState.QUARANTINED:
            return await usecases.claim(
                transaction,
                account_id=account.account_id,
                state=LeaseState.QUARANTINED,
                busy_s=busy_s,
                clock=pool.clock,
            )
        return await idle_accounts.take(
            transaction,
            account.account_id,
            holder=HOLDER,
            ttl=timedelta(seconds=busy_s),
            clock=pool.clock,
            ids=pool.ids,
        )

    async def _clear(
        self, inventory: Inventory, taken: Account, older_than: timedelta
    ) -> list[Orphan]:
        """Delete what is to go from an account that is the sweep's, and hand it on."""
        # Judged as what it was when it was taken: nobody's.
        idle = replace(taken, state=LeaseState.QUARANTINED)
        present: Sequence[ResourceRef] = ()
        left: Sequence[ResourceRef] = ()
        orphans: list[Orphan] = []
        failure = ""
        try:
            present = await self._present(inventory, idle)
            orphans = self._judged(idle, present, older_than)
            left = tuple(one.resource for one in orphans if one.fate is Fate.WOULD_GO)
            left = await self._delete(inventory, taken, frozenset(left))
        except (ProofwalkError, TimeoutError) as error:
            failure = _in_words(error)
        if left and not failure:
            failure = "it could not be deleted in time"
        await self._hand_on(taken, present, orphans, left, failure)
        if failure and not orphans:
            return [_unseen(taken, failure)]
        return [_after(one, left, failure) for one in orphans]

    async def _delete(
        self, inventory: Inventory, taken: Account, going: frozenset[ResourceRef]
    ) -> Sequence[ResourceRef]:
        """What is still there in the end."""
        seconds = self.pool.settings.sweep_deadline_s
        async with asyncio.timeout(seconds + CALL_S / 2):
            swept = await delete_until_gone(
                inventory,
                self.pool.vault.of_account(taken),
                going.__contains__,
                seconds=seconds,
                clock=self.pool.clock,
            )
        return swept.left

    async def _hand_on(
        self,
        taken: Account,
        present: Sequence[ResourceRef],
        orphans: Sequence[Orphan],
        left: Sequence[ResourceRef],
        failure: str,
    ) -> None:
        pool = self.pool
        if taken.state is LeaseState.QUARANTINED:
            marked = [one.resource for one in orphans]
            account = await pool.database.run(lambda t: idle_accounts.disown(t, taken, marked))
            await pool.sweep(account)
        elif not failure:
            await pool.database.run(
                lambda t: usecases.undo_grant(
                    t, lease_id=taken.lease_id, epoch=taken.epoch, clock=pool.clock
                )
            )
        else:
            own = [item for item in present if item not in left]
            await pool.database.run(
                lambda t: idle_accounts.quarantine(
                    t,
                    taken,
                    own=own,
                    leftovers=left,
                    reason=f"what runs left is there: {failure}",
                    clock=pool.clock,
                )
            )


def _in_words(error: Exception) -> str:
    return str(error) or "the cloud gave no answer in time"


def _unseen(account: Account, reason: str) -> Orphan:
    """What stands for all that an account may hold that could not be looked at."""
    nothing = ResourceRef(product="", type="", id="")
    return Orphan(account=account, resource=nothing, run="", fate=Fate.LEFT, reason=reason)


def _left_alone(orphan: Orphan, reason: str) -> Orphan:
    changed = orphan.fate is Fate.WOULD_GO
    return replace(orphan, fate=Fate.KEPT, reason=reason) if changed else orphan


def _after(orphan: Orphan, left: Sequence[ResourceRef], reason: str) -> Orphan:
    if orphan.fate is not Fate.WOULD_GO:
        return orphan
    if orphan.resource in left:
        return replace(orphan, fate=Fate.LEFT, reason=reason)
    return replace(orphan, fate=Fate.DELETED)
