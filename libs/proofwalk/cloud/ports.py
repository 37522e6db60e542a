"""What the platform asks of a cloud. Four small ports; an adapter answers those that
its cloud has.

`AccountSource` (which accounts there are, fresh credentials), `Inventory` (what exists
in an account: the proof of cleanliness and the sweep), `AuditLog` (what happened: the
reward), `Provisioning` (how Terraform reaches the cloud). An adapter is a class
registered under the entry point group `proofwalk.cloud_adapters`; `cloud.adapters`
finds it, `cloud.target` says which one a target uses. A port that a cloud lacks is
None, and verdicts say which evidence is missing. Adapters raise `ProofwalkError`:
`cloud.unavailable` (retryable), `cloud.denied`, `cloud.quota`, `cloud.not_found`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from pydantic import SecretStr

from proofwalk.kernel.evidence import AuditEvent


@dataclass(frozen=True, kw_only=True)
class ConsoleLogin:
    """What signs a person in at the console: `fields` by name (`account`, `user`,
    `password`), all secret to models."""

    fields: Mapping[str, SecretStr]


@dataclass(frozen=True, kw_only=True)
class AccessKey:
    """A key pair for the cloud's API."""

    key_id: str
    secret: SecretStr


@dataclass(frozen=True, kw_only=True)
class CloudAccount:
    """An account of the cloud, with the credentials that the pool hands to a lease
    holder. A cloud that tells credentials only when it makes them gives an empty login
    and no key; `AccountSource.rotate` makes fresh ones."""

    external_id: str
    """The cloud's own account number."""
    login: ConsoleLogin
    access_key: AccessKey | None


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
    """Further facts, flat, for META's verify."""


class AccountSource(Protocol):
    """The accounts of a target."""

    async def accounts(self) -> Sequence[CloudAccount]:
        """Every account that the pool may use, with its present credentials where the
        cloud tells them."""
        ...

    async def rotate(self, external_id: str) -> CloudAccount:
        """Replace the credentials; the old ones are void afterwards. Raises
        `cloud.unsupported` where that cannot be done."""
        ...


class Inventory(Protocol):
    """What exists in an account."""

    async def list(self, account: CloudAccount) -> Sequence[ResourceRef]:
        """Every resource of the account, in every region."""
        ...

    async def delete(self, account: CloudAccount, resource: ResourceRef) -> None:
        """Delete one resource; gone already is success. Raises `cloud.conflict`
        (retryable) while something depends on it."""
        ...


class AuditLog(Protocol):
    """What happened in an account."""

    delivery_bound_s: float
    """After so many seconds an event is normally visible."""
    self_recording: bool
    """Whether look-ups are themselves events of the log. Where they are, a visible
    event after a window's end is a sign that the delivery of the window is over; where
    they are not, only the bound says so."""

    async def events(
        self, account: CloudAccount, *, start: datetime, end: datetime
    ) -> Sequence[AuditEvent]:
        """The events of [start, end] that are visible now, oldest first."""
        ...


class Provisioning(Protocol):
    """How Terraform reaches the cloud."""

    provider_source: str
    """`aliyun/alicloud`."""
    provider_version: str

    def environment(self, account: CloudAccount, *, region: str) -> Mapping[str, SecretStr]:
        """Environment variables that configure the provider for this account."""
        ...


@dataclass(frozen=True, kw_only=True)
class Cloud:
    """An adapter's answer for one target. `regions` is where resources may be made, the
    default first."""

    accounts: AccountSource
    inventory: Inventory | None = None
    audit: AuditLog | None = None
    provisioning: Provisioning | None = None
    regions: Sequence[str] = ("",)
