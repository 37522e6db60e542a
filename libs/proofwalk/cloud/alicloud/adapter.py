"""The adapter `alicloud`: every port that Alibaba Cloud has, wired from a target's
options (`options`).

Accounts come from a resource directory or from a file; credentials are those of a RAM
user and are replaced through RAM (`ram_users`), or kept by hand. Inventory, audit log,
bill and Terraform work with the account's own key; Terraform with a role's short-lived
one where the target names a role.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from typing import Protocol, TypeVar

from proofwalk.cloud.accounts_file import AccountsFile
from proofwalk.cloud.actiontrail import ActionTrailLog
from proofwalk.cloud.adapters import options_of
from proofwalk.cloud.alicloud.actions import AlicloudActions
from proofwalk.cloud.alicloud.inventory import ResourceCenterInventory
from proofwalk.cloud.alicloud.logs import RegionalLogs
from proofwalk.cloud.alicloud.members import (
    Administrators,
    DirectoryMembers,
    FileAdministrators,
)
from proofwalk.cloud.alicloud.options import AlicloudOptions, DirectoryOptions
from proofwalk.cloud.alicloud.provisioning import AlicloudProvisioning, AsRole
from proofwalk.cloud.alicloud.ram_users import RamUsers
from proofwalk.cloud.alicloud.role_keys import RoleKeys
from proofwalk.cloud.bss import BssBilling
from proofwalk.cloud.bss_pricing import BssPricing
from proofwalk.cloud.ports import AccountSource, Cloud, CloudAccount
from proofwalk.cloud.sdk_calls import Endpoint
from proofwalk.cloud.target import Target
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import invalid

ADMINISTRATION_S = 3600
"""How long the key of a member's administering role is valid; longer than any rotation,
and no longer than a role allows by default."""


class _Closable(Protocol):
    def close(self) -> None: ...


ClosableT = TypeVar("ClosableT", bound=_Closable)


@asynccontextmanager
async def alicloud(target: Target, *, clock: Clock) -> AsyncIterator[Cloud]:
    """Open the `Cloud` of an Alibaba Cloud target. Raises `target.invalid` for options
    that cannot be, and for a target without regions."""
    options = options_of(target, AlicloudOptions)
    if not all(target.regions):
        raise invalid(
            "target.invalid",
            f"target {target.id!r}: regions: an alicloud target names its regions",
            hint="regions: [cn-hangzhou]",
            details={"path": "regions"},
        )
    with ExitStack() as opened:
        yield _Wiring(target, options, clock, opened).cloud()


class _Wiring:
    """Makes the ports, and has them closed with the stack."""

    def __init__(
        self, target: Target, options: AlicloudOptions, clock: Clock, opened: ExitStack
    ) -> None:
        self._target = target
        self._options = options
        self._clock = clock
        self._opened = opened
        self._region = target.regions[0]

    def cloud(self) -> Cloud:
        """The ports of the target."""
        options = self._options
        file = AccountsFile(self._target, self._target.folder / options.accounts)
        billing = self._endpoint("business")
        as_role = self._worker()
        return Cloud(
            accounts=self._accounts(file),
            inventory=(
                self._closing(
                    ResourceCenterInventory(
                        endpoint_of=options.endpoint_of, region=self._region, clock=self._clock
                    )
                )
                if options.inventory == "resource_center"
                else None
            ),
            audit=self._closing(self._log()),
            provisioning=AlicloudProvisioning(
                endpoint_url=options.endpoint, hosts=options.endpoints.values(), as_role=as_role
            ),
            actions=self._closing(
                AlicloudActions(endpoint_of=options.endpoint_of, clock=self._clock, as_role=as_role)
            ),
            roles=file if options.accounts and not options.user else None,
            billing=self._closing(
                BssBilling(
                    endpoint=billing.address,
                    protocol=billing.protocol,
                    region=billing.region,
                    clock=self._clock,
                )
            ),
            pricing=self._closing(
                BssPricing(
                    endpoint=billing.address,
                    protocol=billing.protocol,
                    region=billing.region,
                    clock=self._clock,
                )
            ),
            regions=self._target.regions,
        )

    def _accounts(self, file: AccountsFile) -> AccountSource:
        options = self._options
        if not options.user:
            return file
        administrators: Administrators = (
            FileAdministrators(file)
            if options.directory is None
            else self._members(options.directory)
        )
        return self._closing(
            RamUsers(
                administrators, options.user, endpoint=self._endpoint("ram"), clock=self._clock
            )
        )

    def _members(self, directory: DirectoryOptions) -> DirectoryMembers:
        return self._closing(
            DirectoryMembers(
                directory,
                self._role_keys(ADMINISTRATION_S),
                endpoint=self._endpoint("resourcemanager"),
                clock=self._clock,
            )
        )

    def _log(self) -> RegionalLogs:
        # Where one address serves every region, one log has all events.
        by_address: dict[str, Endpoint] = {}
        for region in self._target.regions:
            endpoint = self._options.endpoint_of("actiontrail", region)
            by_address.setdefault(endpoint.address, endpoint)
        return RegionalLogs(
            [
                ActionTrailLog(
                    endpoint=endpoint.address,
                    protocol=endpoint.protocol,
                    region=endpoint.region,
                    clock=self._clock,
                    delivery_bound_s=self._options.delivery_bound_s,
                )
                for endpoint in by_address.values()
            ]
        )

    def _worker(self) -> AsRole | None:
        """As whom Terraform and META's steps work; None: as the account's RAM user."""
        wanted = self._options.provisioning
        if wanted is None:
            return None
        keys = self._role_keys(wanted.seconds)

        async def as_role(account: CloudAccount) -> CloudAccount:
            return await keys.assume(account, account_id=account.external_id, role=wanted.role)

        return as_role

    def _role_keys(self, seconds: int) -> RoleKeys:
        return self._closing(
            RoleKeys(endpoint=self._endpoint("sts"), clock=self._clock, seconds=seconds)
        )

    def _endpoint(self, service: str) -> Endpoint:
        return self._options.endpoint_of(service, self._region)

    def _closing(self, one: ClosableT) -> ClosableT:
        self._opened.callback(one.close)
        return one
