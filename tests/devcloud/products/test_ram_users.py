"""RAM users: groups, policies, keys and logins, and what keeps a user from being
deleted."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.devcloud.conftest import Backend
from tests.devcloud.console_api import events
from tests.devcloud.products.ram import PASSWORD, Ram, policies

SYSTEM = {"PolicyType": "System", "PolicyName": "AliyunECSReadOnlyAccess"}


@pytest.fixture
def ram(backend: Backend, account: dict[str, str]) -> Ram:
    return Ram(backend, account)


@pytest.fixture
def user(ram: Ram) -> dict[str, str]:
    """Names a user in a group, with a policy, two keys and a login."""
    user = {"UserName": "alice"}
    ram("CreateUser", **user, DisplayName="Alice", MobilePhone="86-13800000000")
    ram("CreateGroup", GroupName="ops", Comments="on call")
    ram("AddUserToGroup", **user, GroupName="ops")
    ram("AttachPolicyToUser", **user, **SYSTEM)
    for _ in range(2):
        ram("CreateAccessKey", **user)
    ram("CreateLoginProfile", **user, Password=PASSWORD, PasswordResetRequired=True)
    return user


def keys(ram: Ram, user: dict[str, str]) -> list[dict[str, Any]]:
    return list(ram("ListAccessKeys", **user)["AccessKeys"]["AccessKey"])


def groups(ram: Ram, user: dict[str, str]) -> list[str]:
    return [g["GroupName"] for g in ram("ListGroupsForUser", **user)["Groups"]["Group"]]


def members(ram: Ram, group: str) -> list[str]:
    return [u["UserName"] for u in ram("ListUsersForGroup", GroupName=group)["Users"]["User"]]


def test_a_user_has_an_id_and_a_name_of_its_own(ram: Ram) -> None:
    alice = ram("CreateUser", UserName="alice", DisplayName="Alice")["User"]
    assert alice["UserId"].startswith("2")
    assert len(alice["UserId"]) == 18
    ram.refuses("EntityAlreadyExists.User", "CreateUser", UserName="alice")
    ram.refuses("InvalidParameter.UserName.InvalidChars", "CreateUser", UserName="a b")
    ram.refuses("InvalidParameter.Email.Format", "CreateUser", UserName="bob", Email="nobody")
    ram.refuses("EntityNotExist.User", "GetUser", UserName="bob")


def test_what_a_user_has_already_is_refused(ram: Ram, user: dict[str, str]) -> None:
    ram.refuses("EntityAlreadyExists.User.Group", "AddUserToGroup", **user, GroupName="ops")
    ram.refuses("LimitExceeded.User.AccessKey", "CreateAccessKey", **user)
    ram.refuses(
        "EntityAlreadyExists.User.LoginProfile", "CreateLoginProfile", **user, Password=PASSWORD
    )
    ram.refuses("InvalidParameter.Password.Format", "UpdateLoginProfile", **user, Password="simple")


def test_everything_follows_a_user_to_its_new_name(ram: Ram, user: dict[str, str]) -> None:
    ram("UpdateUser", **user, NewUserName="alice.w", NewDisplayName="Alice W")
    renamed = {"UserName": "alice.w"}
    assert ram("GetLoginProfile", **renamed)["LoginProfile"]["PasswordResetRequired"] is True
    assert policies(ram, "User", **renamed) == [("System", "AliyunECSReadOnlyAccess")]
    assert members(ram, "ops") == ["alice.w"]
    assert groups(ram, renamed) == ["ops"]
    assert [key["Status"] for key in keys(ram, renamed)] == ["Active", "Active"]


def test_a_key_is_made_inactive(ram: Ram, user: dict[str, str]) -> None:
    first = keys(ram, user)[0]["AccessKeyId"]
    ram("UpdateAccessKey", **user, UserAccessKeyId=first, Status="Inactive")
    assert {key["AccessKeyId"]: key["Status"] for key in keys(ram, user)}[first] == "Inactive"
    assert [key["Status"] for key in keys(ram, user)] == ["Inactive", "Active"]


def test_a_renamed_user_is_deleted_after_what_hangs_on_it(
    ram: Ram, backend: Backend, account: dict[str, str], user: dict[str, str]
) -> None:
    ram("UpdateUser", **user, NewUserName="alice.w")
    renamed = {"UserName": "alice.w"}
    ram.refuses("DeleteConflict.User.Group", "DeleteUser", **renamed)
    ram("RemoveUserFromGroup", **renamed, GroupName="ops")
    ram.refuses("EntityNotExist.User.Group", "RemoveUserFromGroup", **renamed, GroupName="ops")
    ram.refuses("DeleteConflict.User.Policy", "DeleteUser", **renamed)
    ram("DetachPolicyFromUser", **renamed, **SYSTEM)
    ram.refuses("DeleteConflict.User.AccessKey", "DeleteUser", **renamed)
    for key in keys(ram, renamed):
        ram("DeleteAccessKey", **renamed, UserAccessKeyId=key["AccessKeyId"])
    ram("DeleteUser", **renamed)
    ram.refuses("EntityNotExist.User.LoginProfile", "GetLoginProfile", **renamed)
    ram("DeleteGroup", GroupName="ops")
    assert backend.inventory(account) == []


def test_a_password_is_not_in_the_log(
    ram: Ram, backend: Backend, account: dict[str, str], user: dict[str, str]
) -> None:
    ram.refuses(
        "EntityAlreadyExists.User.LoginProfile", "CreateLoginProfile", **user, Password=PASSWORD
    )
    log = events(backend, account)
    assert "CreateLoginProfile" in {event["eventName"] for event in log}
    assert PASSWORD not in json.dumps(log)
