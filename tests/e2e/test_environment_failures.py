"""The environment fails on the way: the verdict names its cause, no statement about the
document is made, and nothing is left."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from google.protobuf.duration_pb2 import Duration
from pydantic import SecretStr

from proofwalk.api.account_pool.v1 import account_pool_pb2 as pool
from proofwalk.api.account_pool.v1.account_pool_pb2_grpc import AccountPoolStub
from proofwalk.chassis.role import Role
from proofwalk.cloud.adapters import Adapter
from proofwalk.cloud.devcloud import devcloud
from proofwalk.cloud.ports import Cloud, CloudAccount, Inventory, Provisioning, ResourceRef
from proofwalk.cloud.target import Target
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.orders.body import read_request
from proofwalk.platform.settings import Settings, target_environment
from proofwalk.resource_provisioner.main import role as resource_provisioner
from tests.e2e.installation import ACCOUNTS, DOCS, HANGS_S, Installation, command, home, running

pytestmark = [pytest.mark.terraform, pytest.mark.slow, pytest.mark.timeout(HANGS_S)]
TEXT = (DOCS / "01-vpc-create-vpc.md").read_text(encoding="utf-8")
VPC = (
    'resource "alicloud_vpc" "main" {\n    vpc_name = "${var.name_prefix}-vpc"\n    cidr_block ='
    ' "%s"\n  }'
)


def _meta(create: str, verify: str = "[]") -> str:
    body = f"|\n  {create}" if create else '""'
    return (
        f"id: e2e\ndescription: A VPC\ncreate: {body}\nverify: {verify}\ndestroy: auto\nbinds:"
        " {}\n"
    )


class _KeyThatLosesItsRights:
    """The cloud as the provisioner sees it: it may create, and after that it may
    neither list into nothing nor delete."""

    def __init__(self, inventory: Inventory, provisioning: Provisioning) -> None:
        self._inventory = inventory
        self._provisioning = provisioning
        self._runs = 0
        self.hosts = provisioning.hosts
        self.provider_source = provisioning.provider_source
        self.provider_version = provisioning.provider_version

    async def list(self, account: CloudAccount) -> Sequence[ResourceRef]:
        return await self._inventory.list(account)

    async def delete(self, account: CloudAccount, resource: ResourceRef) -> None:
        raise ProofwalkError(
            "cloud.denied",
            f"{resource.id} may not be deleted with this key",
            status=Status.PERMISSION_DENIED,
        )

    async def environment(self, account: CloudAccount, *, region: str) -> Mapping[str, SecretStr]:
        self._runs += 1
        given = dict(await self._provisioning.environment(account, region=region))
        if self._runs > 1:
            given["ALICLOUD_SECRET_KEY"] = SecretStr("revoked")
        return given


@asynccontextmanager
async def _losing(target: Target, *, clock: Clock) -> AsyncIterator[Cloud]:
    async with devcloud(target, clock=clock) as cloud:
        assert cloud.inventory is not None
        assert cloud.provisioning is not None
        limited = _KeyThatLosesItsRights(cloud.inventory, cloud.provisioning)
        yield replace(cloud, inventory=limited, provisioning=limited)


def _provisioner(adapter: Adapter, settings: Settings) -> Role:
    return resource_provisioner(
        settings.resource_provisioner,
        environment=target_environment(settings),
        adapters={"devcloud": adapter},
    )


async def _fails(found: Installation, name: str, meta: str) -> tuple[str, str, str]:
    body = {"document": {"text": TEXT, "name": f"{name}.md"}, "target": "devcloud", "meta": meta}
    created = await found.client.create(read_request(body), key=name)
    verdict = (await found.finish(created["verification_id"]))["verdict"]
    assert verdict["blame"] == "environment"
    assert not verdict.get("finding")
    assert {step["status"] for step in verdict["substeps"]} <= {"not_verified"}
    events = [row["type"] for row in await found.client.events(created["verification_id"])]
    assert events.count("verification_finished") == 1
    (row,) = await found.rows(
        "rollout",
        f"select code from rollout_episodes where verification_id = '{created['verification_id']}'",
    )
    return verdict["outcome"], verdict["cause"], row[0]


async def _settled(found: Installation, before: dict[str, set[str]]) -> None:
    """The pool takes care of what is left, in its own time."""
    query = (
        "select id, state from resource_provisioner_provisionings where state not in ('destroyed',"
        " 'failed')"
    )
    async with asyncio.timeout(60):
        while (
            await found.account_states() != ["free"] * ACCOUNTS
            or await found.inventory() != before
            or await found.rows("resource_provisioner", query)
        ):
            await asyncio.sleep(0.2)
    assert (
        await found.rows(
            "sandbox_scheduler", "select id from sandbox_scheduler_sandboxes where state <> 'ended'"
        )
        == []
    )


async def test_what_cannot_be_made_or_is_not_as_described_is_the_environments_failure() -> None:
    with home() as folder:
        async with running(
            folder, {"RESOURCE_PROVISIONER__VERIFY_S": "1", "ROLLOUT__ACCOUNT_WAIT_S": "0.5"}
        ) as found:
            before = await found.inventory()
            refused = await _fails(found, "bad-cidr", _meta(VPC % "8.8.8.8/33"))
            assert refused == ("env_failure", "provision", "provision.create_failed")
            await _settled(found, before)

            absent = "[{product: vpc, type: vpc, name: nowhere, state: Available}]"
            unlike = await _fails(found, "not-as-described", _meta(VPC % "10.0.0.0/8", absent))
            assert unlike == ("env_failure", "provision", "provision.verify_failed")
            await _settled(found, before)

            stub = AccountPoolStub(found.process.channel("account_pool").grpc)
            leases = []
            for number in range(ACCOUNTS):
                ttl = Duration(seconds=60)
                request = pool.AcquireLeaseRequest(
                    request_id=f"t{number}", target="devcloud", holder="a test", ttl=ttl
                )
                leases.append((await stub.AcquireLease(request, timeout=10)).lease)
            assert await _fails(found, "no-account", "") == (
                "env_failure",
                "account",
                "account.none_free",
            )
            file = str(DOCS / "01-vpc-create-vpc.md")
            said = await command(
                "verify", file, "--attempts", "1", "--format", "json", HOME=str(folder)
            )
            assert (said.code, json.loads(said.out)[0]["verdict"]) == (3, "env_failure")
            for lease in leases:
                await stub.ReleaseLease(
                    pool.ReleaseLeaseRequest(lease_id=lease.lease_id, epoch=lease.epoch), timeout=30
                )
            await _settled(found, before)


async def test_what_cannot_be_destroyed_is_named_and_the_pool_clears_it_away() -> None:
    short = {
        "RESOURCE_PROVISIONER__VERIFY_S": "1",
        "RESOURCE_PROVISIONER__SWEEP_S": "1",
        "RESOURCE_PROVISIONER__ABANDONED_S": "1",
        "ACCOUNT_POOL__SWEEP_S": "0.5",
    }
    with home() as folder:
        async with running(
            folder, short, instead=lambda settings: [_provisioner(_losing, settings)]
        ) as found:
            before = await found.inventory()
            absent = "[{product: vpc, type: vpc, name: nowhere, state: Available}]"
            failed = await _fails(found, "stubborn", _meta(VPC % "10.0.0.0/8", absent))
            assert failed == ("env_failure", "provision", "provision.destroy_failed")
            (verification,) = await found.client.newest(limit=1)
            events = {
                row["type"]: row["data"]
                for row in await found.client.events(verification["verification_id"])
            }
            assert events["cleanup_failed"]["code"] == "provision.destroy_failed"
            assert "vpc" in str(events["account_released"]["leftovers"])
            assert events["account_released"]["clean"] is False
            await _settled(found, before)
