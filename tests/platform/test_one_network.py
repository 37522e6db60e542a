"""What one walk lacks belongs together: a need is met in the network that an earlier
one of the same lease made, with real Terraform over gRPC."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from proofwalk.api.resource_provisioner.v1 import resource_provisioner_pb2 as pb
from proofwalk.authoring.resources import World
from proofwalk.chassis.settings import ProcessSettings
from proofwalk.cloud.ports import ResourceRef
from proofwalk.devcloud.main import PRODUCTS
from proofwalk.devcloud.products import indexing
from proofwalk.platform.devcloud_world import devcloud_world
from proofwalk.resource_provisioner.meta import read_meta
from tests.platform.composing_site import composing_site
from tests.resource_provisioner.test_role import Site

pytestmark = [pytest.mark.terraform, pytest.mark.timeout(120)]
DOCUMENT = "d" * 64
OWN_META = """
id: own-network
description: A vSwitch
create: |
  resource "alicloud_vpc" "main" {
    vpc_name   = "${var.name_prefix}-vpc"
    cidr_block = "192.168.0.0/16"
  }
  resource "alicloud_vswitch" "main" {
    vswitch_name = "${var.name_prefix}-vsw"
    vpc_id       = alicloud_vpc.main.id
    cidr_block   = "192.168.0.0/24"
    zone_id      = "${var.region}-i"
  }
  output "id" {
    value = alicloud_vswitch.main.id
  }
verify:
  - {product: vpc, type: vswitch, id: "${output.id}", state: Available}
"""


@pytest.fixture(scope="module")
def world() -> World:
    return devcloud_world(indexing.load(PRODUCTS))


@pytest.fixture
async def site(
    process_settings: ProcessSettings, tmp_path: Path, world: World
) -> AsyncIterator[Site]:
    async with composing_site(process_settings, tmp_path, world) as made:
        yield made


async def ask(site: Site, request_id: str, product: str, resource: str, **members: Any) -> Any:
    intent = pb.NeedIntent(product=product, resource=resource, document_digest=DOCUMENT, **members)
    request = pb.ProvisionOnDemandRequest(
        request_id=request_id, lease=site.lease, need=resource, intent=intent
    )
    return await site.call("ProvisionOnDemand", request)


async def there(site: Site, type_: str) -> list[ResourceRef]:
    return [one for one in await site.cloud.inventory() if one.type == type_]


async def test_an_instance_lies_in_the_vswitch_of_the_walks_own_record(site: Site) -> None:
    own = await site.provision(OWN_META)
    answer = await ask(site, "walk:1", "ecs", "instance", states=["stopped"])
    (vpc,), (vswitch,), (instance,) = [
        await there(site, one) for one in ("vpc", "vswitch", "instance")
    ]
    assert vswitch.id == own.outputs["id"]
    assert instance.attributes["vswitch_id"] == vswitch.id
    assert [one.type for one in answer.made] == ["instance", "security_group", "vpc", "vswitch"]
    assert {vpc.id, vswitch.id} == {one.id for one in answer.made[2:]}
    await site.call("Sweep", pb.SweepRequest(lease=site.lease))
    assert list(await site.cloud.inventory()) == []


async def test_a_vswitch_is_made_beside_the_first_in_one_vpc(site: Site) -> None:
    await ask(site, "walk:1", "ecs", "instance")
    await ask(site, "walk:2", "vpc", "vSwitch")
    (vpc,) = await there(site, "vpc")
    vswitches = await there(site, "vswitch")
    assert len(vswitches) == 2
    assert {one.attributes["vpc_id"] for one in vswitches} == {vpc.id}
    await ask(site, "walk:3", "vpc", "VPC")
    assert len(await there(site, "vpc")) == 2
    await site.call("Sweep", pb.SweepRequest(lease=site.lease))
    assert list(await site.cloud.inventory()) == []


async def test_what_is_kept_names_nothing_of_the_walk_and_serves_the_next_one(
    site: Site,
) -> None:
    await ask(site, "walk:1", "vpc", "vSwitch")
    first = await ask(site, "walk:2", "rds", "instance")
    assert await ask(site, "walk:2", "rds", "instance") == first
    assert not first.record.id
    find = pb.FindMetaRequest(document_digest=DOCUMENT, product="rds")
    (record,) = (await site.call("FindMeta", find)).metas
    assert record.state == "proposed"
    assert 'resource "alicloud_vpc"' in read_meta(record.yaml).create
    assert not [one.id for one in await site.cloud.inventory() if one.id in record.yaml]
    await site.call("Sweep", pb.SweepRequest(lease=site.lease))
    alone = await ask(site, "other:1", "rds", "instance")
    assert (alone.record.id, alone.record.version) == (record.id, record.version)
    assert len(await there(site, "vpc")) == 1
    await site.call("Sweep", pb.SweepRequest(lease=site.lease))
    assert list(await site.cloud.inventory()) == []


async def test_what_stands_in_a_network_goes_before_it(site: Site) -> None:
    first = await ask(site, "walk:1", "vpc", "vSwitch")
    second = await ask(site, "walk:2", "ecs", "instance")
    await site.destroy(first.provisioning)
    assert list(await site.cloud.inventory()) == []
    get = pb.GetProvisioningRequest(provisioning_id=second.provisioning.provisioning_id)
    assert (await site.call("GetProvisioning", get)).provisioning.state == "destroyed"


async def test_the_second_goes_alone(site: Site) -> None:
    await ask(site, "walk:1", "vpc", "vSwitch")
    before = {one.id for one in await site.cloud.inventory()}
    second = await ask(site, "walk:2", "ecs", "instance")
    await site.destroy(second.provisioning)
    assert {one.id for one in await site.cloud.inventory()} == before


async def test_what_the_walk_has_deleted_itself_is_made_anew(site: Site) -> None:
    first = await ask(site, "walk:1", "vpc", "vSwitch")
    for one in first.made:
        await site.cloud.delete(one.id)
    answer = await ask(site, "walk:2", "ecs", "instance")
    assert answer.rounds == 3
    (vpc,) = await there(site, "vpc")
    assert vpc.id in {one.id for one in answer.made}
    await site.call("Sweep", pb.SweepRequest(lease=site.lease))
    assert list(await site.cloud.inventory()) == []
