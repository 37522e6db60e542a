"""A lease of the embedded cloud over gRPC: its cost in the ledger is the cloud's own
bill, its cap ends it, and `proofwalk accounts` shows both."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
from alibabacloud_ecs20140526.client import Client as EcsClient
from alibabacloud_ecs20140526.models import CreateSecurityGroupRequest, RunInstancesRequest
from alibabacloud_tea_openapi.models import Config
from alibabacloud_vpc20160428.client import Client as VpcClient
from alibabacloud_vpc20160428.models import CreateVpcRequest, CreateVSwitchRequest
from google.protobuf.duration_pb2 import Duration
from pydantic import SecretStr
from typer.testing import CliRunner

from proofwalk.account_pool import main as account_pool
from proofwalk.account_pool.settings import AccountPoolSettings
from proofwalk.api.account_pool.v1 import account_pool_pb2 as pb
from proofwalk.api.account_pool.v1.account_pool_pb2_grpc import AccountPoolStub
from proofwalk.chassis.role_process import Process
from proofwalk.chassis.settings import ProcessSettings
from proofwalk.chassis.trust import system_trust
from proofwalk.cli.main import app
from proofwalk.devcloud.main import RunningDevcloud, run
from proofwalk.devcloud.settings import DevcloudSettings
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.ids import RandomIds
from tests.devcloud.conftest import IMAGE

TOKEN = "t" * 32
REGION = "cn-hangzhou"
HEADERS = {"authorization": f"Bearer {TOKEN}"}


@dataclass
class World:
    """The pool, the cloud, and a person at a terminal."""

    cloud: RunningDevcloud
    pool: AccountPoolStub
    home: Path

    async def lease(self, request_id: str, **more: Any) -> pb.Lease:
        """The accounts are rotated into service at start, so the first request may have
        to ask again."""
        request = pb.AcquireLeaseRequest(
            request_id=request_id,
            target="devcloud",
            holder="ep_1",
            ttl=Duration(seconds=60),
            **more,
        )
        async with asyncio.timeout(30):
            while True:
                try:
                    lease: pb.Lease = (await self.pool.AcquireLease(request, timeout=10)).lease
                    return lease
                except ProofwalkError as error:
                    if error.code != "account.none_free":
                        raise
                    await asyncio.sleep(0.05)

    async def buy(self, lease: pb.Lease, kind: str) -> str:
        request = pb.GetCredentialRequest(
            lease_id=lease.lease_id, epoch=lease.epoch, kind=pb.CREDENTIAL_KIND_ACCESS_KEY
        )
        key = dict((await self.pool.GetCredential(request, timeout=10)).fields)
        config = Config(**key, endpoint=self.cloud.url.removeprefix("http://"), protocol="HTTP")
        return await asyncio.to_thread(_run_instance, config, kind)

    async def bill(self, lease: pb.Lease) -> dict[str, Any]:
        async with httpx2.AsyncClient(
            trust_env=False, verify=system_trust(), headers=HEADERS
        ) as client:
            address = f"{self.cloud.url}/admin/accounts/{lease.external_id}/bill"
            told: dict[str, Any] = (await client.get(address)).json()
            return told

    async def command(self, *words: str) -> str:
        environment = {"PROOFWALK_HOME": str(self.home)}
        done = await asyncio.to_thread(
            CliRunner().invoke, app, ["accounts", *words], env=environment
        )
        assert done.exit_code == 0, done.output
        # The role's log goes to the same stdout: both are in this process.
        lines = done.stdout.splitlines(keepends=True)
        return "".join(line for line in lines if not line.startswith("level="))


def _run_instance(config: Config, kind: str) -> str:
    vpc = VpcClient(config)
    vpc_id = vpc.create_vpc(
        CreateVpcRequest(region_id=REGION, cidr_block="172.16.0.0/12")
    ).body.vpc_id
    switch = CreateVSwitchRequest(
        region_id=REGION, zone_id="cn-hangzhou-h", cidr_block="172.16.1.0/24", vpc_id=vpc_id
    )
    switch_id = vpc.create_vswitch(switch).body.v_switch_id
    ecs = EcsClient(config)
    group = ecs.create_security_group(CreateSecurityGroupRequest(region_id=REGION, vpc_id=vpc_id))
    made = ecs.run_instances(
        RunInstancesRequest(
            region_id=REGION,
            image_id=IMAGE,
            instance_type="ecs.g7.large",
            instance_charge_type=kind,
            period=1 if kind == "PrePaid" else None,
            security_group_id=group.body.security_group_id,
            v_switch_id=switch_id,
            instance_name="web-1",
        )
    )
    return str(made.body.instance_id_sets.instance_id_set[0])


@pytest.fixture
async def world(process_settings: ProcessSettings, tmp_path: Path) -> AsyncIterator[World]:
    clock = SystemClock()
    async with AsyncExitStack() as stack:
        settings = DevcloudSettings(accounts=2, speed=1e6, admin_token=SecretStr(TOKEN))
        cloud = await stack.enter_async_context(
            run(settings, clock=clock, ids=RandomIds(clock), state_dir=tmp_path / "cloud")
        )
        role = account_pool.role(
            AccountPoolSettings(proof_poll_s=0.05, billing_s=0.2, proof_deadline_s=1),
            environment={"DEVCLOUD_URL": cloud.url, "DEVCLOUD_ADMIN_TOKEN": TOKEN},
        )
        process = await stack.enter_async_context(Process(process_settings, [role]))
        channel = process.channel("account_pool")
        await channel.wait_until_ready(10)
        yield World(cloud=cloud, pool=AccountPoolStub(channel.grpc), home=process_settings.home)


@pytest.mark.timeout(120)
async def test_a_cost_is_the_clouds_own_bill_and_a_person_reads_it(world: World) -> None:
    lease = await world.lease("r1")
    await world.buy(lease, "PostPaid")
    await asyncio.sleep(1.5)  # the cloud's time is real here: a second of rent is what is measured
    ref: dict[str, Any] = {"lease_id": lease.lease_id, "epoch": lease.epoch}
    at_release = await world.bill(lease)
    await world.pool.ReleaseLease(pb.ReleaseLeaseRequest(**ref), timeout=30)
    (line,) = (await world.pool.ListLeases(pb.ListLeasesRequest(target="devcloud"))).leases
    assert line.cost.currency == "CNY"
    assert line.cost.micros >= 0.99 * at_release["total"] * 1e6 > 0
    assert (line.holder, line.proof, line.ending) == ("ep_1", "dirty", "")

    async with asyncio.timeout(30):
        while True:  # until the sweep has ended what was rented, and read the bill once more
            listed = await world.pool.ListAccounts(pb.ListAccountsRequest(target="devcloud"))
            if all(account.state == "free" for account in listed.accounts):
                break
            await asyncio.sleep(0.1)
    (line,) = (await world.pool.ListLeases(pb.ListLeasesRequest())).leases
    final = await world.bill(lease)
    assert [one["until"] is not None for one in final["lines"]] == [True]
    assert line.cost.micros <= final["total"] * 1e6

    (row,) = json.loads(await world.command("ledger", "--target", "devcloud", "--json"))
    assert (row["lease_id"], row["micros"], row["ended"] is not None) == (
        lease.lease_id,
        line.cost.micros,
        True,
    )
    assert "ep_1" in await world.command("ledger")
    rows = json.loads(await world.command("list", "--json"))
    assert {account["balance"] for account in rows} == {"10000.00 CNY"}
    assert "free" in await world.command("list")
    assert json.loads(await world.command("list", "--target", "moon", "--json")) == []


@pytest.mark.timeout(120)
async def test_an_order_over_the_cap_ends_the_lease(world: World) -> None:
    lease = await world.lease("r1", max_cost=200.0)
    await world.buy(lease, "PrePaid")
    ref: dict[str, Any] = {"lease_id": lease.lease_id, "epoch": lease.epoch}
    renewal = pb.RenewLeaseRequest(**ref, ttl=Duration(seconds=60))
    with pytest.raises(ProofwalkError) as caught:
        async with asyncio.timeout(30):
            while True:
                await world.pool.RenewLease(renewal, timeout=5)
                await asyncio.sleep(0.1)
    assert (caught.value.code, caught.value.cause) == ("account.over_budget", "account")
    (line,) = (await world.pool.ListLeases(pb.ListLeasesRequest())).leases
    assert (line.ending, line.cost.micros, line.max_cost.micros) == (
        "account.over_budget",
        228_000_000,
        200_000_000,
    )


async def test_a_ledger_is_asked_for_within_bounds(world: World) -> None:
    for limit in (-1, 1001):
        with pytest.raises(ProofwalkError) as caught:
            await world.pool.ListLeases(pb.ListLeasesRequest(limit=limit))
        assert caught.value.code == "account.bad_limit"


def test_without_a_pool_the_command_says_so(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["accounts", "list"], env={"PROOFWALK_HOME": str(tmp_path)})
    assert done.exit_code == 2
    assert "client.no_server" in done.output
