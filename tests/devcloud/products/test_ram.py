"""Resource Access Management: identities, what they may do, and what keeps them from
being deleted."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.devcloud.conftest import Backend, HttpFailure
from tests.devcloud.console_api import events, make, path
from tests.devcloud.products.signed import SignedCaller

DOCUMENT = (
    '{"Version":"1","Statement":[{"Effect":"Allow","Action":"ecs:Describe*","Resource":"*"}]}'
)
TRUST = '{"Statement":[{"Action":"sts:AssumeRole","Effect":"Allow","Principal":{"Service":["ecs.aliyuncs.com"]}}],"Version":"1"}'
PASSWORD = "Sup3rSecret!"


class Ram(SignedCaller):
    product = "ram"


@pytest.fixture
def ram(backend: Backend, account: dict[str, str]) -> Ram:
    return Ram(backend, account)


def policies(ram: Ram, of: str, **whom: str) -> list[tuple[str, str]]:
    found = ram(f"ListPoliciesFor{of}", **whom)["Policies"]["Policy"]
    return [(p["PolicyType"], p["PolicyName"]) for p in found]


def test_a_user_and_what_hangs_on_it(ram: Ram, backend: Backend, account: dict[str, str]) -> None:
    made = ram("CreateUser", UserName="alice", DisplayName="Alice", MobilePhone="86-13800000000")[
        "User"
    ]
    assert made["UserId"].startswith("2")
    assert len(made["UserId"]) == 18
    ram.refuses("EntityAlreadyExists.User", "CreateUser", UserName="alice")
    ram.refuses("InvalidParameter.UserName.InvalidChars", "CreateUser", UserName="a b")
    ram.refuses("InvalidParameter.Email.Format", "CreateUser", UserName="bob", Email="nobody")
    ram.refuses("EntityNotExist.User", "GetUser", UserName="bob")
    ram("CreateGroup", GroupName="ops", Comments="on call")
    ram("AddUserToGroup", UserName="alice", GroupName="ops")
    ram.refuses(
        "EntityAlreadyExists.User.Group", "AddUserToGroup", UserName="alice", GroupName="ops"
    )
    ram(
        "AttachPolicyToUser",
        UserName="alice",
        PolicyType="System",
        PolicyName="AliyunECSReadOnlyAccess",
    )
    key = ram("CreateAccessKey", UserName="alice")["AccessKey"]["AccessKeyId"]
    ram("CreateAccessKey", UserName="alice")
    ram.refuses("LimitExceeded.User.AccessKey", "CreateAccessKey", UserName="alice")
    ram("CreateLoginProfile", UserName="alice", Password=PASSWORD, PasswordResetRequired=True)
    ram.refuses(
        "EntityAlreadyExists.User.LoginProfile",
        "CreateLoginProfile",
        UserName="alice",
        Password=PASSWORD,
    )
    ram.refuses(
        "InvalidParameter.Password.Format",
        "UpdateLoginProfile",
        UserName="alice",
        Password="simple",
    )
    ram("UpdateUser", UserName="alice", NewUserName="alice.w", NewDisplayName="Alice W")
    # everything follows the user to its new name
    assert (
        ram("GetLoginProfile", UserName="alice.w")["LoginProfile"]["PasswordResetRequired"] is True
    )
    assert policies(ram, "User", UserName="alice.w") == [("System", "AliyunECSReadOnlyAccess")]
    assert [u["UserName"] for u in ram("ListUsersForGroup", GroupName="ops")["Users"]["User"]] == [
        "alice.w"
    ]
    assert [
        g["GroupName"] for g in ram("ListGroupsForUser", UserName="alice.w")["Groups"]["Group"]
    ] == ["ops"]
    keys = ram("ListAccessKeys", UserName="alice.w")["AccessKeys"]["AccessKey"]
    assert [k["Status"] for k in keys] == ["Active", "Active"]

    ram.refuses("DeleteConflict.User.Group", "DeleteUser", UserName="alice.w")
    ram("RemoveUserFromGroup", UserName="alice.w", GroupName="ops")
    ram.refuses(
        "EntityNotExist.User.Group", "RemoveUserFromGroup", UserName="alice.w", GroupName="ops"
    )
    ram.refuses("DeleteConflict.User.Policy", "DeleteUser", UserName="alice.w")
    ram(
        "DetachPolicyFromUser",
        UserName="alice.w",
        PolicyType="System",
        PolicyName="AliyunECSReadOnlyAccess",
    )
    ram.refuses("DeleteConflict.User.AccessKey", "DeleteUser", UserName="alice.w")
    ram("UpdateAccessKey", UserName="alice.w", UserAccessKeyId=key, Status="Inactive")
    assert [
        k["Status"] for k in ram("ListAccessKeys", UserName="alice.w")["AccessKeys"]["AccessKey"]
    ] == ["Inactive", "Active"]
    for each in keys:
        ram("DeleteAccessKey", UserName="alice.w", UserAccessKeyId=each["AccessKeyId"])
    ram("DeleteUser", UserName="alice.w")
    ram.refuses("EntityNotExist.User.LoginProfile", "GetLoginProfile", UserName="alice.w")
    ram("DeleteGroup", GroupName="ops")
    assert backend.inventory(account) == []
    assert PASSWORD not in json.dumps(events(backend, account))


def test_policies_have_versions_and_are_not_deleted_while_attached(ram: Ram) -> None:
    made = ram("CreatePolicy", PolicyName="look", PolicyDocument=DOCUMENT, Description="look only")[
        "Policy"
    ]
    assert (made["DefaultVersion"], made["AttachmentCount"]) == ("v1", 0)
    ram.refuses(
        "EntityAlreadyExists.Policy", "CreatePolicy", PolicyName="look", PolicyDocument=DOCUMENT
    )
    ram.refuses(
        "MalformedPolicyDocument",
        "CreatePolicy",
        PolicyName="bad",
        PolicyDocument="allow everything",
    )
    wider = DOCUMENT.replace("ecs:Describe*", "ecs:*")
    second = ram("CreatePolicyVersion", PolicyName="look", PolicyDocument=wider, SetAsDefault=True)[
        "PolicyVersion"
    ]
    assert (second["VersionId"], second["IsDefaultVersion"]) == ("v2", True)
    shown = ram("GetPolicy", PolicyName="look", PolicyType="Custom")
    assert (shown["Policy"]["DefaultVersion"], shown["DefaultPolicyVersion"]["PolicyDocument"]) == (
        "v2",
        wider,
    )
    ram.refuses(
        "DeleteConflict.PolicyVersion.Default",
        "DeletePolicyVersion",
        PolicyName="look",
        VersionId="v2",
    )
    ram("SetDefaultPolicyVersion", PolicyName="look", VersionId="v1")
    ram.refuses(
        "EntityNotExist.Policy.Version",
        "SetDefaultPolicyVersion",
        PolicyName="look",
        VersionId="v9",
    )
    ram("DeletePolicyVersion", PolicyName="look", VersionId="v2")
    for _ in range(4):
        ram("CreatePolicyVersion", PolicyName="look", PolicyDocument=wider)
    ram.refuses(
        "LimitExceeded.Policy.Version",
        "CreatePolicyVersion",
        PolicyName="look",
        PolicyDocument=wider,
    )
    rotated = {"RotateStrategy": "DeleteOldestNonDefaultVersionWhenLimitExceeded"}
    ram("CreatePolicyVersion", PolicyName="look", PolicyDocument=wider, **rotated)
    versions = ram("ListPolicyVersions", PolicyName="look")["PolicyVersions"]["PolicyVersion"]
    assert [(v["VersionId"], v["IsDefaultVersion"]) for v in versions] == [
        ("v1", True), ("v3", False), ("v4", False), ("v5", False), ("v6", False),
    ]  # fmt: skip

    ram("CreateGroup", GroupName="dev")
    ram("CreateRole", RoleName="batch", AssumeRolePolicyDocument=TRUST, MaxSessionDuration=7200)
    custom = {"PolicyType": "Custom", "PolicyName": "look"}
    ram("AttachPolicyToGroup", GroupName="dev", **custom)
    ram("AttachPolicyToRole", RoleName="batch", **custom)
    ram.refuses("EntityAlreadyExists.Role.Policy", "AttachPolicyToRole", RoleName="batch", **custom)
    ram.refuses(
        "EntityNotExist.Policy",
        "AttachPolicyToRole",
        RoleName="batch",
        PolicyType="Custom",
        PolicyName="nothing",
    )
    ram.refuses(
        "EntityNotExist.Policy",
        "AttachPolicyToRole",
        RoleName="batch",
        PolicyType="System",
        PolicyName="look",
    )
    assert ram("GetPolicy", PolicyName="look")["Policy"]["AttachmentCount"] == 2
    entities = ram("ListEntitiesForPolicy", PolicyName="look", PolicyType="Custom")
    assert [g["GroupName"] for g in entities["Groups"]["Group"]] == ["dev"]
    ram.refuses("DeleteConflict.Policy.Group", "DeletePolicy", PolicyName="look")
    ram.refuses("DeleteConflict.Group.Policy", "DeleteGroup", GroupName="dev")
    ram("DetachPolicyFromGroup", GroupName="dev", **custom)
    ram.refuses("DeleteConflict.Policy.Role", "DeletePolicy", PolicyName="look")
    ram.refuses("DeleteConflict.Role.Policy", "DeleteRole", RoleName="batch")
    ram("DetachPolicyFromRole", RoleName="batch", **custom)
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


def test_the_console_grants_and_revokes(
    backend: Backend, account: dict[str, str], ram: Ram
) -> None:
    browser = backend.browser(account)
    assert make(browser, "ram.user", name="carol", display_name="Carol") == "carol"
    make(
        browser,
        "ram.policy",
        mode="file",
        document_file=DOCUMENT,
        name="look",
        tags=[{"key": "team", "value": "web"}],
    )
    options = browser.get("/console/api/options/ram_policies?policy_type=Custom")
    assert options == [{"value": "look", "label": "look"}]
    assert len(browser.get("/console/api/options/ram_policies?policy_type=System")) > 20
    services = browser.get("/console/api/options/ram_trusted_services?service_type=operations")
    assert [s["value"] for s in services] == [
        "log.aliyuncs.com",
        "cms.aliyuncs.com",
        "actiontrail.aliyuncs.com",
    ]
    make(
        browser, "ram.role", trust_type="Service", service_type="compute", trusted_service="fc.aliyuncs.com", name="fn", session=7200,
        description="functions",
    )  # fmt: skip
    make(
        browser,
        "ram.role",
        trust_type="Account",
        trusted_account="1234567890123456",
        name="partner",
    )
    assert (
        "1234567890123456" in ram("GetRole", RoleName="partner")["Role"]["AssumeRolePolicyDocument"]
    )
    for name, policy_type in (("look", "Custom"), ("AliyunOSSReadOnlyAccess", "System")):
        make(
            browser, "ram.user_grant", user_name="carol", policy_type=policy_type, policy_name=name
        )
    assert policies(ram, "User", UserName="carol") == [
        ("Custom", "look"),
        ("System", "AliyunOSSReadOnlyAccess"),
    ]
    with pytest.raises(HttpFailure) as caught:
        browser.post(path("ram.policy", "look", "delete"))
    assert caught.value.body["code"] == "DeleteConflict.Policy.User"
    browser.post(path("ram.user_grant", "carol/Custom/look", "revoke"))
    make(
        browser,
        "ram.login_profile",
        user_name="carol",
        password=PASSWORD,
        confirm_password=PASSWORD,
        reset_required=True,
    )
    key = make(browser, "ram.access_key", user_name="carol", know=True)
    browser.post(path("ram.access_key", key, "disable"))
    browser.post(path("ram.access_key", key, "delete"))
    make(
        browser,
        "ram.policy_version",
        policy_name="look",
        document=DOCUMENT.replace("ecs", "vpc"),
        set_default=True,
        rotate="None",
    )
    browser.post(path("ram.policy_version", "look/v1", "set_default"))
    rows = browser.get(path("ram.policy_version", **{"where.policy_name": "look"}))["rows"]
    assert {row["version"]: row["is_default"] for row in rows} == {"v1": True, "v2": False}
    said: dict[str, dict[str, Any]] = {e["eventName"]: e for e in events(backend, account)}
    assert {e["serviceName"] for e in said.values()} == {"Ram"}
    asked = {name: event["requestParameters"] for name, event in said.items()}
    assert asked["DetachPolicyFromUser"] == {
        "UserName": "carol",
        "PolicyType": "Custom",
        "PolicyName": "look",
    }
    assert asked["UpdateAccessKey"] == {
        "UserName": "carol",
        "UserAccessKeyId": key,
        "Status": "Inactive",
    }
    assert asked["CreatePolicy"]["PolicyDocument"] == DOCUMENT
    assert asked["SetDefaultPolicyVersion"] == {"PolicyName": "look", "VersionId": "v1"}
    assert asked["CreateLoginProfile"]["Password"] == "******"
    assert asked["CreatePolicyVersion"]["SetAsDefault"] == "true"
