"""All SQL of the account pool: accounts, the history of their leases, and the journal
of reveals.

`save` is the one way to change an account: a compare-and-swap on the state and the
epoch that the caller read. Losing it raises `database.conflict`, which has the
transaction run again from its start.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any, TypedDict

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Index,
    Integer,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
    func,
    insert,
    select,
    update,
)

from proofwalk.account_pool.domain import Account, Grant, Proof
from proofwalk.account_pool.journal import Entry
from proofwalk.chassis.database import Json, Transaction, UtcDateTime, role_metadata
from proofwalk.cloud.money import Money
from proofwalk.cloud.ports import ResourceRef
from proofwalk.kernel.account_pools import VERIFICATION, Dedication, dedicated
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.kernel.leases import LeaseState

METADATA = role_metadata()

ACCOUNTS = Table(
    "account_pool_account",
    METADATA,
    Column("account_id", String(40), primary_key=True),
    Column("target", String(64), nullable=False),
    Column("external_id", String(200), nullable=False),
    Column("role", String(64), nullable=False, default="", server_default=""),
    Column("site", String(64), nullable=False, default="", server_default=""),
    Column("purposes", String(200), nullable=False, default="", server_default=""),
    Column("state", String(20), nullable=False, index=True),
    Column("epoch", BigInteger, nullable=False),
    Column("holder", String(200), nullable=False),
    Column("expires_at", UtcDateTime),
    Column("lease_id", String(40), nullable=False),
    Column("request_id", String(200), unique=True),
    Column("secret", Text, nullable=False),
    Column("baseline", Json, nullable=True),
    Column("leftovers", Json, nullable=False),
    Column("reason", Text, nullable=False),
    Column("offered", Boolean, nullable=False),
    Column("freed_at", UtcDateTime),
    Column("busy_until", UtcDateTime),
    Column("sweep_attempts", Integer, nullable=False),
    Column("rotating", Boolean, nullable=False),
    Column("rotated_at", UtcDateTime),
    Column("balance_micros", BigInteger),
    Column("currency", String(3), nullable=False, default="", server_default=""),
    UniqueConstraint("target", "external_id"),
)

LEASES = Table(
    "account_pool_lease",
    METADATA,
    Column("lease_id", String(40), primary_key=True),
    Column("account_id", String(40), nullable=False, index=True),
    Column("target", String(64), nullable=False),
    Column("epoch", BigInteger, nullable=False),
    Column("holder", String(200), nullable=False),
    Column("request_id", String(200), nullable=False),
    Column("site", String(64), nullable=False, default="", server_default=""),
    Column("purpose", String(32), nullable=False, default="", server_default=""),
    Column("granted_at", UtcDateTime, nullable=False),
    Column("ended_at", UtcDateTime),
    Column("proof", Json, nullable=True),
    Column("cost_micros", BigInteger),
    Column("currency", String(3), nullable=False, default="", server_default=""),
    Column("max_cost_micros", BigInteger),
    Column("costed_at", UtcDateTime),
    Column("ending", String(64), nullable=False, default="", server_default=""),
    Column("settled", Boolean, nullable=False, default=False, server_default=false()),
)

TICKETS = Table(
    "account_pool_ticket",
    METADATA,
    Column("request_id", String(200), primary_key=True),
    Column("target", String(64), nullable=False),
    Column("role", String(64), nullable=False),
    Column("site", String(64), nullable=False, default="", server_default=""),
    Column(
        "purpose",
        String(32),
        nullable=False,
        default=VERIFICATION,
        server_default=VERIFICATION,
    ),
    Column("holder", String(200), nullable=False),
    Column("asked_at", UtcDateTime, nullable=False),
    Column("gives_up_at", UtcDateTime, nullable=False),
    Column("until", UtcDateTime, nullable=False, index=True),
    Index("ix_account_pool_ticket_line", "target", "role", "asked_at"),
)

JOURNAL = Table(
    "account_pool_journal",
    METADATA,
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("at", UtcDateTime, nullable=False),
    Column("action", String(40), nullable=False),
    Column("account_id", String(40), nullable=False),
    Column("lease_id", String(40), nullable=False),
    Column("epoch", BigInteger, nullable=False),
    Column("holder", String(200), nullable=False),
    Column("previous", String(64), nullable=False),
    Column("hash", String(64), nullable=False),
)


def lost_race() -> ProofwalkError:
    """Somebody changed the row between our read and our write."""
    return ProofwalkError(
        "database.conflict",
        "another transaction changed the account",
        status=Status.ABORTED,
        retryable=True,
    )


async def add(transaction: Transaction, account: Account) -> None:
    """A new account."""
    await transaction.execute(insert(ACCOUNTS).values(**_account_values(account)))


async def save(transaction: Transaction, account: Account, *, was: Account) -> None:
    """Replace `was` by `account`, if it is still what it was. Raises
    `database.conflict`."""
    where = (
        (ACCOUNTS.c.account_id == was.account_id)
        & (ACCOUNTS.c.state == was.state.value)
        & (ACCOUNTS.c.epoch == was.epoch)
    )
    changed = await transaction.execute(
        update(ACCOUNTS).where(where).values(**_account_values(account))
    )
    if changed.rowcount != 1:
        raise lost_race()


async def account(transaction: Transaction, account_id: str) -> Account | None:
    """The account with this id."""
    rows = await _accounts(transaction, ACCOUNTS.c.account_id == account_id)
    return rows[0] if rows else None


async def holding(transaction: Transaction, request_id: str) -> Account | None:
    """The account that this request holds."""
    rows = await _accounts(transaction, ACCOUNTS.c.request_id == request_id)
    return rows[0] if rows else None


async def longest_free(
    transaction: Transaction, target: str, role: str, dedication: Dedication
) -> Account | None:
    """The free account of the role and with just this dedication whose turn it is."""
    where = (
        (ACCOUNTS.c.target == target)
        & (ACCOUNTS.c.role == role)
        & (ACCOUNTS.c.site == dedication.site)
        & (ACCOUNTS.c.purposes == dedication.spelt)
        & (ACCOUNTS.c.state == LeaseState.FREE.value)
        & ACCOUNTS.c.offered
    )
    order = (ACCOUNTS.c.freed_at.is_not(None), ACCOUNTS.c.freed_at, ACCOUNTS.c.account_id)
    # Rows that others are about to take are passed over instead of waited for; SQLite
    # has one writer and needs no such word.
    statement = (
        select(ACCOUNTS).where(where).order_by(*order).limit(1).with_for_update(skip_locked=True)
    )
    row = (await transaction.execute(statement)).mappings().one_or_none()
    return _account(row) if row else None


async def accounts(transaction: Transaction, target: str = "") -> list[Account]:
    """All accounts, or those of a target."""
    return await _accounts(
        transaction, (ACCOUNTS.c.target == target) if target else ACCOUNTS.c.target.is_not(None)
    )


async def expired(transaction: Transaction, now: datetime) -> list[Account]:
    """Leased accounts whose time has passed."""
    return await _accounts(
        transaction, (ACCOUNTS.c.state == LeaseState.LEASED.value) & (ACCOUNTS.c.expires_at <= now)
    )


async def unattended(transaction: Transaction, state: LeaseState, now: datetime) -> list[Account]:
    """Accounts in a state in which work waits, that nobody is at."""
    idle = ACCOUNTS.c.busy_until.is_(None) | (ACCOUNTS.c.busy_until <= now)
    return await _accounts(
        transaction, (ACCOUNTS.c.state == state.value) & ACCOUNTS.c.offered & idle
    )


async def counts(transaction: Transaction) -> Mapping[tuple[str, Dedication, str], int]:
    """Accounts by target, dedication and state."""
    kinds = (ACCOUNTS.c.target, ACCOUNTS.c.site, ACCOUNTS.c.purposes, ACCOUNTS.c.state)
    rows = await transaction.execute(select(*kinds, func.count()).group_by(*kinds))
    return {
        (target, dedicated(site=site, purposes=purposes), state): int(count)
        for target, site, purposes, state, count in rows
    }


async def add_grant(transaction: Transaction, grant: Grant) -> None:
    """A new lease."""
    values = {item.name: getattr(grant, item.name) for item in fields(Grant)}
    await transaction.execute(insert(LEASES).values(**{**values, "proof": _proof_row(grant.proof)}))


async def grant(transaction: Transaction, lease_id: str) -> Grant | None:
    """The lease with this id, live or ended."""
    row = (
        (await transaction.execute(select(LEASES).where(LEASES.c.lease_id == lease_id)))
        .mappings()
        .one_or_none()
    )
    return grant_of(row) if row else None


async def last_grant(transaction: Transaction, account_id: str) -> Grant | None:
    """The newest lease of an account."""
    statement = select(LEASES).where(LEASES.c.account_id == account_id)
    newest = statement.order_by(LEASES.c.epoch.desc()).limit(1)
    row = (await transaction.execute(newest)).mappings().one_or_none()
    return grant_of(row) if row else None


async def end_grant(
    transaction: Transaction,
    lease_id: str,
    *,
    at: datetime,
    proof: Proof | None,
    ending: str = "",
) -> None:
    """Note how a lease ended; the first end stays."""
    where = (LEASES.c.lease_id == lease_id) & LEASES.c.ended_at.is_(None)
    await transaction.execute(
        update(LEASES).where(where).values(ended_at=at, proof=_proof_row(proof), ending=ending)
    )


async def note_balance(transaction: Transaction, account_id: str, balance: Money) -> None:
    """Note what an account has left."""
    await transaction.execute(
        update(ACCOUNTS)
        .where(ACCOUNTS.c.account_id == account_id)
        .values(balance_micros=balance.micros, currency=balance.currency)
    )


async def journal(transaction: Transaction) -> list[Entry]:
    """The whole journal, oldest first."""
    return [
        Entry(**row)
        for row in (
            await transaction.execute(select(JOURNAL).order_by(JOURNAL.c.number))
        ).mappings()
    ]


async def journal_head(transaction: Transaction) -> Entry | None:
    """The newest entry."""
    row = (
        (await transaction.execute(select(JOURNAL).order_by(JOURNAL.c.number.desc()).limit(1)))
        .mappings()
        .one_or_none()
    )
    return Entry(**row) if row else None


async def add_entry(transaction: Transaction, entry: Entry) -> None:
    """Append to the journal."""
    await transaction.execute(
        insert(JOURNAL).values(**{item.name: getattr(entry, item.name) for item in fields(Entry)})
    )


def grant_of(row: Mapping[Any, Any]) -> Grant:
    """A lease's row as what it says."""
    return Grant(**{**row, "proof": _proof(row["proof"])})


async def _accounts(transaction: Transaction, where: Any) -> list[Account]:
    rows = await transaction.execute(select(ACCOUNTS).where(where).order_by(ACCOUNTS.c.account_id))
    return [_account(row) for row in rows.mappings()]


def _account(row: Mapping[Any, Any]) -> Account:
    values = dict(row)
    baseline = values["baseline"]
    dedication = dedicated(site=values.pop("site"), purposes=values.pop("purposes"))
    return Account(
        **{
            **values,
            "dedication": dedication,
            "state": LeaseState(row["state"]),
            "baseline": None if baseline is None else _resources(baseline),
            "leftovers": _resources(row["leftovers"]),
        }
    )


def _account_values(account: Account) -> dict[str, Any]:
    values = {item.name: getattr(account, item.name) for item in fields(Account)}
    dedication: Dedication = values.pop("dedication")
    return {
        **values,
        "site": dedication.site,
        "purposes": dedication.spelt,
        "state": account.state.value,
        "baseline": None if account.baseline is None else _rows(account.baseline),
        "leftovers": _rows(account.leftovers),
    }


def _rows(resources: Sequence[ResourceRef]) -> list[dict[str, str]]:
    names = ("product", "type", "id", "region", "name")
    return [{name: getattr(resource, name) for name in names} for resource in resources]


def _resources(rows: Sequence[Mapping[str, str]]) -> tuple[ResourceRef, ...]:
    return tuple(
        ResourceRef(
            product=row["product"],
            type=row["type"],
            id=row["id"],
            region=row["region"],
            name=row["name"],
        )
        for row in rows
    )


class _ProofRow(TypedDict):
    """A proof as its column holds it."""

    leftovers: Sequence[Mapping[str, str]]
    missing: Sequence[Mapping[str, str]]
    unproven: bool


def _proof_row(proof: Proof | None) -> _ProofRow | None:
    if proof is None:
        return None
    return {
        "leftovers": _rows(proof.leftovers),
        "missing": _rows(proof.missing),
        "unproven": proof.unproven,
    }


def _proof(row: _ProofRow | None) -> Proof | None:
    if row is None:
        return None
    return Proof(
        leftovers=_resources(row["leftovers"]),
        missing=_resources(row["missing"]),
        unproven=row["unproven"],
    )
