"""What is done to an account that nobody holds, one function and one transaction each,
as in `usecases`: the sweep of orphans takes it for itself and hands it back; one whose
credentials are old is taken out of service until they have been replaced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from proofwalk.account_pool import queue, repository, usecases
from proofwalk.account_pool.domain import MAX_REASON, Account, Grant, due_for_rotation
from proofwalk.chassis.database import Transaction
from proofwalk.cloud.ports import ResourceRef
from proofwalk.kernel import leases
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.ids import IdSource
from proofwalk.kernel.leases import LeaseState


async def take(
    transaction: Transaction,
    account_id: str,
    *,
    holder: str,
    ttl: timedelta,
    clock: Clock,
    ids: IdSource,
) -> Account | None:
    """Lease a certain account; None if it is not free."""
    account = await repository.account(transaction, account_id)
    if account is None or account.state is not LeaseState.FREE:
        return None
    now = clock.now()
    lease = leases.acquire(account.lease, holder=holder, now=now, ttl=ttl)
    lease_id = ids.new("lease")
    taken = replace(
        account,
        state=lease.state,
        epoch=lease.epoch,
        holder=lease.holder,
        expires_at=lease.expires_at,
        lease_id=lease_id,
        request_id=f"{holder}:{lease_id}",
        baseline=None,
        leftovers=(),
        reason="",
    )
    await repository.save(transaction, taken, was=account)
    grant = Grant(
        lease_id=lease_id,
        account_id=account_id,
        target=account.target,
        epoch=taken.epoch,
        holder=holder,
        request_id=f"{holder}:{lease_id}",
        granted_at=now,
        site=account.dedication.site,
    )
    await repository.add_grant(transaction, grant)
    return taken


async def withdraw_for_rotation(
    transaction: Transaction, *, older_than: timedelta, clock: Clock
) -> Account | None:
    """Take the free account with the oldest credentials out of service, with the intent
    to replace them, if they are so old and it can be spared; the sweep of quarantined
    accounts replaces them and frees it. What it holds is its own. None for none."""
    now = clock.now()
    account = due_for_rotation(
        await repository.accounts(transaction),
        before=now - older_than,
        waited_for=await queue.waited_for(transaction, now=now),
    )
    if account is None:
        return None
    withdrawn = replace(
        account,
        state=leases.withdraw(account.lease).state,
        rotating=True,
        reason="its credentials are due to be replaced",
        baseline=None,
        leftovers=(),
        busy_until=None,
        sweep_attempts=0,
    )
    await repository.save(transaction, withdrawn, was=account)
    return withdrawn


async def quarantine(
    transaction: Transaction,
    taken: Account,
    *,
    own: Sequence[ResourceRef],
    leftovers: Sequence[ResourceRef],
    reason: str,
    clock: Clock,
) -> None:
    """End a lease of `take` with what could not be deleted; the quarantine's sweep
    deletes whatever is not the account's `own`. Raises `lease.stale_epoch`."""
    account = await usecases.live(
        transaction, lease_id=taken.lease_id, epoch=taken.epoch, clock=clock
    )
    now = clock.now()
    released = leases.release(account.lease, epoch=taken.epoch, now=now)
    dirty = leases.proven(released, clean=False)
    ended = replace(
        account,
        state=dirty.state,
        epoch=dirty.epoch,
        holder="",
        expires_at=dirty.expires_at,
        lease_id="",
        request_id=None,
        busy_until=None,
        baseline=tuple(sorted(own)),
        leftovers=tuple(sorted(leftovers)),
        reason=reason[:MAX_REASON],
        sweep_attempts=0,
    )
    await repository.save(transaction, ended, was=account)
    await repository.end_grant(transaction, taken.lease_id, at=now, proof=None)


async def disown(
    transaction: Transaction, account: Account, orphans: Sequence[ResourceRef]
) -> Account:
    """Take from a quarantined account's baseline what runs left: it is not the
    account's own."""
    current = await repository.account(transaction, account.account_id)
    if current is None or current.baseline is None:
        return account
    own = tuple(item for item in current.baseline if item not in set(orphans))
    disowned = replace(current, baseline=own)
    await repository.save(transaction, disowned, was=current)
    return disowned
