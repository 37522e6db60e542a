"""A family into drafts: resources, values, sentences, clauses and what the oracle
does."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from proofwalk.kernel.errors import ProofwalkError
from proofwalk.suites.writing.composition import compose
from proofwalk.suites.writing.library import Library
from proofwalk.suites.writing.task_names import Setting
from proofwalk.suites.writing.units import Family, Step


def moves(draft: Any) -> list[Any]:
    return [dict(action) for item in draft.items for action in item.do]


def where(draft: Any, number: int = 0) -> list[Any]:
    return list(draft.rule["all"][number]["where"])


def test_a_fixture_is_found_by_outputs_and_named_by_its_phrase(composed: Any) -> None:
    draft = composed("ecs-stop")
    assert draft.items[1].text == "Find the instance that you want to stop and click **Stop**."
    assert moves(draft)[1] == {"row": "{{meta.instance_name}}", "press": "Stop"}
    assert where(draft)[0] == ["request.InstanceId", "eq", "$meta.instance_id"]
    assert draft.binds == {"the instance that you want to stop": "${output.instance_name}"}
    assert [use.id for use in draft.fixtures] == ["vpc", "vswitch", "security_group", "instance"]
    assert {use.role for use in draft.fixtures} == {"", "instance"}


def test_fixtures_of_one_task_share_what_they_need(composed: Any) -> None:
    needs = {use.id: dict(use.needs) for use in composed("ecs-stop").fixtures}
    assert needs["vswitch"]["vpc"] == needs["security_group"]["vpc"] == "vpc"


def test_a_family_says_which_role_meets_a_need(composed: Any) -> None:
    uses = {use.id: use for use in composed("ecs-stop-protected").fixtures}
    assert uses["other"].needs["vswitch"] == "net"
    assert uses["server"].needs["vswitch"] == "net", "the role of that kind meets other needs too"
    assert uses["server"].variant is not None
    assert list(uses).index("net") < list(uses).index("server")


def test_what_the_chain_made_is_named_and_followed(composed: Any) -> None:
    draft = composed("vpc-both")
    name = draft.rule["all"][0]["where"][0][2]
    select = next(item for item in draft.items if "drop-down" in item.text)
    assert select.text == f"Select the VPC `{name}` from the **VPC** drop-down list."
    assert {"choose": {"VPC": name}} in moves(draft)
    assert [clause["as"] for clause in draft.rule["all"]] == ["create", "create_2"]
    assert where(draft, 1)[0] == ["request.VpcId", "eq", "$event.create.response.VpcId"]
    assert draft.binds == {f"the VPC {name}": name}
    assert not draft.fixtures
    assert draft.rule["order"] is True


def test_what_one_unit_forbids_and_another_asks_for_is_not_forbidden(composed: Any) -> None:
    assert [clause["event"] for clause in composed("vpc-both").rule["none"]] == ["DeleteVpc"]
    assert [clause["event"] for clause in composed("vpc-create").rule["none"]] == [
        "DeleteVpc",
        "CreateVSwitch",
    ]
    assert "none" not in composed("ecs-release-running").rule


def test_an_implicit_unit_is_done_and_not_written(composed: Any) -> None:
    draft = composed("ecs-release-running")
    assert [section.name for section in draft.sections] == ["ecs.release_instance"]
    assert len(draft.items) == 3
    first = [dict(action) for action in draft.items[0].do]
    assert [next(iter(action)) for action in first] == [
        "open",
        "row",
        "choose",
        "confirm",
        "wait",
        "open",
    ]
    assert [clause["event"] for clause in draft.rule["all"]] == ["StopInstance", "DeleteInstance"]
    assert where(draft) == [["request.InstanceId", "eq", "$meta.server_id"]], (
        "the document does not say in which mode"
    )
    assert "order" not in draft.rule, "when an unwritten step is done is the walker's choice"
    assert "stop" not in str(draft.binds)
    assert draft.prerequisites == (), "what META prepares is for the walker to find out"


def test_an_open_choice_is_worded_openly_and_not_judged(composed: Any) -> None:
    draft = composed("vpc-suitable")
    item = next(item for item in draft.items if item.vague)
    assert item.text == "Specify a suitable **IPv4 CIDR Block**."
    assert next(iter(item.do[0])) == "fill"
    assert [condition[0] for condition in where(draft)] == ["request.VpcName"]


def test_values_have_labels_in_texts_and_values_in_rules(composed: Any) -> None:
    draft = composed("vpc-vswitch")
    zone = where(draft)[1][2]
    assert zone in ("cn-hangzhou-h", "cn-hangzhou-i")
    label = f"China (Hangzhou) Zone {zone[-1].upper()}"
    assert f"select **{label}**" in draft.items[3].text
    assert {"choose": {"Zone": label}} in moves(draft)


def test_tasks_of_a_family_differ_in_values(composed: Any) -> None:
    one, two = composed("vpc-create", 0), composed("vpc-create", 1)
    assert (one.id, two.id) == ("vpc-create-1", "vpc-create-2")
    for number in (0, 1):
        assert where(one)[number] != where(two)[number]


def test_an_optional_step_is_left_out_of_the_document_and_never_of_the_script(
    composed: Any,
) -> None:
    drafts = [composed("ecs-stop", seed=seed) for seed in range(20)]
    assert {len(draft.items) for draft in drafts} == {3, 4}
    assert all("wait" in moves(draft)[-1] for draft in drafts)


def test_a_moved_path_is_old_in_the_document_and_new_in_the_script(composed: Any) -> None:
    draft = composed("ecs-stop-moved")
    assert "**Instances & Images** > **Instances**" in draft.items[0].text
    assert moves(draft)[0]["open"]["menu"] == ["Storage & Snapshots", "Instances"]
    assert draft.scenario.patches[0]["moveTo"] == "ecs/menu/storage"


def test_a_chinese_task_speaks_chinese_all_over(composed: Any) -> None:
    draft = composed("vpc-delete", language="zh")
    assert "找到要删除的专有网络" in draft.items[1].text
    assert draft.binds == {
        "要删除的专有网络": "${output.vpc_name}",
        "专有网络的名称": "${output.vpc_name}",
    }
    assert moves(draft)[2] == {"confirm": "确定"}
    assert draft.scenario.language == "zh"


def test_the_same_seed_gives_the_same_draft(composed: Any) -> None:
    assert composed("vpc-both", seed=3) == composed("vpc-both", seed=3)
    assert composed("vpc-both", seed=3) != composed("vpc-both", seed=4)


def changed(library: Library, unit: str, **changes: Any) -> Library:
    units = {**library.units, unit: library.units[unit].model_copy(update=changes)}
    return replace(library, units=units)


@pytest.mark.parametrize(
    ("step", "word"),
    [
        ({"en": ["{{instance.name}} is stopped."]}, "name"),
        ({"en": ["{{ref.disk}} is stopped."]}, "disk"),
        ({"en": ["Click **{{ui('resources/instance/actions/halt')}}**."]}, "has no 'halt'"),
        (
            {"en": ["Click **{{ui('resources/instance/fields/stopped_mode/options/Never')}}**."]},
            "no choice 'Never'",
        ),
        ({"en": ["{{params.size}}"]}, "size"),
        ({"en": ["{{ broken"]}, "cannot be rendered"),
        ({"en": ["Stop."], "do": [{"click": "Stop"}]}, "'click' is no action"),
        ({"en": ["Stop."], "do": [{"row": "x", "type": "y"}]}, "'type' is no action"),
        ({"zh": ["停止"], "en": []}, "no wording in 'en'"),
    ],
)
def test_what_does_not_resolve_is_named(composed: Any, step: dict[str, Any], word: str) -> None:
    library = changed(composed.library, "ecs.stop_instance", steps=(Step.model_validate(step),))
    family = next(family for family in library.families if family.id == "ecs-stop")
    with pytest.raises(ProofwalkError) as caught:
        compose(family, 0, Setting(library=library, console=composed.console, seed=1))
    assert caught.value.code == "suite.source_invalid"
    assert word in caught.value.message


def family_of(**members: Any) -> Family:
    return Family.model_validate({"id": "ecs-x", "difficulty": "standard", **members})


@pytest.mark.parametrize(
    ("members", "word"),
    [
        (
            {
                "chain": [{"unit": "ecs.stop_instance", "on": {"instance": "x"}}],
                "fixtures": {"x": "ecs.disk"},
            },
            "not ecs.instance",
        ),
        (
            {"chain": [{"unit": "ecs.attach_disk", "on": {"disk": "x", "instance": "x"}}]},
            "the role x is ecs.disk, not ecs.instance",
        ),
        (
            {
                "chain": ["ecs.stop_instance"],
                "fixtures": {"instance": {"kind": "ecs.instance", "needs": {"vpc": "a"}}},
            },
            "no need 'vpc'",
        ),
        (
            {
                "chain": ["ecs.stop_instance"],
                "fixtures": {"instance": {"kind": "ecs.instance", "needs": {"vswitch": "a"}}},
            },
            "no role 'a'",
        ),
    ],
)
def test_roles_that_do_not_fit_are_named(composed: Any, members: dict[str, Any], word: str) -> None:
    with pytest.raises(ProofwalkError) as caught:
        compose(
            family_of(**members),
            0,
            Setting(library=composed.library, console=composed.console, seed=1),
        )
    assert word in caught.value.message
