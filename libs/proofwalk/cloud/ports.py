"""What the platform needs of a cloud: nine small ports. An adapter implements those
that its cloud has.

`AccountSource` (which accounts there are, new credentials), `Inventory` (what exists in
an account: the proof of cleanliness and the sweep), `AuditLog` (what happened: the
reward), `Provisioning` (how Terraform reaches the cloud), `StepCaller` (how META's
steps are carried out without it), `Actions` (how they are carried out in an account, by
the cloud's API), `RoleSource` (which roles the accounts have,
`cloud.roles`), `Billing` (what an account has left and has spent), `Pricing` (what
Terraform's resources would cost). An adapter is registered under the entry point group
`proofwalk.cloud_adapters`; `cloud.adapters` finds it, `cloud.target` says which one a
target uses. A port that a cloud lacks is
None, and verdicts say which evidence is missing. Adapters raise `ProofwalkError`:
`cloud.unavailable` (retryable), `cloud.denied`, `cloud.quota`, `cloud.not_found`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from pydantic import SecretStr

from proofwalk.cloud.money import Money, Price
from proofwalk.cloud.roles import AccountRoles, RoleSource
from proofwalk.cloud.steps.caller import StepCaller
from proofwalk.kernel.account_pools import SERVES_ALL, Dedication
from proofwalk.kernel.evidence import AuditEvent
from proofwalk.kernel.json_values import JsonValue


@dataclass(frozen=True, kw_only=True)
class ConsoleLogin:
    """The credentials for signing in at the console: `fields` by name (`account`,
    `user`, `password`), all secret to models."""

    fields: Mapping[str, SecretStr]


@dataclass(frozen=True, kw_only=True)
class AccessKey:
    """A key pair for the cloud's API."""

    key_id: str
    secret: SecretStr
    security_token: SecretStr | None = None
    """Of a role's key, which expires; None for a user's. An `AccountSource` returns
    users' keys alone."""


@dataclass(frozen=True, kw_only=True)
class CloudAccount:
    """An account of the cloud, with the credentials that the pool gives to a lease
    holder. A cloud that reveals credentials only when it makes them returns an empty
    login and no key; `AccountSource.rotate` makes new ones."""

    external_id: str
    """The cloud's own account number."""
    login: ConsoleLogin
    access_key: AccessKey | None
    role: str = ""
    """As whom it signs in, by a name of `cloud.roles`; empty where the target gives it
    none."""
    dedication: Dedication = SERVES_ALL
    """The site that it is of and the purposes that it is set aside for; all where the
    target says neither."""


@dataclass(frozen=True, kw_only=True, order=True)
class ResourceRef:
    """Something that exists in an account."""

    product: str
    type: str
    id: str
    region: str = ""
    name: str = field(default="", compare=False)
    state: str = field(default="", compare=False)
    tags: Mapping[str, str] = field(default_factory=dict, compare=False, hash=False)
    attributes: Mapping[str, str] = field(default_factory=dict, compare=False, hash=False)
    """Further facts, flat, which META's verify can test."""


def fact_text(value: str | int | float | bool) -> str:
    """A fact as `ResourceRef.attributes` has it: `true`, `40`, `cn-hangzhou-h`."""
    return str(value).lower() if isinstance(value, bool) else str(value)


class AccountSource(Protocol):
    """The accounts of a target."""

    async def accounts(self) -> Sequence[CloudAccount]:
        """Return every account that the pool may use, with its present credentials if
        the cloud reveals them."""
        ...

    async def rotate(self, external_id: str) -> CloudAccount:
        """Replace the credentials; the old ones stop working. Raises
        `cloud.unsupported` if that cannot be done."""
        ...


class Inventory(Protocol):
    """What exists in an account."""

    async def list(self, account: CloudAccount) -> Sequence[ResourceRef]:
        """Return every resource of the account, in every region."""
        ...

    async def delete(self, account: CloudAccount, resource: ResourceRef) -> None:
        """Delete one resource; if it is gone already, that is success. Raises
        `cloud.conflict` (retryable) while something depends on it."""
        ...


class AuditLog(Protocol):
    """What happened in an account."""

    delivery_bound_s: float
    """Seconds after which an event is normally visible."""
    self_recording: bool
    """Whether look-ups are events of the log themselves. If so, a visible event after a
    window's end shows that the window has been delivered; if not, only the bound says
    so."""

    async def events(
        self, account: CloudAccount, *, start: datetime, end: datetime
    ) -> Sequence[AuditEvent]:
        """Return the events of [start, end] that are visible now, oldest first."""
        ...


class Provisioning(Protocol):
    """How Terraform reaches the cloud."""

    hosts: Sequence[str]
    """Where the provider's calls go: names, or `*.` and a domain. Empty where its
    environment has one address for everything."""
    provider_source: str
    """Terraform's name of the provider, such as `aliyun/alicloud`."""
    provider_version: str

    async def environment(self, account: CloudAccount, *, region: str) -> Mapping[str, SecretStr]:
        """Return the environment variables that configure the provider for this
        account, for one run. Raises `cloud.*`."""
        ...


class Actions(Protocol):
    """Single operations of the cloud's API: META's steps in a leased account."""

    def caller(self, account: CloudAccount, *, region: str) -> StepCaller:
        """Return who carries them out, with the account's own key. An operation that
        the cloud refuses is an answer: 404 for what is not there, 409 for what is
        between two states, 403 for what the key may not, 400 for the rest."""
        ...


class Billing(Protocol):
    """What an account has left, and what it has spent."""

    async def balance(self, account: CloudAccount) -> Money:
        """Return what the account has left to spend; below zero if it owes."""
        ...

    async def spend(self, account: CloudAccount, *, since: datetime, until: datetime) -> Money:
        """Return what [since, until] cost, as far as the bill tells it by now."""
        ...


@dataclass(frozen=True, kw_only=True)
class Specification:
    """A resource that is not there yet, as Terraform plans it."""

    type: str
    """Terraform's, such as `alicloud_instance`."""
    arguments: Mapping[str, JsonValue]
    """What is known of them before it is made."""
    months: int = 0
    """Of a subscription; 0 is paid as it goes."""
    region: str = ""


class Pricing(Protocol):
    """What resources would cost."""

    def arguments(self, type: str) -> frozenset[str]:
        """Return the arguments that decide the price; none for a type that costs
        nothing or that the cloud tells no price for."""
        ...

    async def price(self, account: CloudAccount, specification: Specification) -> Price | None:
        """Return what one such resource costs the account; None where the cloud tells
        no price for it. What cannot be asked raises, and is never 0."""
        ...


@dataclass(frozen=True, kw_only=True)
class Cloud:
    """The ports of one target. `regions` is where resources may be made, the default
    first."""

    accounts: AccountSource
    inventory: Inventory | None = None
    audit: AuditLog | None = None
    provisioning: Provisioning | None = None
    steps: StepCaller | None = None
    actions: Actions | None = None
    roles: RoleSource | None = None
    billing: Billing | None = None
    pricing: Pricing | None = None
    regions: Sequence[str] = ("",)

    async def account_roles(self) -> AccountRoles:
        """Return the roles of the accounts; none where the cloud has no such port."""
        return AccountRoles() if self.roles is None else await self.roles.roles()
