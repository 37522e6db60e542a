"""What may happen to an account, one function and one transaction each. States move by
the kernel's lease machine alone.

Every function reads the row, applies a transition and saves it by compare-and-swap;
none does anything but SQL, so that a transaction that lost a race can be run again.
Calls to the cloud lie between them, in `pool`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from enum import StrEnum

from proofwalk.account_pool import queue, repository
from proofwalk.account_pool.costs import over_budget
from proofwalk.account_pool.domain import (
    MAX_REASON,
    Account,
    Grant,
    Proof,
    knows_credentials,
    plain,
    sweep_pause,
)
from proofwalk.account_pool.journal import following
from proofwalk.account_pool.queue import Patience, Ticket
from proofwalk.account_pool.vault import Vault
from proofwalk.chassis.database import Transaction
from proofwalk.cloud.ports import CloudAccount, ResourceRef
from proofwalk.kernel import leases
from proofwalk.kernel.account_pools import Demand
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, Status, conflict, not_found
from proofwalk.kernel.ids import IdSource
from proofwalk.kernel.leases import LeaseState, stale_epoch


class CredentialKind(StrEnum):
    """What a holder may ask for."""

    CONSOLE_LOGIN = "console_login"
    ACCESS_KEY = "access_key"


def _moved(account: Account, lease: leases.Lease, **changes: object) -> Account:
    """The account with the kernel's fields and further changes."""
    kernel = {
        "state": lease.state,
        "epoch": lease.epoch,
        "holder": lease.holder,
        "expires_at": lease.expires_at,
    }
    return replace(account, **{**kernel, **changes})  # type: ignore[arg-type]  # names of fields


_ENDED: Mapping[str, object] = {
    "lease_id": "",
    "request_id": None,
    "holder": "",
    "busy_until": None,
}


async def acquire(
    transaction: Transaction,
    *,
    request_id: str,
    target: str,
    demand: Demand,
    holder: str,
    ttl: timedelta,
    clock: Clock,
    ids: IdSource,
    max_cost_micros: int | None = None,
    patience: Patience = Patience(),  # noqa: B008 -- frozen
) -> Account | ProofwalkError:
    """Grant the narrowest account that serves the demand, of these the longest free, to
    cost no more than that much, if it is the caller's turn; else the error to tell it,
    returned so that its place in the queue is kept. The same request is given the same
    lease while it lives, whatever its account serves by now. Raises
    `account.no_pool`."""
    now = clock.now()
    held = await _lease_of(transaction, request_id, target=target, holder=holder, now=now)
    if held is not None:
        return held
    turn = await queue.turn(
        transaction, request_id=request_id, target=target, demand=demand, now=now
    )
    free = None
    for dedication in turn.takes:
        # Others may be about to take all with the same dedication.
        free = free or await repository.longest_free(transaction, target, demand.role, dedication)
    if free is None:
        asked = Ticket(
            request_id=request_id,
            target=target,
            role=demand.role,
            site=demand.site,
            purpose=demand.purpose,
            holder=holder,
            asked_at=now,
            gives_up_at=now + patience.wait,
            until=now + min(patience.ticket, patience.wait),
        )
        await queue.take_place(transaction, asked, patience)
        return queue.none_free(target, demand, turn.before)
    await queue.drop(transaction, request_id)
    granted = _moved(
        free,
        leases.acquire(free.lease, holder=holder, now=now, ttl=ttl),
        lease_id=ids.new("lease"),
        request_id=request_id,
        baseline=None,
        leftovers=(),
        reason="",
    )
    await repository.save(transaction, granted, was=free)
    begun = _granted(granted, request_id, now)
    grant = replace(begun, purpose=demand.purpose, max_cost_micros=max_cost_micros)
    await repository.add_grant(transaction, grant)
    return granted


def _granted(account: Account, request_id: str, now: datetime) -> Grant:
    """The line of the ledger that a lease begins with."""
    return Grant(
        lease_id=account.lease_id,
        account_id=account.account_id,
        target=account.target,
        epoch=account.epoch,
        holder=account.holder,
        request_id=request_id,
        granted_at=now,
        site=account.dedication.site,
    )


async def _lease_of(
    transaction: Transaction, request_id: str, *, target: str, holder: str, now: datetime
) -> Account | None:
    """What the request was given before, if its lease lives; one whose time has passed
    is ended."""
    held = await repository.holding(transaction, request_id)
    if held is None:
        return None
    if (held.target, held.holder) != (target, holder):
        raise conflict(
            "lease.request_mismatch",
            f"request {request_id!r} was made before for {held.holder!r} on {held.target!r}",
        )
    if held.expires_at is not None and now < held.expires_at:
        return held
    await _expire(transaction, held, now)
    return None


async def live(transaction: Transaction, *, lease_id: str, epoch: int, clock: Clock) -> Account:
    """The account of a live lease. Raises `lease.not_found`, `lease.stale_epoch`, and
    what the pool ended it for (`account.over_budget`)."""
    grant = await repository.grant(transaction, lease_id)
    if grant is None:
        raise not_found("lease.not_found", f"there is no lease {lease_id!r}", hint="acquire one")
    account = await repository.account(transaction, grant.account_id)
    if grant.ending and grant.epoch == epoch:
        raise over_budget(grant)
    if account is None or account.lease_id != lease_id:
        raise stale_epoch(epoch, account.epoch if account else grant.epoch)
    leases.check(account.lease, epoch=epoch, now=clock.now())
    return account


async def set_baseline(
    transaction: Transaction,
    *,
    lease_id: str,
    epoch: int,
    baseline: Sequence[ResourceRef],
    clock: Clock,
) -> Account:
    """Note what existed at the grant; the first note stays."""
    account = await live(transaction, lease_id=lease_id, epoch=epoch, clock=clock)
    if account.baseline is not None:
        return account
    noted = replace(account, baseline=tuple(sorted(baseline)))
    await repository.save(transaction, noted, was=account)
    return noted


async def undo_grant(transaction: Transaction, *, lease_id: str, epoch: int, clock: Clock) -> None:
    """Take back a lease that was never handed out, hence has nothing to prove."""
    account = await live(transaction, lease_id=lease_id, epoch=epoch, clock=clock)
    now = clock.now()
    released = leases.release(account.lease, epoch=epoch, now=now)
    freed = _moved(account, leases.proven(released, clean=True), **_ENDED)
    await repository.save(transaction, freed, was=account)
    await repository.end_grant(transaction, lease_id, at=now, proof=None)


async def renew(
    transaction: Transaction, *, lease_id: str, epoch: int, ttl: timedelta, clock: Clock
) -> Account:
    """Extend a live lease."""
    account = await live(transaction, lease_id=lease_id, epoch=epoch, clock=clock)
    renewed = _moved(account, leases.renew(account.lease, epoch=epoch, now=clock.now(), ttl=ttl))
    await repository.save(transaction, renewed, was=account)
    return renewed


async def begin_release(
    transaction: Transaction, *, lease_id: str, epoch: int, busy_s: float, clock: Clock
) -> tuple[Account, Proof | None]:
    """Start proving, or go on with it; the proof is there if it was found before."""
    now = clock.now()
    grant = await repository.grant(transaction, lease_id)
    if grant is not None and grant.epoch == epoch:
        account = await repository.account(transaction, grant.account_id)
        if account is not None and grant.proof is not None:
            return account, grant.proof
        if (
            account is not None
            and account.state is LeaseState.PROVING
            and account.lease_id == lease_id
        ):
            return account, None
    account = await live(transaction, lease_id=lease_id, epoch=epoch, clock=clock)
    proving = _moved(
        account,
        leases.release(account.lease, epoch=epoch, now=now),
        request_id=None,
        busy_until=now + timedelta(seconds=busy_s),
    )
    await repository.save(transaction, proving, was=account)
    return proving, None


async def end_release(
    transaction: Transaction, *, lease_id: str, proof: Proof, clock: Clock, shortage: str = ""
) -> Proof:
    """Free or quarantine by what the proof found and what the account has left; the
    first proof of a lease stays."""
    grant = await repository.grant(transaction, lease_id)
    if grant is None:
        raise not_found("lease.not_found", f"there is no lease {lease_id!r}")
    account = await repository.account(transaction, grant.account_id)
    if grant.proof is not None:
        return grant.proof
    if account is None or account.state is not LeaseState.PROVING or account.lease_id != lease_id:
        raise stale_epoch(grant.epoch, account.epoch if account else grant.epoch)
    now = clock.now()
    unrotated = "its credentials could not be replaced" if account.rotating else ""
    reason = proof.words() or unrotated or shortage
    ended = _moved(
        account,
        leases.proven(account.lease, clean=not reason),
        **_ENDED,
        leftovers=proof.leftovers,
        reason=reason[:MAX_REASON],
        freed_at=now if not reason else account.freed_at,
        sweep_attempts=0,
    )
    await repository.save(transaction, ended, was=account)
    await repository.end_grant(transaction, lease_id, at=now, proof=proof)
    return proof


async def expire_due(transaction: Transaction, *, clock: Clock) -> list[Account]:
    """Quarantine what late holders had; returns it as it is afterwards."""
    now = clock.now()
    return [
        await _expire(transaction, account, now)
        for account in await repository.expired(transaction, now)
    ]


async def _expire(transaction: Transaction, account: Account, now: datetime) -> Account:
    reason = f"the lease of {account.holder} ended without a release"
    ended = _moved(
        account, leases.expire(account.lease, now=now), **_ENDED, reason=reason, sweep_attempts=0
    )
    await repository.save(transaction, ended, was=account)
    await repository.end_grant(transaction, account.lease_id, at=now, proof=None)
    return ended


async def claim(
    transaction: Transaction, *, account_id: str, state: LeaseState, busy_s: float, clock: Clock
) -> Account | None:
    """Take up the work that waits at an account; None if somebody else is at it or its
    state has changed."""
    now = clock.now()
    account = await repository.account(transaction, account_id)
    if (
        account is None
        or account.state is not state
        or (account.busy_until is not None and account.busy_until > now)
    ):
        return None
    claimed = replace(account, busy_until=now + timedelta(seconds=busy_s))
    await repository.save(transaction, claimed, was=account)
    return claimed


async def begin_rotation(transaction: Transaction, *, account: Account) -> None:
    """Note that the stored credentials are about to become void. Written before the
    cloud is asked."""
    current = await _same(transaction, account)
    await repository.save(transaction, replace(current, rotating=True), was=current)


async def end_rotation(
    transaction: Transaction, *, account: Account, secret: str | None, clock: Clock
) -> Account:
    """Store fresh credentials; `secret` is None where the cloud cannot replace them and
    the stored ones stay."""
    current = await _same(transaction, account)
    fresh = replace(
        current,
        rotating=False,
        rotated_at=clock.now(),
        secret=current.secret if secret is None else secret,
    )
    await repository.save(transaction, fresh, was=current)
    if secret is not None:
        await _record(transaction, fresh, "rotate", clock)
    return fresh


async def finish_sweep(
    transaction: Transaction, *, account: Account, proof: Proof | None, failure: str, clock: Clock
) -> Account:
    """Free an account that was found clean, or note when to look again. `proof` is None
    where none could be made."""
    current = await _same(transaction, account)
    now = clock.now()
    reason = failure or (proof.words() if proof else "")
    if not reason and (current.rotating or not current.secret):
        reason = "its credentials are not known"
    if reason:
        attempts = current.sweep_attempts + 1
        again = now + sweep_pause(attempts)
        left = proof.leftovers if proof else current.leftovers
        waiting = replace(
            current,
            reason=reason[:MAX_REASON],
            leftovers=left,
            sweep_attempts=attempts,
            busy_until=again,
        )
        await repository.save(transaction, waiting, was=current)
        return waiting
    freed = _moved(
        current,
        leases.restore(current.lease),
        **_ENDED,
        leftovers=(),
        reason="",
        baseline=None,
        freed_at=now,
        sweep_attempts=0,
    )
    await repository.save(transaction, freed, was=current)
    return freed


async def sync(
    transaction: Transaction,
    *,
    target: str,
    found: Sequence[CloudAccount],
    vault: Vault,
    clock: Clock,
    ids: IdSource,
) -> int:
    """Take over what the target names now; returns how many accounts are new.

    An account whose credentials the source does not tell is new in quarantine: rotating
    them is what takes it into service.
    """
    known = {
        account.external_id: account for account in await repository.accounts(transaction, target)
    }
    added = 0
    for item in found:
        account = known.pop(item.external_id, None)
        told = knows_credentials(item)
        if account is None:
            added += 1
            new = Account(
                account_id=ids.new("acc"),
                target=target,
                external_id=item.external_id,
                role=item.role,
                dedication=item.dedication,
            )
            if told:
                new = replace(new, secret=vault.seal(item))
            else:
                new = replace(
                    new,
                    state=LeaseState.QUARANTINED,
                    reason="new here: its credentials are to be replaced",
                    rotating=True,
                )
            await repository.add(transaction, new)
            continue
        current = replace(account, offered=True, role=item.role, dedication=item.dedication)
        idle = account.state in (LeaseState.FREE, LeaseState.QUARANTINED)
        if (
            told
            and idle
            and (
                not account.secret
                or plain(vault.open(item.external_id, account.secret)) != plain(item)
            )
        ):
            current = replace(current, secret=vault.seal(item), rotating=False)
        if current != account:
            await repository.save(transaction, current, was=account)
    for account in known.values():
        if account.offered:
            await repository.save(transaction, replace(account, offered=False), was=account)
    return added


async def reveal(
    transaction: Transaction,
    *,
    lease_id: str,
    epoch: int,
    kind: CredentialKind,
    vault: Vault,
    clock: Clock,
) -> tuple[Account, Mapping[str, str]]:
    """The fields of one credential, with a row in the journal. Raises
    `account.no_such_credential`."""
    account = await live(transaction, lease_id=lease_id, epoch=epoch, clock=clock)
    document = plain(vault.open(account.external_id, account.secret))
    given = document["login" if kind is CredentialKind.CONSOLE_LOGIN else "access_key"]
    if not given:
        raise conflict(
            "account.no_such_credential",
            f"account {account.external_id!r} has no {kind.replace('_', ' ')}",
            hint="give it one where the target's accounts come from",
            details={"external_id": account.external_id},
        )
    await _record(transaction, account, f"reveal:{kind}", clock)
    if kind is CredentialKind.ACCESS_KEY:
        given = {"access_key_id": given["id"], "access_key_secret": given["secret"]}
    return account, given


async def _record(transaction: Transaction, account: Account, action: str, clock: Clock) -> None:
    last = await repository.journal_head(transaction)
    entry = following(
        last,
        at=clock.now(),
        action=action,
        account_id=account.account_id,
        lease_id=account.lease_id,
        epoch=account.epoch,
        holder=account.holder,
    )
    await repository.add_entry(transaction, entry)


async def _same(transaction: Transaction, account: Account) -> Account:
    """The account as it is now, if it is still in the state and epoch in which the
    caller found it."""
    current = await repository.account(transaction, account.account_id)
    if current is None or (current.state, current.epoch) != (account.state, account.epoch):
        raise ProofwalkError(
            "account.moved_on",
            "the account changed while it was being worked on",
            status=Status.ABORTED,
            hint="look at it again",
        )
    return current
