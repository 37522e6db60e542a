"""A made-up fleet: accounts in every state with their ledger, and what was made in
them, written into the stores of the account pool and the resource provisioner.

The accounts are of the target that is none of this installation's any more (`STAGING`):
the pool never lends one, sweeps none and asks no cloud about it, so that nothing real
is done with what is made up. What stands and what leaked hang on the one lease that
lives; with its end the pool and the provisioner end them, as they would real ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from proofwalk.account_pool import repository as pool
from proofwalk.account_pool.domain import Account, Grant, Proof
from proofwalk.chassis.database import Database, Transaction
from proofwalk.cloud.money import Money
from proofwalk.cloud.ports import ResourceRef
from proofwalk.kernel.account_pools import TRAINING, VERIFICATION, Dedication
from proofwalk.kernel.errors import Status
from proofwalk.kernel.ids import IdSource
from proofwalk.kernel.leases import LeaseState
from proofwalk.kernel.outcomes import EnvCause
from proofwalk.platform.seeding.history import STAGING
from proofwalk.resource_provisioner import repository as provisioner
from proofwalk.resource_provisioner.domain import Appraisal, ProvisioningState
from proofwalk.resource_provisioner.repository import ProvisioningRow

REGION = "cn-hangzhou"
_LEASE = timedelta(hours=12)
"""How long the lease lives from the first start on."""
_CURRENCY = "CNY"
_S = ProvisioningState
_LEFT = (
    ResourceRef(product="ecs", type="instance", id="i-made-up-1", region=REGION, name="pw3f-web"),
    ResourceRef(product="ecs", type="disk", id="d-made-up-2", region=REGION, name="pw3f-data"),
)


@dataclass(frozen=True, kw_only=True)
class Fleet:
    """The rows."""

    accounts: Sequence[Account]
    grants: Sequence[Grant]
    provisionings: Sequence[ProvisioningRow]


@dataclass(frozen=True, kw_only=True)
class _Kind:
    """What a record of the made-up provisionings makes."""

    name: str
    description: str
    resources: Sequence[tuple[str, str]]
    """Product and type of each."""
    per_hour: float

    @property
    def yaml(self) -> str:
        return f"id: {self.name}\ndescription: {self.description}\n"


_NETWORK = _Kind(
    name="sample-network",
    description="A VPC with a vSwitch",
    resources=(("vpc", "vpc"), ("vpc", "vswitch")),
    per_hour=0.0,
)
_INSTANCE = _Kind(
    name="sample-instance",
    description="A running ECS instance in a VPC",
    resources=(("vpc", "vpc"), ("vpc", "vswitch"), ("ecs", "instance")),
    per_hour=0.37,
)
_DATABASE = _Kind(
    name="sample-database",
    description="An RDS instance with one backup",
    resources=(("vpc", "vpc"), ("rds", "instance")),
    per_hour=1.12,
)


def fleet(ids: IdSource, *, now: datetime) -> Fleet:
    """The fleet as it is at `now`."""
    ended = [
        _provisioning(ids, kind, state=_S.DESTROYED, at=now - timedelta(days=days, hours=3))
        for kind, days in ((_NETWORK, 6), (_INSTANCE, 4), (_DATABASE, 3), (_NETWORK, 1))
    ]
    lease = ids.new("lease")
    accounts, grants = _accounts(ids, lease, now)
    recent = now - timedelta(minutes=25)
    return Fleet(
        accounts=accounts,
        grants=grants,
        provisionings=[
            *ended,
            _sold_out(ids, at=now - timedelta(hours=20)),
            _leaked(ids, lease, at=recent - timedelta(minutes=5)),
            _provisioning(
                ids,
                _INSTANCE,
                state=_S.READY,
                at=recent,
                lease=lease,
                expires_at=now + _LEASE,
            ),
        ],
    )


async def write_fleet(pool_db: Database, provisioner_db: Database, made: Fleet) -> None:
    """Write it."""

    async def accounts(tx: Transaction) -> None:
        for account in made.accounts:
            await pool.add(tx, account)
        for grant in made.grants:
            await pool.add_grant(tx, grant)

    async def provisionings(tx: Transaction) -> None:
        for row in made.provisionings:
            await provisioner.add(tx, row)

    await pool_db.run(accounts)
    await provisioner_db.run(provisionings)


def _accounts(
    ids: IdSource, lease: str, now: datetime
) -> tuple[Sequence[Account], Sequence[Grant]]:
    holder = ids.new("ep")
    accounts = [
        _account(ids, 1, state=LeaseState.FREE, balance=412.5, freed_at=now - timedelta(hours=2)),
        _account(
            ids,
            2,
            state=LeaseState.LEASED,
            balance=87.2,
            epoch=4,
            holder=holder,
            lease_id=lease,
            request_id=f"{holder}:account",
            expires_at=now + _LEASE,
            dedication=Dedication(purposes=frozenset({TRAINING})),
        ),
        _account(ids, 3, state=LeaseState.PROVING, balance=301.0, epoch=3),
        _account(
            ids,
            4,
            state=LeaseState.QUARANTINED,
            balance=156.4,
            epoch=7,
            leftovers=_LEFT,
            reason=Proof(leftovers=_LEFT).words(),
        ),
        _account(
            ids,
            5,
            state=LeaseState.FREE,
            balance=998.0,
            dedication=Dedication(site="cn", purposes=frozenset({VERIFICATION})),
            freed_at=now - timedelta(days=1),
        ),
        _account(
            ids,
            6,
            state=LeaseState.QUARANTINED,
            balance=1.3,
            reason="it has 1.30 CNY left, and less than 5.00 CNY is not lent",
        ),
    ]
    past = [
        _grant(ids, account, now - timedelta(days=days), cost)
        for account, days, cost in (
            (accounts[0], 5, 1.84),
            (accounts[0], 1, 0.62),
            (accounts[2], 2, 3.05),
            (accounts[3], 1, 7.4),
            (accounts[4], 3, 0.0),
        )
    ]
    held = _grant(ids, accounts[1], now - timedelta(minutes=30), 0.21, lease=lease)
    return accounts, [*past, held]


def _account(
    ids: IdSource, number: int, *, state: LeaseState, balance: float, **members: object
) -> Account:
    return Account(
        account_id=ids.new("acc"),
        target=STAGING,
        external_id=f"staging-{number}",
        state=state,
        # So nobody is lent it, and no cloud is asked about it.
        offered=False,
        balance_micros=Money.of(balance, _CURRENCY).micros,
        currency=_CURRENCY,
        **members,  # type: ignore[arg-type]  # fields
    )


def _grant(ids: IdSource, account: Account, at: datetime, cost: float, *, lease: str = "") -> Grant:
    """A line of the ledger; with a lease, of the one that lives."""
    return Grant(
        lease_id=lease or ids.new("lease"),
        account_id=account.account_id,
        target=STAGING,
        epoch=account.epoch,
        holder=account.holder or ids.new("ep"),
        request_id=account.request_id or f"{ids.new('ep')}:account",
        granted_at=at,
        site=account.dedication.site,
        purpose=TRAINING if lease else VERIFICATION,
        ended_at=None if lease else at + timedelta(minutes=6),
        proof=None if lease else Proof(leftovers=account.leftovers),
        cost_micros=Money.of(cost, _CURRENCY).micros,
        currency=_CURRENCY,
        costed_at=at + timedelta(minutes=7),
        settled=not lease,
    )


def _provisioning(
    ids: IdSource,
    kind: _Kind,
    *,
    state: ProvisioningState,
    at: datetime,
    lease: str = "",
    **members: object,
) -> ProvisioningRow:
    provisioning_id = ids.new("prov")
    prefix = f"pw{provisioning_id[-6:]}"
    price = Money.of(kind.per_hour, _CURRENCY)
    return ProvisioningRow(
        id=provisioning_id,
        request_id=f"{ids.new('ep')}:provision",
        lease_id=lease or ids.new("lease"),
        lease_epoch=4,
        target=STAGING,
        region=REGION,
        meta_yaml=kind.yaml,
        name_prefix=prefix,
        state=state,
        price=Appraisal(per_hour=price) if kind.per_hour else None,
        created_at=at,
        updated_at=at,
        **{  # type: ignore[arg-type]  # fields
            "seconds": 48.0,
            "resources": [
                {
                    "product": product,
                    "type": type_,
                    "id": f"{type_}-{prefix}",
                    "name": f"{prefix}-{type_}",
                    "region": REGION,
                    "state": "Available",
                }
                for product, type_ in kind.resources
            ],
            **members,
        },
    )


def _sold_out(ids: IdSource, *, at: datetime) -> ProvisioningRow:
    return _provisioning(
        ids,
        _INSTANCE,
        state=_S.FAILED,
        at=at,
        resources=[],
        error_code="provision.no_stock",
        error_message="alicloud_instance.web line 9: the instance type is sold out in this zone",
        error_status=Status.RESOURCE_EXHAUSTED,
        error_cause=EnvCause.PROVISION,
    )


def _leaked(ids: IdSource, lease: str, *, at: datetime) -> ProvisioningRow:
    return _provisioning(
        ids,
        _DATABASE,
        state=_S.LEAKED,
        at=at,
        lease=lease,
        error_code="provision.destroy_failed",
        error_message="rds/instance: somebody has switched its deletion protection on",
        error_status=Status.FAILED_PRECONDITION,
    )
