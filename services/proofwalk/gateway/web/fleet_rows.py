"""Accounts, sandboxes and provisionings as rows of the fleet page.

A row names each field that it shows. So nothing of a message reaches a page because it
is in the message: no DevTools address, no ticket key, no output of a template.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from proofwalk.api.account_pool.v1 import account_pool_pb2 as pool
from proofwalk.api.resource_provisioner.v1 import resource_provisioner_pb2 as provisions
from proofwalk.api.sandbox_scheduler.v1 import sandbox_scheduler_pb2 as scheduler
from proofwalk.chassis.rpc.vocabulary import moment_from_pb
from proofwalk.kernel.ids import created_at

_STANDING = ("creating", "verifying", "ready", "failing", "destroying")
_MICROS = Decimal(1_000_000)


@dataclass(frozen=True, kw_only=True)
class AccountRow:
    """An account of the pool."""

    id: str
    external_id: str
    target: str
    state: str
    site: str
    role: str
    purposes: Sequence[str]
    """What it is set aside for; none: for everything."""
    holder: str
    expires_at: datetime | None
    balance: str
    reason: str
    """Why it is quarantined."""


@dataclass(frozen=True, kw_only=True)
class Spend:
    """What the ledger says of one account."""

    purpose: str
    """What its latest lease was asked for."""
    amounts: Sequence[str]
    """Cost of the leases that were read, by currency."""


@dataclass(frozen=True, kw_only=True)
class SandboxRow:
    """A sandbox of the scheduler."""

    id: str
    tool: str
    state: str
    holder: str
    age_s: int | None
    """Seconds since it was begun; None where its id does not say."""
    expires_at: datetime | None
    warm: bool


@dataclass(frozen=True, kw_only=True)
class ToolRow:
    """A tool, and how many sandboxes of it there are."""

    name: str
    backend: str
    warm: int
    leased: int
    quota: int


@dataclass(frozen=True, kw_only=True)
class ProvisioningRow:
    """A provisioning, with what it made."""

    id: str
    episode: str
    state: str
    """Its state, or `expired` for one that stands although its time is over."""
    description: str
    resources: Sequence[str]
    price: str
    created_at: datetime | None
    expires_at: datetime | None
    error_code: str
    error_message: str


def account_rows(reply: pool.ListAccountsResponse) -> list[AccountRow]:
    """Accounts, those first that somebody has to look at."""
    rows = [
        AccountRow(
            id=one.account_id,
            external_id=one.external_id,
            target=one.target,
            state=one.state,
            site=one.site,
            role=one.role,
            purposes=tuple(one.purposes),
            holder=one.holder,
            expires_at=moment_from_pb(one.expires_at) if one.HasField("expires_at") else None,
            balance=_amount(one.balance) if one.HasField("balance") else "",
            reason=one.reason,
        )
        for one in reply.accounts
    ]
    order = ("quarantined", "proving", "leased")
    return sorted(rows, key=lambda row: (_place(row.state, order), row.target, row.id))


def spends(reply: pool.ListLeasesResponse) -> dict[str, Spend]:
    """What the ledger says, by account. Its lines are the newest first."""
    micros: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    purposes: dict[str, str] = {}
    for line in reply.leases:
        purposes.setdefault(line.account_id, line.purpose)
        if line.HasField("cost"):
            micros[line.account_id][line.cost.currency] += line.cost.micros
    return {
        account: Spend(
            purpose=purpose,
            amounts=[
                _amount(pool.Money(micros=total, currency=currency))
                for currency, total in sorted(micros[account].items())
            ],
        )
        for account, purpose in purposes.items()
    }


def sandbox_rows(reply: scheduler.ListSandboxesResponse, *, now: datetime) -> list[SandboxRow]:
    """Sandboxes that have not ended, the oldest first, then those that have."""
    rows = [
        SandboxRow(
            id=one.sandbox_id,
            tool=one.tool,
            state=one.state,
            holder=one.holder,
            age_s=_age(one.sandbox_id, now=now),
            expires_at=moment_from_pb(one.expires_at) if one.HasField("expires_at") else None,
            warm=one.warm,
        )
        for one in reply.sandboxes
    ]
    return sorted(rows, key=lambda row: (row.state == "ended", row.id))


def tool_rows(reply: scheduler.ListToolsResponse) -> list[ToolRow]:
    """Tools, by name and version."""
    rows = [
        ToolRow(
            name=f"{one.name}@{one.version}" if one.version else one.name,
            backend=one.backend,
            warm=one.warm,
            leased=one.leased,
            quota=one.quota,
        )
        for one in reply.tools
    ]
    return sorted(rows, key=lambda row: row.name)


def provisioning_rows(
    reply: provisions.ListProvisioningsResponse, *, now: datetime
) -> list[ProvisioningRow]:
    """What leaked, what is over and stands, what stands, and the rest; the newest of
    each first."""
    rows = sorted(
        (_provisioning(one, now=now) for one in reply.provisionings),
        key=lambda row: row.id,
        reverse=True,
    )
    return sorted(rows, key=lambda row: _place(row.state, ("leaked", "expired", *_STANDING)))


def _provisioning(one: provisions.Provisioning, *, now: datetime) -> ProvisioningRow:
    expires_at = moment_from_pb(one.expires_at) if one.HasField("expires_at") else None
    is_over = one.state in _STANDING and expires_at is not None and expires_at <= now
    return ProvisioningRow(
        id=one.provisioning_id,
        episode=one.request_id.partition(":")[0],
        state="expired" if is_over else one.state,
        description=one.description,
        resources=[" ".join(filter(None, _words(thing))) for thing in one.resources],
        price=f"{one.price.per_hour:g} {one.price.currency}" if one.price.currency else "",
        created_at=moment_from_pb(one.created_at) if one.HasField("created_at") else None,
        expires_at=expires_at,
        error_code=one.error_code,
        error_message=one.error_message,
    )


def _words(thing: provisions.Resource) -> tuple[str, ...]:
    return thing.product, thing.type, thing.id, thing.name, thing.region, thing.state


def _place(state: str, order: Sequence[str]) -> int:
    return order.index(state) if state in order else len(order)


def _age(sandbox: str, *, now: datetime) -> int | None:
    begun = created_at(sandbox)
    return None if begun is None else max(0, int((now - begun).total_seconds()))


def _amount(money: pool.Money) -> str:
    return f"{Decimal(money.micros) / _MICROS:.2f} {money.currency}".rstrip()
