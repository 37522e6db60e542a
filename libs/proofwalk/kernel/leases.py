"""The lease state machine: at most one holder at a time, proven by an epoch.

    free --acquire--> leased --release--> proving --clean--> free
                        |                    `--dirty--> quarantined --restore--> free
                        `--expire, revoke--> quarantined
    free --withdraw--> quarantined

The epoch grows by one at every grant, expiry and revocation, and each call of a holder
carries the epoch that it was granted: a holder that slept past its time meets
`lease.stale_epoch`, whatever it wanted. An expired lease never goes straight to free;
what the late holder left behind has to be looked at first. Functions are pure;
`account_pool` and `sandbox_scheduler` apply them inside one compare-and-swap UPDATE.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from proofwalk.kernel.errors import ProofwalkError, Status, conflict

OVER_BUDGET = "account.over_budget"
LOST = ("lease.stale_epoch", "lease.not_found", OVER_BUDGET)
"""Codes that tell a caller that the lease is not its own any more."""


class LeaseState(StrEnum):
    """Where a leasable thing is in its life."""

    FREE = "free"
    LEASED = "leased"
    PROVING = "proving"
    QUARANTINED = "quarantined"


@dataclass(frozen=True, kw_only=True)
class Lease:
    """The lease fields of a leasable thing (an account, a sandbox)."""

    state: LeaseState = LeaseState.FREE
    epoch: int = 0
    holder: str = ""
    expires_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class LeaseRef:
    """A holder's lease on an account, as it shows it to other roles."""

    lease_id: str
    epoch: int
    target: str


def stale_epoch(epoch: int, current: int) -> ProofwalkError:
    """The error of a holder whose time has passed."""
    return ProofwalkError(
        "lease.stale_epoch",
        f"the lease with epoch {epoch} has ended; the current epoch is {current}",
        status=Status.ABORTED,
        hint="stop the work that used it; acquire a lease of your own",
    )


def acquire(lease: Lease, *, holder: str, now: datetime, ttl: timedelta) -> Lease:
    """Grant a free thing to `holder`; raises `lease.not_free` otherwise."""
    if lease.state is not LeaseState.FREE:
        raise conflict(
            "lease.not_free",
            f"it is {lease.state}, held by {lease.holder!r}",
            hint="acquire another one",
        )
    if ttl <= timedelta(0):
        raise conflict("lease.bad_ttl", f"a lease needs a positive time to live, got {ttl}")
    return Lease(
        state=LeaseState.LEASED, epoch=lease.epoch + 1, holder=holder, expires_at=now + ttl
    )


def check(lease: Lease, *, epoch: int, now: datetime) -> None:
    """Raise `lease.stale_epoch` unless `epoch` holds a live lease at `now`."""
    if (
        lease.epoch != epoch
        or lease.state is not LeaseState.LEASED
        or lease.expires_at is None
        or now >= lease.expires_at
    ):
        raise stale_epoch(epoch, lease.epoch)


def renew(lease: Lease, *, epoch: int, now: datetime, ttl: timedelta) -> Lease:
    """Extend a live lease to `now + ttl`."""
    check(lease, epoch=epoch, now=now)
    return replace(lease, expires_at=now + ttl)


def release(lease: Lease, *, epoch: int, now: datetime) -> Lease:
    """Hand a live lease back; the thing is then to be proven clean."""
    check(lease, epoch=epoch, now=now)
    return replace(lease, state=LeaseState.PROVING, expires_at=None)


def expire(lease: Lease, *, now: datetime) -> Lease:
    """What the reaper does with a lease whose time has passed; leaves every other lease
    as it is."""
    if (
        lease.state is LeaseState.LEASED
        and lease.expires_at is not None
        and now >= lease.expires_at
    ):
        return Lease(state=LeaseState.QUARANTINED, epoch=lease.epoch + 1)
    return lease


def revoke(lease: Lease, *, epoch: int, now: datetime) -> Lease:
    """Take a live lease away from its holder. What it left behind has to be looked
    at."""
    check(lease, epoch=epoch, now=now)
    return Lease(state=LeaseState.QUARANTINED, epoch=lease.epoch + 1)


def withdraw(lease: Lease) -> Lease:
    """Take a free thing out of service; raises `lease.not_free` otherwise."""
    if lease.state is not LeaseState.FREE:
        raise conflict(
            "lease.not_free",
            f"it is {lease.state}, held by {lease.holder!r}",
            hint="wait until it is free",
        )
    return Lease(state=LeaseState.QUARANTINED, epoch=lease.epoch)


def proven(lease: Lease, *, clean: bool) -> Lease:
    """The cleanliness proof's result."""
    if lease.state is not LeaseState.PROVING:
        raise conflict("lease.not_proving", f"no proof is under way: it is {lease.state}")
    return Lease(state=LeaseState.FREE if clean else LeaseState.QUARANTINED, epoch=lease.epoch)


def restore(lease: Lease) -> Lease:
    """Take a quarantined thing back into service (after a sweep and a fresh proof)."""
    if lease.state is not LeaseState.QUARANTINED:
        raise conflict(
            "lease.not_quarantined", f"only a quarantined one is restored: it is {lease.state}"
        )
    return Lease(state=LeaseState.FREE, epoch=lease.epoch)
