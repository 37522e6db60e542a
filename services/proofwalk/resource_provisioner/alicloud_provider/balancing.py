"""Server Load Balancer: instances, listeners, server groups with their servers, access
control lists."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from proofwalk.resource_provisioner.alicloud_provider.openapi import ApiError, CloudApi
from proofwalk.resource_provisioner.alicloud_provider.resource import (
    Resource,
    State,
    given,
    tag_params,
    tags_of,
    update_tags,
)

_PAY = {"PayAsYouGo": "PayOnDemand", "Subscription": "PrePay"}
_PAYMENT = {pay: payment for payment, pay in _PAY.items()}
Member = Mapping[str, Any]


def look(cloud: CloudApi, action: str, **named: str) -> dict[str, Any] | None:
    """What a describing call answers; None when the thing is gone."""
    try:
        return cloud.read("slb", action, **named)
    except ApiError as error:
        if error.not_found or error.code in ("AclNotExist",):
            return None
        raise


def _sent(members: Iterable[Member]) -> str | None:
    """Members as the JSON list that the API takes; None where there are none."""
    listed = [dict(member) for member in members]
    return json.dumps(listed) if listed else None


def _same(one: Iterable[Member], other: Iterable[Member]) -> bool:
    plain: Callable[[Iterable[Member]], list[str]] = lambda rows: sorted(  # noqa: E731
        json.dumps(row, sort_keys=True) for row in rows
    )
    return plain(one) == plain(other)


class LoadBalancer(Resource):
    """`alicloud_slb_load_balancer`."""

    type_name = "alicloud_slb_load_balancer"
    replaced_by = frozenset(
        {
            "address_type",
            "vswitch_id",
            "master_zone_id",
            "slave_zone_id",
            "payment_type",
            "address_ip_version",
        }
    )
    aliases = {  # noqa: RUF012
        "name": "load_balancer_name",
        "specification": "load_balancer_spec",
    }
    choices = {  # noqa: RUF012
        "address_type": ("internet", "intranet"),
        "delete_protection": ("on", "off"),
        "payment_type": tuple(_PAY),
    }

    def create(self, cloud: CloudApi, planned: State) -> str:
        charge = given(planned, "internet_charge_type")
        answer = cloud.write(
            "slb",
            "CreateLoadBalancer",
            LoadBalancerName=given(planned, "load_balancer_name"),
            AddressType=given(planned, "address_type")
            or ("intranet" if given(planned, "vswitch_id") else "internet"),
            VSwitchId=given(planned, "vswitch_id"),
            MasterZoneId=given(planned, "master_zone_id"),
            SlaveZoneId=given(planned, "slave_zone_id"),
            LoadBalancerSpec=given(planned, "load_balancer_spec"),
            InstanceChargeType=given(planned, "instance_charge_type"),
            InternetChargeType=str(charge).lower() if charge else None,
            Bandwidth=given(planned, "bandwidth"),
            PayType=_PAY.get(str(given(planned, "payment_type"))),
            Duration=given(planned, "period"),
            DeleteProtection=given(planned, "delete_protection"),
            Tag=tag_params(
                planned.get("tags") if isinstance(planned.get("tags"), Mapping) else None
            ),
        )
        return str(answer["LoadBalancerId"])

    def settle(self, cloud: CloudApi, state: State) -> None:
        seen = lambda: look(cloud, "DescribeLoadBalancerAttribute", LoadBalancerId=state["id"])  # noqa: E731
        limit = self.timeout(state, "create", 600)
        cloud.wait(
            state["id"],
            seen,
            lambda row: row.get("LoadBalancerStatus") in ("active", "inactive"),
            timeout_s=limit,
        )
        if given(state, "status") == "inactive":
            self._set_status(cloud, state["id"], "inactive")

    def _set_status(self, cloud: CloudApi, id_: str, status: str) -> None:
        cloud.write("slb", "SetLoadBalancerStatus", LoadBalancerId=id_, LoadBalancerStatus=status)

    def read(self, cloud: CloudApi, state: State) -> State | None:
        row = look(cloud, "DescribeLoadBalancerAttribute", LoadBalancerId=state["id"])
        if row is None:
            return None
        facts = {
            "load_balancer_name": row.get("LoadBalancerName"),
            "load_balancer_spec": row.get("LoadBalancerSpec"),
            "address": row.get("Address"),
            "address_type": row.get("AddressType"),
            "internet": row.get("AddressType") == "internet",
            "instance_charge_type": row.get("InstanceChargeType"),
            "master_zone_id": row.get("MasterZoneId"),
            "slave_zone_id": row.get("SlaveZoneId"),
            "modification_protection_status": row.get("ModificationProtectionStatus"),
            "payment_type": _PAYMENT.get(str(row.get("PayType"))),
            "resource_group_id": row.get("ResourceGroupId"),
            "status": row.get("LoadBalancerStatus"),
            "vswitch_id": row.get("VSwitchId") or None,
            "tags": tags_of(row),
        }
        for name, value in (
            ("bandwidth", row.get("Bandwidth")),
            ("delete_protection", row.get("DeleteProtection")),
        ):
            if state.get(name) is not None:
                facts[name] = value
        return self.merged(state, facts)

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        id_ = prior["id"]
        if changed & {"load_balancer_name", "name"}:
            cloud.write(
                "slb",
                "SetLoadBalancerName",
                LoadBalancerId=id_,
                LoadBalancerName=given(planned, "load_balancer_name"),
            )
        if changed & {"load_balancer_spec", "specification"}:
            spec = given(planned, "load_balancer_spec")
            cloud.write(
                "slb", "ModifyLoadBalancerInstanceSpec", LoadBalancerId=id_, LoadBalancerSpec=spec
            )
        if changed & {"internet_charge_type", "bandwidth"}:
            charge, bandwidth = given(planned, "internet_charge_type"), given(planned, "bandwidth")
            metering = str(charge).lower() if charge else None
            cloud.write(
                "slb",
                "ModifyLoadBalancerInternetSpec",
                LoadBalancerId=id_,
                InternetChargeType=metering,
                Bandwidth=bandwidth,
            )
        if "delete_protection" in changed:
            wanted = given(planned, "delete_protection") or "off"
            cloud.write(
                "slb",
                "SetLoadBalancerDeleteProtection",
                LoadBalancerId=id_,
                DeleteProtection=wanted,
            )
        if "status" in changed and given(planned, "status"):
            self._set_status(cloud, id_, planned["status"])
        if "tags" in changed:
            update_tags(cloud, "slb", "instance", id_, prior, planned)

    def delete(self, cloud: CloudApi, state: State) -> None:
        row = look(cloud, "DescribeLoadBalancerAttribute", LoadBalancerId=state["id"])
        if row is not None and row.get("DeleteProtection") == "on":
            cloud.write(
                "slb",
                "SetLoadBalancerDeleteProtection",
                LoadBalancerId=state["id"],
                DeleteProtection="off",
            )
        cloud.remove("slb", "DeleteLoadBalancer", LoadBalancerId=state["id"])
        seen = lambda: look(cloud, "DescribeLoadBalancerAttribute", LoadBalancerId=state["id"])  # noqa: E731
        cloud.until_gone(state["id"], seen, timeout_s=self.timeout(state, "delete", 600))


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
            BackendServers=_sent(self._members(planned.get("servers") or [])),
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
        if not _same(members, self._members(state.get("servers") or [])):
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
            gone = _sent(m for m in before if (m["ServerId"], m["Port"]) not in keys)
            if gone:
                cloud.write(
                    "slb",
                    "RemoveVServerGroupBackendServers",
                    VServerGroupId=id_,
                    BackendServers=gone,
                )
            come = _sent(m for m in after if m not in before)
            if come:
                cloud.write(
                    "slb", "AddVServerGroupBackendServers", VServerGroupId=id_, BackendServers=come
                )
        if "tags" in changed:
            update_tags(cloud, "slb", "vservergroup", id_, prior, planned)

    def delete(self, cloud: CloudApi, state: State) -> None:
        cloud.remove("slb", "DeleteVServerGroup", VServerGroupId=state["id"])


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
        members = _sent(self._members(planned.get("backend_servers") or []))
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
        if not _same(members, self._members(state.get("backend_servers") or [])):
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
        gone = _sent(m for m in before if m["ServerId"] not in kept)
        if gone:
            cloud.write(
                "slb", "RemoveBackendServers", LoadBalancerId=prior["id"], BackendServers=gone
            )
        come = _sent(m for m in after if m not in before)
        if come:
            cloud.write("slb", "AddBackendServers", LoadBalancerId=prior["id"], BackendServers=come)

    def delete(self, cloud: CloudApi, state: State) -> None:
        members = _sent(self._members(state.get("backend_servers") or []))
        if members:
            cloud.remove(
                "slb", "RemoveBackendServers", LoadBalancerId=state["id"], BackendServers=members
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
        entries = _sent(self._entries(state.get("entry_list") or []))
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
            gone = _sent(entry for entry in before if entry not in after)
            if gone:
                cloud.write("slb", "RemoveAccessControlListEntry", AclId=id_, AclEntrys=gone)
            come = _sent(entry for entry in after if entry not in before)
            if come:
                cloud.write("slb", "AddAccessControlListEntry", AclId=id_, AclEntrys=come)
        if "tags" in changed:
            update_tags(cloud, "slb", "acl", id_, prior, planned)

    def delete(self, cloud: CloudApi, state: State) -> None:
        if look(cloud, "DescribeAccessControlListAttribute", AclId=state["id"]) is not None:
            cloud.remove("slb", "DeleteAccessControlList", AclId=state["id"])


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


RESOURCES: Sequence[type[Resource]] = (
    LoadBalancer,
    ServerGroup,
    BackendServer,
    AccessList,
    Listener,
)
