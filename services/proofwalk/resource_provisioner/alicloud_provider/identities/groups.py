"""Groups of RAM users, and who is in them."""

from __future__ import annotations

from collections.abc import Sequence

from proofwalk.resource_provisioner.alicloud_provider.openapi import CloudApi
from proofwalk.resource_provisioner.alicloud_provider.resource import Resource, State, given


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


RESOURCES: Sequence[type[Resource]] = (
    Group,
    GroupMembership,
)
