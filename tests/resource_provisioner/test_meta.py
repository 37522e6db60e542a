"""META records: what is read, what is refused, how a record is known, what is
shipped."""

from __future__ import annotations

from pathlib import Path

import pytest

from proofwalk.cloud.steps.placeholders import filled
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.needs import Need
from proofwalk.kernel.outcomes import EnvCause
from proofwalk.resource_provisioner.coder import CatalogCoder
from proofwalk.resource_provisioner.meta import dump, read_kept, read_meta

RECORD = """
id: ecs-x
description: One VPC
attributes: {region: cn-hangzhou, size: 2}
create: |
  resource "alicloud_vpc" "v" {
    vpc_name = "${var.name_prefix}-vpc"
  }
  output "vpc_id" {
    value = alicloud_vpc.v.id
  }
verify:
  - {product: vpc, type: vpc, id: "${output.vpc_id}", state: Available}
destroy: auto
binds: {"the VPC": "${output.vpc_id}"}
"""


def test_a_record_survives_being_written_and_has_one_digest() -> None:
    meta = read_meta(RECORD)
    assert read_meta(dump(meta)) == meta
    assert read_meta(RECORD.replace("size: 2", "size:    2")).digest == meta.digest
    assert read_meta(RECORD.replace("size: 2", "size: 3")).digest != meta.digest
    assert meta.template.resources
    assert not read_meta("id: a\ndescription: Nothing\n").template.resources


STEPS = """
id: rabbit
description: A queue
steps:
  - do: {http: PUT, path: "/api/queues/${var.name_prefix}", json: {durable: true}}
    outputs: {id: name}
leftovers: [{command: mop, arguments: ["${output.id}"]}]
binds: {a queue: "${var.name_prefix}", its number: "${output.id}"}
"""


def test_a_record_of_steps_survives_being_written() -> None:
    meta = read_meta(STEPS)
    assert read_meta(dump(meta)) == meta
    assert read_meta(dump(meta)).digest == meta.digest
    assert meta.preparation.outputs == {"id"}


CONDITIONED = """
id: backed-up
description: A VPC that is known by its name
create: |
  resource "alicloud_vpc" "v" {}
  output "vpc_id" { value = alicloud_vpc.v.id }
steps:
  - do: {api: rds, operation: CreateBackup, parameters: {DBInstanceId: "${output.vpc_id}"}}
    verify: {api: rds, operation: DescribeBackups, has: {TotalRecordCount: 1}}
    within_s: 300
    undo: {api: rds, operation: DeleteBackup, parameters: {BackupId: "${output.backup}"}}
    outputs: {backup: BackupJobId}
leftovers:
  - {api: vpc, operation: DeletionProtection, parameters: {InstanceId: "${output.vpc_id}"}}
binds: {the VPC: "${output.vpc_id}", the backup: "${output.backup}"}
"""


def test_operations_of_the_api_stand_beside_create_and_see_its_outputs() -> None:
    meta = read_meta(CONDITIONED)
    assert meta.preparation.acts_as_account
    assert meta.preparation.prior == {"vpc_id"}
    assert meta.preparation.outputs == {"backup"}
    assert read_meta(dump(meta)) == meta


def test_a_kept_record_whose_template_is_refused_by_now_still_tells_its_steps() -> None:
    kept = read_kept(CONDITIONED.replace("alicloud_vpc", "null_resource"))
    assert [str(call) for _, call in kept.preparation.calls()] == [
        "rds CreateBackup",
        "rds DescribeBackups",
        "rds DeleteBackup",
        "vpc DeletionProtection",
    ]
    assert kept.preparation.prior == {"vpc_id"}


def test_what_nobody_can_have_makes_nothing() -> None:
    meta = read_meta("id: gone\ndescription: One instance\nunattainable: it has expired\n")
    assert read_meta(dump(meta)) == meta
    with pytest.raises(ProofwalkError) as caught:
        meta.refuse_unattainable()
    assert (caught.value.code, caught.value.cause) == (
        "provision.cannot_be_had",
        EnvCause.PROVISION,
    )
    with pytest.raises(ProofwalkError, match="unattainable"):
        read_meta(f"{CONDITIONED}unattainable: it has expired\n")


@pytest.mark.parametrize(
    ("change", "path", "complaint"),
    [
        (("leftovers:", "leftovers:\n  - {http: PUT, path: /a}"), "", "beside create"),
        (("outputs: {backup:", "outputs: {vpc_id:"), "", "called 'vpc_id' already"),
        (("output.backup}", "output.copy}"), "", "no output 'copy'"),
        (("within_s: 300", "within_s: 1e9"), "steps.0.within_s", "less than or equal to 480"),
        (("api: rds, operation: CreateBackup", "api: RDS, operation: X"), "steps.0.do.api", ""),
    ],
)
def test_wrong_operations_are_refused_where_they_are_wrong(
    change: tuple[str, str], path: str, complaint: str
) -> None:
    with pytest.raises(ProofwalkError) as caught:
        read_meta(CONDITIONED.replace(*change))
    assert caught.value.code == "meta.invalid"
    assert caught.value.details["path"].startswith(path)
    assert complaint in caught.value.message


def test_records_without_steps_have_the_digest_that_they_had_before_there_were_any() -> None:
    known = "0a7f4f810a719047d1aec3998187d7b462258b5d1ed68ea225796892169b3e73"
    assert read_meta("id: nothing\ndescription: Nothing\n").digest == known


@pytest.mark.parametrize(
    ("change", "path", "complaint"),
    [
        (("output.id}", "output.it}"), "", "leftovers.0: there is no output 'it'"),
        (('{a queue: "${var', '{a queue: "${env'), "binds.a queue", "is neither"),
        (("http: PUT", "http: STEAL"), "steps.0.do.http.http", "Input should be 'GET'"),
        (("leftovers:", "create: 'x'\nleftovers:"), "", "either create or steps"),
    ],
)
def test_a_wrong_record_of_steps_is_refused_where_it_is_wrong(
    change: tuple[str, str], path: str, complaint: str
) -> None:
    with pytest.raises(ProofwalkError) as caught:
        read_meta(STEPS.replace(*change))
    assert (caught.value.code, caught.value.details["path"]) == ("meta.invalid", path)
    assert complaint in caught.value.message


@pytest.mark.parametrize(
    ("change", "path"),
    [
        (("id: ecs-x", "id: ECS x"), "id"),
        (("description: One VPC", "description: ''"), "description"),
        (("destroy: auto", "destroy: never"), "destroy"),
        (("destroy: auto", "destroyed: auto"), "destroyed"),
        (("state: Available}", "colour: red}"), "verify.0.colour"),
        (('id: "${output.vpc_id}", ', ""), "verify.0"),
        (('{"the VPC": "${output.vpc_id}"}', '{"the VPC": "${output.nothing}"}'), "binds.the VPC"),
        (('{"the VPC": "${output.vpc_id}"}', '{"the VPC": "${env.HOME}"}'), "binds.the VPC"),
        (('"${output.vpc_id}", state', '"${output.other}", state'), "verify.0.id"),
        (("alicloud_vpc", "null_resource"), "create, line 1"),
        (("RECORD", "RECORD"), None),
    ],
)
def test_a_wrong_record_is_refused_where_it_is_wrong(
    change: tuple[str, str], path: str | None
) -> None:
    text = RECORD.replace(*change)
    if path is None:
        read_meta(text)
        return
    with pytest.raises(ProofwalkError) as caught:
        read_meta(text)
    assert caught.value.code == "meta.invalid"
    assert caught.value.details["path"] == path


@pytest.mark.parametrize(
    "text",
    [
        "",
        "- a\n",
        "a: [",
        "a: !!python/object/apply:os.system [id]",
        "\x00",
        "a: &a [*a]",
        "x" * 200_000,
    ],
)
def test_what_is_no_record_is_refused(text: str) -> None:
    with pytest.raises(ProofwalkError) as caught:
        read_meta(text)
    assert caught.value.code == "meta.invalid"


def test_references_are_put_in() -> None:
    assert (
        filled("${output.a}/${var.region}", outputs={"a": "x"}, variables={"region": "r"}) == "x/r"
    )


@pytest.mark.parametrize(
    "path", sorted(Path("examples/docs").glob("*.meta.yaml")), ids=lambda path: path.stem
)
def test_every_example_has_a_valid_record(path: Path) -> None:
    assert read_meta(path.read_text()).id


@pytest.mark.parametrize(
    ("need", "wanted"),
    [
        (
            (
                "a running ECS instance, because the document says: Find the instance that you want"
                " to restart."
            ),
            "instance-running",
        ),
        (
            (
                "a stopped ECS instance, because the document says: Find the instance that you want"
                " to start."
            ),
            "instance-stopped",
        ),
        ("a VPC, because the document says: Select the VPC.", "vpc"),
        ("a vSwitch, because the document says: Select the vSwitch in the VPC.", "vswitch"),
        ("a security group, because the document says: Select the group.", "security-group"),
        (
            (
                "an unattached ECS disk, because the document says: Find the disk that you want to"
                " attach."
            ),
            "disk",
        ),
        ("a snapshot, because the document says: Find the snapshot of the disk.", "snapshot"),
        (
            (
                "a running RDS instance, because the document says: Find the instance that you want"
                " to restart."
            ),
            "db-instance",
        ),
    ],
)
async def test_the_catalogue_knows_what_a_need_means(need: str, wanted: str) -> None:
    text = await CatalogCoder().write(Need(text=need), [])
    assert read_meta(text).id == f"catalog-{wanted}"


async def test_no_template_is_better_than_a_wrong_one() -> None:
    with pytest.raises(ProofwalkError) as caught:
        await CatalogCoder().write(Need(text="a Kubernetes cluster"), [])
    assert caught.value.code == "provision.no_template"


def test_a_record_names_a_role_and_one_without_keeps_its_digest() -> None:
    plain = read_meta(RECORD)
    named = read_meta(f"role: editor\n{RECORD.lstrip()}")
    assert (plain.role, named.role) == ("", "editor")
    assert "role" not in dump(plain)
    assert read_meta(dump(named)) == named
    assert named.digest != plain.digest
