"""What money does to leases and accounts, one function and one transaction each, as in
`usecases`: a lease that cost more than it may is ended, an account with too little left
is taken out of service.

An ended lease keeps the code that it was ended for, so that every later call of its
holder is told that, and not merely that its time has passed.
"""

from __future__ import annotations

from dataclasses import replace

from proofwalk.account_pool import ledger, repository
from proofwalk.account_pool.domain import MAX_REASON, Account, Grant
from proofwalk.chassis.database import Transaction
from proofwalk.cloud.money import MICROS, Money
from proofwalk.kernel import leases
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.kernel.leases import OVER_BUDGET, LeaseState
from proofwalk.kernel.outcomes import EnvCause


def over_budget(grant: Grant) -> ProofwalkError:
    """The error of a holder whose lease cost more than it may."""
    return ProofwalkError(
        OVER_BUDGET,
        over_budget_words(grant),
        status=Status.FAILED_PRECONDITION,
        hint="the pool sweeps the account; raise the cap (max_cost) if this is what it takes",
        cause=EnvCause.ACCOUNT,
    )


def over_budget_words(grant: Grant) -> str:
    """Why the pool ended the lease."""
    cap = (grant.max_cost_micros or 0) / MICROS
    return f"the lease of {grant.holder} cost {grant.cost}, more than its cap of {cap:.2f}"


def low_balance_words(balance: Money, minimum: Money) -> str:
    """Why an account is not lent."""
    return f"its balance of {balance} is under {minimum}: top it up at the cloud"


async def note_cost(
    transaction: Transaction, *, lease_id: str, cost: Money, clock: Clock, settled: bool = False
) -> Account | None:
    """Keep what a lease cost up to now, for good if it is `settled`; ends it if it is
    live and that is more than it may. What a sweep is given back after its end is not
    taken off. Returns the account if it was ended."""
    now = clock.now()
    before = await repository.grant(transaction, lease_id)
    if before is not None and before.ended_at is not None and before.cost is not None:
        cost = max(cost, before.cost, key=lambda one: one.micros)
    await ledger.note_cost(transaction, lease_id, cost=cost, at=now, settled=settled)
    grant = await repository.grant(transaction, lease_id)
    if grant is None or grant.ended_at is not None or not grant.over(cost):
        return None
    account = await repository.account(transaction, grant.account_id)
    if account is None or account.state is not LeaseState.LEASED or account.lease_id != lease_id:
        return None
    try:
        revoked = leases.revoke(account.lease, epoch=grant.epoch, now=now)
    except ProofwalkError as error:
        if error.code != "lease.stale_epoch":
            raise
        return None  # its time has passed; the reaper ends it
    ended = replace(
        account,
        state=revoked.state,
        epoch=revoked.epoch,
        holder="",
        expires_at=None,
        lease_id="",
        request_id=None,
        busy_until=None,
        reason=over_budget_words(grant)[:MAX_REASON],
        sweep_attempts=0,
    )
    await repository.save(transaction, ended, was=account)
    await repository.end_grant(transaction, lease_id, at=now, proof=None, ending=OVER_BUDGET)
    return ended


async def note_balance(
    transaction: Transaction, *, account_id: str, balance: Money, minimum: Money
) -> Account | None:
    """Keep what an account has left; takes it out of service if it is free and that is
    too little. Returns the account if it was taken out."""
    await repository.note_balance(transaction, account_id, balance)
    account = await repository.account(transaction, account_id)
    if account is None or account.state is not LeaseState.FREE or balance.micros >= minimum.micros:
        return None
    withdrawn = replace(
        account,
        state=leases.withdraw(account.lease).state,
        reason=low_balance_words(balance, minimum)[:MAX_REASON],
        busy_until=None,
        sweep_attempts=0,
    )
    await repository.save(transaction, withdrawn, was=account)
    return withdrawn
