"""Access control lists with their entries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from proofwalk.resource_provisioner.alicloud_provider.balancing.descriptions import look
from proofwalk.resource_provisioner.alicloud_provider.balancing.members import members_json
from proofwalk.resource_provisioner.alicloud_provider.openapi import CloudApi
from proofwalk.resource_provisioner.alicloud_provider.resource import (
    Resource,
    State,
    given,
    tag_params,
    tags_of,
    update_tags,
)


class AccessList(Resource):
    """`alicloud_slb_acl`."""

    type_name = "alicloud_slb_acl"
    replaced_by = frozenset({"ip_version"})

    def _entries(self, blocks: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        return [
            {"entry": b["entry"], **({"comment": b["comment"]} if given(b, "comment") else {})}
            for b in blocks
        ]

    def create(self, cloud: CloudApi, planned: State) -> str:
        answer = cloud.write(
            "slb",
            "CreateAccessControlList",
            AclName=planned["name"],
            AddressIPVersion=given(planned, "ip_version"),
            Tag=tag_params(planned.get("tags")),
        )
        return str(answer["AclId"])

    def settle(self, cloud: CloudApi, state: State) -> None:
        entries = members_json(self._entries(state.get("entry_list") or []))
        if entries:
            cloud.write("slb", "AddAccessControlListEntry", AclId=state["id"], AclEntrys=entries)

    def read(self, cloud: CloudApi, state: State) -> State | None:
        row = look(cloud, "DescribeAccessControlListAttribute", AclId=state["id"])
        if row is None:
            return None
        merged = self.merged(
            state,
            {
                "name": row.get("AclName"),
                "resource_group_id": row.get("ResourceGroupId"),
                "tags": tags_of(row),
            },
        )
        held = (row.get("AclEntrys") or {}).get("AclEntry") or []
        merged["entry_list"] = [
            {"entry": e.get("AclEntryIP"), "comment": e.get("AclEntryComment") or ""} for e in held
        ]
        return merged

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        id_ = prior["id"]
        if "name" in changed:
            cloud.write("slb", "SetAccessControlListAttribute", AclId=id_, AclName=planned["name"])
        if "entry_list" in changed:
            before, after = (
                self._entries(each.get("entry_list") or []) for each in (prior, planned)
            )
            gone = members_json(entry for entry in before if entry not in after)
            if gone:
                cloud.write("slb", "RemoveAccessControlListEntry", AclId=id_, AclEntrys=gone)
            come = members_json(entry for entry in after if entry not in before)
            if come:
                cloud.write("slb", "AddAccessControlListEntry", AclId=id_, AclEntrys=come)
        if "tags" in changed:
            update_tags(cloud, "slb", "acl", id_, prior, planned)

    def delete(self, cloud: CloudApi, state: State) -> None:
        if look(cloud, "DescribeAccessControlListAttribute", AclId=state["id"]) is not None:
            cloud.remove("slb", "DeleteAccessControlList", AclId=state["id"])


RESOURCES: Sequence[type[Resource]] = (AccessList,)
