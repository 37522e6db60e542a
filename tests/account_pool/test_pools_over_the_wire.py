"""Sites and purposes as callers and people see them: over gRPC, and at a terminal."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.duration_pb2 import Duration
from typer.testing import CliRunner

from proofwalk.account_pool.main import role
from proofwalk.account_pool.settings import AccountPoolSettings
from proofwalk.api.account_pool.v1 import account_pool_pb2 as pb
from proofwalk.api.account_pool.v1.account_pool_pb2_grpc import AccountPoolStub
from proofwalk.chassis.role_process import Process
from proofwalk.chassis.settings import ProcessSettings
from proofwalk.cli.main import app
from proofwalk.cloud.leased import LeasedAccounts
from proofwalk.cloud.memory import MemoryCloud
from proofwalk.kernel.account_pools import Demand, dedicated
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.resource_provisioner.account_leases import AccountLeases
from proofwalk.rollout.grpc_clients import GrpcAccountPool
from tests.account_pool.conftest import TARGET


@pytest.fixture
async def process(process_settings: ProcessSettings, tmp_path: Path) -> AsyncIterator[Process]:
    """1001 serves all but at one site, 1002 training, 1003 authoring."""
    cloud = MemoryCloud(clock=SystemClock(), accounts=3)
    cloud.dedication_of = {
        "1001": dedicated(site="intl"),
        "1002": dedicated(purposes=["training"]),
        "1003": dedicated(site="intl", purposes=["authoring"]),
    }
    targets = tmp_path / "targets"
    targets.mkdir()
    (targets / "memory.yaml").write_text(TARGET)
    pool = role(AccountPoolSettings(targets=targets), adapters={"memory": cloud.adapter})
    async with Process(process_settings, [pool]) as process:
        channel = process.channel("account_pool")
        await channel.wait_until_ready(10)
        stub = AccountPoolStub(channel.grpc)
        async with asyncio.timeout(10):
            while len((await stub.ListAccounts(pb.ListAccountsRequest())).accounts) < 3:
                await asyncio.sleep(0.02)
        yield process


@pytest.fixture
def stub(process: Process) -> AccountPoolStub:
    return AccountPoolStub(process.channel("account_pool").grpc)


def asking(name: str, **more: Any) -> pb.AcquireLeaseRequest:
    return pb.AcquireLeaseRequest(
        request_id=name, target="memory", holder=f"ep_{name}", ttl=Duration(seconds=60), **more
    )


async def leased(stub: AccountPoolStub, name: str, **more: Any) -> str:
    return str((await stub.AcquireLease(asking(name, **more), timeout=10)).lease.external_id)


async def refused(stub: AccountPoolStub, **more: Any) -> ProofwalkError:
    with pytest.raises(ProofwalkError) as caught:
        await stub.AcquireLease(asking("refused", **more), timeout=10)
    return caught.value


async def test_a_lease_says_what_it_is_for_and_where(stub: AccountPoolStub) -> None:
    assert await leased(stub, "t", purpose="training") == "1002"
    assert await leased(stub, "a", purpose="authoring", site="intl") == "1003"
    assert await leased(stub, "as before") == "1001"
    wrong = await refused(stub, purpose="play")
    assert (wrong.code, wrong.status) == ("account.bad_purpose", Status.INVALID_ARGUMENT)
    assert "verification, authoring, training" in wrong.hint
    for name in ("s" * 65, "Intl", "a b", "intl\n"):
        assert (await refused(stub, site=name)).code == "account.bad_site"
    nowhere = await refused(stub, site="moon", purpose="authoring", wait=Duration(seconds=60))
    assert (nowhere.code, nowhere.status) == ("account.no_pool", Status.NOT_FOUND)


async def test_the_other_roles_ask_for_what_they_are_about(process: Process) -> None:
    channel = process.channel("account_pool").grpc
    accounts = LeasedAccounts(channel, register_secret=lambda _: None)
    leases = AccountLeases(channel, accounts)
    assert await leases.free("memory") == 2, "1002 is for training alone"
    async with leases.leased("plan_1", "memory", "") as account:
        assert account.external_id == "1003"
    walks = GrpcAccountPool(channel)
    demand = Demand(site="intl", purpose="training")
    kinds: dict[str, Any] = {"target": "memory", "demand": demand, "holder": "ep_1"}
    times: dict[str, Any] = {key: Duration(seconds=60).ToTimedelta() for key in ("ttl", "wait")}
    assert (await walks.acquire(request_id="r1", **kinds, **times)).external_id == "1002"
    assert (await walks.acquire(request_id="r2", **kinds, **times)).external_id == "1001"


async def test_a_person_sees_what_accounts_serve_and_what_they_were_leased_for(
    stub: AccountPoolStub, process_settings: ProcessSettings
) -> None:
    await leased(stub, "a", purpose="authoring")

    async def shown(*words: str) -> Any:
        environment = {"PROOFWALK_HOME": str(process_settings.home), "COLUMNS": "250"}
        command = ["accounts", *words]
        done = await asyncio.to_thread(CliRunner().invoke, app, command, env=environment)
        assert done.exit_code == 0, done.output
        return done.stdout

    rows = json.loads(_answer(await shown("list", "--json")))
    assert {row["account"]: (row["site"], row["purposes"]) for row in rows} == {
        "1001": ("intl", ""),
        "1002": ("", "training"),
        "1003": ("intl", "authoring"),
    }
    assert "Purposes" in await shown("list")
    (line,) = json.loads(_answer(await shown("ledger", "--json")))
    assert (line["purpose"], line["site"]) == ("authoring", "intl")
    assert "authoring" in await shown("ledger")


def _answer(printed: str) -> str:
    """Without the role's log, which goes to the same stdout here."""
    return "".join(
        line for line in printed.splitlines(keepends=True) if not line.startswith("level=")
    )
