"""RAM policies and roles: versions, attachments, and what keeps a policy from being
deleted."""

from __future__ import annotations

from typing import Any

import pytest

from tests.devcloud.conftest import Backend
from tests.devcloud.products.ram import DOCUMENT, TRUST, Ram

WIDER = DOCUMENT.replace("ecs:Describe*", "ecs:*")
LOOK = {"PolicyType": "Custom", "PolicyName": "look"}


@pytest.fixture
def ram(backend: Backend, account: dict[str, str]) -> Ram:
    return Ram(backend, account)


@pytest.fixture
def look(ram: Ram) -> dict[str, Any]:
    """A policy with one version."""
    answer = ram(
        "CreatePolicy", PolicyName="look", PolicyDocument=DOCUMENT, Description="look only"
    )
    return dict(answer["Policy"])


@pytest.fixture
def attached(ram: Ram, look: dict[str, Any]) -> None:
    """The policy is attached to a group and to a role."""
    ram("CreateGroup", GroupName="dev")
    ram("CreateRole", RoleName="batch", AssumeRolePolicyDocument=TRUST, MaxSessionDuration=7200)
    ram("AttachPolicyToGroup", GroupName="dev", **LOOK)
    ram("AttachPolicyToRole", RoleName="batch", **LOOK)


def test_a_policy_has_a_name_of_its_own_and_a_document(ram: Ram, look: dict[str, Any]) -> None:
    assert (look["DefaultVersion"], look["AttachmentCount"]) == ("v1", 0)
    ram.refuses(
        "EntityAlreadyExists.Policy", "CreatePolicy", PolicyName="look", PolicyDocument=DOCUMENT
    )
    ram.refuses(
        "MalformedPolicyDocument",
        "CreatePolicy",
        PolicyName="bad",
        PolicyDocument="allow everything",
    )


@pytest.mark.usefixtures("look")
def test_a_version_of_a_policy_becomes_its_default(ram: Ram) -> None:
    named = {"PolicyName": "look"}
    second = ram("CreatePolicyVersion", **named, PolicyDocument=WIDER, SetAsDefault=True)
    assert (second["PolicyVersion"]["VersionId"], second["PolicyVersion"]["IsDefaultVersion"]) == (
        "v2",
        True,
    )
    row = ram("GetPolicy", PolicyName="look", PolicyType="Custom")
    assert (row["Policy"]["DefaultVersion"], row["DefaultPolicyVersion"]["PolicyDocument"]) == (
        "v2",
        WIDER,
    )
    ram.refuses(
        "DeleteConflict.PolicyVersion.Default", "DeletePolicyVersion", **named, VersionId="v2"
    )
    ram("SetDefaultPolicyVersion", **named, VersionId="v1")
    ram.refuses("EntityNotExist.Policy.Version", "SetDefaultPolicyVersion", **named, VersionId="v9")
    ram("DeletePolicyVersion", **named, VersionId="v2")


@pytest.mark.usefixtures("look")
def test_the_oldest_version_makes_room_when_it_may(ram: Ram) -> None:
    wider = {"PolicyName": "look", "PolicyDocument": WIDER}
    for _ in range(4):
        ram("CreatePolicyVersion", **wider)
    ram.refuses("LimitExceeded.Policy.Version", "CreatePolicyVersion", **wider)
    strategy = "DeleteOldestNonDefaultVersionWhenLimitExceeded"
    ram("CreatePolicyVersion", **wider, RotateStrategy=strategy)
    versions = ram("ListPolicyVersions", PolicyName="look")["PolicyVersions"]["PolicyVersion"]
    assert [(version["VersionId"], version["IsDefaultVersion"]) for version in versions] == [
        ("v1", True),
        ("v3", False),
        ("v4", False),
        ("v5", False),
        ("v6", False),
    ]


@pytest.mark.usefixtures("attached")
def test_a_policy_is_attached_once_by_its_type_and_name(ram: Ram) -> None:
    role = {"RoleName": "batch"}
    ram.refuses("EntityAlreadyExists.Role.Policy", "AttachPolicyToRole", **role, **LOOK)
    no_name = {**LOOK, "PolicyName": "nothing"}
    ram.refuses("EntityNotExist.Policy", "AttachPolicyToRole", **role, **no_name)
    no_type = {**LOOK, "PolicyType": "System"}
    ram.refuses("EntityNotExist.Policy", "AttachPolicyToRole", **role, **no_type)
    assert ram("GetPolicy", PolicyName="look")["Policy"]["AttachmentCount"] == 2
    entities = ram("ListEntitiesForPolicy", PolicyName="look", PolicyType="Custom")
    assert [group["GroupName"] for group in entities["Groups"]["Group"]] == ["dev"]


@pytest.mark.usefixtures("attached")
def test_a_policy_is_deleted_once_it_is_detached(ram: Ram) -> None:
    ram.refuses("DeleteConflict.Policy.Group", "DeletePolicy", PolicyName="look")
    ram.refuses("DeleteConflict.Group.Policy", "DeleteGroup", GroupName="dev")
    ram("DetachPolicyFromGroup", GroupName="dev", **LOOK)
    ram.refuses("DeleteConflict.Policy.Role", "DeletePolicy", PolicyName="look")
    ram.refuses("DeleteConflict.Role.Policy", "DeleteRole", RoleName="batch")
    ram("DetachPolicyFromRole", RoleName="batch", **LOOK)
    ram("DeletePolicy", PolicyName="look")
    ram.refuses("EntityNotExist.Policy", "ListEntitiesForPolicy", PolicyName="look")


def test_roles(ram: Ram, account: dict[str, str]) -> None:
    role = ram("CreateRole", RoleName="Batch", AssumeRolePolicyDocument=TRUST, Description="jobs")[
        "Role"
    ]
    assert role["Arn"] == f"acs:ram::{account['account_id']}:role/Batch"
    assert (role["MaxSessionDuration"], role["AssumeRolePolicyDocument"]) == (3600, TRUST)
    ram.refuses("MissingParameter", "CreateRole", RoleName="none")
    ram.refuses(
        "MalformedPolicyDocument", "CreateRole", RoleName="none", AssumeRolePolicyDocument="{}"
    )
    ram.refuses(
        "InvalidParameter.MaxSessionDuration",
        "UpdateRole",
        RoleName="Batch",
        NewMaxSessionDuration=60,
    )
    other = TRUST.replace("ecs.aliyuncs", "fc.aliyuncs")
    ram(
        "UpdateRole",
        RoleName="Batch",
        NewMaxSessionDuration=43200,
        NewAssumeRolePolicyDocument=other,
    )
    shown = ram("GetRole", RoleName="Batch")["Role"]
    assert (
        shown["MaxSessionDuration"],
        shown["AssumeRolePolicyDocument"],
        shown["Description"],
    ) == (43200, other, "jobs")
    ram("DeleteRole", RoleName="Batch")
    ram.refuses("EntityNotExist.Role", "GetRole", RoleName="Batch")
