"""RAM: users with their keys and logon, groups with their members, roles, policies, and
what is attached to whom.

Everything is addressed by name. The service takes a name change of a user or group; a
role's or policy's name replaces it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from proofwalk.resource_provisioner.alicloud_provider.openapi import ApiError, CloudApi
from proofwalk.resource_provisioner.alicloud_provider.resource import (
    Plan,
    Problem,
    Resource,
    State,
    given,
    tag_params,
)


class User(Resource):
    """`alicloud_ram_user`; its id is the number that the service gives it."""

    type_name = "alicloud_ram_user"

    def create(self, cloud: CloudApi, planned: State) -> str:
        answer = cloud.write(
            "ram",
            "CreateUser",
            UserName=planned["name"],
            DisplayName=given(planned, "display_name"),
            MobilePhone=given(planned, "mobile"),
            Email=given(planned, "email"),
            Comments=given(planned, "comments"),
        )
        return str(answer["User"]["UserId"])

    def read(self, cloud: CloudApi, state: State) -> State | None:
        listed = (cloud.read("ram", "ListUsers").get("Users") or {}).get("User") or []
        row = next(
            (user for user in listed if state["id"] in (user.get("UserId"), user.get("UserName"))),
            None,
        )
        if row is None:
            return None
        facts = {
            "name": row.get("UserName"),
            "display_name": row.get("DisplayName"),
            "mobile": row.get("MobilePhone"),
            "email": row.get("Email"),
            "comments": row.get("Comments"),
        }
        if state.get("display_name") is None and facts["display_name"] == facts["name"]:
            # what the service shows where no display name was given
            del facts["display_name"]
        return self.merged(state | {"id": row.get("UserId")}, facts)

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        if changed - {"force"}:
            cloud.write(
                "ram",
                "UpdateUser",
                UserName=prior["name"],
                NewUserName=planned["name"],
                NewDisplayName=given(planned, "display_name"),
                NewMobilePhone=given(planned, "mobile") or "",
                NewEmail=given(planned, "email") or "",
                NewComments=given(planned, "comments") or "",
            )

    def delete(self, cloud: CloudApi, state: State) -> None:
        name = state["name"]
        if state.get("force"):
            self._strip(cloud, name)
        cloud.remove("ram", "DeleteUser", UserName=name)

    def _strip(self, cloud: CloudApi, name: str) -> None:
        """Take away what would keep the user from being deleted."""
        keys = (cloud.find("ram", "ListAccessKeys", UserName=name) or {}).get("AccessKeys") or {}
        for key in keys.get("AccessKey") or []:
            cloud.remove(
                "ram", "DeleteAccessKey", UserName=name, UserAccessKeyId=key["AccessKeyId"]
            )
        policies = (cloud.find("ram", "ListPoliciesForUser", UserName=name) or {}).get(
            "Policies"
        ) or {}
        for policy in policies.get("Policy") or []:
            named = {"PolicyName": policy["PolicyName"], "PolicyType": policy["PolicyType"]}
            cloud.remove("ram", "DetachPolicyFromUser", UserName=name, **named)
        groups = (cloud.find("ram", "ListGroupsForUser", UserName=name) or {}).get("Groups") or {}
        for group in groups.get("Group") or []:
            cloud.remove("ram", "RemoveUserFromGroup", UserName=name, GroupName=group["GroupName"])


class AccessKey(Resource):
    """`alicloud_ram_access_key`: the secret is told once and lives in the state."""

    type_name = "alicloud_ram_access_key"
    replaced_by = frozenset({"user_name", "pgp_key"})
    needed = ("user_name",)

    def create(self, cloud: CloudApi, planned: State) -> str:
        key = cloud.write("ram", "CreateAccessKey", UserName=planned["user_name"])["AccessKey"]
        planned |= {"secret": key.get("AccessKeySecret")}
        return str(key["AccessKeyId"])

    def settle(self, cloud: CloudApi, state: State) -> None:
        if given(state, "status") == "Inactive":
            self._set(cloud, state, "Inactive")

    def _set(self, cloud: CloudApi, state: State, status: str) -> None:
        cloud.write(
            "ram",
            "UpdateAccessKey",
            UserName=state["user_name"],
            UserAccessKeyId=state["id"],
            Status=status,
        )

    def read(self, cloud: CloudApi, state: State) -> State | None:
        listed = cloud.find("ram", "ListAccessKeys", UserName=state.get("user_name")) or {}
        rows = (listed.get("AccessKeys") or {}).get("AccessKey") or []
        row = next((key for key in rows if key.get("AccessKeyId") == state["id"]), None)
        return (
            self.merged(state, {"status": row.get("Status"), "create_time": row.get("CreateDate")})
            if row
            else None
        )

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        if "status" in changed:
            self._set(cloud, prior, str(planned["status"]))

    def delete(self, cloud: CloudApi, state: State) -> None:
        cloud.remove(
            "ram", "DeleteAccessKey", UserName=state["user_name"], UserAccessKeyId=state["id"]
        )


class LoginProfile(Resource):
    """`alicloud_ram_login_profile`: a user's logon to the console."""

    type_name = "alicloud_ram_login_profile"
    replaced_by = frozenset({"user_name"})

    def create(self, cloud: CloudApi, planned: State) -> str:
        self._put(cloud, "CreateLoginProfile", planned)
        return str(planned["user_name"])

    def _put(self, cloud: CloudApi, action: str, planned: State) -> None:
        cloud.write(
            "ram",
            action,
            UserName=planned["user_name"],
            Password=planned["password"],
            PasswordResetRequired=given(planned, "password_reset_required"),
            MFABindRequired=given(planned, "mfa_bind_required"),
        )

    def read(self, cloud: CloudApi, state: State) -> State | None:
        found = cloud.find("ram", "GetLoginProfile", UserName=state["id"])
        if found is None:
            return None
        row = found["LoginProfile"]
        facts = {
            "user_name": row.get("UserName"),
            "password_reset_required": row.get("PasswordResetRequired"),
            "mfa_bind_required": row.get("MFABindRequired"),
            "create_time": row.get("CreateDate"),
        }
        return self.merged(state, facts)

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        self._put(cloud, "UpdateLoginProfile", planned)

    def delete(self, cloud: CloudApi, state: State) -> None:
        cloud.remove("ram", "DeleteLoginProfile", UserName=state["user_name"])


class Group(Resource):
    """`alicloud_ram_group`."""

    type_name = "alicloud_ram_group"
    aliases = {"name": "group_name"}  # noqa: RUF012 -- declared ClassVar by the base
    needed = ("group_name",)
    replaced_by = frozenset({"group_name"})

    def create(self, cloud: CloudApi, planned: State) -> str:
        answer = cloud.write(
            "ram",
            "CreateGroup",
            GroupName=planned["group_name"],
            Comments=given(planned, "comments"),
        )
        return str(answer["Group"]["GroupName"])

    def read(self, cloud: CloudApi, state: State) -> State | None:
        found = cloud.find("ram", "GetGroup", GroupName=state["id"])
        if found is None:
            return None
        row = found["Group"]
        facts = {
            "group_name": row.get("GroupName"),
            "comments": row.get("Comments"),
            "create_time": row.get("CreateDate"),
        }
        return self.merged(state, facts)

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        if "comments" in changed:
            cloud.write(
                "ram",
                "UpdateGroup",
                GroupName=prior["id"],
                NewComments=given(planned, "comments") or "",
            )

    def delete(self, cloud: CloudApi, state: State) -> None:
        if state.get("force"):
            for user in _members(cloud, state["id"]):
                cloud.remove("ram", "RemoveUserFromGroup", UserName=user, GroupName=state["id"])
        cloud.remove("ram", "DeleteGroup", GroupName=state["id"])


def _members(cloud: CloudApi, group: str) -> list[str]:
    listed = cloud.find("ram", "ListUsersForGroup", GroupName=group) or {}
    return sorted(user["UserName"] for user in (listed.get("Users") or {}).get("User") or [])


class GroupMembership(Resource):
    """`alicloud_ram_group_membership`: all members of a group."""

    type_name = "alicloud_ram_group_membership"
    replaced_by = frozenset({"group_name"})

    def create(self, cloud: CloudApi, planned: State) -> str:
        for user in sorted(planned["user_names"]):
            cloud.write("ram", "AddUserToGroup", UserName=user, GroupName=planned["group_name"])
        return str(planned["group_name"])

    def read(self, cloud: CloudApi, state: State) -> State | None:
        members = _members(cloud, state["id"])
        return (
            self.merged(state, {"group_name": state["id"], "user_names": members})
            if members
            else None
        )

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        before, after = set(prior["user_names"]), set(planned["user_names"])
        for user in sorted(before - after):
            cloud.remove("ram", "RemoveUserFromGroup", UserName=user, GroupName=prior["id"])
        for user in sorted(after - before):
            cloud.write("ram", "AddUserToGroup", UserName=user, GroupName=prior["id"])

    def delete(self, cloud: CloudApi, state: State) -> None:
        for user in sorted(state["user_names"]):
            cloud.remove("ram", "RemoveUserFromGroup", UserName=user, GroupName=state["id"])


class Role(Resource):
    """`alicloud_ram_role`."""

    type_name = "alicloud_ram_role"
    replaced_by = frozenset({"name"})
    follows = {  # noqa: RUF012 -- declared ClassVar by the base
        "services": frozenset({"document"}),
        "ram_users": frozenset({"document"}),
        "document": frozenset({"services", "ram_users"}),
    }

    def validate(self, config: Mapping[str, Any]) -> list[Problem]:
        problems = super().validate(config)
        if all(config.get(name) is None for name in ("document", "services", "ram_users")):
            detail = "One of 'document', 'services' and 'ram_users' says who may assume the role."
            problems.append(Problem(summary="Missing required argument", detail=detail))
        return problems

    def _document(self, planned: State) -> str:
        document = given(planned, "document")
        if document is not None:
            return str(document)
        principal = {
            name: sorted(values)
            for name, values in (
                ("RAM", given(planned, "ram_users")),
                ("Service", given(planned, "services")),
            )
            if values
        }
        statement = {"Action": "sts:AssumeRole", "Effect": "Allow", "Principal": principal}
        return json.dumps(
            {"Statement": [statement], "Version": given(planned, "version") or "1"},
            separators=(",", ":"),
        )

    def create(self, cloud: CloudApi, planned: State) -> str:
        answer = cloud.write(
            "ram",
            "CreateRole",
            RoleName=planned["name"],
            AssumeRolePolicyDocument=self._document(planned),
            Description=given(planned, "description"),
            MaxSessionDuration=given(planned, "max_session_duration"),
        )
        return str(answer["Role"]["RoleName"])

    def read(self, cloud: CloudApi, state: State) -> State | None:
        found = cloud.find("ram", "GetRole", RoleName=state["id"])
        if found is None:
            return None
        row = found["Role"]
        document = str(row.get("AssumeRolePolicyDocument") or "")
        facts: dict[str, Any] = {
            "name": row.get("RoleName"),
            "arn": row.get("Arn"),
            "role_id": row.get("RoleId"),
            "description": row.get("Description"),
        }
        if state.get("max_session_duration") is not None:
            facts["max_session_duration"] = row.get("MaxSessionDuration")
        former = state.get("document")
        facts["document"] = (
            former if isinstance(former, str) and _same_document(former, document) else document
        )
        return self.merged(state, facts)

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        retrusted = bool(changed & {"document", "services", "ram_users", "version"})
        cloud.write(
            "ram",
            "UpdateRole",
            RoleName=prior["id"],
            NewAssumeRolePolicyDocument=self._document(planned) if retrusted else None,
            NewDescription=given(planned, "description") or "",
            NewMaxSessionDuration=given(planned, "max_session_duration"),
        )

    def delete(self, cloud: CloudApi, state: State) -> None:
        if state.get("force"):
            listed = cloud.find("ram", "ListPoliciesForRole", RoleName=state["id"]) or {}
            for policy in (listed.get("Policies") or {}).get("Policy") or []:
                named = {"PolicyName": policy["PolicyName"], "PolicyType": policy["PolicyType"]}
                cloud.remove("ram", "DetachPolicyFromRole", RoleName=state["id"], **named)
        cloud.remove("ram", "DeleteRole", RoleName=state["id"])


def _same_document(one: str, other: str) -> bool:
    """Whether two policy documents differ in nothing but spaces."""
    try:
        return bool(json.loads(one) == json.loads(other))
    except ValueError:
        return one == other


class Policy(Resource):
    """`alicloud_ram_policy`: a change of its document is a further version, which
    becomes the default one."""

    type_name = "alicloud_ram_policy"
    replaced_by = frozenset({"policy_name", "name", "description"})
    follows = {  # noqa: RUF012 -- declared ClassVar by the base
        name: frozenset({"policy_document", "document"})
        for name in ("default_version", "version_id")
    }
    aliases = {"name": "policy_name", "document": "policy_document"}  # noqa: RUF012
    needed = ("policy_name", "policy_document")

    def create(self, cloud: CloudApi, planned: State) -> str:
        answer = cloud.write(
            "ram",
            "CreatePolicy",
            PolicyName=planned["policy_name"],
            PolicyDocument=planned["policy_document"],
            Description=given(planned, "description"),
            Tag=tag_params(planned.get("tags")),
        )
        return str(answer["Policy"]["PolicyName"])

    def read(self, cloud: CloudApi, state: State) -> State | None:
        found = cloud.find("ram", "GetPolicy", PolicyName=state["id"], PolicyType="Custom")
        if found is None:
            return None
        row, version = found["Policy"], found["DefaultPolicyVersion"]
        document, former = str(version.get("PolicyDocument") or ""), state.get("policy_document")
        facts = {
            "policy_name": row.get("PolicyName"),
            "policy_document": (
                former if isinstance(former, str) and _same_document(former, document) else document
            ),
            "description": row.get("Description"),
            "type": row.get("PolicyType"),
            "default_version": row.get("DefaultVersion"),
            "version_id": row.get("DefaultVersion"),
            "attachment_count": row.get("AttachmentCount"),
            "create_time": row.get("CreateDate"),
        }
        return self.merged(state, facts)

    def plan(self, prior: State | None, proposed: State, config: Mapping[str, Any]) -> Plan:
        plan = super().plan(prior, proposed, config)
        if prior is not None:
            # others attach it, which is no reason for a change
            plan.state["attachment_count"] = prior.get("attachment_count")
        return plan

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        if changed & {"policy_document", "document"}:
            cloud.write(
                "ram",
                "CreatePolicyVersion",
                PolicyName=prior["id"],
                PolicyDocument=planned["policy_document"],
                SetAsDefault=True,
                RotateStrategy=given(planned, "rotate_strategy"),
            )

    def delete(self, cloud: CloudApi, state: State) -> None:
        cloud.remove("ram", "DeletePolicy", PolicyName=state["id"])


class Attachment(Resource):
    """A policy attached to a user, group or role; its id names all three parts, as the
    real provider's does."""

    choices = {"policy_type": ("Custom", "System")}  # noqa: RUF012 -- declared ClassVar by the base
    whom: ClassVar[str]
    """`user`, `group` or `role`."""

    def _params(self, state: State) -> dict[str, str]:
        word = self.whom.capitalize()
        return {
            f"{word}Name": state[f"{self.whom}_name"],
            "PolicyName": state["policy_name"],
            "PolicyType": state["policy_type"],
        }

    def create(self, cloud: CloudApi, planned: State) -> str:
        cloud.write("ram", f"AttachPolicyTo{self.whom.capitalize()}", **self._params(planned))
        return f"{self.whom}:{planned['policy_name']}:{planned['policy_type']}:{planned[f'{self.whom}_name']}"

    def read(self, cloud: CloudApi, state: State) -> State | None:
        _, policy, policy_type, holder = str(state["id"]).split(":", 3)
        word = self.whom.capitalize()
        listed = cloud.find("ram", f"ListPoliciesFor{word}", **{f"{word}Name": holder}) or {}
        held = {
            (row["PolicyName"], row["PolicyType"])
            for row in (listed.get("Policies") or {}).get("Policy") or []
        }
        if (policy, policy_type) not in held:
            return None
        return self.merged(
            state, {f"{self.whom}_name": holder, "policy_name": policy, "policy_type": policy_type}
        )

    def delete(self, cloud: CloudApi, state: State) -> None:
        try:
            cloud.remove("ram", f"DetachPolicyFrom{self.whom.capitalize()}", **self._params(state))
        except ApiError as error:
            if not error.not_found:
                raise


class UserPolicyAttachment(Attachment):
    """`alicloud_ram_user_policy_attachment`."""

    type_name = "alicloud_ram_user_policy_attachment"
    whom = "user"
    replaced_by = frozenset({"policy_name", "policy_type", "user_name"})


class GroupPolicyAttachment(Attachment):
    """`alicloud_ram_group_policy_attachment`."""

    type_name = "alicloud_ram_group_policy_attachment"
    whom = "group"
    replaced_by = frozenset({"policy_name", "policy_type", "group_name"})


class RolePolicyAttachment(Attachment):
    """`alicloud_ram_role_policy_attachment`."""

    type_name = "alicloud_ram_role_policy_attachment"
    whom = "role"
    replaced_by = frozenset({"policy_name", "policy_type", "role_name"})


RESOURCES: Sequence[type[Resource]] = (
    User,
    AccessKey,
    LoginProfile,
    Group,
    GroupMembership,
    Role,
    Policy,
    UserPolicyAttachment,
    GroupPolicyAttachment,
    RolePolicyAttachment,
)
