"""Listeners of a load balancer, one a protocol and port."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from proofwalk.resource_provisioner.alicloud_provider.balancing.descriptions import look
from proofwalk.resource_provisioner.alicloud_provider.openapi import ApiError, CloudApi
from proofwalk.resource_provisioner.alicloud_provider.resource import Resource, State, given


class Listener(Resource):
    """`alicloud_slb_listener`; its id is `instance:protocol:port`."""

    type_name = "alicloud_slb_listener"
    replaced_by = frozenset({"load_balancer_id", "frontend_port", "protocol", "backend_port"})
    choices = {  # noqa: RUF012
        "protocol": ("tcp", "udp", "http", "https"),
        "scheduler": ("wrr", "rr"),
    }
    _layer_4 = (
        ("PersistenceTimeout", "persistence_timeout"),
        ("HealthCheckType", "health_check_type"),
        ("healthCheckInterval", "health_check_interval"),
        ("HealthCheckConnectTimeout", "health_check_timeout"),
    )
    _layer_7 = (
        ("StickySession", "sticky_session"),
        ("StickySessionType", "sticky_session_type"),
        ("CookieTimeout", "cookie_timeout"),
        ("Cookie", "cookie"),
        ("IdleTimeout", "idle_timeout"),
        ("ServerCertificateId", "server_certificate_id"),
        ("HealthCheck", "health_check"),
        ("HealthCheckURI", "health_check_uri"),
        ("HealthCheckDomain", "health_check_domain"),
        ("HealthCheckInterval", "health_check_interval"),
        ("HealthCheckTimeout", "health_check_timeout"),
    )
    _both = (
        ("Description", "description"),
        ("Bandwidth", "bandwidth"),
        ("Scheduler", "scheduler"),
        ("VServerGroupId", "server_group_id"),
        ("HealthCheckConnectPort", "health_check_connect_port"),
        ("HealthyThreshold", "healthy_threshold"),
        ("UnhealthyThreshold", "unhealthy_threshold"),
        ("AclStatus", "acl_status"),
        ("AclType", "acl_type"),
        ("AclId", "acl_id"),
    )

    def _mapping(self, protocol: str) -> Sequence[tuple[str, str]]:
        return (*self._both, *(self._layer_7 if protocol.startswith("http") else self._layer_4))

    def _wanted(self, planned: Mapping[str, Any]) -> dict[str, Any]:
        wanted = {
            param: given(planned, name) for param, name in self._mapping(str(planned["protocol"]))
        }
        # The cloud tells 0 where the backend's own port is checked.
        return wanted | {"HealthCheckConnectPort": wanted["HealthCheckConnectPort"] or None}

    def _named(self, id_: str) -> tuple[dict[str, Any], str]:
        parts = id_.split(":")
        if len(parts) != 3:
            raise ApiError("Import", "InvalidId", "the id is instance:protocol:port")
        return {"LoadBalancerId": parts[0], "ListenerPort": parts[2]}, parts[1]

    def create(self, cloud: CloudApi, planned: State) -> str:
        protocol = str(planned["protocol"])
        cloud.write(
            "slb",
            f"CreateLoadBalancer{protocol.upper()}Listener",
            LoadBalancerId=planned["load_balancer_id"],
            ListenerPort=planned["frontend_port"],
            BackendServerPort=given(planned, "backend_port"),
            **{
                "Bandwidth": -1,
                **{
                    name: value
                    for name, value in self._wanted(planned).items()
                    if value is not None
                },
            },
        )
        return f"{planned['load_balancer_id']}:{protocol}:{planned['frontend_port']}"

    def _look(self, cloud: CloudApi, id_: str) -> dict[str, Any] | None:
        named, protocol = self._named(id_)
        return look(cloud, f"DescribeLoadBalancer{protocol.upper()}ListenerAttribute", **named)

    def settle(self, cloud: CloudApi, state: State) -> None:
        named, protocol = self._named(state["id"])
        cloud.write("slb", "StartLoadBalancerListener", **named, ListenerProtocol=protocol)
        cloud.wait(
            state["id"],
            lambda: self._look(cloud, state["id"]),
            lambda row: row.get("Status") == "running",
            timeout_s=300,
        )

    def read(self, cloud: CloudApi, state: State) -> State | None:
        row = self._look(cloud, state["id"])
        if row is None:
            return None
        named, protocol = self._named(state["id"])
        facts: dict[str, Any] = {
            "load_balancer_id": named["LoadBalancerId"],
            "frontend_port": named["ListenerPort"],
            "protocol": protocol,
            "listener_forward": row.get("ListenerForward"),
        }
        held = {**row, "healthCheckInterval": row.get("HealthCheckInterval")}
        for param, name in (*self._mapping(protocol), ("BackendServerPort", "backend_port")):
            # What the template leaves to the cloud has no drift, unless the schema lets
            # the cloud fill it in.
            if state.get(name) is not None or self.block.attributes[name].computed:
                facts[name] = held.get(param)
        return self.merged(state, facts)

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        named, protocol = self._named(prior["id"])
        cloud.write(
            "slb",
            f"SetLoadBalancer{protocol.upper()}ListenerAttribute",
            **named,
            **self._wanted(planned),
        )

    def delete(self, cloud: CloudApi, state: State) -> None:
        named, protocol = self._named(state["id"])
        cloud.remove("slb", "DeleteLoadBalancerListener", **named, ListenerProtocol=protocol)
        cloud.until_gone(state["id"], lambda: self._look(cloud, state["id"]), timeout_s=300)


RESOURCES: Sequence[type[Resource]] = (Listener,)
