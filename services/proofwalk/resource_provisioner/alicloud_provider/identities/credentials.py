"""What a RAM user signs in with: access keys and the console's logon."""

from __future__ import annotations

from collections.abc import Sequence

from proofwalk.resource_provisioner.alicloud_provider.openapi import CloudApi
from proofwalk.resource_provisioner.alicloud_provider.resource import Resource, State, given


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


RESOURCES: Sequence[type[Resource]] = (
    AccessKey,
    LoginProfile,
)
