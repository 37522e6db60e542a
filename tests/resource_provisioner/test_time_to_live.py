"""A provisioning stands for its time and no longer, whatever its holder does."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from proofwalk.api.resource_provisioner.v1 import resource_provisioner_pb2 as pb
from proofwalk.chassis import migrations
from proofwalk.chassis.database import Database
from proofwalk.chassis.rpc.vocabulary import moment_from_pb
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.kernel.outcomes import EnvCause
from proofwalk.resource_provisioner import usecases
from proofwalk.resource_provisioner.domain import ProvisioningState
from proofwalk.resource_provisioner.repository import ProvisioningRow
from tests.resource_provisioner.conftest import META, Stage

PATIENCE_S = 20
STEPS = "id: nothing\ndescription: Nothing\n"


def request(stage: Stage, ttl_s: float, request_id: str = "r1", meta: str = META) -> Any:
    return pb.ProvisionRequest(
        request_id=request_id,
        lease=stage.lease(),
        meta=pb.Meta(yaml=meta),
        limits=pb.Limits(ttl_s=ttl_s),
    )


async def provision(stage: Stage, ttl_s: float, request_id: str = "r1", meta: str = META) -> Any:
    return (await stage.call("Provision", request(stage, ttl_s, request_id, meta))).provisioning


async def ended(stage: Stage, request_id: str = "r1", state: str = "destroyed") -> Any:
    async with asyncio.timeout(PATIENCE_S):
        while (row := await stage.get(request_id)).state != state:
            await asyncio.sleep(0.02)
    return row


async def test_what_has_stood_for_its_time_is_taken_back_under_a_live_lease(stage: Stage) -> None:
    made = await provision(stage, ttl_s=1)
    assert made.state == "ready"
    stands = moment_from_pb(made.expires_at) - moment_from_pb(made.created_at)
    assert stands.total_seconds() == 1
    assert len(await stage.inventory()) == 2
    row = await ended(stage)
    assert row.error_code == "provision.expired"
    assert "1 s" in row.error_message
    assert await stage.inventory() == []
    assert stage.runner.calls == ["apply", "destroy"]
    with pytest.raises(ProofwalkError) as caught:
        await provision(stage, ttl_s=1)
    assert (caught.value.code, caught.value.status, caught.value.cause) == (
        "provision.expired",
        Status.FAILED_PRECONDITION,
        EnvCause.PROVISION,
    )


async def test_a_request_lowers_the_time_and_never_raises_it(stage: Stage) -> None:
    made = await provision(stage, ttl_s=1e6)
    stands = moment_from_pb(made.expires_at) - moment_from_pb(made.created_at)
    assert stands.total_seconds() == stage.own.ttl_s
    without = await provision(stage, ttl_s=0, request_id="r2")
    assert (
        moment_from_pb(without.expires_at) - moment_from_pb(without.created_at)
    ).total_seconds() == stage.own.ttl_s
    with pytest.raises(ProofwalkError, match="in which resources stand"):
        await provision(stage, ttl_s=-1, request_id="r3")


async def test_a_creation_that_takes_longer_ends_with_that_and_leaves_nothing(
    stage: Stage,
) -> None:
    stage.runner.hold = asyncio.Event()
    with pytest.raises(ProofwalkError) as caught:
        await provision(stage, ttl_s=1)
    assert (caught.value.code, caught.value.cause) == ("provision.expired", EnvCause.PROVISION)
    await ended(stage)
    assert await stage.inventory() == []


async def test_a_record_that_makes_nothing_expires_as_well(stage: Stage) -> None:
    await provision(stage, ttl_s=1, meta=STEPS)
    assert (await ended(stage)).error_code == "provision.expired"


async def test_holder_and_time_may_both_take_it_back_at_once(stage: Stage) -> None:
    made = await provision(stage, ttl_s=1)
    destroy = pb.DestroyRequest(provisioning_id=made.provisioning_id, lease=stage.lease())
    sweep = pb.SweepRequest(lease=stage.lease())

    async def holder() -> None:
        """Asks without a pause, before, at and after the moment."""
        async with asyncio.timeout(PATIENCE_S):
            while (await stage.get()).state == "ready":
                await asyncio.sleep(0)
            await asyncio.gather(
                *(stage.call("Destroy", destroy) for _ in range(3)), stage.call("Sweep", sweep)
            )

    await holder()
    row = await ended(stage)
    assert row.error_code == "provision.expired"
    assert await stage.inventory() == []
    assert stage.runner.calls == ["apply", "destroy"]


async def test_one_of_holder_and_time_begins_the_end_and_one_of_them_is_told_why(
    database: Database,
) -> None:
    await migrations.migrate(database, "proofwalk.resource_provisioner")
    clock = ManualClock()
    ends = clock.now()
    for number in range(10):
        row = ProvisioningRow(
            id=f"prov_{number}",
            request_id=f"r{number}",
            lease_id="lease_1",
            lease_epoch=1,
            target="memory",
            region="local",
            meta_yaml=STEPS,
            name_prefix="pw",
            state=ProvisioningState.CREATING,
            created_at=ends,
            updated_at=ends,
            expires_at=ends,
        )
        await usecases.intend(database, row)
        ended_by_time, before = await asyncio.gather(
            usecases.expire(database, row.id, clock=clock),
            usecases.begin_destroy(database, row.id, clock=clock),
        )
        after = await usecases.get(database, provisioning_id=row.id)
        assert after.state is ProvisioningState.DESTROYING
        # Who began it, and nobody else, has to stop what is under way.
        began = [one for one in (ended_by_time, before) if one and one.state != after.state]
        assert len(began) == 1
        assert (after.error_code == "provision.expired") == (ended_by_time is not None)
    assert await usecases.expired(database, clock=clock) == []


async def test_what_the_holder_took_back_in_time_did_not_expire(stage: Stage) -> None:
    made = await provision(stage, ttl_s=2)
    destroy = pb.DestroyRequest(provisioning_id=made.provisioning_id, lease=stage.lease())
    await stage.call("Destroy", destroy)
    await provision(stage, ttl_s=2, request_id="r2")
    assert (await ended(stage, "r2")).error_code == "provision.expired"
    assert (await stage.get()).error_code == ""


async def test_a_time_that_passes_while_the_role_is_away_is_over_when_it_is_back(
    stage: Stage,
) -> None:
    await provision(stage, ttl_s=1)
    await stage.stop()
    await asyncio.sleep(1.1)
    await stage.start()
    assert (await ended(stage)).error_code == "provision.expired"
    assert await stage.inventory() == []


async def test_what_cannot_be_taken_back_in_its_time_is_leaked_and_named(stage: Stage) -> None:
    made = await provision(stage, ttl_s=1)
    stage.cloud.fail("delete", "cloud.denied")
    stage.cloud.failures["delete"].status = Status.PERMISSION_DENIED
    row = await ended(stage, state="leaked")
    assert row.error_code == "provision.destroy_failed"
    del stage.cloud.failures["delete"]
    destroy = pb.DestroyRequest(provisioning_id=made.provisioning_id, lease=stage.lease())
    await stage.call("Destroy", destroy)
    assert await stage.inventory() == []


async def test_an_ended_lease_leaves_what_expires_to_the_account_pool(stage: Stage) -> None:
    await provision(stage, ttl_s=1)
    stage.pool.epoch = 2
    row = await ended(stage)
    assert row.error_code == "provision.expired"
    assert len(await stage.inventory()) == 2, "another lease's account is not touched"
