"""A role's life from settings to drain, in process: the worked example over real gRPC,
Redis and SQL."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry

from proofwalk.api.account_pool.v1 import account_pool_pb2 as pb
from proofwalk.api.account_pool.v1 import account_pool_pb2_grpc as pb_grpc
from proofwalk.chassis import role_process
from proofwalk.chassis.database import Database
from proofwalk.chassis.metrics import RpcMetrics
from proofwalk.chassis.migrations import difference, migrate
from proofwalk.chassis.role import Loop, Role, RoleContext, Running, every
from proofwalk.chassis.role_process import LoopEnded, Process
from proofwalk.chassis.rpc import RpcChannel
from proofwalk.chassis.settings import ProcessSettings
from proofwalk.chassis.tracing import Tracing
from proofwalk.kernel.errors import ProofwalkError, conflict, unavailable
from tests.chassis.example_pool import main, repository
from tests.chassis.example_pool.settings import ExamplePoolSettings
from tests.chassis.wire import service


async def test_a_call_commits_its_row_and_the_doorbell_reaches_the_worker(
    process_settings: ProcessSettings,
) -> None:
    async with Process(process_settings, [main.role(ExamplePoolSettings())]) as process:
        channel = process.channel("example_pool")
        await channel.wait_until_ready(5)
        stub = pb_grpc.AccountPoolStub(channel.grpc)
        first = await stub.AcquireLease(
            pb.AcquireLeaseRequest(request_id="r1", holder="ep_1"), timeout=5
        )
        again = await stub.AcquireLease(
            pb.AcquireLeaseRequest(request_id="r1", holder="ep_1"), timeout=5
        )
        assert first.lease.lease_id == again.lease.lease_id
        database = Database(process_settings.database_url_of("example_pool"))
        async with asyncio.timeout(10):
            while True:
                async with database.read() as transaction:
                    row = await repository.find(transaction, "r1")
                if row is not None and row.epoch == 2:
                    break
                await asyncio.sleep(0.01)
        await database.close()
        assert row.notes == {"greeting": "hello"}
        assert process.is_ready
    assert not process.is_ready


async def test_an_error_reaches_the_caller_with_its_code_hint_and_status(
    process_settings: ProcessSettings,
) -> None:
    async with Process(process_settings, [main.role(ExamplePoolSettings(limit=1))]) as process:
        stub = pb_grpc.AccountPoolStub(process.channel("example_pool").grpc)
        await stub.AcquireLease(pb.AcquireLeaseRequest(request_id="r1"), timeout=5)
        with pytest.raises(ProofwalkError) as caught:
            await stub.AcquireLease(pb.AcquireLeaseRequest(request_id="r2"), timeout=5)
    assert (caught.value.code, caught.value.hint, caught.value.retryable) == (
        "example.none_free",
        "wait for one",
        True,
    )


async def test_the_declared_tables_are_the_migrated_ones(database: Database) -> None:
    await migrate(database, "tests.chassis.example_pool")
    await migrate(database, "tests.chassis.example_pool")
    assert await difference(database, "tests.chassis.example_pool", repository.METADATA) == []


def looping(
    run: Callable[[], Awaitable[None]],
    drain: Callable[[], Awaitable[None]] | None = None,
    name: str = "example_pool",
) -> Role:
    async def start(_ctx: RoleContext) -> Running:
        running = Running(loops=[Loop(name="it", run=run)])
        return replace(running, drain=drain) if drain else running

    return Role(name=name, start=start)


async def test_a_loop_that_fails_takes_the_process_down(process_settings: ProcessSettings) -> None:
    async def fail() -> None:
        raise ValueError("bug")

    async with Process(process_settings, [looping(fail)]) as process:
        with pytest.raises(ValueError, match="bug"):
            await asyncio.wait_for(process.wait(), 5)


async def test_a_loop_that_returns_takes_the_process_down(
    process_settings: ProcessSettings,
) -> None:
    async def give_up() -> None:
        return

    async with Process(process_settings, [looping(give_up)]) as process:
        with pytest.raises(LoopEnded):
            await asyncio.wait_for(process.wait(), 5)


async def test_a_loop_that_lets_through_that_something_is_away_is_begun_again(
    process_settings: ProcessSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(role_process, "_AGAIN_S", 0.01)
    begun, third = 0, asyncio.Event()

    async def run() -> None:
        nonlocal begun
        begun += 1
        if begun < 3:
            raise unavailable("database.unavailable", "the database system is starting up")
        third.set()
        await asyncio.Event().wait()

    async with Process(process_settings, [looping(run)]) as process:
        await asyncio.wait_for(third.wait(), 5)
        assert process.is_ready

    async def refuse() -> None:
        raise conflict("database.refused", "no such user")

    async with Process(process_settings, [looping(refuse)]) as process:
        with pytest.raises(ProofwalkError):
            await asyncio.wait_for(process.wait(), 5)


async def test_the_end_of_a_process_has_an_order(process_settings: ProcessSettings) -> None:
    order: list[str] = []

    async def start(ctx: RoleContext) -> Running:
        async def run() -> None:
            try:
                await asyncio.Event().wait()
            finally:
                order.append("loop cancelled")

        async def drain() -> None:
            with pytest.raises(ProofwalkError):
                await process.channel("example_pool").wait_until_ready(0.2)
            order.append("drained while not ready")

        async def close(name: str) -> None:
            await ctx.redis.ping()
            order.append(f"closed {name}")

        ctx.exits.push_async_callback(close, "first")
        ctx.exits.push_async_callback(close, "second")
        return Running(services=[service(None)], loops=[Loop(name="it", run=run)], drain=drain)

    async with Process(process_settings, [Role(name="example_pool", start=start)]) as process:
        await process.channel("example_pool").wait_until_ready(5)
    assert order == ["drained while not ready", "loop cancelled", "closed second", "closed first"]


async def test_a_drain_that_hangs_is_cut_at_the_grace(process_settings: ProcessSettings) -> None:
    async def forever() -> None:
        await asyncio.Event().wait()

    settings = process_settings.model_copy(update={"drain_grace_s": 0.5})
    async with Process(settings, [looping(forever, forever)]):
        pass


async def test_a_role_that_cannot_start_leaves_nothing_of_the_others(
    process_settings: ProcessSettings,
) -> None:
    async def refuse(_ctx: RoleContext) -> Running:
        raise RuntimeError("no")

    roles = [main.role(ExamplePoolSettings()), Role(name="other", start=refuse)]
    for _ in range(2):
        with pytest.raises(RuntimeError, match="no"):
            async with Process(process_settings, roles):
                pass


async def test_periodic_work_goes_on_after_a_failure(process_settings: ProcessSettings) -> None:
    done = asyncio.Event()
    count = 0

    async def work() -> None:
        nonlocal count
        count += 1
        if count == 1:
            raise ValueError("this time")
        done.set()

    async def start(_ctx: RoleContext) -> Running:
        return Running(loops=[every("look", 0.01, work)])

    async with Process(process_settings, [Role(name="example_pool", start=start)]):
        await asyncio.wait_for(done.wait(), 5)


async def test_a_served_process_is_ready_drains_on_sigterm_and_can_be_killed_and_started_again(
    home: Path,
) -> None:
    code = """
import asyncio, pathlib, sys
from proofwalk.chassis.role_process import run_roles
from proofwalk.chassis.settings import ProcessSettings
from proofwalk.chassis.settings_sections import LogSettings
from tests.chassis.example_pool.main import role
from tests.chassis.example_pool.settings import ExamplePoolSettings
settings = ProcessSettings(home=pathlib.Path(sys.argv[1]), log=LogSettings(format="json"))
asyncio.run(run_roles(settings, [role(ExamplePoolSettings())], on_ready=lambda _: print("ready", flush=True)))
"""
    settings = ProcessSettings(home=home)
    channel = RpcChannel(
        settings.address_of("example_pool"),
        tracing=Tracing("t"),
        metrics=RpcMetrics(CollectorRegistry()),
    )
    stub = pb_grpc.AccountPoolStub(channel.grpc)
    leases = []
    for signal_number, expected in ((signal.SIGKILL, -9), (signal.SIGTERM, 0)):
        served = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", code, str(home)), stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert served.stdout is not None
        if await asyncio.wait_for(served.stdout.readline(), 30) != b"ready\n":
            pytest.fail((await served.communicate())[1].decode())
        leases.append(
            (
                await stub.AcquireLease(pb.AcquireLeaseRequest(request_id="r1"), timeout=10)
            ).lease.lease_id
        )
        served.send_signal(signal_number)
        _, log = await asyncio.wait_for(served.communicate(), 20)
        assert served.returncode == expected, log.decode()
    assert leases[0] == leases[1]
    assert b"process_draining" in log
    await channel.close()
