"""What walks lack, composed for the embedded cloud: made, mended, and used again, with
real Terraform over gRPC."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from proofwalk.api.resource_provisioner.v1 import resource_provisioner_pb2 as pb
from proofwalk.authoring.resources import World
from proofwalk.chassis.settings import ProcessSettings
from proofwalk.devcloud.main import PRODUCTS
from proofwalk.devcloud.products import indexing
from proofwalk.kernel.errors import ProofwalkError, conflict
from proofwalk.kernel.needs import Need
from proofwalk.platform.devcloud_world import devcloud_world
from proofwalk.platform.need_coder import NeedCoder
from proofwalk.resource_provisioner.coder import Failure
from proofwalk.resource_provisioner.meta import read_meta
from tests.platform.composing_site import composing_site
from tests.resource_provisioner.test_role import Site

SENTENCE = "a stopped instance, because the document says: Start the instance; {x}"
DOCUMENT = "d" * 64


@pytest.fixture(scope="module")
def world() -> World:
    return devcloud_world(indexing.load(PRODUCTS))


@pytest.fixture
async def site(
    process_settings: ProcessSettings, tmp_path: Path, world: World
) -> AsyncIterator[Site]:
    async with composing_site(process_settings, tmp_path, world) as made:
        yield made


async def ask(site: Site, request_id: str, **members: Any) -> Any:
    intent = {
        "product": "ecs",
        "resource": "ECS instance",
        "states": ["stopped"],
        "document_digest": DOCUMENT,
        **members,
    }
    request = pb.ProvisionOnDemandRequest(
        request_id=request_id, lease=site.lease, need=SENTENCE, intent=pb.NeedIntent(**intent)
    )
    return await site.call("ProvisionOnDemand", request)


@pytest.mark.terraform
@pytest.mark.timeout(120)
async def test_a_need_is_composed_made_taken_back_and_made_again_by_the_next_walk(
    site: Site,
) -> None:
    first = await ask(site, "walk-1", values={"name": "web-1", "Billing Method": "Subscription"})
    made = first.made[0]
    assert (made.type, made.name, made.state) == ("instance", "web-1", "Stopped")
    assert (first.rounds, first.record.state, first.record.lineage.writer) == (
        1,
        "proposed",
        "composer",
    )
    instance = next(one for one in await site.cloud.inventory() if one.type == "instance")
    assert instance.attributes["billing"] == "PrePaid"
    await site.call("Sweep", pb.SweepRequest(lease=site.lease))
    assert list(await site.cloud.inventory()) == []
    second = await ask(site, "walk-2", values={"name": "web-1", "Billing Method": "Subscription"})
    assert (second.record.id, second.record.version) == (first.record.id, first.record.version)
    assert second.made[0].id != made.id
    await site.call("Sweep", pb.SweepRequest(lease=site.lease))
    assert list(await site.cloud.inventory()) == []


@pytest.mark.terraform
@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    ("product", "resource"),
    [("cms", "contact group"), ("ram", "role"), ("rds", "account")],
    ids=["called by its id", "without tags", "a part of another thing"],
)
async def test_what_was_asked_for_is_told_whatever_it_is_known_by(
    site: Site, product: str, resource: str
) -> None:
    answer = await ask(site, "walk-1", product=product, resource=resource, states=[])
    first = answer.made[0]
    assert (first.product, first.type) == (product, resource.replace(" ", "_"))
    assert (first.name or first.id).startswith("pw")
    assert f"- {product} {first.type} {first.id}" in answer.report
    await site.call("Sweep", pb.SweepRequest(lease=site.lease))
    assert list(await site.cloud.inventory()) == []


@pytest.mark.terraform
@pytest.mark.timeout(120)
async def test_what_the_cloud_has_retired_is_left_out_of_the_next_round(site: Site) -> None:
    path = f"/admin/accounts/{site.cloud.account.external_id}/faults"
    reply = await site.cloud.http.post(path, json={"retired": ["ecs.t6-c1m1.large"]})
    assert reply.status_code == 200, reply.text
    answer = await ask(site, "walk-1")
    assert (answer.rounds, answer.made[0].state) == (2, "Stopped")
    get = pb.GetMetaRequest(id=answer.record.id, version=answer.record.version)
    kept = (await site.call("GetMeta", get)).meta
    assert "ecs.t6-c1m1.large" not in kept.yaml
    await site.call("Sweep", pb.SweepRequest(lease=site.lease))
    assert list(await site.cloud.inventory()) == []


@pytest.mark.parametrize(
    ("product", "resource", "states"),
    [
        ("ecs", "vSwitch", ()),
        ("ecs", "disk", ("unattached",)),
        ("ecs", "disk", ("attached",)),
        ("rds", "instance", ("running",)),
        ("", "快照", ()),
        ("oss", "bucket", ()),
        ("vpc", "elastic IP address", ()),
    ],
)
async def test_what_documents_take_for_granted_is_composed(
    world: World, product: str, resource: str, states: tuple[str, ...]
) -> None:
    need = Need(text=SENTENCE, product=product, resource=resource, states=states)
    record = read_meta(await NeedCoder(world).write(need, ()))
    assert record.template.resources
    assert record.verify


async def test_a_failure_that_no_value_is_to_blame_for_is_not_mended(world: World) -> None:
    need = Need(text=SENTENCE, product="ecs", resource="disk")
    coder = NeedCoder(world)
    text = await coder.write(need, ())
    for code, message in [
        ("provision.create_failed", "terraform could not create the resources"),
        ("provision.verify_failed", "alicloud_ecs_disk.disk line 3: InvalidDiskSize: no"),
    ]:
        failure = Failure(coder=coder.name, yaml=text, error=conflict(code, message))
        with pytest.raises(ProofwalkError) as caught:
            await coder.write(need, [failure])
        assert caught.value.code == "provision.no_template"
