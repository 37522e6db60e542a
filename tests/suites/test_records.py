"""META, rule and script as the roles that read them want them."""

from __future__ import annotations

import re
from random import Random
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proofwalk.agent.policies.scripted.script import parse_script
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.resource_provisioner.meta import read_meta
from proofwalk.reward_service.rules import parse_rule
from proofwalk.suites.families.generation import generate, languages, shortfall, task_of
from proofwalk.suites.writing import records
from proofwalk.suites.writing.documents import write
from proofwalk.suites.writing.provision import FixtureUse
from proofwalk.suites.writing.units import Fixture, Variant


def test_every_record_is_read_by_the_role_that_it_is_for(library: Any, console: Any) -> None:
    suite = generate(library, console, suite_id="little", version=1, seed=1)
    assert len(suite.tasks) == sum(family.tasks for family in library.families)
    for task in suite.tasks:
        meta = read_meta(task.meta_yaml, id_=task.id)
        rule = parse_rule(task.rule_yaml)
        assert rule.id == task.id
        assert rule.meta_names <= meta.template.outputs
        outputs = dict.fromkeys(meta.template.outputs, "x")
        assert parse_script(task.script_yaml, outputs=outputs).entries


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.integers(0, 10**9), st.integers(0, 9), st.sampled_from(["en", "zh"]))
def test_whatever_is_drawn_the_records_hold_together(
    composed: Any, seed: int, which: int, language: str
) -> None:
    family = composed.library.families[which]
    draft = composed(family.id, family.tasks - 1, language=language, seed=seed)
    task = task_of(draft, write(draft, Random(seed)), suite_id="s")
    meta = read_meta(task.meta_yaml, id_=task.id)
    assert parse_rule(task.rule_yaml).meta_names <= meta.template.outputs
    used = {
        name
        for entry in parse_script(task.script_yaml).entries
        for name in re.findall(r"\{\{meta\.(\w+)\}\}", str(entry))
    }
    assert used <= meta.template.outputs
    said = task.document if task.media_type == "text/markdown" else ""
    assert not said or all(
        phrase.split("`")[0].strip().lower() in said.replace("`", "").lower()
        for phrase in meta.binds
    )
    made = {use.id for use in draft.fixtures}
    for position, use in enumerate(draft.fixtures):
        assert set(use.needs.values()) <= {other.id for other in draft.fixtures[:position]}
        assert set(use.needs.values()) <= made


def test_the_record_tells_what_is_provided(composed: Any) -> None:
    draft = composed("ecs-stop-protected")
    meta = read_meta(records.meta_yaml(draft))
    assert (
        meta.description
        == "A vSwitch in Zone H; an instance with release protection; an unattached disk; a running"
        " ECS instance"
    )
    assert meta.create.count("deletion_protection") == 2
    assert "deletion_protection = true" in meta.create
    assert {"server_name", "server_id", "net_id", "vpc_id"} <= meta.template.outputs
    assert "vpc_name" not in meta.template.outputs
    assert [(one.type, one.state) for one in meta.verify if one.type == "instance"] == [
        ("instance", "Running")
    ] * 2


def use(blocks: str, **variant: Any) -> FixtureUse:
    fixture = Fixture.model_validate(
        {
            "title": {"en": "a disk"},
            "type": "ecs.disk",
            "hcl": blocks,
            "name": "n",
            "key": "alicloud_ecs_disk.x.id",
        }
    )
    changed = Variant.model_validate({"title": {"en": "another"}, **variant})
    return FixtureUse(
        id="x", role="x", kind="ecs.disk/v", fixture=fixture, variant=changed, name="web", needs={}
    )


BLOCKS = """resource "alicloud_vpc" "x" {
  size = 1
}

resource "alicloud_ecs_disk" "x" {
  size = 40
  inner {
    size = 2
  }
  tags = {
    a = 1
  }
}
"""


def test_a_variant_changes_the_main_block_alone() -> None:
    text = records._hcl(
        use(BLOCKS, set={"size": 80, "encrypted": True}, hcl="# more"),
        {"id": "x"},
        "alicloud_ecs_disk.x.id",
    )
    vpc, disk = text.split("\n\n", 1)
    assert "size = 1" in vpc
    assert "size = 40" not in disk
    assert "size = 80\n  encrypted = true\n}" in disk
    assert "    size = 2" in disk
    assert text.endswith("# more")


def test_a_variant_takes_attributes_out() -> None:
    assert "size = 40" not in records._hcl(
        use(BLOCKS, remove=["size"]), {"id": "x"}, "alicloud_ecs_disk.x.id"
    )


@pytest.mark.parametrize(
    ("key", "name"), [("alicloud_oss_bucket.x.id", "size"), ("alicloud_ecs_disk.x.id", "tags")]
)
def test_a_variant_that_cannot_be_applied_is_refused(key: str, name: str) -> None:
    with pytest.raises(ProofwalkError) as caught:
        records._hcl(use(BLOCKS, set={name: "1"}), {"id": "x"}, key)
    assert caught.value.code == "suite.source_invalid"


def test_rules_and_scripts_are_readable_yaml(composed: Any) -> None:
    draft = composed("ecs-stop")
    written = write(draft, Random(1))
    task = task_of(draft, written, suite_id="s")
    assert "- [request.InstanceId, eq, $meta.instance_id]" in task.rule_yaml
    assert "{confirm: OK}" in task.script_yaml
    assert yaml.safe_load(task.rule_yaml)["delta_s"] == 5


def test_a_quarter_of_a_products_tasks_is_chinese_and_one_of_a_family(library: Any) -> None:
    spoken = languages(library, 1)
    for product in ("ecs", "vpc"):
        own = [language for task, language in spoken.items() if task.startswith(f"{product}-")]
        assert own.count("zh") == round(len(own) / 4)
    assert [spoken["vpc-create-1"], spoken["vpc-create-2"]].count("zh") <= 1


def test_the_shortfall_counts_by_product_and_difficulty(library: Any, console: Any) -> None:
    said = shortfall(generate(library, console, suite_id="little", version=1, seed=1).tasks)
    assert "ecs: 2 standard tasks, not 10" in said
    assert "ecs: 3 hard tasks, not 28" in said
    assert "oss: 0 hard tasks, not 16" in said
