"""Groups of servers that listeners forward to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from proofwalk.resource_provisioner.alicloud_provider.balancing.descriptions import look
from proofwalk.resource_provisioner.alicloud_provider.balancing.members import (
    members_json,
    same_members,
)
from proofwalk.resource_provisioner.alicloud_provider.openapi import CloudApi
from proofwalk.resource_provisioner.alicloud_provider.resource import (
    Resource,
    State,
    given,
    tag_params,
    tags_of,
    update_tags,
)


class ServerGroup(Resource):
    """`alicloud_slb_server_group`."""

    type_name = "alicloud_slb_server_group"
    replaced_by = frozenset({"load_balancer_id"})

    def _members(self, blocks: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        found = []
        for block in blocks:
            weight = block.get("weight")
            facts = {
                "Port": block["port"],
                "Weight": 100 if weight is None else weight,
                "Type": block.get("type") or "ecs",
            }
            found += [{"ServerId": server, **facts} for server in block["server_ids"]]
        return found

    def create(self, cloud: CloudApi, planned: State) -> str:
        answer = cloud.write(
            "slb",
            "CreateVServerGroup",
            LoadBalancerId=planned["load_balancer_id"],
            VServerGroupName=given(planned, "name") or "tf-server-group",
            BackendServers=members_json(self._members(planned.get("servers") or [])),
            Tag=tag_params(planned.get("tags")),
        )
        return str(answer["VServerGroupId"])

    def read(self, cloud: CloudApi, state: State) -> State | None:
        row = look(cloud, "DescribeVServerGroupAttribute", VServerGroupId=state["id"])
        if row is None:
            return None
        facts: dict[str, Any] = {
            "load_balancer_id": row.get("LoadBalancerId"),
            "tags": tags_of(row),
        }
        if given(state, "name") or row.get("VServerGroupName") != "tf-server-group":
            facts["name"] = row.get("VServerGroupName")
        merged = self.merged(state, facts)
        held = (row.get("BackendServers") or {}).get("BackendServer") or []
        members = [
            {name: one.get(name) for name in ("ServerId", "Port", "Weight", "Type")} for one in held
        ]
        if not same_members(members, self._members(state.get("servers") or [])):
            merged["servers"] = [
                {
                    "server_ids": [m["ServerId"]],
                    "port": m["Port"],
                    "weight": m["Weight"],
                    "type": m["Type"],
                }
                for m in members
            ]
        return merged

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        id_ = prior["id"]
        if "name" in changed:
            name = given(planned, "name") or "tf-server-group"
            cloud.write(
                "slb", "SetVServerGroupAttribute", VServerGroupId=id_, VServerGroupName=name
            )
        if "servers" in changed:
            before, after = (
                self._members(prior.get("servers") or []),
                self._members(planned.get("servers") or []),
            )
            keys = {(m["ServerId"], m["Port"]) for m in after}
            gone = members_json(m for m in before if (m["ServerId"], m["Port"]) not in keys)
            if gone:
                cloud.write(
                    "slb",
                    "RemoveVServerGroupBackendServers",
                    VServerGroupId=id_,
                    BackendServers=gone,
                )
            come = members_json(m for m in after if m not in before)
            if come:
                cloud.write(
                    "slb", "AddVServerGroupBackendServers", VServerGroupId=id_, BackendServers=come
                )
        if "tags" in changed:
            update_tags(cloud, "slb", "vservergroup", id_, prior, planned)

    def delete(self, cloud: CloudApi, state: State) -> None:
        cloud.remove("slb", "DeleteVServerGroup", VServerGroupId=state["id"])


RESOURCES: Sequence[type[Resource]] = (ServerGroup,)
