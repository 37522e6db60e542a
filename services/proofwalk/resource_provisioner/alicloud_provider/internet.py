"""Ways to and from the Internet: elastic IP addresses and what they are bound to, NAT
gateways and their entries."""

from __future__ import annotations

from collections.abc import Sequence
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

_CHARGE = {"PayAsYouGo": "PostPaid", "Subscription": "PrePaid"}
_PAYMENT = {charge: payment for payment, charge in _CHARGE.items()}


def look_at_eip(cloud: CloudApi, id_: str) -> dict[str, Any] | None:
    """An EIP as it is; None when it is gone."""
    rows = (
        cloud.read("vpc", "DescribeEipAddresses", AllocationId=id_).get("EipAddresses") or {}
    ).get("EipAddress") or []
    return rows[0] if rows else None


def look_at_nat_gateway(cloud: CloudApi, id_: str) -> dict[str, Any] | None:
    """A NAT gateway as it is; None when it is gone."""
    rows = (
        cloud.read("vpc", "DescribeNatGateways", NatGatewayId=id_).get("NatGateways") or {}
    ).get("NatGateway") or []
    return rows[0] if rows else None


def _protect(cloud: CloudApi, kind: str, id_: str, wanted: Any) -> None:
    cloud.write(
        "vpc", "DeletionProtection", InstanceId=id_, Type=kind, ProtectionEnable=bool(wanted)
    )


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
        "payment_type": tuple(_CHARGE),
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
                _CHARGE.get(str(payment)) if payment else given(planned, "instance_charge_type")
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
            _protect(cloud, "EIP", state["id"], True)

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
                "payment_type": _PAYMENT.get(str(row.get("ChargeType"))),
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
            _protect(cloud, "EIP", prior["id"], planned.get("deletion_protection"))
        if "tags" in changed:
            update_tags(cloud, "vpc", "EIP", prior["id"], prior, planned)

    def delete(self, cloud: CloudApi, state: State) -> None:
        if given(state, "deletion_protection"):
            _protect(cloud, "EIP", state["id"], False)
        cloud.remove("vpc", "ReleaseEipAddress", AllocationId=state["id"])
        cloud.until_gone(
            state["id"],
            lambda: look_at_eip(cloud, state["id"]),
            timeout_s=self.timeout(state, "delete", 300),
        )


class Eip(EipAddress):
    """`alicloud_eip`, the former name of `alicloud_eip_address`."""

    type_name = "alicloud_eip"


class EipAssociation(Resource):
    """`alicloud_eip_association`; its id is `eip:instance`."""

    type_name = "alicloud_eip_association"
    replaced_by = frozenset(
        {"allocation_id", "instance_id", "instance_type", "private_ip_address", "mode", "vpc_id"}
    )
    _kinds = (("i-", "EcsInstance"), ("ngw-", "Nat"), ("lb-", "SlbInstance"))

    def create(self, cloud: CloudApi, planned: State) -> str:
        instance = str(planned["instance_id"])
        by_prefix = next(
            (kind for prefix, kind in self._kinds if instance.startswith(prefix)), None
        )
        cloud.write(
            "vpc",
            "AssociateEipAddress",
            AllocationId=planned["allocation_id"],
            InstanceId=instance,
            InstanceType=given(planned, "instance_type") or by_prefix,
            PrivateIpAddress=given(planned, "private_ip_address"),
        )
        return f"{planned['allocation_id']}:{instance}"

    def settle(self, cloud: CloudApi, state: State) -> None:
        eip = state["id"].partition(":")[0]
        limit = self.timeout(state, "create", 300)
        cloud.wait(
            eip,
            lambda: look_at_eip(cloud, eip),
            lambda row: row.get("Status") == "InUse",
            timeout_s=limit,
        )

    def read(self, cloud: CloudApi, state: State) -> State | None:
        eip, _, instance = state["id"].partition(":")
        if not instance:
            raise ApiError("Import", "InvalidId", "the id is eip:instance")
        row = look_at_eip(cloud, eip)
        if row is None or row.get("InstanceId") != instance:
            return None
        facts = {
            "allocation_id": eip,
            "instance_id": instance,
            "instance_type": row.get("InstanceType"),
            "mode": row.get("Mode"),
        }
        return self.merged(state, facts)

    def delete(self, cloud: CloudApi, state: State) -> None:
        eip, _, instance = state["id"].partition(":")

        def bound() -> dict[str, Any] | None:
            row = look_at_eip(cloud, eip)
            return (
                row
                if row is not None
                and row.get("Status") in ("InUse", "Associating", "Unassociating")
                else None
            )

        row = bound()
        if row is None or row.get("InstanceId") not in (instance, ""):
            return
        if row.get("InstanceId"):
            kind = row.get("InstanceType")
            cloud.remove(
                "vpc",
                "UnassociateEipAddress",
                AllocationId=eip,
                InstanceId=instance,
                InstanceType=kind,
            )
        cloud.until_gone(state["id"], bound, timeout_s=self.timeout(state, "delete", 300))


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
        "payment_type": tuple(_CHARGE),
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
            _protect(cloud, "NATGW", state["id"], True)

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
                "payment_type": _PAYMENT.get(str(row.get("InstanceChargeType"))),
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
            _protect(cloud, "NATGW", prior["id"], planned.get("deletion_protection"))
        if "tags" in changed:
            update_tags(cloud, "vpc", "NATGATEWAY", prior["id"], prior, planned)

    def delete(self, cloud: CloudApi, state: State) -> None:
        if given(state, "deletion_protection"):
            _protect(cloud, "NATGW", state["id"], False)
        cloud.remove(
            "vpc", "DeleteNatGateway", NatGatewayId=state["id"], Force=given(state, "force")
        )
        limit = self.timeout(state, "delete", 600)
        cloud.until_gone(
            state["id"], lambda: look_at_nat_gateway(cloud, state["id"]), timeout_s=limit
        )


class SnatEntry(Resource):
    """`alicloud_snat_entry`; its id is `table:entry`."""

    type_name = "alicloud_snat_entry"
    replaced_by = frozenset({"snat_table_id", "source_vswitch_id", "source_cidr"})

    def create(self, cloud: CloudApi, planned: State) -> str:
        answer = cloud.write(
            "vpc",
            "CreateSnatEntry",
            SnatTableId=planned["snat_table_id"],
            SnatIp=planned["snat_ip"],
            SourceVSwitchId=given(planned, "source_vswitch_id"),
            SourceCIDR=given(planned, "source_cidr"),
            SnatEntryName=given(planned, "snat_entry_name"),
        )
        return f"{planned['snat_table_id']}:{answer['SnatEntryId']}"

    def _look(self, cloud: CloudApi, id_: str) -> dict[str, Any] | None:
        table, _, entry = id_.partition(":")
        if not entry:
            raise ApiError("Import", "InvalidId", "the id is table:entry")
        answer = cloud.read("vpc", "DescribeSnatTableEntries", SnatTableId=table, SnatEntryId=entry)
        rows = (answer.get("SnatTableEntries") or {}).get("SnatTableEntry") or []
        return rows[0] if rows else None

    def settle(self, cloud: CloudApi, state: State) -> None:
        look = lambda: self._look(cloud, state["id"])  # noqa: E731
        cloud.wait(
            state["id"],
            look,
            lambda row: row.get("Status") == "Available",
            timeout_s=self.timeout(state, "create", 300),
        )

    def read(self, cloud: CloudApi, state: State) -> State | None:
        row = self._look(cloud, state["id"])
        if row is None:
            return None
        return self.merged(
            state,
            {
                "snat_table_id": row.get("SnatTableId"),
                "snat_entry_id": row.get("SnatEntryId"),
                "snat_entry_name": row.get("SnatEntryName") or None,
                "snat_ip": row.get("SnatIp"),
                "source_cidr": row.get("SourceCIDR"),
                "source_vswitch_id": row.get("SourceVSwitchId"),
                "status": row.get("Status"),
            },
        )

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        table, _, entry = prior["id"].partition(":")
        name, address = given(planned, "snat_entry_name"), planned["snat_ip"]
        cloud.write(
            "vpc",
            "ModifySnatEntry",
            SnatTableId=table,
            SnatEntryId=entry,
            SnatIp=address,
            SnatEntryName=name,
        )
        self.settle(cloud, prior)

    def delete(self, cloud: CloudApi, state: State) -> None:
        table, _, entry = state["id"].partition(":")
        cloud.remove("vpc", "DeleteSnatEntry", SnatTableId=table, SnatEntryId=entry)
        cloud.until_gone(
            state["id"],
            lambda: self._look(cloud, state["id"]),
            timeout_s=self.timeout(state, "delete", 300),
        )


class ForwardEntry(Resource):
    """`alicloud_forward_entry`; its id is `table:entry`."""

    type_name = "alicloud_forward_entry"
    replaced_by = frozenset({"forward_table_id"})
    aliases = {"name": "forward_entry_name"}  # noqa: RUF012
    _sent = (
        ("ExternalIp", "external_ip"),
        ("ExternalPort", "external_port"),
        ("InternalIp", "internal_ip"),
        ("InternalPort", "internal_port"),
        ("IpProtocol", "ip_protocol"),
        ("ForwardEntryName", "forward_entry_name"),
    )

    def create(self, cloud: CloudApi, planned: State) -> str:
        wanted = {param: given(planned, name) for param, name in self._sent}
        answer = cloud.write(
            "vpc", "CreateForwardEntry", ForwardTableId=planned["forward_table_id"], **wanted
        )
        return f"{planned['forward_table_id']}:{answer['ForwardEntryId']}"

    def _look(self, cloud: CloudApi, id_: str) -> dict[str, Any] | None:
        table, _, entry = id_.partition(":")
        if not entry:
            raise ApiError("Import", "InvalidId", "the id is table:entry")
        answer = cloud.read(
            "vpc", "DescribeForwardTableEntries", ForwardTableId=table, ForwardEntryId=entry
        )
        rows = (answer.get("ForwardTableEntries") or {}).get("ForwardTableEntry") or []
        return rows[0] if rows else None

    def settle(self, cloud: CloudApi, state: State) -> None:
        look = lambda: self._look(cloud, state["id"])  # noqa: E731
        cloud.wait(
            state["id"],
            look,
            lambda row: row.get("Status") == "Available",
            timeout_s=self.timeout(state, "create", 300),
        )

    def read(self, cloud: CloudApi, state: State) -> State | None:
        row = self._look(cloud, state["id"])
        if row is None:
            return None
        facts = {name: row.get(param) for param, name in self._sent}
        known = {
            "forward_table_id": row.get("ForwardTableId"),
            "forward_entry_id": row.get("ForwardEntryId"),
            "status": row.get("Status"),
        }
        return self.merged(state, {**facts, **known})

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        table, _, entry = prior["id"].partition(":")
        wanted = {param: given(planned, name) for param, name in self._sent}
        cloud.write(
            "vpc", "ModifyForwardEntry", ForwardTableId=table, ForwardEntryId=entry, **wanted
        )
        self.settle(cloud, prior)

    def delete(self, cloud: CloudApi, state: State) -> None:
        table, _, entry = state["id"].partition(":")
        cloud.remove("vpc", "DeleteForwardEntry", ForwardTableId=table, ForwardEntryId=entry)
        cloud.until_gone(
            state["id"],
            lambda: self._look(cloud, state["id"]),
            timeout_s=self.timeout(state, "delete", 300),
        )


RESOURCES: Sequence[type[Resource]] = (
    EipAddress,
    Eip,
    EipAssociation,
    NatGateway,
    SnatEntry,
    ForwardEntry,
)
