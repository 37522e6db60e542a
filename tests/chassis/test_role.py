"""A role's life from settings to drain, in process: the worked example over real gRPC, Redis and SQL."""

from __future__ import annotations

import asyncio

import pytest

from proofwalk.api.account_pool.v1 import account_pool_pb2 as pb
from proofwalk.api.account_pool.v1 import account_pool_pb2_grpc as pb_grpc
from proofwalk.chassis.database import Database
from proofwalk.chassis.migrations import difference, migrate
from proofwalk.chassis.role import Process
from proofwalk.chassis.settings import ProcessSettings
from proofwalk.kernel.errors import ProofwalkError
from tests.chassis.example_pool import main, repository
from tests.chassis.example_pool.settings import ExamplePoolSettings


async def test_a_call_commits_its_row_and_the_doorbell_reaches_the_worker(process_settings: ProcessSettings) -> None:
    async with Process(process_settings, [main.role(ExamplePoolSettings())]) as process:
        channel = process.channel("example_pool")
        await channel.wait_until_ready(5)
        stub = pb_grpc.AccountPoolStub(channel.grpc)
        first = await stub.AcquireLease(pb.AcquireLeaseRequest(request_id="r1", holder="ep_1"), timeout=5)
        again = await stub.AcquireLease(pb.AcquireLeaseRequest(request_id="r1", holder="ep_1"), timeout=5)
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


async def test_an_error_reaches_the_caller_with_its_code_hint_and_status(process_settings: ProcessSettings) -> None:
    async with Process(process_settings, [main.role(ExamplePoolSettings(limit=1))]) as process:
        stub = pb_grpc.AccountPoolStub(process.channel("example_pool").grpc)
        await stub.AcquireLease(pb.AcquireLeaseRequest(request_id="r1"), timeout=5)
        with pytest.raises(ProofwalkError) as caught:
            await stub.AcquireLease(pb.AcquireLeaseRequest(request_id="r2"), timeout=5)
    assert (caught.value.code, caught.value.hint, caught.value.retryable) == ("example.none_free", "wait for one", True)


async def test_the_declared_tables_are_the_migrated_ones(database: Database) -> None:
    await migrate(database, "tests.chassis.example_pool")
    await migrate(database, "tests.chassis.example_pool")
    assert await difference(database, "tests.chassis.example_pool", repository.METADATA) == []
