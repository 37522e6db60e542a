"""Instances of the load balancer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from proofwalk.resource_provisioner.alicloud_provider.balancing.descriptions import look
from proofwalk.resource_provisioner.alicloud_provider.openapi import CloudApi
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


RESOURCES: Sequence[type[Resource]] = (LoadBalancer,)
