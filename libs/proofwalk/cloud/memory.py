"""A small cloud in memory: accounts, resources with asynchronous deletion and
dependencies, an audit log that lags.

It keeps the contract of every adapter (`tests/cloud/contract.py`), moves only with its
clock, and can be told to fail. Roles test against it; it is not offered as an entry
point.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from pydantic import SecretStr

from proofwalk.cloud.money import Money, Price
from proofwalk.cloud.ports import (
    AccessKey,
    Actions,
    Cloud,
    CloudAccount,
    ConsoleLogin,
    ResourceRef,
    Specification,
)
from proofwalk.cloud.roles import AccountRole, AccountRoles
from proofwalk.cloud.target import Target
from proofwalk.kernel.account_pools import SERVES_ALL, Dedication
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, Status, not_found, unavailable
from proofwalk.kernel.evidence import AuditEvent


@dataclass
class _StoredResource:
    resource: ResourceRef
    needs: frozenset[str]
    gone_at: datetime | None = None


@dataclass
class _World:
    generation: int = 0
    balance: Money = field(default_factory=lambda: Money.of(100, "CNY"))
    charges: list[tuple[datetime, Money]] = field(default_factory=list)
    resources: dict[str, _StoredResource] = field(default_factory=dict)
    events: list[tuple[AuditEvent, datetime]] = field(default_factory=list)


class MemoryCloud:
    """Accounts `1001`, `1002`…; `cloud()` returns the ports, the other methods change
    the cloud as a person would."""

    hosts: Sequence[str] = ()
    provider_source = "aliyun/alicloud"
    provider_version = "1.246.0"

    def __init__(
        self,
        *,
        clock: Clock,
        accounts: int = 2,
        deletion_s: float = 0.0,
        audit_lag_s: float = 0.0,
        delivery_bound_s: float = 5.0,
        self_recording: bool = False,
        rotates: bool = True,
        inventory: bool = True,
        tells_credentials: bool = True,
        regions: Sequence[str] = ("local",),
        roles: Mapping[str, str] | None = None,
    ) -> None:
        self._clock = clock
        self._worlds = {str(1001 + index): _World() for index in range(accounts)}
        self._deletion = timedelta(seconds=deletion_s)
        self._lag = timedelta(seconds=audit_lag_s)
        self._rotates = rotates
        self._inventory = inventory
        self._tells_credentials = tells_credentials
        self._regions = tuple(regions)
        self._count = 0
        self.role_of = dict(roles or {})
        """The role of each account that has one, by its external id."""
        self.dedication_of: dict[str, Dedication] = {}
        """What each account that is set aside serves, by its external id."""
        self.billed = True
        """Whether the cloud has a bill. Read when the cloud is opened."""
        self.prices: dict[str, Price] = {}
        """What a resource of a type costs; of a subscription, `at_once` is for a month.
        A type that is not here has no price."""
        self.priced_by: Mapping[str, frozenset[str]] = {}
        """The arguments of a type that decide its price."""
        self.actions: Actions | None = None
        """What carries out single operations, if anything does. Read when the cloud is
        opened."""
        self.audited = True
        """Whether the cloud has an audit log. Read when the cloud is opened."""
        self.delivery_bound_s = delivery_bound_s
        self.self_recording = self_recording
        self.failures: dict[str, ProofwalkError] = {}
        """The error that each call (`accounts`, `rotate`, `list`, `delete`, `events`,
        `balance`, `spend`, `price`) raises until it is removed."""
        self.calls: list[str] = []
        """Every call of a port, in order, as `name:account`."""

    def cloud(self) -> Cloud:
        """The ports; an adapter without one of them is made by saying so."""
        return Cloud(
            accounts=self,
            inventory=self if self._inventory else None,
            audit=self if self.audited else None,
            provisioning=self,
            actions=self.actions,
            roles=self,
            billing=self if self.billed else None,
            pricing=self if self.billed else None,
            regions=self._regions,
        )

    @asynccontextmanager
    async def adapter(self, target: Target, *, clock: Clock) -> AsyncIterator[Cloud]:
        """Open this cloud as an adapter, for `Clouds(adapters={"memory":
        cloud.adapter})`."""
        yield self.cloud()

    def put(self, external_id: str, resource: ResourceRef, *, needs: Sequence[str] = ()) -> None:
        """Add a resource. `needs` are ids that cannot be deleted while it exists."""
        self._worlds[external_id].resources[resource.id] = _StoredResource(
            resource=resource, needs=frozenset(needs)
        )

    def charge(self, external_id: str, amount: float) -> None:
        """Put an amount on the account's bill now, and take it from its balance."""
        world, cost = self._worlds[external_id], Money.of(amount, "CNY")
        world.charges.append((self._clock.now(), cost))
        world.balance = replace(world.balance, micros=world.balance.micros - cost.micros)

    def forget(self, external_id: str) -> None:
        """Remove an account."""
        del self._worlds[external_id]

    def record(
        self, external_id: str, event: AuditEvent, *, visible_at: datetime | None = None
    ) -> None:
        """Write an event into the account's log. It is visible after the lag."""
        self._worlds[external_id].events.append((event, visible_at or event.time + self._lag))

    def account(self, external_id: str) -> CloudAccount:
        """Return the account with its present credentials."""
        generation = self._world(external_id).generation
        return CloudAccount(
            external_id=external_id,
            login=ConsoleLogin(
                fields={
                    "account": SecretStr(external_id),
                    "user": SecretStr("walker"),
                    "password": SecretStr(f"password-{external_id}-{generation}"),
                }
            ),
            access_key=AccessKey(
                key_id=f"AK{external_id}G{generation}",
                secret=SecretStr(f"secret-{external_id}-{generation}"),
            ),
            role=self.role_of.get(external_id, ""),
            dedication=self.dedication_of.get(external_id, SERVES_ALL),
        )

    async def accounts(self) -> Sequence[CloudAccount]:
        self._enter("accounts", "")
        accounts = [self.account(external_id) for external_id in sorted(self._worlds)]
        if self._tells_credentials:
            return accounts
        empty = ConsoleLogin(fields={})
        return [replace(account, login=empty, access_key=None) for account in accounts]

    async def roles(self) -> AccountRoles:
        names = dict.fromkeys(self.role_of[one] for one in sorted(self.role_of))
        return AccountRoles(
            roles=tuple(AccountRole(name=name) for name in names),
            default=self.role_of.get(min(self._worlds, default=""), ""),
        )

    async def rotate(self, external_id: str) -> CloudAccount:
        self._enter("rotate", external_id)
        if not self._rotates:
            raise ProofwalkError(
                "cloud.unsupported",
                "these credentials are given by hand",
                status=Status.UNIMPLEMENTED,
            )
        self._world(external_id).generation += 1
        return self.account(external_id)

    async def list(self, account: CloudAccount) -> Sequence[ResourceRef]:
        self._enter("list", account.external_id)
        world = self._readable_world(account)
        return sorted(
            replace(stored.resource, state="Deleting" if stored.gone_at else stored.resource.state)
            for stored in world.resources.values()
        )

    async def delete(self, account: CloudAccount, resource: ResourceRef) -> None:
        self._enter("delete", account.external_id)
        world = self._readable_world(account)
        dependents = sorted(
            key for key, stored in world.resources.items() if resource.id in stored.needs
        )
        if dependents:
            raise ProofwalkError(
                "cloud.conflict",
                f"{resource.id} is used by {dependents[0]}",
                status=Status.ABORTED,
                retryable=True,
            )
        if resource.id in world.resources and world.resources[resource.id].gone_at is None:
            world.resources[resource.id].gone_at = self._clock.now() + self._deletion

    async def events(
        self, account: CloudAccount, *, start: datetime, end: datetime
    ) -> Sequence[AuditEvent]:
        self._enter("events", account.external_id)
        now = self._clock.now()
        if self.self_recording:
            self._count += 1
            looked = AuditEvent(
                id=f"look-{self._count:06d}",
                time=now,
                service="Audit",
                name="LookupEvents",
                kind="ApiCall",
                write=False,
                ok=True,
            )
            self.record(account.external_id, looked)
        found = [
            event
            for event, visible_at in self._readable_world(account).events
            if start <= event.time <= end and visible_at <= now
        ]
        return sorted(found, key=lambda event: (event.time, event.id))

    async def balance(self, account: CloudAccount) -> Money:
        self._enter("balance", account.external_id)
        return self._readable_world(account).balance

    async def spend(self, account: CloudAccount, *, since: datetime, until: datetime) -> Money:
        self._enter("spend", account.external_id)
        charges = self._readable_world(account).charges
        spent = sum(cost.micros for moment, cost in charges if since <= moment <= until)
        return Money(micros=spent, currency="CNY")

    def arguments(self, type: str) -> frozenset[str]:
        return self.priced_by.get(type, frozenset())

    async def price(self, account: CloudAccount, specification: Specification) -> Price | None:
        self._enter("price", account.external_id)
        price = self.prices.get(specification.type)
        if price is None or not specification.months:
            return price
        return replace(
            price,
            at_once=replace(price.at_once, micros=price.at_once.micros * specification.months),
        )

    async def environment(self, account: CloudAccount, *, region: str) -> Mapping[str, SecretStr]:
        if account.access_key is None:
            raise ProofwalkError(
                "cloud.denied", "the account has no access key", status=Status.PERMISSION_DENIED
            )
        return {
            "ALICLOUD_ACCESS_KEY": SecretStr(account.access_key.key_id),
            "ALICLOUD_SECRET_KEY": account.access_key.secret,
            "ALICLOUD_REGION": SecretStr(region),
        }

    def fail(self, call: str, code: str = "cloud.unavailable") -> None:
        """Make `call` raise from now on. `failures.pop(call)` makes it succeed
        again."""
        self.failures[call] = unavailable(code, f"{call} was told to fail")

    def _enter(self, call: str, external_id: str) -> None:
        self.calls.append(f"{call}:{external_id}")
        if call in self.failures:
            raise self.failures[call]

    def _world(self, external_id: str) -> _World:
        if external_id not in self._worlds:
            raise not_found("cloud.not_found", f"no account {external_id!r}")
        return self._worlds[external_id]

    def _readable_world(self, account: CloudAccount) -> _World:
        world = self._world(account.external_id)
        # A log or an inventory is asked with the key, where the caller has one; an old
        # key is void.
        if (
            account.access_key is not None
            and account.access_key.key_id != f"AK{account.external_id}G{world.generation}"
        ):
            raise ProofwalkError(
                "cloud.denied",
                "the access key is not valid (any more)",
                status=Status.PERMISSION_DENIED,
            )
        now = self._clock.now()
        world.resources = {
            key: stored
            for key, stored in world.resources.items()
            if stored.gone_at is None or stored.gone_at > now
        }
        return world
