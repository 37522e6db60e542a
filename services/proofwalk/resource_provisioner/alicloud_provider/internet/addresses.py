"""Elastic IP addresses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from proofwalk.resource_provisioner.alicloud_provider.internet.charges import CHARGE, PAYMENT
from proofwalk.resource_provisioner.alicloud_provider.internet.protection import protect
from proofwalk.resource_provisioner.alicloud_provider.openapi import CloudApi
from proofwalk.resource_provisioner.alicloud_provider.resource import (
    Resource,
    State,
    given,
    tag_params,
    tags_of,
    update_tags,
)


def look_at_eip(cloud: CloudApi, id_: str) -> dict[str, Any] | None:
    """An EIP as it is; None when it is gone."""
    rows = (
        cloud.read("vpc", "DescribeEipAddresses", AllocationId=id_).get("EipAddresses") or {}
    ).get("EipAddress") or []
    return rows[0] if rows else None


class EipAddress(Resource):
    """`alicloud_eip_address`."""

    type_name = "alicloud_eip_address"
    replaced_by = frozenset(
        {
            "isp",
            "netmode",
            "internet_charge_type",
            "payment_type",
            "instance_charge_type",
            "period",
            "zone",
        }
    )
    aliases = {"name": "address_name"}  # noqa: RUF012 -- declared ClassVar by the base
    choices = {  # noqa: RUF012
        "payment_type": tuple(CHARGE),
        "internet_charge_type": ("PayByBandwidth", "PayByTraffic"),
    }

    def create(self, cloud: CloudApi, planned: State) -> str:
        payment = given(planned, "payment_type")
        answer = cloud.write(
            "vpc",
            "AllocateEipAddress",
            Bandwidth=given(planned, "bandwidth") or "5",
            InternetChargeType=given(planned, "internet_charge_type") or "PayByBandwidth",
            InstanceChargeType=(
                CHARGE.get(str(payment)) if payment else given(planned, "instance_charge_type")
            ),
            ISP=given(planned, "isp"),
            Name=given(planned, "address_name"),
            Description=given(planned, "description"),
            Period=given(planned, "period"),
            PricingCycle=given(planned, "pricing_cycle"),
            AutoPay=given(planned, "auto_pay"),
            Tag=tag_params(planned.get("tags")),
        )
        return str(answer["AllocationId"])

    def settle(self, cloud: CloudApi, state: State) -> None:
        limit = self.timeout(state, "create", 300)
        cloud.wait(
            state["id"],
            lambda: look_at_eip(cloud, state["id"]),
            lambda row: row.get("Status") == "Available",
            timeout_s=limit,
        )
        if given(state, "deletion_protection"):
            protect(cloud, "EIP", state["id"], True)

    def read(self, cloud: CloudApi, state: State) -> State | None:
        row = look_at_eip(cloud, state["id"])
        if row is None:
            return None
        return self.merged(
            state,
            {
                "allocation_id": state["id"],
                "address_name": row.get("Name"),
                "bandwidth": row.get("Bandwidth"),
                "create_time": row.get("AllocationTime"),
                "deletion_protection": row.get("DeletionProtection"),
                "description": row.get("Description"),
                "instance_charge_type": row.get("ChargeType"),
                "internet_charge_type": row.get("InternetChargeType"),
                "ip_address": row.get("IpAddress"),
                "isp": row.get("ISP"),
                "mode": row.get("Mode"),
                "netmode": row.get("Netmode"),
                "payment_type": PAYMENT.get(str(row.get("ChargeType"))),
                "resource_group_id": row.get("ResourceGroupId"),
                "status": row.get("Status"),
                "tags": tags_of(row, "Key", "Value"),
            },
        )

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        if changed & {"address_name", "name", "description", "bandwidth"}:
            cloud.write(
                "vpc",
                "ModifyEipAddressAttribute",
                AllocationId=prior["id"],
                Name=given(planned, "address_name"),
                Description=given(planned, "description"),
                Bandwidth=given(planned, "bandwidth"),
            )
        if "deletion_protection" in changed:
            protect(cloud, "EIP", prior["id"], planned.get("deletion_protection"))
        if "tags" in changed:
            update_tags(cloud, "vpc", "EIP", prior["id"], prior, planned)

    def delete(self, cloud: CloudApi, state: State) -> None:
        if given(state, "deletion_protection"):
            protect(cloud, "EIP", state["id"], False)
        cloud.remove("vpc", "ReleaseEipAddress", AllocationId=state["id"])
        cloud.until_gone(
            state["id"],
            lambda: look_at_eip(cloud, state["id"]),
            timeout_s=self.timeout(state, "delete", 300),
        )


class Eip(EipAddress):
    """`alicloud_eip`, the former name of `alicloud_eip_address`."""

    type_name = "alicloud_eip"


RESOURCES: Sequence[type[Resource]] = (
    EipAddress,
    Eip,
)
