"""What the file of an `alicloud` target says under `options`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    field_validator,
    model_validator,
)

from proofwalk.cloud.accounts_file import Pooled
from proofwalk.cloud.alicloud.openapi import public_host
from proofwalk.cloud.sdk_calls import Endpoint

SHORTEST_S = 900
LONGEST_S = 43_200


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class KeyOptions(_Model):
    """An access key."""

    id: str = Field(min_length=1)
    secret: SecretStr = Field(min_length=1)


class MemberOptions(Pooled):
    """A member and what it is set aside for."""

    id: str = Field(min_length=1)
    """The account's id."""


def _member(value: object) -> object:
    """A member may be its id alone, which serves all."""
    return {"id": value} if isinstance(value, str) else value


class DirectoryOptions(_Model):
    """A resource directory whose members are the accounts."""

    management: str = Field(pattern=r"^\d+$")
    """The management account."""
    access_key: KeyOptions
    """Of a RAM user of the management account who may list members and assume `role`
    in them."""
    members: tuple[Annotated[MemberOptions, BeforeValidator(_member)], ...] = Field(min_length=1)
    """The members that Proofwalk may use: account ids, or `{id, site, purposes}` of
    those that are set aside. It sweeps them: name none that holds anything else."""
    role: str = Field(default="ResourceDirectoryAccountAccessRole", min_length=1)
    """The role of each member that may administer its RAM users."""


class ProvisioningOptions(_Model):
    """As whom Terraform works."""

    role: str = Field(min_length=1)
    """A role of the account itself, which the account's RAM user may assume: Terraform
    gets a key of this role, and not the user's."""
    seconds: int = Field(default=3600, ge=SHORTEST_S, le=LONGEST_S)
    """For how long such a key is valid; a run of Terraform gets at least half of it. No
    more than the role's own longest session."""


class AlicloudOptions(_Model):
    """Accounts come from `directory` or from the file `accounts`; everything else has a
    default."""

    directory: DirectoryOptions | None = None
    accounts: str = ""
    """Path of an accounts file, relative to the target's. With `user`, its keys are
    those of the accounts' RAM administrators; without, they are what is leased, and are
    kept by hand."""
    user: str = Field(default="", pattern=r"^[A-Za-z0-9._-]{0,64}$")
    """The RAM user of each account whose password and key are leased and replaced. It
    is Proofwalk's alone: its other keys are removed. Needed with `directory`."""
    endpoint: str = ""
    """One address for every service, as the embedded cloud has it; empty: the
    vendor's own."""
    endpoints: Mapping[str, str] = Field(default_factory=dict)
    """Hosts of single services. At the international site: `business:
    business.ap-southeast-1.aliyuncs.com`."""
    delivery_bound_s: float = Field(default=600.0, gt=0)
    """Seconds after which an event is normally visible."""
    inventory: Literal["resource_center", "none"] = "resource_center"
    """How what is in an account is looked at; `none`: no account is swept or proven
    clean."""
    provisioning: ProvisioningOptions | None = None
    """Left out, Terraform works with the RAM user's own key."""

    @field_validator("endpoint")
    @classmethod
    def _is_web(cls, value: str) -> str:
        if value and (
            urlsplit(value).scheme not in ("http", "https") or not urlsplit(value).netloc
        ):
            raise ValueError("it is not an http address")
        return value.rstrip("/")

    @model_validator(mode="after")
    def _has_accounts(self) -> AlicloudOptions:
        if (self.directory is None) == (not self.accounts):
            raise ValueError("name either a directory or an accounts file")
        if self.directory is not None and not self.user:
            raise ValueError("user is needed with a directory")
        return self

    def endpoint_of(self, service: str, region: str) -> Endpoint:
        """Where a service answers."""
        if self.endpoint:
            parts = urlsplit(self.endpoint)
            return Endpoint(address=parts.netloc, protocol=parts.scheme.upper(), region=region)
        host = self.endpoints.get(service) or public_host(service, region)
        return Endpoint(address=host, protocol="HTTPS", region=region)
