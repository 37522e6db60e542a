"""Operations of the cloud's API beside a template, through the role over gRPC: order,
crashes, what Terraform takes along, and leases that end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest

from proofwalk.api.resource_provisioner.v1 import resource_provisioner_pb2 as pb
from proofwalk.chassis.settings import ProcessSettings
from proofwalk.cloud.ports import CloudAccount
from proofwalk.cloud.steps.caller import Answer, StepCaller, Values
from proofwalk.cloud.steps.model import AnyCall, ApiCall, Preparation
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.json_values import object_of
from tests.resource_provisioner.conftest import META, Stage
from tests.resource_provisioner.fakes import ACCOUNT

CONDITIONED = (
    META
    + """
steps:
  - do: {api: ecs, operation: CreateSnapshot, parameters: {DiskId: "${output.id}"}}
    undo: {api: ecs, operation: DeleteSnapshot, parameters: {SnapshotId: "${output.copy}"}}
    outputs: {copy: SnapshotId}
leftovers:
  - {api: vpc, operation: DeletionProtection, parameters: {InstanceId: "${output.id}"}}
"""
)


@dataclass
class Snapshots:
    """`Actions`, and the caller of every account: it keeps copies."""

    stage: Stage
    calls: list[str] = field(default_factory=list)
    copies: list[str] = field(default_factory=list)
    held: bool = False
    """Whether a copy cannot be deleted while what it is of is there."""
    refuses: bool = False
    hold: asyncio.Event = field(default_factory=asyncio.Event)
    entered: asyncio.Event = field(default_factory=asyncio.Event)

    def caller(self, account: CloudAccount, *, region: str) -> StepCaller:
        assert (account.external_id, region) == (ACCOUNT, "local")
        return self

    def refuse_undeclared(self, preparation: Preparation) -> None:
        assert preparation.prior == {"id"}

    def quoted(self, text: str) -> str:
        return text

    async def call(self, call: AnyCall, values: Values) -> Answer:
        assert isinstance(call, ApiCall)
        told = object_of(values.json(dict(call.parameters)))
        self.calls.append(f"{call.operation} {next(iter(told.values()))}")
        if call.operation == "CreateSnapshot":
            if self.refuses:
                return Answer(status=400, text="InvalidDiskId")
            self.copies.append(f"s-{told['DiskId']}")
            self.entered.set()
            await self.hold.wait()
            return Answer(status=200, text=f'{{"SnapshotId": "{self.copies[-1]}"}}')
        if call.operation == "DeleteSnapshot":
            if self.held and await self.stage.inventory():
                return Answer(status=400, text="InUse")
            if told["SnapshotId"] not in self.copies:
                return Answer(status=404, text="NotFound")
            self.copies.clear()
        return Answer(status=200, text="{}")


@pytest.fixture
async def snapshots(process_settings: ProcessSettings) -> AsyncIterator[Snapshots]:
    stage = Stage(process_settings)
    made = Snapshots(stage)
    made.hold.set()
    stage.cloud.actions = made
    await stage.start()
    yield made
    made.hold.set()
    await stage.stop()


async def _destroy(stage: Stage) -> None:
    made = await stage.get()
    request = pb.DestroyRequest(provisioning_id=made.provisioning_id, lease=stage.lease())
    await stage.call("Destroy", request)


async def test_steps_come_after_the_template_and_go_before_it(snapshots: Snapshots) -> None:
    stage = snapshots.stage
    made = await stage.provision(meta=CONDITIONED)
    switch = made.outputs["id"]
    assert (made.state, made.outputs["copy"]) == ("ready", f"s-{switch}")
    assert dict(made.binds) == {"the vSwitch": f"{switch} in local"}
    assert snapshots.calls == [f"CreateSnapshot {switch}"]
    await _destroy(stage)
    assert (snapshots.copies, await stage.inventory()) == ([], [])
    assert snapshots.calls[1:] == [
        f"DeletionProtection {switch}",
        f"DeleteSnapshot s-{switch}",
        f"DeletionProtection {switch}",
    ]


async def test_a_refused_step_takes_the_template_back(snapshots: Snapshots) -> None:
    snapshots.refuses = True
    with pytest.raises(ProofwalkError) as caught:
        await snapshots.stage.provision(meta=CONDITIONED)
    assert caught.value.code == "provision.step_failed"
    assert (await snapshots.stage.get()).state == "failed"
    assert await snapshots.stage.inventory() == []


async def test_what_stands_in_the_way_of_a_step_goes_and_the_step_is_taken_back(
    snapshots: Snapshots,
) -> None:
    snapshots.held = True
    await snapshots.stage.provision(meta=CONDITIONED)
    await _destroy(snapshots.stage)
    assert (await snapshots.stage.get()).state == "destroyed"
    assert snapshots.copies == []


async def test_a_step_that_stays_is_told_as_leaked_and_tried_again(snapshots: Snapshots) -> None:
    stage = snapshots.stage
    await stage.provision(meta=CONDITIONED)
    snapshots.copies.append("of-somebody-else")

    async def stays(call: AnyCall, values: Values) -> Answer:
        return Answer(status=400, text="InUse")

    original = snapshots.call
    snapshots.call = stays  # type: ignore[method-assign]
    with pytest.raises(ProofwalkError) as caught:
        await _destroy(stage)
    assert caught.value.code == "provision.destroy_failed"
    assert "ecs DeleteSnapshot" in caught.value.message
    assert await stage.inventory() == []
    assert (await stage.get()).state == "leaked"
    snapshots.call = original  # type: ignore[method-assign]
    await _destroy(stage)
    assert (await stage.get()).state == "destroyed"


async def test_a_crash_in_a_step_keeps_what_the_template_made(snapshots: Snapshots) -> None:
    stage = snapshots.stage
    snapshots.hold.clear()
    work = asyncio.create_task(stage.provision(meta=CONDITIONED))
    await asyncio.wait_for(snapshots.entered.wait(), 60)
    await stage.stop()
    with pytest.raises(ProofwalkError):
        await work
    snapshots.hold.set()
    await stage.start()
    with pytest.raises(ProofwalkError) as caught:
        await stage.provision(meta=CONDITIONED)
    # Nobody knows the copy's id: what was lost with the answer is named.
    assert caught.value.code == "provision.destroy_failed"
    assert "gave no copy" in caught.value.message
    assert await stage.inventory() == []


async def test_after_the_lease_the_account_is_the_pools(snapshots: Snapshots) -> None:
    stage = snapshots.stage
    await stage.provision(meta=CONDITIONED)
    snapshots.calls.clear()
    stage.pool.epoch = 2
    await _destroy(stage)
    assert (await stage.get()).state == "destroyed"
    assert snapshots.calls == []
