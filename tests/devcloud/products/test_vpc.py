"""The parts of a VPC: route tables and entries, EIPs, NAT gateways with their
entries."""

from __future__ import annotations

from typing import Any

import pytest
from alibabacloud_vpc20160428 import models as v
from alibabacloud_vpc20160428.client import Client as Vpc

from tests.devcloud.conftest import REGION, Backend, HttpFailure
from tests.devcloud.products.signed import SignedCaller
from tests.devcloud.test_clients import make_network, refused
from tests.devcloud.test_console_api import events, make, path


class Signed(SignedCaller):
    product = "vpc"


@pytest.fixture
def client(backend: Backend, account: dict[str, str]) -> Any:
    return Vpc(backend.config(account))


@pytest.fixture
def vpc(backend: Backend, account: dict[str, str]) -> Signed:
    return Signed(backend, account)


def make_nat(
    backend: Backend, vpc: Signed, vpc_id: str, vswitch_id: str, **more: Any
) -> dict[str, Any]:
    made = vpc(
        "CreateNatGateway",
        VpcId=vpc_id,
        VSwitchId=vswitch_id,
        NatType="Enhanced",
        Name="nat-web",
        **more,
    )
    backend.clock.advance(3)
    return dict(made)


def make_eip(
    backend: Backend, vpc: Signed, instance: str = "", kind: str = "Nat", **more: Any
) -> dict[str, Any]:
    made = vpc(
        "AllocateEipAddress", **{"Bandwidth": "10", "InternetChargeType": "PayByTraffic", **more}
    )
    if instance:
        vpc(
            "AssociateEipAddress",
            AllocationId=made["AllocationId"],
            InstanceId=instance,
            InstanceType=kind,
        )
        backend.clock.advance(2)
    return dict(made)


def test_an_eip_lives_from_allocation_to_release(
    client: Any, backend: Backend, account: dict[str, str]
) -> None:
    vpc_id, vswitch_id = make_network(backend, account)
    made = client.allocate_eip_address(
        v.AllocateEipAddressRequest(
            region_id=REGION, bandwidth="20", name="web-eip", internet_charge_type="PayByBandwidth"
        )
    ).body
    assert made.eip_address.startswith("198.51.100.")

    def shown() -> Any:
        asked = v.DescribeEipAddressesRequest(region_id=REGION, allocation_id=made.allocation_id)
        return client.describe_eip_addresses(asked).body.eip_addresses.eip_address[0]

    assert (shown().status, shown().bandwidth, shown().charge_type) == (
        "Available",
        "20",
        "PostPaid",
    )
    assert shown().internet_charge_type == "PayByBandwidth"
    nat = make_nat(backend, Signed(backend, account), vpc_id, vswitch_id)["NatGatewayId"]
    wrong = v.AssociateEipAddressRequest(
        allocation_id=made.allocation_id, instance_id="ngw-none", instance_type="Nat"
    )
    refused("InvalidInstanceId.NotFound", client.associate_eip_address, wrong)
    bind = v.AssociateEipAddressRequest(
        allocation_id=made.allocation_id, instance_id=nat, instance_type="Nat"
    )
    client.associate_eip_address(bind)
    assert shown().status == "Associating"
    refused("IncorrectEipStatus", client.associate_eip_address, bind)
    backend.clock.advance(2)
    assert (shown().status, shown().instance_id, shown().instance_type) == ("InUse", nat, "Nat")
    client.modify_eip_address_attribute(
        v.ModifyEipAddressAttributeRequest(
            allocation_id=made.allocation_id, bandwidth="50", name="api-eip"
        )
    )
    too_much = v.ModifyEipAddressAttributeRequest(allocation_id=made.allocation_id, bandwidth="900")
    refused("InvalidBandwidth.Malformed", client.modify_eip_address_attribute, too_much)
    assert (shown().bandwidth, shown().name) == ("50", "api-eip")
    release = v.ReleaseEipAddressRequest(allocation_id=made.allocation_id)
    refused("IncorrectEipStatus", client.release_eip_address, release)
    client.unassociate_eip_address(
        v.UnassociateEipAddressRequest(
            allocation_id=made.allocation_id, instance_id=nat, instance_type="Nat"
        )
    )
    backend.clock.advance(2)
    protect = v.DeletionProtectionRequest(
        region_id=REGION, instance_id=made.allocation_id, type="EIP", protection_enable=True
    )
    client.deletion_protection(protect)
    refused("InvalidOperation.DeletionProtection", client.release_eip_address, release)
    protect.protection_enable = False
    client.deletion_protection(protect)
    client.release_eip_address(release)
    backend.clock.advance(2)
    refused("InvalidAllocationId.NotFound", client.release_eip_address, release)
    protect.type = "VPNGW"
    refused("InvalidParameter.Type", client.deletion_protection, protect)


def test_a_subscription_eip_cannot_be_released(vpc: Signed, backend: Backend) -> None:
    made = make_eip(
        backend, vpc, InstanceChargeType="PrePaid", PricingCycle="Month", Period=1, AutoPay=True
    )
    vpc.refuses(
        "Forbidden.ChargeTypeIsPrepaid", "ReleaseEipAddress", AllocationId=made["AllocationId"]
    )


def test_a_nat_gateway_translates_and_is_protected_by_what_hangs_on_it(
    vpc: Signed, backend: Backend, account: dict[str, str]
) -> None:
    vpc_id, vswitch_id = make_network(backend, account)
    vpc.refuses(
        "InvalidVSwitchId.NotFound",
        "CreateNatGateway",
        VpcId=vpc_id,
        VSwitchId="vsw-none",
        NatType="Enhanced",
    )
    nat = make_nat(backend, vpc, vpc_id, vswitch_id)
    (snat_table,), (forward_table,) = (
        nat["SnatTableIds"]["SnatTableId"],
        nat["ForwardTableIds"]["ForwardTableId"],
    )
    eip = make_eip(backend, vpc, nat["NatGatewayId"])
    (listed,) = vpc("DescribeNatGateways", NatGatewayId=nat["NatGatewayId"])["NatGateways"][
        "NatGateway"
    ]
    assert (listed["Status"], listed["NetworkType"], listed["InternetChargeType"]) == (
        "Available",
        "internet",
        "PayByLcu",
    )
    assert [one["IpAddress"] for one in listed["IpLists"]["IpList"]] == [eip["EipAddress"]]

    entry = {"SnatTableId": snat_table, "SnatIp": eip["EipAddress"]}
    vpc.refuses(
        "EIP_NOT_IN_GATEWAY",
        "CreateSnatEntry",
        **{**entry, "SnatIp": "192.0.2.1"},
        SourceVSwitchId=vswitch_id,
    )
    vpc.refuses(
        "InvalidSnatTableId.NotFound",
        "CreateSnatEntry",
        **{**entry, "SnatTableId": "stb-none"},
        SourceVSwitchId=vswitch_id,
    )
    vpc.refuses(
        "MissingParameter", "CreateSnatEntry", SnatIp=eip["EipAddress"], SourceVSwitchId=vswitch_id
    )
    snat = vpc("CreateSnatEntry", **entry, SourceVSwitchId=vswitch_id, SnatEntryName="office")[
        "SnatEntryId"
    ]
    vpc.refuses(
        "Forbidden.SourceVSwitchId.Duplicated",
        "CreateSnatEntry",
        **entry,
        SourceVSwitchId=vswitch_id,
    )
    vpc.refuses(
        "IncorretSnatEntryStatus", "DeleteSnatEntry", SnatTableId=snat_table, SnatEntryId=snat
    )
    by_cidr = vpc("CreateSnatEntry", **entry, SourceCIDR="192.168.8.0/24")["SnatEntryId"]
    backend.clock.advance(2)
    vpc("ModifySnatEntry", SnatTableId=snat_table, SnatEntryId=snat, SnatEntryName="branch")
    rows = vpc("DescribeSnatTableEntries", SnatTableId=snat_table)["SnatTableEntries"][
        "SnatTableEntry"
    ]
    found = {
        row["SnatEntryId"]: (row["SnatEntryName"], row["SourceCIDR"], row["SourceVSwitchId"])
        for row in rows
    }
    assert found == {
        snat: ("branch", "192.168.1.0/24", vswitch_id),
        by_cidr: ("", "192.168.8.0/24", ""),
    }

    rule = {
        "ForwardTableId": forward_table,
        "ExternalIp": eip["EipAddress"],
        "InternalIp": "192.168.1.10",
        "InternalPort": "80",
    }
    made = vpc("CreateForwardEntry", **rule, ExternalPort="8080", IpProtocol="tcp")[
        "ForwardEntryId"
    ]
    vpc.refuses(
        "Forbidden.ExternalIp.Duplicated",
        "CreateForwardEntry",
        **rule,
        ExternalPort="8080",
        IpProtocol="tcp",
    )
    vpc.refuses(
        "InvalidExternalPort.Malformed",
        "CreateForwardEntry",
        **rule,
        ExternalPort="http",
        IpProtocol="tcp",
    )
    vpc("CreateForwardEntry", **rule, ExternalPort="8080", IpProtocol="udp")
    backend.clock.advance(2)
    vpc(
        "ModifyForwardEntry", ForwardTableId=forward_table, ForwardEntryId=made, InternalPort="8000"
    )
    rows = vpc("DescribeForwardTableEntries", ForwardTableId=forward_table)["ForwardTableEntries"][
        "ForwardTableEntry"
    ]
    assert sorted((row["IpProtocol"], row["InternalPort"], row["Status"]) for row in rows) == [
        ("tcp", "8000", "Available"),
        ("udp", "80", "Available"),
    ]
    attribute = vpc("GetNatGatewayAttribute", NatGatewayId=nat["NatGatewayId"])
    assert (
        attribute["SnatTable"]["SnatEntryCount"],
        attribute["ForwardTable"]["ForwardEntryCount"],
    ) == (2, 2)

    vpc.refuses(
        "DependencyViolation.SnatEntry", "DeleteNatGateway", NatGatewayId=nat["NatGatewayId"]
    )
    vpc.refuses("DependencyViolation.NatGateway", "DeleteVSwitch", VSwitchId=vswitch_id)
    vpc.refuses("DependencyViolation.NatGateway", "DeleteVpc", VpcId=vpc_id)
    vpc("DeletionProtection", InstanceId=nat["NatGatewayId"], Type="NATGW", ProtectionEnable="true")
    vpc.refuses(
        "OperationDenied.DeletionProtection",
        "DeleteNatGateway",
        NatGatewayId=nat["NatGatewayId"],
        Force="true",
    )
    vpc(
        "DeletionProtection", InstanceId=nat["NatGatewayId"], Type="NATGW", ProtectionEnable="false"
    )
    vpc("DeleteSnatEntry", SnatTableId=snat_table, SnatEntryId=by_cidr)
    vpc("DeleteNatGateway", NatGatewayId=nat["NatGatewayId"], Force="true")
    backend.clock.advance(3)
    assert vpc("DescribeNatGateways")["TotalCount"] == 0
    assert vpc("DescribeSnatTableEntries", SnatTableId=snat_table)["TotalCount"] == 0
    (freed,) = vpc("DescribeEipAddresses")["EipAddresses"]["EipAddress"]
    assert (freed["Status"], freed["InstanceId"]) == ("Available", "")


def test_route_tables_hold_entries_and_vswitches(
    vpc: Signed, backend: Backend, account: dict[str, str]
) -> None:
    vpc_id, vswitch_id = make_network(backend, account)
    (system,) = vpc("DescribeRouteTableList", VpcId=vpc_id)["RouterTableList"][
        "RouterTableListType"
    ]
    assert (system["RouteTableType"], system["VSwitchIds"]) == ("System", {"VSwitchId": []})
    (row,) = vpc("DescribeVpcs", VpcId=vpc_id)["Vpcs"]["Vpc"]
    assert row["RouterTableIds"]["RouterTableIds"] == [system["RouteTableId"]]
    assert [one["type"] for one in backend.inventory(account)] == [
        "ACS::VPC::VPC",
        "ACS::VPC::VSwitch",
    ]
    vpc.refuses(
        "OperationFailed.SystemRouteTable", "DeleteRouteTable", RouteTableId=system["RouteTableId"]
    )
    nat = make_nat(backend, vpc, vpc_id, vswitch_id)["NatGatewayId"]
    table = vpc("CreateRouteTable", VpcId=vpc_id, RouteTableName="egress")["RouteTableId"]
    hop = {"NextHopType": "NatGateway", "NextHopId": nat}
    vpc.refuses(
        "IncorrectRouteTableStatus",
        "CreateRouteEntry",
        RouteTableId=table,
        DestinationCidrBlock="0.0.0.0/0",
        **hop,
    )
    backend.clock.advance(2)
    vpc("ModifyRouteTableAttributes", RouteTableId=table, RouteTableName="internet")
    vpc.refuses(
        "InvalidNexthop",
        "CreateRouteEntry",
        RouteTableId=table,
        DestinationCidrBlock="0.0.0.0/0",
        NextHopType="Instance",
        NextHopId=nat,
    )
    entry = vpc(
        "CreateRouteEntry",
        RouteTableId=table,
        DestinationCidrBlock="0.0.0.0/0",
        RouteEntryName="out",
        **hop,
    )["RouteEntryId"]
    vpc.refuses(
        "RouterEntryConflict.Duplicated",
        "CreateRouteEntry",
        RouteTableId=table,
        DestinationCidrBlock="0.0.0.0/0",
        **hop,
    )
    backend.clock.advance(2)
    (shown,) = vpc("DescribeRouteEntryList", RouteTableId=table)["RouteEntrys"]["RouteEntry"]
    assert (
        shown["RouteEntryId"],
        shown["Status"],
        shown["NextHops"]["NextHop"][0]["NextHopId"],
    ) == (entry, "Available", nat)
    vpc("ModifyRouteEntry", RouteEntryId=entry, Description="all traffic")

    vpc("AssociateRouteTable", RouteTableId=table, VSwitchId=vswitch_id)
    vpc.refuses(
        "ResourceAlreadyAssociated.RouteTable",
        "AssociateRouteTable",
        RouteTableId=table,
        VSwitchId=vswitch_id,
    )
    backend.clock.advance(2)
    assert (
        vpc("DescribeVSwitchAttributes", VSwitchId=vswitch_id)["RouteTable"]["RouteTableId"]
        == table
    )
    vpc.refuses("IncorrectRouteTableStatus.RouteEntryExist", "DeleteRouteTable", RouteTableId=table)
    vpc.refuses("MissingParameter", "DeleteRouteEntry")
    vpc("DeleteRouteEntry", RouteTableId=table, DestinationCidrBlock="0.0.0.0/0", NextHopId=nat)
    backend.clock.advance(2)
    vpc.refuses("DependencyViolation.VSwitch", "DeleteRouteTable", RouteTableId=table)
    vpc("UnassociateRouteTable", RouteTableId=table, VSwitchId=vswitch_id)
    backend.clock.advance(2)
    assert (
        vpc("DescribeVSwitchAttributes", VSwitchId=vswitch_id)["RouteTable"]["RouteTableId"]
        == system["RouteTableId"]
    )
    vpc("DeleteRouteTable", RouteTableId=table)
    backend.clock.advance(2)
    vpc.refuses("InvalidRouteTableId.NotFound", "DeleteRouteTable", RouteTableId=table)


def test_a_vpc_takes_so_many_nat_gateways(
    vpc: Signed, backend: Backend, account: dict[str, str]
) -> None:
    vpc_id, vswitch_id = make_network(backend, account)
    for _ in range(5):
        vpc("CreateNatGateway", VpcId=vpc_id, VSwitchId=vswitch_id, NatType="Enhanced")
    vpc.refuses(
        "QuotaExceeded.NatGateway",
        "CreateNatGateway",
        VpcId=vpc_id,
        VSwitchId=vswitch_id,
        NatType="Enhanced",
    )


def test_the_console_builds_a_way_out(backend: Backend, account: dict[str, str]) -> None:
    browser = backend.browser(account)
    vpc_id, vswitch_id = make_network(backend, account)
    nat = make(
        browser,
        "vpc.nat_gateway",
        network_type="internet",
        vpc_id=vpc_id,
        vswitch_id=vswitch_id,
        name="nat-web",
        bind_mode="NAT",
        agree=True,
    )
    backend.clock.advance(3)
    with pytest.raises(HttpFailure) as unsigned:
        make(browser, "vpc.eip", name="web-eip", bandwidth=20)
    assert unsigned.value.body["field"] == "agree"
    eip = make(browser, "vpc.eip", name="web-eip", bandwidth=20, agree=True)
    offered = browser.get(f"/console/api/options/eip_targets?region={REGION}&instance_type=Nat")
    assert [one["value"] for one in offered] == [nat]
    assert (
        browser.get(f"/console/api/options/eip_targets?region={REGION}&instance_type=EcsInstance")
        == []
    )
    browser.post(path("vpc.eip", eip, "associate"), {"instance_type": "Nat", "instance_id": nat})
    backend.clock.advance(2)
    row = browser.get(path("vpc.nat_gateway", nat))
    address = browser.get(path("vpc.eip", eip))["ip_address"]
    assert row["eips"] == address
    fixed = {"nat_id": nat, "snat_table_id": row["snat_table_id"], "vpc_id": vpc_id}
    assert [
        one["value"]
        for one in browser.get(f"/console/api/options/nat_addresses?region={REGION}&nat_id={nat}")
    ] == [address]
    make(
        browser,
        "vpc.snat_entry",
        **fixed,
        granularity="vswitch",
        source_vswitch=vswitch_id,
        snat_ip=address,
        name="office",
    )
    table = make(browser, "vpc.route_table", vpc_id=vpc_id, name="egress")
    backend.clock.advance(2)
    where = {f"where.{name}": value for name, value in fixed.items()}
    (entry,) = browser.get(path("vpc.snat_entry", **where))["rows"]
    assert (entry["status"], entry["source_vswitch"]) == ("Available", vswitch_id)
    make(
        browser,
        "vpc.route_entry",
        route_table_id=table,
        vpc_id=vpc_id,
        destination="0.0.0.0/0",
        next_hop_type="NatGateway",
        next_hop_id=nat,
    )
    association = make(
        browser, "vpc.route_association", route_table_id=table, vpc_id=vpc_id, vswitch_id=vswitch_id
    )
    backend.clock.advance(2)
    browser.post(path("vpc.route_association", association, "remove"), {})
    browser.post(path("vpc.nat_gateway", nat, "delete"), {"force": True})
    found = {event["eventName"]: event["requestParameters"] for event in events(backend, account)}
    assert found["CreateSnatEntry"] == {
        "RegionId": REGION,
        "SnatTableId": row["snat_table_id"],
        "SourceVSwitchId": vswitch_id,
        "SnatIp": address,
        "SnatEntryName": "office",
    }
    assert found["AssociateEipAddress"] == {
        "RegionId": REGION,
        "AllocationId": eip,
        "InstanceType": "Nat",
        "InstanceId": nat,
    }
    assert found["UnassociateRouteTable"] == {
        "RegionId": REGION,
        "RouteTableId": table,
        "VSwitchId": vswitch_id,
    }
    assert found["DeleteNatGateway"] == {"RegionId": REGION, "NatGatewayId": nat, "Force": "true"}
    assert found["CreateRouteEntry"]["NextHopId"] == nat
