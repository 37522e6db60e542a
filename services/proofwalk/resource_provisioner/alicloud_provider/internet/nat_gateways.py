"""NAT gateways."""

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


def look_at_nat_gateway(cloud: CloudApi, id_: str) -> dict[str, Any] | None:
    """A NAT gateway as it is; None when it is gone."""
    rows = (
        cloud.read("vpc", "DescribeNatGateways", NatGatewayId=id_).get("NatGateways") or {}
    ).get("NatGateway") or []
    return rows[0] if rows else None


class NatGateway(Resource):
    """`alicloud_nat_gateway`."""

    type_name = "alicloud_nat_gateway"
    replaced_by = frozenset(
        {
            "vpc_id",
            "vswitch_id",
            "network_type",
            "payment_type",
            "instance_charge_type",
            "internet_charge_type",
        }
    )
    aliases = {"name": "nat_gateway_name"}  # noqa: RUF012
    needed = ("vswitch_id",)
    choices = {  # noqa: RUF012
        "payment_type": tuple(CHARGE),
        "network_type": ("internet", "intranet"),
        "nat_type": ("Enhanced",),
    }

    def create(self, cloud: CloudApi, planned: State) -> str:
        answer = cloud.write(
            "vpc",
            "CreateNatGateway",
            VpcId=planned["vpc_id"],
            VSwitchId=planned["vswitch_id"],
            NatType="Enhanced",
            NetworkType=given(planned, "network_type"),
            InternetChargeType="PayByLcu",
            Name=given(planned, "nat_gateway_name"),
            Description=given(planned, "description"),
            EipBindMode=given(planned, "eip_bind_mode"),
            IcmpReplyEnabled=given(planned, "icmp_reply_enabled"),
            Tag=tag_params(planned.get("tags")),
        )
        return str(answer["NatGatewayId"])

    def settle(self, cloud: CloudApi, state: State) -> None:
        look = lambda: look_at_nat_gateway(cloud, state["id"])  # noqa: E731
        cloud.wait(
            state["id"],
            look,
            lambda row: row.get("Status") == "Available",
            timeout_s=self.timeout(state, "create", 600),
        )
        if given(state, "deletion_protection"):
            protect(cloud, "NATGW", state["id"], True)

    def read(self, cloud: CloudApi, state: State) -> State | None:
        row = look_at_nat_gateway(cloud, state["id"])
        if row is None:
            return None
        private = row.get("NatGatewayPrivateInfo") or {}
        return self.merged(
            state,
            {
                "vpc_id": row.get("VpcId"),
                "vswitch_id": private.get("VswitchId"),
                "nat_gateway_name": row.get("Name"),
                "description": row.get("Description") or None,
                "deletion_protection": row.get("DeletionProtection"),
                "eip_bind_mode": row.get("EipBindMode"),
                "icmp_reply_enabled": row.get("IcmpReplyEnabled"),
                "instance_charge_type": row.get("InstanceChargeType"),
                "internet_charge_type": row.get("InternetChargeType"),
                "nat_type": row.get("NatType"),
                "network_type": row.get("NetworkType"),
                "payment_type": PAYMENT.get(str(row.get("InstanceChargeType"))),
                "specification": row.get("Spec"),
                "snat_table_ids": ",".join(
                    (row.get("SnatTableIds") or {}).get("SnatTableId") or []
                ),
                "forward_table_ids": ",".join(
                    (row.get("ForwardTableIds") or {}).get("ForwardTableId") or []
                ),
                "bandwidth_package_ids": "",
                "status": row.get("Status"),
                "tags": tags_of(row),
            },
        )

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        if changed & {
            "nat_gateway_name",
            "name",
            "description",
            "eip_bind_mode",
            "icmp_reply_enabled",
        }:
            cloud.write(
                "vpc",
                "ModifyNatGatewayAttribute",
                NatGatewayId=prior["id"],
                Name=given(planned, "nat_gateway_name"),
                Description=given(planned, "description"),
                EipBindMode=given(planned, "eip_bind_mode"),
                IcmpReplyEnabled=given(planned, "icmp_reply_enabled"),
            )
        if "deletion_protection" in changed:
            protect(cloud, "NATGW", prior["id"], planned.get("deletion_protection"))
        if "tags" in changed:
            update_tags(cloud, "vpc", "NATGATEWAY", prior["id"], prior, planned)

    def delete(self, cloud: CloudApi, state: State) -> None:
        if given(state, "deletion_protection"):
            protect(cloud, "NATGW", state["id"], False)
        cloud.remove(
            "vpc", "DeleteNatGateway", NatGatewayId=state["id"], Force=given(state, "force")
        )
        limit = self.timeout(state, "delete", 600)
        cloud.until_gone(
            state["id"], lambda: look_at_nat_gateway(cloud, state["id"]), timeout_s=limit
        )


RESOURCES: Sequence[type[Resource]] = (NatGateway,)
