"""The console of RAM: policies, roles, grants, logins and keys."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.devcloud.conftest import Backend, HttpFailure
from tests.devcloud.console_api import Console, events
from tests.devcloud.products.ram import DOCUMENT, PASSWORD, Ram, policies


@pytest.fixture
def ram(backend: Backend, account: dict[str, str]) -> Ram:
    return Ram(backend, account)


@pytest.fixture
def carol(console: Console) -> str:
    return console.make("ram.user", name="carol", display_name="Carol")


@pytest.fixture
def look(console: Console) -> str:
    """A policy that was uploaded as a file."""
    return console.make(
        "ram.policy",
        mode="file",
        document_file=DOCUMENT,
        name="look",
        tags=[{"key": "team", "value": "web"}],
    )


def grant(console: Console, user: str, kind: str, policy: str) -> None:
    console.make("ram.user_grant", user_name=user, policy_type=kind, policy_name=policy)


@pytest.fixture(autouse=True)
def the_log_names_the_product(console: Console) -> Iterator[None]:
    """Whatever the console of a test did, it is logged as a call of the product."""
    yield
    assert {e["serviceName"] for e in events(console.backend, console.account)} <= {"Ram"}


def test_a_user_is_made_by_its_name(carol: str) -> None:
    assert carol == "carol"


def test_policies_are_offered_by_type(console: Console, look: str) -> None:
    assert console.options("ram_policies", policy_type="Custom") == [
        {"value": "look", "label": "look"}
    ]
    assert len(console.options("ram_policies", policy_type="System")) > 20
    assert console.logged("CreatePolicy")["PolicyDocument"] == DOCUMENT


def test_a_role_trusts_a_service_or_an_account(console: Console, ram: Ram) -> None:
    assert console.offered("ram_trusted_services", service_type="operations") == [
        "log.aliyuncs.com",
        "cms.aliyuncs.com",
        "actiontrail.aliyuncs.com",
    ]
    console.make(
        "ram.role",
        trust_type="Service",
        service_type="compute",
        trusted_service="fc.aliyuncs.com",
        name="fn",
        session=7200,
        description="functions",
    )
    partner = "1234567890123456"
    console.make("ram.role", trust_type="Account", trusted_account=partner, name="partner")
    assert partner in ram("GetRole", RoleName="partner")["Role"]["AssumeRolePolicyDocument"]


def test_a_policy_is_granted_and_revoked(console: Console, ram: Ram, carol: str, look: str) -> None:
    for kind, policy in (("Custom", look), ("System", "AliyunOSSReadOnlyAccess")):
        grant(console, carol, kind, policy)
    assert policies(ram, "User", UserName=carol) == [
        ("Custom", "look"),
        ("System", "AliyunOSSReadOnlyAccess"),
    ]
    with pytest.raises(HttpFailure) as caught:
        console.act("ram.policy", look, "delete")
    assert caught.value.body["code"] == "DeleteConflict.Policy.User"
    console.act("ram.user_grant", "carol/Custom/look", "revoke")
    assert console.logged("DetachPolicyFromUser") == {
        "UserName": "carol",
        "PolicyType": "Custom",
        "PolicyName": "look",
    }


def test_a_login_is_made_and_its_password_not_logged(console: Console, carol: str) -> None:
    console.make(
        "ram.login_profile",
        user_name=carol,
        password=PASSWORD,
        confirm_password=PASSWORD,
        reset_required=True,
    )
    assert console.logged("CreateLoginProfile")["Password"] == "******"


def test_a_key_is_disabled_and_deleted(console: Console, carol: str) -> None:
    key = console.make("ram.access_key", user_name=carol, know=True)
    console.act("ram.access_key", key, "disable")
    console.act("ram.access_key", key, "delete")
    assert console.logged("UpdateAccessKey") == {
        "UserName": "carol",
        "UserAccessKeyId": key,
        "Status": "Inactive",
    }


def test_a_version_of_a_policy_becomes_its_default(console: Console, look: str) -> None:
    console.make(
        "ram.policy_version",
        policy_name=look,
        document=DOCUMENT.replace("ecs", "vpc"),
        set_default=True,
        rotate="None",
    )
    console.act("ram.policy_version", "look/v1", "set_default")
    rows = console.rows("ram.policy_version", policy_name=look)
    assert {row["version"]: row["is_default"] for row in rows} == {"v1": True, "v2": False}
    assert console.logged("SetDefaultPolicyVersion") == {"PolicyName": "look", "VersionId": "v1"}
    assert console.logged("CreatePolicyVersion")["SetAsDefault"] == "true"
