"""The default servers of a load balancer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from proofwalk.resource_provisioner.alicloud_provider.balancing.descriptions import look
from proofwalk.resource_provisioner.alicloud_provider.balancing.members import (
    members_json,
    same_members,
)
from proofwalk.resource_provisioner.alicloud_provider.openapi import CloudApi
from proofwalk.resource_provisioner.alicloud_provider.resource import Resource, State


class BackendServer(Resource):
    """`alicloud_slb_backend_server`: the default server group of an instance, whose id
    it has."""

    type_name = "alicloud_slb_backend_server"
    replaced_by = frozenset({"load_balancer_id"})

    def _members(self, blocks: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        return [
            {"ServerId": b["server_id"], "Weight": b["weight"], "Type": b.get("type") or "ecs"}
            for b in blocks
        ]

    def create(self, cloud: CloudApi, planned: State) -> str:
        members = members_json(self._members(planned.get("backend_servers") or []))
        if members:
            cloud.write(
                "slb",
                "AddBackendServers",
                LoadBalancerId=planned["load_balancer_id"],
                BackendServers=members,
            )
        return str(planned["load_balancer_id"])

    def read(self, cloud: CloudApi, state: State) -> State | None:
        row = look(cloud, "DescribeLoadBalancerAttribute", LoadBalancerId=state["id"])
        if row is None:
            return None
        merged = self.merged(state, {"load_balancer_id": state["id"]})
        held = (row.get("BackendServers") or {}).get("BackendServer") or []
        members = [{name: one.get(name) for name in ("ServerId", "Weight", "Type")} for one in held]
        if not same_members(members, self._members(state.get("backend_servers") or [])):
            merged["backend_servers"] = [
                {
                    "server_id": m["ServerId"],
                    "weight": m["Weight"],
                    "type": m["Type"],
                    "server_ip": None,
                }
                for m in members
            ]
        return merged

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        before, after = (
            self._members(each.get("backend_servers") or []) for each in (prior, planned)
        )
        kept = {m["ServerId"] for m in after}
        gone = members_json(m for m in before if m["ServerId"] not in kept)
        if gone:
            cloud.write(
                "slb", "RemoveBackendServers", LoadBalancerId=prior["id"], BackendServers=gone
            )
        come = members_json(m for m in after if m not in before)
        if come:
            cloud.write("slb", "AddBackendServers", LoadBalancerId=prior["id"], BackendServers=come)

    def delete(self, cloud: CloudApi, state: State) -> None:
        members = members_json(self._members(state.get("backend_servers") or []))
        if members:
            cloud.remove(
                "slb", "RemoveBackendServers", LoadBalancerId=state["id"], BackendServers=members
            )


RESOURCES: Sequence[type[Resource]] = (BackendServer,)
