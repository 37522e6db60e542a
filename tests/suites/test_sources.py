"""Unit and family files: what is wrong is said with its place; labels are found by
their paths."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from proofwalk.kernel.errors import ProofwalkError
from proofwalk.suites.writing.library import product_of
from proofwalk.suites.writing.library_files import read_library
from tests.suites.conftest import SOURCES

UNITS = (SOURCES / "units" / "vpc.yaml").read_text(encoding="utf-8")
FAMILIES = (SOURCES / "families" / "vpc.yaml").read_text(encoding="utf-8")


def written(folder: Path, units: str = UNITS, families: str = FAMILIES) -> Path:
    for name, text in (("units", units), ("families", families)):
        (folder / name).mkdir()
        (folder / name / "vpc.yaml").write_text(text, encoding="utf-8")
    return folder


def test_on_is_a_word(library: Any) -> None:
    assert library.units["ecs.stop_instance"].on == {"instance": "ecs.instance"}
    assert [product_of(family) for family in library.families] == ["ecs"] * 5 + ["vpc"] * 5


@pytest.mark.parametrize(
    ("change", "instead", "word"),
    [
        ("product: vpc", "product: ecs", "its name says 'vpc'"),
        ("needs: {vpc: vpc.vpc}", "needs: {vpc: vpc.net}", "no fixture 'vpc.net'"),
        ("    notes:", "    noets:", "Extra inputs"),
        ("on: {vpc: vpc.vpc}", "on: {vpc: vpc}", "names no product"),
        (
            "on: {vpc: vpc.vpc}",
            "on: {vpc: vpc.vpc}\n    after: {disk: [vpc.create_vpc]}",
            "after.disk: the unit has no such role",
        ),
        (
            "on: {vpc: vpc.vpc}",
            "on: {vpc: vpc.vpc}\n    after: {vpc: [vpc.fill_vpc]}",
            "no unit 'vpc.fill_vpc'",
        ),
        (
            "choose: [10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16]",
            "choose: [10.0.0.0/8], range: [1, 2]",
            "either words",
        ),
        ("range: [1, 9]", "range: [9, 1]", "range is"),
        ("refs: {vpc: {en: [the VPC that", "refs: {disk: {en: [the VPC that", "no such role"),
        ('      cidr: {en: ["Specify', '      size: {en: ["Specify', "no such parameter"),
        (
            "all: [{service: Vpc, event: DeleteVpc",
            "none: [{service: Vpc, event: DeleteVpc",
            "all or any",
        ),
        ("    steps:\n", "    steps: []\n    step:\n", ""),
        ("product: vpc", "product: [vpc", "not YAML"),
    ],
)
def test_a_wrong_unit_file_is_refused(tmp_path: Path, change: str, instead: str, word: str) -> None:
    assert change in UNITS
    with pytest.raises(ProofwalkError) as caught:
        read_library(written(tmp_path, units=UNITS.replace(change, instead, 1)))
    assert caught.value.code == "suite.source_invalid"
    assert word in caught.value.message


@pytest.mark.parametrize(
    ("change", "instead", "word"),
    [
        ("id: vpc-create,", "id: ecs-create,", "does not begin with vpc-"),
        ("id: vpc-vswitch,", "id: vpc-create,", "two families with this id"),
        ("chain: [vpc.delete_vpc]", "chain: [vpc.drop_vpc]", "no unit 'vpc.drop_vpc'"),
        ("vague: [cidr]", "vague: [name]", "has no 'name'"),
        ("because: [under_specified]", "because: []", "says why"),
        ("because: [under_specified]", "because: [boring]", ""),
        (
            "{unit: vpc.create_vpc, vague: [cidr]}",
            "{unit: vpc.create_vpc, implicit: true}",
            "no steps",
        ),
        (
            "chain: [vpc.delete_vpc]",
            "chain: [vpc.delete_vpc], fixtures: {vpc: vpc.vpc/big}",
            "no variant 'big'",
        ),
    ],
)
def test_a_wrong_family_file_is_refused(
    tmp_path: Path, change: str, instead: str, word: str
) -> None:
    assert change in FAMILIES
    with pytest.raises(ProofwalkError) as caught:
        read_library(written(tmp_path, families=FAMILIES.replace(change, instead, 1)))
    assert caught.value.code == "suite.source_invalid"
    assert word in caught.value.message


AFTER = UNITS.replace(
    "  create_vswitch:\n", "  create_vswitch:\n    after: {vpc: [vpc.create_vpc]}\n"
)


@pytest.mark.parametrize(
    ("chain", "wrong"),
    [
        (
            "chain: [vpc.create_vswitch]",
            "vpc.create_vswitch comes after vpc.create_vpc on the same vpc",
        ),
        (
            "chain: [vpc.create_vswitch, {unit: vpc.create_vpc, on: {vpc: other}}]",
            "on the same vpc",
        ),
        (
            "chain: [{unit: vpc.create_vpc, on: {vpc: other}}, vpc.create_vswitch]",
            "on the same vpc",
        ),
        ("chain: [vpc.create_vpc, vpc.create_vswitch]", ""),
        (
            (
                "chain: [{unit: vpc.create_vpc, on: {vpc: a}}, {unit: vpc.create_vswitch, on: {vpc:"
                " a}}]"
            ),
            "",
        ),
        ("chain: [vpc.create_vswitch], fixtures: {vpc: vpc.vpc}", ""),
    ],
)
def test_a_chain_in_which_a_unit_finds_nothing_to_begin_with_is_refused(
    tmp_path: Path, chain: str, wrong: str
) -> None:
    families = FAMILIES.replace("chain: [vpc.create_vswitch]", chain, 1)
    problems: list[ProofwalkError] = []
    read_library(written(tmp_path, units=AFTER, families=families), problems)
    assert [problem.code for problem in problems] == (["suite.source_invalid"] if wrong else [])
    assert not wrong or wrong in problems[0].message


def test_what_is_broken_can_be_left_out_and_listed(tmp_path: Path) -> None:
    problems: list[ProofwalkError] = []
    families = FAMILIES.replace("chain: [vpc.delete_vpc]", "chain: [vpc.drop_vpc]")
    library = read_library(written(tmp_path, families=families), problems)
    assert len(library.families) == 4
    assert len(problems) == 1


@pytest.mark.parametrize(
    ("path", "text", "at"),
    [
        ("", "Elastic Compute Service", "ecs"),
        ("menu/instances", "Instances", "ecs/menu/compute/instances"),
        ("menu/compute", "Instances & Images", "ecs/menu/compute"),
        ("resources/instance", "Instance", "ecs/resources/instance"),
        ("resources/instance/plural", "Instances", "ecs/resources/instance/plural"),
        ("resources/instance/actions/stop", "Stop", "ecs/resources/instance/actions/stop"),
        ("resources/instance/create", "Create Instance", "ecs/resources/instance/create"),
        (
            "resources/instance/create/submit",
            "Create Instance",
            "ecs/resources/instance/create/submit",
        ),
        ("resources/snapshot/create/submit", "OK", "ecs/resources/snapshot/create/submit"),
        ("resources/instance/states/Pending", "Creating", "ecs/resources/instance/states/Pending"),
        ("resources/instance/states/Running", "Running", "ecs/resources/instance/states/Running"),
        (
            "resources/instance/fields/billing/options/PrePaid",
            "Subscription",
            "ecs/resources/instance/fields/billing/options/PrePaid",
        ),
        ("resources/instance/fields/type/options/ecs.g7.large", "ecs.g7.large (2 vCPU, 8 GiB)", ""),
        ("resources/instance/fields/zone/options/cn-hangzhou-h", "China (Hangzhou) Zone H", ""),
        ("zone:cn-hangzhou-h", "China (Hangzhou) Zone H", ""),
        ("region:cn-hangzhou", "China (Hangzhou)", ""),
        ("vpc:menu/vpcs", "VPC", "vpc/menu/vpcs"),
    ],
)
def test_labels_are_found_by_path(console: Any, path: str, text: str, at: str) -> None:
    label = console.labels("en").find(path, product="ecs")
    assert (label.text, label.at) == (text, at)
    if at:
        assert console.labels("en").text_at(at) == text


def test_labels_are_in_the_language_of_the_session(console: Any) -> None:
    chinese = console.labels("zh")
    assert chinese.find("region:cn-hangzhou", product="ecs").text == "华东1（杭州）"
    assert chinese.word("OK") == "确定"
    assert chinese.find("resources/instance/actions/stop", product="ecs").text == "停止"


def test_a_revision_changes_labels_and_can_be_asked_for_again(console: Any) -> None:
    patches: tuple[dict[str, Any], ...] = (
        {"at": "ecs/menu", "insert": [{"id": "more", "label": "More", "items": []}]},
        {"at": "ecs/menu/compute/instances", "moveTo": "ecs/menu/more"},
    )
    assert console.labels("en", patches).menu_trail("ecs", "instances") == ["More", "Instances"]
    assert console.labels("zh", patches).menu_trail("ecs", "instances")[0] in ("More", "更多")
    assert patches[0]["insert"][0]["items"] == []


@pytest.mark.parametrize(
    "path",
    [
        "menu/nothing",
        "zone:mars",
        "resources/instance/fields/zone",
        "rds:menu/x",
        "x:menu/instances",
    ],
)
def test_a_path_without_a_label_is_refused(console: Any, path: str) -> None:
    if path == "resources/instance/fields/zone":
        assert console.labels("en").find(path, product="ecs").text == "Zone"
        return
    with pytest.raises(ProofwalkError) as caught:
        console.labels("en").find(path, product="ecs")
    assert caught.value.code == "suite.source_invalid"
