"""A plan is held against the allow-list, as Terraform itself tells it."""

from __future__ import annotations

import copy
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from proofwalk.resource_provisioner import terraform_json
from proofwalk.resource_provisioner.guard import MAX_RESOURCES, inspect
from proofwalk.resource_provisioner.planned import check_plan
from proofwalk.resource_provisioner.refusal import Refusal
from proofwalk.resource_provisioner.runner import (
    TerraformFailed,
    find_terraform,
    held_against_the_allow_list,
)


def change(address: str = "alicloud_vpc.v", **other: Any) -> dict[str, Any]:
    return {
        "address": address,
        "mode": "managed",
        "type": address.partition(".")[0],
        "provider_name": "registry.terraform.io/aliyun/alicloud",
        "change": {"actions": ["create"]},
        **other,
    }


PLAN: dict[str, Any] = {
    "format_version": "1.2",
    "resource_changes": [
        change(),
        change(address="terraform_data.d", provider_name="terraform.io/builtin/terraform"),
        change(
            address="data.alicloud_zones.z",
            mode="data",
            type="alicloud_zones",
            change={"actions": ["read"]},
        ),
    ],
    "configuration": {
        "provider_config": {
            "alicloud": {"name": "alicloud", "full_name": "registry.terraform.io/aliyun/alicloud"},
            "terraform": {"name": "terraform", "full_name": "terraform.io/builtin/terraform"},
        },
        "root_module": {
            "outputs": {"o": {}},
            "variables": {"region": {}},
            "resources": [
                {
                    "address": "alicloud_vpc.v",
                    "mode": "managed",
                    "type": "alicloud_vpc",
                    "name": "v",
                    "expressions": {},
                }
            ],
        },
    },
}


def of(path: str, value: Any) -> Callable[[dict[str, Any]], None]:
    """Sets what is at a path of keys and indexes."""

    def set_(plan: Any) -> None:
        *way, last = path.split("/")
        for step in way:
            plan = plan[int(step)] if step.isdigit() else plan[step]
        plan[int(last) if last.isdigit() else last] = value

    return set_


REFUSED: dict[str, tuple[Callable[[dict[str, Any]], None], str]] = {
    "another form": (of("format_version", "2.0"), "form"),
    "errors": (of("errored", True), "errors"),
    "deferred changes": (of("deferred_changes", [{}]), "deferred"),
    "an action": (of("action_invocations", [{}]), "action"),
    "no configuration": (of("configuration", None), "form"),
    "another provider": (
        of(
            "configuration/provider_config/alicloud/full_name",
            "registry.terraform.io/evil/alicloud",
        ),
        "provider registry.terraform.io/evil/alicloud",
    ),
    "another registry": (
        of("configuration/provider_config/alicloud/full_name", "evil.example/aliyun/alicloud"),
        "evil.example",
    ),
    "another resource's provider": (
        of("resource_changes/0/provider_name", "registry.terraform.io/hashicorp/null"),
        "provider",
    ),
    "a module": (of("configuration/root_module/module_calls", {"m": {}}), "module calls"),
    "a check": (of("configuration/root_module/checks", [{}]), "checks"),
    "a provisioner": (
        of("configuration/root_module/resources/0/provisioners", [{"type": "local-exec"}]),
        "provisioners",
    ),
    "a resource in a module": (of("resource_changes/0/module_address", "module.m"), "in a module"),
    "a type": (of("resource_changes/0/type", "null_resource"), "type"),
    "a credential": (of("resource_changes/0/type", "alicloud_ram_access_key"), "type"),
    "a type of the configuration": (
        of("configuration/root_module/resources/0/type", "local_file"),
        "type",
    ),
    "external data": (of("resource_changes/2/type", "external"), "type"),
    "http data": (of("resource_changes/2/type", "http"), "type"),
    "an ephemeral value": (of("resource_changes/0/mode", "ephemeral"), "type"),
    "a deletion": (of("resource_changes/0/change/actions", ["delete"]), "delete"),
    "what is forgotten": (of("resource_changes/0/change/actions", ["forget"]), "forget"),
    "an unknown action": (of("resource_changes/0/change/actions", []), "unknown"),
    "a resource that is read": (of("resource_changes/0/change/actions", ["read"]), "read"),
    "data that is made": (of("resource_changes/2/change/actions", ["create"]), "create"),
    "an import": (of("resource_changes/0/change/importing", {"id": "vpc-1"}), "imports"),
    "too many": (
        of("resource_changes", [change(f"alicloud_vpc.v[{i}]") for i in range(MAX_RESOURCES + 1)]),
        "41",
    ),
}


def test_what_a_template_may_make_passes() -> None:
    check_plan(PLAN)
    for actions in (["no-op"], ["update"], ["delete", "create"], ["create", "delete"]):
        again = copy.deepcopy(PLAN)
        again["resource_changes"][0]["change"]["actions"] = actions
        check_plan(again)
    check_plan(
        {
            **PLAN,
            "resource_changes": [
                change(f"alicloud_vpc.v[{index}]") for index in range(MAX_RESOURCES)
            ],
        }
    )


@pytest.mark.parametrize("name", REFUSED)
def test_everything_else_is_refused(name: str) -> None:
    spoil, reason = REFUSED[name]
    plan = copy.deepcopy(PLAN)
    spoil(plan)
    with pytest.raises(Refusal) as caught:
        check_plan(plan)
    assert reason in caught.value.reason


@pytest.mark.parametrize("text", [b"", b"[]", b"no JSON", b'{"format_version": "1.2"'])
def test_a_plan_that_cannot_be_read_is_not_applied(text: bytes) -> None:
    with pytest.raises(TerraformFailed, match="cannot be read"):
        held_against_the_allow_list(text)


@pytest.mark.terraform
def test_a_real_plan_of_a_template_passes_and_one_with_a_command_does_not(tmp_path: Path) -> None:
    def plan(text: str) -> bytes:
        (tmp_path / "main.tf.json").write_text(text)
        for arguments in (["init"], ["plan", "-out=p"]):
            subprocess.run(
                [*find_terraform(None), *arguments, "-no-color"],
                cwd=tmp_path,
                check=True,
                capture_output=True,
            )
        shown = [*find_terraform(None), "show", "-json", "p"]
        return subprocess.run(shown, cwd=tmp_path, check=True, capture_output=True).stdout

    template = (
        'resource "terraform_data" "d" {\n  count = 2\n  input = "a"\n}\noutput "o" {\n  value ='
        " terraform_data.d[*].id\n}\n"
    )
    text = terraform_json.written(inspect(template)).text
    held_against_the_allow_list(plan(text))
    document = json.loads(text)
    document["resource"]["terraform_data"]["d"]["provisioner"] = {"local-exec": {"command": "true"}}
    with pytest.raises(TerraformFailed, match="provisioners"):
        held_against_the_allow_list(plan(json.dumps(document)))
