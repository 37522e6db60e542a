"""RAM users."""

from __future__ import annotations

from collections.abc import Sequence

from proofwalk.resource_provisioner.alicloud_provider.openapi import CloudApi
from proofwalk.resource_provisioner.alicloud_provider.resource import Resource, State, given


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


RESOURCES: Sequence[type[Resource]] = (User,)
