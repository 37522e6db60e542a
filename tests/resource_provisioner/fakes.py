"""A runner that makes things in a `MemoryCloud`, and an account pool of one lease: the
role's neighbours for tests."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import grpc

from proofwalk.api.account_pool.v1 import account_pool_pb2 as accounts_pb
from proofwalk.api.account_pool.v1 import account_pool_pb2_grpc as accounts_rpc
from proofwalk.chassis.role import Role, RoleContext, Running
from proofwalk.chassis.rpc import RpcService
from proofwalk.cloud.memory import MemoryCloud
from proofwalk.cloud.ports import CloudAccount, ResourceRef
from proofwalk.cloud.sweeping import RUN_TAG
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.json_values import JsonObject
from proofwalk.kernel.leases import stale_epoch
from proofwalk.resource_provisioner.runner import STATE, Applied, Review, TerraformFailed

ACCOUNT = "1001"


class FakeRunner:
    """Terraform as far as the role can tell: it makes each declared resource, keeps a
    state, and fails when told to."""

    name = "fake"

    def __init__(self, cloud: MemoryCloud) -> None:
        self._cloud = cloud
        self.calls: list[str] = []
        self.apply_failures: list[TerraformFailed] = []
        """Each apply takes one, after it has made everything but the last resource."""
        self.plan_failures: list[TerraformFailed] = []
        """Each plan takes one."""
        self.planned_in: list[Path] = []
        self.destroy_failures: list[TerraformFailed] = []
        self.hold: asyncio.Event | None = None
        """An apply that has made its first resource waits for this."""
        self.entered = asyncio.Event()
        self.state = "Available"
        self.attributes: Mapping[str, str] = {}
        self.planned: Mapping[str, Mapping[str, Any]] = {}
        """Arguments of the plan's resources, by address."""
        self.unknown: Mapping[str, Mapping[str, Any]] = {}
        """Those that are given and not known before the plan is applied."""
        self.destroyed_with: list[str] = []
        """The files beside the state at the last destruction."""

    async def plan(self, folder: Path, environment: Mapping[str, str]) -> JsonObject:
        self.calls.append("plan")
        self.planned_in.append(folder)
        if self.plan_failures:
            raise self.plan_failures.pop(0)
        written = json.loads((folder / "main.tf.json").read_text())
        return {
            "resource_changes": [
                {"mode": "managed", "type": kind, "change": {"actions": ["create"]}}
                for kind, named in written["resource"].items()
                for _ in named
            ]
        }

    async def apply(self, folder: Path, environment: Mapping[str, str], review: Review) -> Applied:
        self.calls.append("apply")
        assert environment["ALICLOUD_ACCESS_KEY"].startswith("AK")
        written = json.loads((folder / "main.tf.json").read_text())
        declared = [(type_, name) for type_, named in written["resource"].items() for name in named]
        await review(self._plan([f"{kind}.{name}" for kind, name in declared]))
        runner = json.loads((folder / "runner.tf.json").read_text())
        prefix = runner["variable"]["name_prefix"]["default"]
        made: list[str] = []
        for index, (kind, name) in enumerate(declared):
            if self.apply_failures and index == len(declared) - 1:
                self._write(folder, made)
                raise self.apply_failures.pop(0)
            id_ = f"{kind.removeprefix('alicloud_')}-{prefix}-{name}"
            self._cloud.put(
                ACCOUNT,
                ResourceRef(
                    product="vpc",
                    type=kind.removeprefix("alicloud_"),
                    id=id_,
                    name=f"{prefix}-{name}",
                    state=self.state,
                    tags={RUN_TAG: folder.name},
                    attributes=self.attributes,
                ),
                needs=made[-1:],
            )
            made.append(id_)
            self._write(folder, made)
            self.entered.set()
            if self.hold is not None:
                await self.hold.wait()
        return Applied(
            outputs={"id": made[-1]} if made else {},
            sensitive=frozenset(),
            addresses=[f"{kind}.{name}" for kind, name in declared],
        )

    def _plan(self, addresses: list[str]) -> JsonObject:
        """As `terraform show -json` tells it."""
        return {
            "resource_changes": [
                {
                    "address": address,
                    "mode": "managed",
                    "type": address.partition(".")[0],
                    "change": {
                        "actions": ["create"],
                        "after": dict(self.planned.get(address, {})),
                        "after_unknown": {"id": True, **self.unknown.get(address, {})},
                    },
                }
                for address in addresses
            ],
            "configuration": {
                "root_module": {
                    "resources": [
                        {
                            "address": address,
                            "expressions": {
                                key: {}
                                for key in [
                                    *self.planned.get(address, {}),
                                    *self.unknown.get(address, {}),
                                ]
                            },
                        }
                        for address in addresses
                    ]
                }
            },
        }

    def _write(self, folder: Path, made: list[str]) -> None:
        (folder / STATE).write_text(json.dumps({"made": made}))

    async def destroy(self, folder: Path, environment: Mapping[str, str]) -> None:
        self.calls.append("destroy")
        self.destroyed_with = sorted(
            path.name for path in folder.iterdir() if path.suffix != ".tfstate"
        )
        if self.destroy_failures:
            raise self.destroy_failures.pop(0)
        account = self._cloud.account(ACCOUNT)
        for id_ in reversed(json.loads((folder / STATE).read_text())["made"]):
            for resource in await self._cloud.list(account):
                if resource.id == id_:
                    await self._cloud.delete(account, resource)
        self._write(folder, [])


async def passed(plan: JsonObject) -> None:
    """A review that lets every plan through."""


class OneLease:
    """The account pool: lease `lease_1` on one account, whose epoch a test may end."""

    def __init__(self, account: CloudAccount) -> None:
        self.account = account
        self.epoch = 1
        self.reveals = 0
        self.failure: ProofwalkError | None = None
        """What every call for credentials ends with."""
        self.released = 0
        self.free = 2
        """How many accounts nobody has, as it says."""
        self.leftovers: list[accounts_pb.Leftover] = []
        """What is in the account that was not there at the grant."""

    def role(self) -> Role:
        """The role to start beside the provisioner."""

        async def start(ctx: RoleContext) -> Running:
            service = RpcService(
                descriptor=accounts_pb.DESCRIPTOR.services_by_name["AccountPool"],
                register=accounts_rpc.add_AccountPoolServicer_to_server,
                servicer=_Leasing(self),
            )
            return Running(services=[service])

        return Role(name="account_pool", start=start, package="")


class _Leasing(accounts_rpc.AccountPoolServicer):
    """Answers for a `OneLease`."""

    def __init__(self, pool: OneLease) -> None:
        self._pool = pool

    async def AcquireLease(
        self,
        request: accounts_pb.AcquireLeaseRequest,
        context: grpc.aio.ServicerContext[Any, Any],
    ) -> accounts_pb.AcquireLeaseResponse:
        lease = accounts_pb.Lease(lease_id="lease_1", epoch=self._pool.epoch, target=request.target)
        return accounts_pb.AcquireLeaseResponse(lease=lease)

    async def ListAccounts(
        self,
        request: accounts_pb.ListAccountsRequest,
        context: grpc.aio.ServicerContext[Any, Any],
    ) -> accounts_pb.ListAccountsResponse:
        free = [accounts_pb.Account(state="free")] * self._pool.free
        return accounts_pb.ListAccountsResponse(
            accounts=[*free, accounts_pb.Account(state="leased")]
        )

    async def ReleaseLease(
        self,
        request: accounts_pb.ReleaseLeaseRequest,
        context: grpc.aio.ServicerContext[Any, Any],
    ) -> accounts_pb.ReleaseLeaseResponse:
        self._pool.released += 1
        return accounts_pb.ReleaseLeaseResponse(clean=not self._pool.leftovers)

    async def GetCredential(
        self,
        request: accounts_pb.GetCredentialRequest,
        context: grpc.aio.ServicerContext[Any, Any],
    ) -> accounts_pb.GetCredentialResponse:
        if self._pool.failure is not None:
            raise self._pool.failure
        if request.epoch != self._pool.epoch or request.lease_id != "lease_1":
            raise stale_epoch(request.epoch, self._pool.epoch)
        self._pool.reveals += 1
        key = self._pool.account.access_key
        assert key is not None
        fields = {
            "access_key_id": key.key_id,
            "access_key_secret": key.secret.get_secret_value(),
        }
        return accounts_pb.GetCredentialResponse(
            fields=fields, external_id=self._pool.account.external_id
        )

    async def InspectAccount(
        self,
        request: accounts_pb.InspectAccountRequest,
        context: grpc.aio.ServicerContext[Any, Any],
    ) -> accounts_pb.InspectAccountResponse:
        if request.epoch != self._pool.epoch:
            raise stale_epoch(request.epoch, self._pool.epoch)
        return accounts_pb.InspectAccountResponse(leftovers=self._pool.leftovers)
