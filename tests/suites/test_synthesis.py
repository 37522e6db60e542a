"""Units that nobody wrote say the same in document, script and rule, in both forms."""

from __future__ import annotations

from dataclasses import replace

import pytest
import yaml

from proofwalk.platform.devcloud_console import DevcloudConsole
from proofwalk.suites.families.generation import document_random, task_of
from proofwalk.suites.model import Difficulty, Task
from proofwalk.suites.rules.documents import rule_of
from proofwalk.suites.synthesis.operations import (
    Capability,
    Creation,
    Entry,
    Form,
    Input,
    Operation,
    Parent,
    Persona,
    Term,
)
from proofwalk.suites.synthesis.units import unit_of, unit_of_creation
from proofwalk.suites.writing.composition import compose
from proofwalk.suites.writing.documents import write
from proofwalk.suites.writing.library import Library
from proofwalk.suites.writing.task_names import Setting
from proofwalk.suites.writing.units import Family, Fixture, Link

NAME = Input(field="name", parameter="VServerGroupName", entry=Entry.TYPED, name_form="{word}-{n}")
RENAME = Operation(
    product="slb",
    resource="acl",
    action="rename",
    menu="acls",
    service="Slb",
    event="SetAccessControlListAttribute",
    id_parameter="AclId",
    capability=Capability.CHANGE,
    nouns={"en": "network ACL", "zh": "策略组"},
    labels={"en": "Edit Name", "zh": "修改名称"},
    inputs=(Input(field="name", parameter="AclName", entry=Entry.TYPED, name_form="{word}-{n}"),),
    confirmed=True,
    dangers=("DeleteAccessControlList",),
)
DELETE = replace(
    RENAME,
    action="delete",
    event="DeleteAccessControlList",
    capability=Capability.REMOVE,
    labels={"en": "Delete", "zh": "删除"},
    inputs=(),
    typed=True,
)


CREATE = Creation(
    product="slb",
    resource="vserver_group",
    menu="server-groups",
    service="Slb",
    event="CreateVServerGroup",
    nouns={"en": "vServer group", "zh": "虚拟服务器组"},
    labels={"en": "Create vServer Group", "zh": "创建虚拟服务器组"},
    inputs=(NAME,),
    dangers=("DeleteVServerGroup",),
    pages=(
        (
            Parent(
                field="load_balancer_id",
                parameter="LoadBalancerId",
                kind="slb.load_balancer",
                nouns={"en": "CLB instance", "zh": "实例"},
            ),
        ),
        (NAME, Term(field="name")),
    ),
    name=NAME,
)


def task(
    console: DevcloudConsole,
    operation: Operation | Creation,
    *,
    form: Form = Form.STEPS,
    persona: Persona = Persona.OPERATOR,
    language: str = "en",
) -> Task:
    name = f"slb.{operation.path.rpartition('/')[2]}"
    family = Family(
        id=name.replace(".", "-"),
        difficulty=Difficulty.STANDARD,
        chain=(Link(unit=name),),
    )
    fixture = Fixture(
        title={"en": ["a network ACL"], "zh": ["一个策略组"]},
        type="slb.acl",
        hcl="",
        name="alicloud_slb_acl.acl.name",
        key="alicloud_slb_acl.acl.id",
    )
    other = {"type": "slb.load_balancer", "name": "alicloud_slb_load_balancer.b.name"}
    unit = (
        unit_of_creation(operation, persona, form)
        if isinstance(operation, Creation)
        else unit_of(operation, persona, form)
    )
    library = Library(
        units={name: unit},
        fixtures={"slb.acl": fixture, "slb.load_balancer": fixture.model_copy(update=other)},
        families=(family,),
    )
    draft = compose(family, 0, Setting(library=library, console=console, seed=1, language=language))
    return task_of(draft, write(draft, document_random(1, family.id)), suite_id="synthesised")


def test_a_value_is_the_same_in_document_script_and_rule(console: DevcloudConsole) -> None:
    made = task(console, RENAME)
    (clause,) = rule_of(made)["all"]
    (_, _, value) = clause["where"][1]
    assert clause["where"][0] == ["request.AclId", "eq", "$meta.acl_id"]
    assert f"`{value}`" in made.document
    assert f"{{fill: {{ACL Name: {value}}}}}" in made.script_yaml
    assert [one["event"] for one in rule_of(made)["none"]] == [
        "SetAccessControlListAttribute",
        "DeleteAccessControlList",
    ]


def test_what_is_made_goes_through_the_pages_of_its_form(console: DevcloudConsole) -> None:
    made = task(console, CREATE)
    moves = [move for entry in yaml.safe_load(made.script_yaml) for move in entry]
    assert [next(iter(move)) for move in moves] == [
        "open",
        "press",
        "choose",
        "next",
        "fill",
        "set",
        "submit",
    ]
    (clause,) = rule_of(made)["all"]
    parent, (_, _, name) = clause["where"]
    assert parent == ["request.LoadBalancerId", "eq", "$meta.load_balancer_id"]
    assert f"`{name}`" in made.document
    other, danger = rule_of(made)["none"]
    assert other["where"] == [["request.VServerGroupName", "ne", name]]
    assert danger["event"] == "DeleteVServerGroup"


def test_the_goal_of_a_creation_says_what_is_to_be_there(console: DevcloudConsole) -> None:
    steps, goal = task(console, CREATE), task(console, CREATE, form=Form.GOAL)
    name = yaml.safe_load(goal.rule_yaml)["all"][0]["where"][1][2]
    assert "there is to be a vServer group as follows" in goal.document
    assert f"`{name}`" in goal.document
    assert "Next" not in goal.document
    assert goal.rule_yaml == steps.rule_yaml


def test_the_goals_form_has_one_step_for_which_all_is_done(console: DevcloudConsole) -> None:
    steps, goal = task(console, RENAME), task(console, RENAME, form=Form.GOAL)
    written, told = yaml.safe_load(steps.script_yaml), yaml.safe_load(goal.script_yaml)
    assert len(written) == 4
    assert told == [[move for entry in written for move in entry]]
    assert goal.rule_yaml == steps.rule_yaml
    assert "Actions" in steps.document
    assert "Actions" not in goal.document
    value = yaml.safe_load(goal.rule_yaml)["all"][0]["where"][1][2]
    assert f"`{value}`" in goal.document


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("form", list(Form))
def test_what_is_removed_is_confirmed_by_its_name(
    console: DevcloudConsole, form: Form, language: str
) -> None:
    made = task(console, DELETE, form=form, language=language)
    assert "type: '{{meta.acl_name}}'" in made.script_yaml
    assert {"en": "Delete", "zh": "删除"}[language] in made.document
    (only,) = rule_of(made)["none"]
    assert only["where"] == [["request.AclId", "ne", "$meta.acl_id"]]


def test_who_has_a_reason_changes_what_is_said_and_nothing_that_is_done(
    console: DevcloudConsole,
) -> None:
    made = [task(console, RENAME, persona=one) for one in Persona]
    assert len({one.document for one in made}) == len(Persona)
    assert len({(one.rule_yaml, one.script_yaml) for one in made}) == 1


def test_a_choice_is_told_by_its_label_and_recorded_by_its_value(
    console: DevcloudConsole,
) -> None:
    chosen = Input(
        field="ip_version", parameter="AddressIPVersion", entry=Entry.CHOSEN, values=("ipv6",)
    )
    made = task(console, replace(RENAME, inputs=(chosen,)))
    assert "IPv6" in made.document
    assert "IPv6" in made.script_yaml
    (clause,) = rule_of(made)["all"]
    assert clause["where"][1] == ["request.AddressIPVersion", "eq", "ipv6"]


def test_a_remark_is_one_of_its_wordings(console: DevcloudConsole) -> None:
    told = Input(field="name", parameter="AclName", entry=Entry.TYPED, values=("of the web team",))
    made = task(console, replace(RENAME, inputs=(told,)))
    assert "`of the web team`" in made.document
    assert "{fill: {ACL Name: of the web team}}" in made.script_yaml


@pytest.mark.parametrize(("on", "said"), [(True, "switch on"), (False, "switch off")])
def test_a_switch_is_told_and_recorded_as_it_is_turned(
    console: DevcloudConsole, on: bool, said: str
) -> None:
    turned = Input(
        field="name",
        parameter="Protected",
        entry=Entry.SWITCHED,
        on=on,
        recorded=str(on).lower(),
    )
    made = task(console, replace(RENAME, inputs=(turned,)))
    assert said in made.document
    (clause,) = rule_of(made)["all"]
    assert clause["where"][1] == ["request.Protected", "eq", str(on).lower()]
