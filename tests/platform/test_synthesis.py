"""Tasks that are made of the shipped product files: their records may be provisioned,
their rules ask for nothing that nobody says."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
import yaml

from proofwalk.platform.devcloud_console import DevcloudConsole
from proofwalk.platform.devcloud_constants import DevcloudConstants
from proofwalk.platform.devcloud_material import Offer, operations
from proofwalk.platform.devcloud_world import devcloud_world
from proofwalk.platform.synthesis import Synthesis, Synthesiser
from proofwalk.resource_provisioner.meta import read_meta
from proofwalk.suites.rules.constants import refuse_unfounded
from proofwalk.suites.storage import load_suite
from proofwalk.suites.synthesis.operations import Capability, Creation, Persona

META_NAME = re.compile(r"\bmeta\.(\w+)")
SUITES = Path(__file__).resolve().parents[2] / "suites"


@pytest.fixture(scope="module")
def console() -> DevcloudConsole:
    return DevcloudConsole()


@pytest.fixture(scope="module")
def made(console: DevcloudConsole) -> Synthesis:
    maker = Synthesiser(console=console, world=devcloud_world(console.shipped), seed=1)
    held_back = [one for one in load_suite(SUITES / "console-278").tasks if one.product == "dns"]
    return maker.suite("synthesised", 1, held_back=held_back)


def test_every_product_with_a_list_has_tasks_of_each_persona(made: Synthesis) -> None:
    tasks = made.suite.tasks
    assert len(tasks) > 250
    assert {one.id.rpartition("-")[2] for one in tasks} == set(Persona)
    assert {one.product for one in tasks} >= {"ecs", "vpc", "rds", "slb", "oss", "kms", "sls"}
    assert {one.language for one in tasks} == {"en", "zh"}


def test_what_comes_near_a_task_that_is_held_back_is_left_out(made: Synthesis) -> None:
    left_out = "it comes near a task that is held back"
    assert made.left_out[left_out] > 0
    by_product = Counter(one.product for one in made.suite.tasks)
    assert by_product["dns"] < by_product["kms"]


def test_records_are_accepted_and_make_what_script_and_rule_name(made: Synthesis) -> None:
    for task in made.suite.tasks:
        record = read_meta(task.meta_yaml)
        assert record.id == task.id
        named = META_NAME.findall(task.rule_yaml + task.script_yaml)
        for role in {name.removesuffix("_id").removesuffix("_name") for name in named}:
            assert f'output "{role}_id"' in record.create, task.id
            assert f'output "{role}_name"' in record.create, task.id
        assert bool(record.binds) is bool(named) is bool(record.create), task.id


def test_a_form_that_takes_something_has_it_made_and_one_that_does_not_nothing(
    made: Synthesis,
) -> None:
    tasks = {one.id: one for one in made.suite.tasks}
    gateway = tasks["vpc-nat-gateway-create-owner"]
    kinds = yaml.safe_load(gateway.meta_yaml)["attributes"]["resources"]
    assert {"vpc.vpc", "vpc.vswitch"} <= set(kinds)
    script = gateway.script_yaml
    assert script.index("meta.vpc_name") < script.index("meta.vswitch_name") < script.index("next")
    assert script.index("set:") < script.index("submit:"), "terms are accepted before it is sent"
    assert read_meta(tasks["ram-group-create-owner"].meta_yaml).create == ""


def test_rules_ask_for_nothing_that_nobody_says(console: DevcloudConsole, made: Synthesis) -> None:
    refuse_unfounded(made.suite.tasks, DevcloudConstants(console.shipped))


def test_an_operation_of_which_too_little_is_said_is_told_with_its_reason(
    console: DevcloudConsole,
) -> None:
    known = dict(operations(console))
    disk = known["ecs.disk.detach"]
    assert isinstance(disk, Offer)
    assert disk.operation.capability is Capability.SWITCH
    assert disk.wants["status"] == ("In_use",)
    assert known["ecs.auto_snapshot_policy.modify"] == "nobody can tell a value for time_points"
    address = known["vpc.eip.create"]
    assert isinstance(address, Offer)
    assert address.operation.capability is Capability.CREATE
    assert isinstance(address.operation, Creation)
    told = {one.field for one in address.operation.inputs}
    assert "billing" not in told, "other fields of the form hang on it"
    assert known["ecs.launch_template.create"] == "nobody can tell a value for image"


def test_a_resource_that_no_record_makes_as_it_must_be_has_no_task(made: Synthesis) -> None:
    """A bucket's log is only configured later; a disk's server is joined to it."""
    ids = {one.id for one in made.suite.tasks}
    assert "ecs-disk-detach-owner" in ids
    assert "oss-bucket-stop-logging-owner" not in ids
