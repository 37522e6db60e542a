"""The role's promises over gRPC, with Terraform and the cloud in memory."""

from __future__ import annotations

import asyncio
import json

import pytest
import yaml

from proofwalk.api.resource_provisioner.v1 import resource_provisioner_pb2 as pb
from proofwalk.chassis.database import Database
from proofwalk.chassis.migrations import difference, migrate
from proofwalk.cloud.ports import ResourceRef
from proofwalk.cloud.sweeping import RUN_TAG
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.kernel.outcomes import EnvCause
from proofwalk.resource_provisioner import guard, repository
from proofwalk.resource_provisioner.runner import Diagnostic, TerraformFailed
from tests.resource_provisioner.conftest import META, Stage
from tests.resource_provisioner.fakes import ACCOUNT
from tests.resource_provisioner.hostile import HIDDEN


def failure(summary: str = "CreateVSwitch failed: InvalidCidrBlock") -> TerraformFailed:
    return TerraformFailed(
        "apply", [Diagnostic(summary=summary, address="alicloud_vswitch.main", line=5)]
    )


async def test_what_a_record_describes_is_made_verified_and_told(stage: Stage) -> None:
    made = await stage.provision()
    assert (made.state, made.description, made.error_code) == ("ready", "A VPC with a vSwitch", "")
    assert made.outputs["id"].startswith("vswitch-pw")
    assert made.binds["the vSwitch"] == f"{made.outputs['id']} in local"
    assert {(item.type, item.state) for item in made.resources} == {
        ("vpc", "Available"),
        ("vswitch", "Available"),
    }
    assert all(item.name.startswith("pw") for item in made.resources)


async def test_the_same_request_is_the_same_work_however_often_and_at_once(stage: Stage) -> None:
    answers = await asyncio.gather(*(stage.provision() for _ in range(5)))
    again = await stage.provision()
    assert {answer.provisioning_id for answer in [*answers, again]} == {again.provisioning_id}
    assert stage.runner.calls == ["apply"]


async def test_two_runs_of_one_record_have_different_names(stage: Stage) -> None:
    first, second = await stage.provision("r1"), await stage.provision("r2")
    assert {item.name for item in first.resources}.isdisjoint(
        {item.name for item in second.resources}
    )


async def test_a_record_that_makes_nothing_needs_no_terraform(stage: Stage) -> None:
    made = await stage.provision(meta="id: nothing\ndescription: Nothing\n")
    assert made.state == "ready"
    assert stage.runner.calls == []


async def test_a_failed_creation_is_told_with_its_place_and_leaves_nothing(stage: Stage) -> None:
    stage.runner.apply_failures.append(failure())
    with pytest.raises(ProofwalkError) as caught:
        await stage.provision()
    assert (caught.value.code, caught.value.status) == (
        "provision.create_failed",
        Status.FAILED_PRECONDITION,
    )
    assert "alicloud_vswitch.main line 5" in caught.value.message
    assert await stage.inventory() == []
    assert (await stage.get()).state == "failed"
    with pytest.raises(ProofwalkError) as again:
        await stage.provision()
    assert again.value.code == "provision.create_failed"
    assert stage.runner.calls == ["apply", "destroy"]


async def test_a_quota_is_told_as_a_quota(stage: Stage) -> None:
    stage.runner.apply_failures.append(failure("CreateVpc failed: QuotaExceeded.Vpc"))
    with pytest.raises(ProofwalkError) as caught:
        await stage.provision()
    assert (caught.value.code, caught.value.status) == (
        "provision.quota",
        Status.RESOURCE_EXHAUSTED,
    )
    assert (caught.value.retryable, caught.value.cause) == (True, EnvCause.QUOTA)
    assert await stage.inventory() == []


async def test_what_is_made_and_is_not_as_described_is_destroyed(stage: Stage) -> None:
    stage.runner.state = "Pending"
    with pytest.raises(ProofwalkError) as caught:
        await stage.provision()
    assert caught.value.code == "provision.verify_failed"
    assert "is Pending, not Available" in caught.value.message
    assert await stage.inventory() == []


async def test_a_state_that_takes_time_is_waited_for(stage: Stage) -> None:
    stage.runner.hold = asyncio.Event()
    stage.runner.state = "Pending"
    work = asyncio.create_task(stage.provision())
    await asyncio.wait_for(stage.runner.entered.wait(), 10)
    stage.runner.state = "Available"
    stage.runner.hold.set()
    assert (await work).state == "ready"


async def test_destroying_twice_is_destroying_once(stage: Stage) -> None:
    made = await stage.provision()
    request = pb.DestroyRequest(provisioning_id=made.provisioning_id, lease=stage.lease())
    await stage.call("Destroy", request)
    await stage.call("Destroy", request)
    assert await stage.inventory() == []
    assert (await stage.get()).state == "destroyed"
    assert stage.runner.calls == ["apply", "destroy"]
    assert not (stage.work_folder / made.provisioning_id).exists()


async def test_what_terraform_cannot_destroy_the_sweep_does(stage: Stage) -> None:
    made = await stage.provision()
    stage.runner.destroy_failures.append(TerraformFailed("destroy", [Diagnostic(summary="no")]))
    await stage.call(
        "Destroy", pb.DestroyRequest(provisioning_id=made.provisioning_id, lease=stage.lease())
    )
    assert await stage.inventory() == []


async def test_what_nobody_can_destroy_is_named_counted_and_tried_again(stage: Stage) -> None:
    made = await stage.provision()
    vpc = next(item.id for item in made.resources if item.type == "vpc")
    strange = ResourceRef(
        product="ecs", type="security_group", id="sg-strange", name="strange", state="Available"
    )
    stage.cloud.put(ACCOUNT, strange, needs=[vpc])
    stage.runner.destroy_failures.append(
        TerraformFailed("destroy", [Diagnostic(summary="DependencyViolation")])
    )
    request = pb.DestroyRequest(provisioning_id=made.provisioning_id, lease=stage.lease())
    with pytest.raises(ProofwalkError) as caught:
        await stage.call("Destroy", request)
    assert caught.value.code == "provision.destroy_failed"
    assert vpc in caught.value.message
    assert (await stage.get()).state == "leaked"
    await stage.cloud.delete(stage.cloud.account(ACCOUNT), strange)
    await stage.call("Destroy", request)
    assert (await stage.get()).state == "destroyed"
    assert await stage.inventory() == []


async def test_a_sweep_takes_what_a_walk_made_first_and_then_all_that_templates_made(
    stage: Stage,
) -> None:
    first, _ = await stage.provision("r1"), await stage.provision("r2")
    vpc = next(item.id for item in first.resources if item.type == "vpc")
    stage.cloud.put(
        ACCOUNT,
        ResourceRef(product="ecs", type="security_group", id="sg-1", state="Available"),
        needs=[vpc],
    )
    stage.cloud.put(
        ACCOUNT, ResourceRef(product="ecs", type="disk", id="d-baseline", state="Available")
    )
    leftovers = [
        pb.Resource(product="ecs", type="security_group", id="sg-1"),
        pb.Resource(product="vpc", type="vpc", id=vpc),
    ]
    answer = await stage.call("Sweep", pb.SweepRequest(lease=stage.lease(), resources=leftovers))
    assert {item.id for item in answer.swept} == {"sg-1"}
    assert [item.id for item in await stage.inventory()] == ["d-baseline"]
    again = await stage.call("Sweep", pb.SweepRequest(lease=stage.lease(), resources=leftovers))
    assert list(again.swept) == []


async def test_a_creation_under_way_can_be_taken_back(stage: Stage) -> None:
    stage.runner.hold = asyncio.Event()
    work = asyncio.create_task(stage.provision())
    await asyncio.wait_for(stage.runner.entered.wait(), 10)
    row = await stage.get()
    await stage.call(
        "Destroy", pb.DestroyRequest(provisioning_id=row.provisioning_id, lease=stage.lease())
    )
    with pytest.raises(ProofwalkError):
        await work
    assert (await stage.get()).state == "destroyed"
    assert await stage.inventory() == []


async def test_a_holder_whose_time_has_passed_provisions_nothing(stage: Stage) -> None:
    stage.pool.epoch = 2
    with pytest.raises(ProofwalkError) as caught:
        await stage.provision(epoch=1)
    assert (caught.value.code, caught.value.status) == ("lease.stale_epoch", Status.ABORTED)
    assert stage.runner.calls == []


async def test_a_crash_in_the_middle_is_taken_up_from_the_row(stage: Stage) -> None:
    stage.runner.hold = asyncio.Event()
    work = asyncio.create_task(stage.provision())
    await asyncio.wait_for(stage.runner.entered.wait(), 10)
    await stage.stop()
    with pytest.raises(ProofwalkError):
        await work
    stage.runner.hold = None
    await stage.start()
    made = await stage.provision()
    assert made.state == "ready"
    assert len(await stage.inventory()) == 2


async def test_nobody_has_to_ask_for_a_crashed_destruction_to_go_on(stage: Stage) -> None:
    made = await stage.provision()
    stage.cloud.fail("list")
    with pytest.raises(ProofwalkError):
        await stage.call(
            "Destroy",
            pb.DestroyRequest(provisioning_id=made.provisioning_id, lease=stage.lease()),
            timeout_s=2,
        )
    await stage.stop()
    stage.cloud.failures.pop("list")
    await stage.start()
    async with asyncio.timeout(10):
        while (await stage.get()).state != "destroyed":
            await asyncio.sleep(0.05)
    assert await stage.inventory() == []


async def test_records_are_kept_by_id_and_found_by_it(stage: Stage) -> None:
    put = await stage.call("PutMeta", pb.PutMetaRequest(meta=pb.Meta(yaml=META)))
    assert (put.meta.id, put.meta.origin, len(put.meta.digest)) == ("one-vpc", "file", 64)
    await stage.call("PutMeta", pb.PutMetaRequest(meta=pb.Meta(yaml=META)))
    listed = await stage.call("ListMetas", pb.ListMetasRequest())
    assert [meta.id for meta in listed.metas] == ["one-vpc"]
    request = pb.ProvisionRequest(request_id="by-id", lease=stage.lease(), meta_id="one-vpc")
    assert (await stage.call("Provision", request)).provisioning.state == "ready"
    with pytest.raises(ProofwalkError) as caught:
        await stage.call(
            "Provision", pb.ProvisionRequest(request_id="no", lease=stage.lease(), meta_id="other")
        )
    assert caught.value.code == "meta.not_found"


async def test_a_hostile_record_starts_nothing(stage: Stage) -> None:
    hostile = (
        'id: x\ndescription: x\ncreate: |\n  data "external" "x" {\n    program = ["id"]\n  }\n'
    )
    for name, request in [
        ("ValidateMeta", pb.ValidateMetaRequest(meta=pb.Meta(yaml=hostile))),
        ("PutMeta", pb.PutMetaRequest(meta=pb.Meta(yaml=hostile))),
        (
            "Provision",
            pb.ProvisionRequest(request_id="h", lease=stage.lease(), meta=pb.Meta(yaml=hostile)),
        ),
    ]:
        with pytest.raises(ProofwalkError) as caught:
            await stage.call(name, request)
        assert (caught.value.code, caught.value.details["line"]) == ("meta.invalid", "1")
    assert stage.runner.calls == []
    assert stage.pool.reveals == 0


@pytest.mark.parametrize(
    "name", [name for name in HIDDEN if name.endswith(("no-break space", "carriage return"))]
)
async def test_nothing_of_a_hidden_command_reaches_terraform(stage: Stage, name: str) -> None:
    hostile = yaml.safe_dump(
        {"id": "x", "description": "x", "create": HIDDEN[name]}, allow_unicode=True
    )
    assert yaml.safe_load(hostile)["create"] == HIDDEN[name]
    with pytest.raises(ProofwalkError) as caught:
        await stage.provision(meta=hostile)
    assert caught.value.code == "meta.invalid"
    assert stage.runner.calls == []
    assert not stage.work_folder.exists() or not list(stage.work_folder.iterdir())


@pytest.mark.parametrize(
    "region",
    ['${file("/run/secrets/vault.key")}', "a b", "%{ if true }x%{ endif }", "-x", "x" * 65, "地区"],
)
async def test_a_region_is_no_template(stage: Stage, region: str) -> None:
    request = pb.ProvisionRequest(
        request_id="r", lease=stage.lease(), meta=pb.Meta(yaml=META), region=region
    )
    with pytest.raises(ProofwalkError) as caught:
        await stage.call("Provision", request)
    assert (caught.value.code, caught.value.status) == (
        "provision.bad_region",
        Status.INVALID_ARGUMENT,
    )
    assert stage.runner.calls == []


async def test_terraform_is_given_what_was_written_and_never_the_templates_text(
    stage: Stage,
) -> None:
    made = await stage.provision(
        meta=META.replace('"alicloud_vpc" "main" {}', '"alicloud_vpc" "main" {} # a comment')
    )
    folder = stage.work_folder / made.provisioning_id
    assert {path.name for path in folder.iterdir()} == {
        "main.tf.json",
        "runner.tf.json",
        "terraform.tfstate",
    }
    assert "a comment" not in (folder / "main.tf.json").read_text()
    written = json.loads((folder / "main.tf.json").read_text())["resource"]["alicloud_vpc"]["main"]
    assert written == {"tags": {RUN_TAG: made.provisioning_id}}


async def test_what_was_made_of_a_template_that_is_refused_by_now_is_told_and_destroyed(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = await stage.provision()

    def stricter(source: str) -> guard.Template:
        raise guard.Refusal(line=1, reason="not any more")

    monkeypatch.setattr(guard, "inspect", stricter)
    assert (await stage.get()).description == "A VPC with a vSwitch"
    await stage.call(
        "Destroy", pb.DestroyRequest(provisioning_id=made.provisioning_id, lease=stage.lease())
    )
    assert stage.runner.destroyed_with == ["runner.tf.json"]
    assert await stage.inventory() == []
    with pytest.raises(ProofwalkError) as caught:
        await stage.provision("r2")
    assert caught.value.code == "meta.invalid"


async def test_a_need_is_met_reported_and_its_template_kept(stage: Stage) -> None:
    need = "a vSwitch, because the document says: Select the vSwitch."
    request = pb.ProvisionOnDemandRequest(
        request_id="d1", lease=stage.lease(), need=need, document_context="Create an instance"
    )
    answer = await stage.call("ProvisionOnDemand", request)
    assert (answer.rounds, answer.provisioning.state) == (1, "ready")
    switch = next(item for item in answer.provisioning.resources if item.type == "vswitch")
    lines = answer.report.splitlines()
    assert lines[0] == "Provisioned on request:"
    assert switch.id in lines[1]
    assert f'named "{switch.name}"' in lines[1]
    assert "local" not in answer.report
    kept = (await stage.call("ListMetas", pb.ListMetasRequest())).metas
    assert [(meta.id, meta.origin) for meta in kept] == [("catalog-vswitch", "runtime")]
    # It is the job's: nobody names it by an id, and it takes no place of what is stored
    # under that id.
    named = pb.ProvisionRequest(request_id="d2", lease=stage.lease(), meta_id="catalog-vswitch")
    with pytest.raises(ProofwalkError) as caught:
        await stage.call("Provision", named)
    assert caught.value.code == "meta.not_found"
    put = await stage.call("PutMeta", pb.PutMetaRequest(meta=pb.Meta(yaml=kept[0].yaml)))
    assert put.meta.digest == kept[0].digest
    assert (await stage.call("Provision", named)).provisioning.state == "ready"
    again = await stage.call("ProvisionOnDemand", request)
    assert again.provisioning.provisioning_id == answer.provisioning.provisioning_id


async def test_a_template_that_fails_is_followed_by_another_and_leaves_nothing(
    stage: Stage,
) -> None:
    stage.runner.apply_failures.append(failure())
    need = "an ECS instance, because the document says: Find the instance."
    stage.runner.state = "Stopped"
    request = pb.ProvisionOnDemandRequest(request_id="d1", lease=stage.lease(), need=need)
    with pytest.raises(ProofwalkError) as caught:
        await stage.call("ProvisionOnDemand", request)
    # Both templates were tried; in this cloud everything is of the product vpc, so that
    # neither verifies.
    assert caught.value.code == "provision.verify_failed"
    assert stage.runner.calls == ["apply", "destroy", "apply", "destroy"]
    assert await stage.inventory() == []


async def test_a_need_that_no_template_meets_is_said_to_be_so(stage: Stage) -> None:
    request = pb.ProvisionOnDemandRequest(
        request_id="d1", lease=stage.lease(), need="a Kubernetes cluster"
    )
    with pytest.raises(ProofwalkError) as caught:
        await stage.call("ProvisionOnDemand", request)
    assert caught.value.code == "provision.no_template"


async def test_an_unknown_provisioning_is_not_found(stage: Stage) -> None:
    for name, request in [
        ("GetProvisioning", pb.GetProvisioningRequest(provisioning_id="prov_x")),
        ("Destroy", pb.DestroyRequest(provisioning_id="prov_x", lease=stage.lease())),
    ]:
        with pytest.raises(ProofwalkError) as caught:
            await stage.call(name, request)
        assert caught.value.code == "provisioning.not_found"


async def test_the_declared_tables_are_the_migrated_ones(database: Database) -> None:
    await migrate(database, "proofwalk.resource_provisioner")
    assert await difference(database, "proofwalk.resource_provisioner", repository.METADATA) == []
