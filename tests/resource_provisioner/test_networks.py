"""Needs of one lease are met in its network: rounds, rows, and who goes first."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from proofwalk.api.resource_provisioner.v1 import resource_provisioner_pb2 as pb
from proofwalk.chassis import migrations
from proofwalk.chassis.database import Database
from proofwalk.chassis.settings import ProcessSettings
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.needs import Need
from proofwalk.resource_provisioner import usecases
from proofwalk.resource_provisioner.coder import Failure
from proofwalk.resource_provisioner.domain import Footing, ProvisioningState
from tests.resource_provisioner.conftest import META, Stage
from tests.resource_provisioner.test_on_demand import DOCUMENT, ask, kept
from tests.resource_provisioner.test_placing import a_row
from tests.resource_provisioner.test_provisioning import failure

GROUP = """
id: one-group
description: A security group in a VPC
create: |
  resource "alicloud_vpc" "main" {}
  resource "alicloud_security_group" "main" {
    vpc_id = alicloud_vpc.main.id
  }
  output "id" {
    value = alicloud_security_group.main.id
  }
verify:
  - {product: vpc, type: security_group, id: "${output.id}"}
"""
NOUN = "security group"


class GroupCoder:
    """Writes one record, as often as it is asked."""

    name = "groups"

    async def write(self, need: Need, failures: Sequence[Failure]) -> str:
        return GROUP


@pytest.fixture
async def grouping(process_settings: ProcessSettings) -> AsyncIterator[Stage]:
    """A stage whose lease has a VPC with a vSwitch."""
    made = Stage(process_settings)
    made.coders = {"memory": GroupCoder}
    await made.start()
    await made.provision("own")
    yield made
    await made.stop()


async def types_there(stage: Stage) -> list[str]:
    return sorted(one.type for one in await stage.inventory())


async def ask_for_a_group(stage: Stage, request_id: str = "walk:1") -> Any:
    return await ask(stage, request_id, product="vpc", resource=NOUN)


async def test_a_need_is_met_in_the_vpc_of_the_walks_own_record(grouping: Stage) -> None:
    answer = await ask_for_a_group(grouping)
    assert await types_there(grouping) == ["security_group", "vpc", "vswitch"]
    assert [one.type for one in answer.made] == ["security_group", "vpc"]
    assert (answer.rounds, answer.record.id) == (1, "")
    (record,) = await kept(grouping)
    assert "vpc_id = alicloud_vpc.main.id" in record.yaml
    await grouping.stop()
    await grouping.start()
    assert await ask_for_a_group(grouping) == answer


async def test_a_round_that_fails_in_the_network_is_run_again_without_it(
    grouping: Stage,
) -> None:
    old = pb.Meta(
        yaml=GROUP.replace("one-group", "old"),
        product="vpc",
        document_digest=DOCUMENT,
        intent="security group",
        target_kind="memory",
    )
    await grouping.call("PutMeta", pb.PutMetaRequest(meta=old))
    grouping.runner.apply_failures.append(failure())
    answer = await ask_for_a_group(grouping)
    assert (answer.rounds, answer.record.id) == (2, "old")
    assert (await types_there(grouping)).count("vpc") == 2
    get = pb.GetMetaRequest(id="old", version=1)
    assert (await grouping.call("GetMeta", get)).meta.state == "proven"


async def test_another_lease_epoch_has_no_part_in_the_network(grouping: Stage) -> None:
    grouping.pool.epoch = 2
    request = pb.ProvisionOnDemandRequest(
        request_id="walk:1",
        lease=grouping.lease(2),
        need="a group",
        intent=pb.NeedIntent(document_digest=DOCUMENT, product="vpc", resource=NOUN),
    )
    answer = await grouping.call("ProvisionOnDemand", request)
    assert answer.record.id
    assert (await types_there(grouping)).count("vpc") == 2


async def test_what_stands_in_the_network_goes_first_whoever_ends_it(grouping: Stage) -> None:
    answer = await ask_for_a_group(grouping)
    own = await grouping.get("own")
    destroy = pb.DestroyRequest(provisioning_id=own.provisioning_id, lease=grouping.lease())
    await grouping.call("Destroy", destroy)
    assert await grouping.inventory() == []
    assert grouping.runner.calls[-2:] == ["destroy", "destroy"]
    ended = await grouping.get("walk:1:1")
    assert ended.provisioning_id == answer.provisioning.provisioning_id
    assert ended.state == "destroyed"


async def test_nothing_is_begun_on_what_is_being_taken_back(database: Database) -> None:
    await migrations.migrate(database, "proofwalk.resource_provisioner")
    first = a_row(META)
    await usecases.intend(database, first)
    footing = Footing(provisioning_id=first.id, product="vpc", type="vpc", id="vpc-1")
    second = replace(a_row(GROUP, "prov_2"), footings=(footing,), general_yaml=META)
    assert await usecases.intend(database, second) == second
    assert await usecases.standing_on(database, first) == [second]
    clock = ManualClock(datetime(2026, 11, 27, 13, tzinfo=UTC))
    await usecases.move(database, first.id, ProvisioningState.DESTROYING, clock=clock)
    with pytest.raises(ProofwalkError) as caught:
        await usecases.intend(database, replace(second, id="prov_3", request_id="r3"))
    assert caught.value.code == "provision.footing_gone"
    assert await usecases.of_request(database, "r3") is None
