"""NAT gateways: SNAT and forward entries, and what protects a gateway and its
network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from tests.devcloud.clients.calls import make_network
from tests.devcloud.conftest import Backend
from tests.devcloud.products.vpc import Vpc, make_eip, make_nat


@dataclass(frozen=True)
class WayOut:
    """A NAT gateway with its tables and an address bound to it."""

    vpc_id: str
    vswitch_id: str
    nat: str
    snat_table: str
    forward_table: str
    address: str

    @property
    def snat(self) -> dict[str, str]:
        """Parameters of an SNAT entry, less its source."""
        return {"SnatTableId": self.snat_table, "SnatIp": self.address}

    @property
    def forward(self) -> dict[str, str]:
        """Parameters of a forward entry, less external port and protocol."""
        return {
            "ForwardTableId": self.forward_table,
            "ExternalIp": self.address,
            "InternalIp": "192.168.1.10",
            "InternalPort": "80",
        }


@pytest.fixture
def vpc(backend: Backend, account: dict[str, str]) -> Vpc:
    return Vpc(backend, account)


@pytest.fixture
def way_out(vpc: Vpc, backend: Backend, account: dict[str, str]) -> WayOut:
    vpc_id, vswitch_id = make_network(backend, account)
    nat = make_nat(backend, vpc, vpc_id, vswitch_id)
    (snat_table,), (forward_table,) = (
        nat["SnatTableIds"]["SnatTableId"],
        nat["ForwardTableIds"]["ForwardTableId"],
    )
    address = make_eip(backend, vpc, nat["NatGatewayId"])["EipAddress"]
    return WayOut(vpc_id, vswitch_id, nat["NatGatewayId"], snat_table, forward_table, address)


def add_snat_entries(vpc: Vpc, backend: Backend, way_out: WayOut) -> tuple[str, str]:
    """Ids of two available SNAT entries: of a vSwitch and of a CIDR block."""
    of_vswitch = vpc(
        "CreateSnatEntry",
        **way_out.snat,
        SourceVSwitchId=way_out.vswitch_id,
        SnatEntryName="office",
    )["SnatEntryId"]
    of_cidr = vpc("CreateSnatEntry", **way_out.snat, SourceCIDR="192.168.8.0/24")["SnatEntryId"]
    backend.clock.advance(2)
    return of_vswitch, of_cidr


def add_forward_entries(vpc: Vpc, backend: Backend, way_out: WayOut) -> str:
    """Id of the TCP one of two available forward entries of the same port."""
    tcp, _ = (
        vpc("CreateForwardEntry", **way_out.forward, ExternalPort="8080", IpProtocol=protocol)
        for protocol in ("tcp", "udp")
    )
    backend.clock.advance(2)
    return str(tcp["ForwardEntryId"])


def rows(vpc: Vpc, kind: str, table: str) -> list[dict[str, Any]]:
    answer = vpc(f"Describe{kind}TableEntries", **{f"{kind}TableId": table})
    return list(answer[f"{kind}TableEntries"][f"{kind}TableEntry"])


def test_a_gateway_stands_in_a_vswitch_that_exists(
    vpc: Vpc, backend: Backend, account: dict[str, str]
) -> None:
    vpc_id, _ = make_network(backend, account)
    vpc.refuses(
        "InvalidVSwitchId.NotFound",
        "CreateNatGateway",
        VpcId=vpc_id,
        VSwitchId="vsw-none",
        NatType="Enhanced",
    )


def test_a_vpc_takes_so_many_gateways(vpc: Vpc, backend: Backend, account: dict[str, str]) -> None:
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


def test_a_gateway_lists_the_addresses_bound_to_it(vpc: Vpc, way_out: WayOut) -> None:
    answer = vpc("DescribeNatGateways", NatGatewayId=way_out.nat)
    (row,) = answer["NatGateways"]["NatGateway"]
    assert (row["Status"], row["NetworkType"], row["InternetChargeType"]) == (
        "Available",
        "internet",
        "PayByLcu",
    )
    assert [one["IpAddress"] for one in row["IpLists"]["IpList"]] == [way_out.address]


def test_what_an_snat_entry_lacks_is_refused(vpc: Vpc, way_out: WayOut) -> None:
    source = {"SourceVSwitchId": way_out.vswitch_id}
    elsewhere = {**way_out.snat, "SnatIp": "192.0.2.1"}
    vpc.refuses("EIP_NOT_IN_GATEWAY", "CreateSnatEntry", **elsewhere, **source)
    no_table = {**way_out.snat, "SnatTableId": "stb-none"}
    vpc.refuses("InvalidSnatTableId.NotFound", "CreateSnatEntry", **no_table, **source)
    vpc.refuses("MissingParameter", "CreateSnatEntry", SnatIp=way_out.address, **source)


def test_a_source_has_one_snat_entry_which_is_not_deleted_while_pending(
    vpc: Vpc, way_out: WayOut
) -> None:
    source = {"SourceVSwitchId": way_out.vswitch_id}
    entry = vpc("CreateSnatEntry", **way_out.snat, **source, SnatEntryName="office")["SnatEntryId"]
    vpc.refuses("Forbidden.SourceVSwitchId.Duplicated", "CreateSnatEntry", **way_out.snat, **source)
    vpc.refuses(
        "IncorretSnatEntryStatus",
        "DeleteSnatEntry",
        SnatTableId=way_out.snat_table,
        SnatEntryId=entry,
    )


def test_snat_entries_are_of_a_vswitch_or_a_block(
    vpc: Vpc, backend: Backend, way_out: WayOut
) -> None:
    of_vswitch, of_cidr = add_snat_entries(vpc, backend, way_out)
    table = {"SnatTableId": way_out.snat_table}
    vpc("ModifySnatEntry", **table, SnatEntryId=of_vswitch, SnatEntryName="branch")
    by_id = {
        row["SnatEntryId"]: (row["SnatEntryName"], row["SourceCIDR"], row["SourceVSwitchId"])
        for row in rows(vpc, "Snat", way_out.snat_table)
    }
    assert by_id == {
        of_vswitch: ("branch", "192.168.1.0/24", way_out.vswitch_id),
        of_cidr: ("", "192.168.8.0/24", ""),
    }


def test_a_forward_entry_takes_a_port_of_a_protocol(vpc: Vpc, way_out: WayOut) -> None:
    port = {"ExternalPort": "8080", "IpProtocol": "tcp"}
    vpc("CreateForwardEntry", **way_out.forward, **port)
    vpc.refuses("Forbidden.ExternalIp.Duplicated", "CreateForwardEntry", **way_out.forward, **port)
    no_number = {**port, "ExternalPort": "http"}
    vpc.refuses(
        "InvalidExternalPort.Malformed", "CreateForwardEntry", **way_out.forward, **no_number
    )


def test_a_forward_entry_changes_its_port(vpc: Vpc, backend: Backend, way_out: WayOut) -> None:
    tcp = add_forward_entries(vpc, backend, way_out)
    table = {"ForwardTableId": way_out.forward_table}
    vpc("ModifyForwardEntry", **table, ForwardEntryId=tcp, InternalPort="8000")
    assert sorted(
        (row["IpProtocol"], row["InternalPort"], row["Status"])
        for row in rows(vpc, "Forward", way_out.forward_table)
    ) == [("tcp", "8000", "Available"), ("udp", "80", "Available")]


def test_a_gateway_counts_its_entries(vpc: Vpc, backend: Backend, way_out: WayOut) -> None:
    add_snat_entries(vpc, backend, way_out)
    add_forward_entries(vpc, backend, way_out)
    attribute = vpc("GetNatGatewayAttribute", NatGatewayId=way_out.nat)
    assert (
        attribute["SnatTable"]["SnatEntryCount"],
        attribute["ForwardTable"]["ForwardEntryCount"],
    ) == (2, 2)


def test_what_hangs_on_a_gateway_protects_it_and_its_network(
    vpc: Vpc, backend: Backend, way_out: WayOut
) -> None:
    add_snat_entries(vpc, backend, way_out)
    add_forward_entries(vpc, backend, way_out)
    vpc.refuses("DependencyViolation.SnatEntry", "DeleteNatGateway", NatGatewayId=way_out.nat)
    vpc.refuses("DependencyViolation.NatGateway", "DeleteVSwitch", VSwitchId=way_out.vswitch_id)
    vpc.refuses("DependencyViolation.NatGateway", "DeleteVpc", VpcId=way_out.vpc_id)


def test_a_protected_gateway_is_not_deleted_even_by_force(vpc: Vpc, way_out: WayOut) -> None:
    protection = {"InstanceId": way_out.nat, "Type": "NATGW"}
    vpc("DeletionProtection", **protection, ProtectionEnable="true")
    vpc.refuses(
        "OperationDenied.DeletionProtection",
        "DeleteNatGateway",
        NatGatewayId=way_out.nat,
        Force="true",
    )
    vpc("DeletionProtection", **protection, ProtectionEnable="false")
    vpc("DeleteNatGateway", NatGatewayId=way_out.nat, Force="true")


def test_a_gateway_deleted_by_force_takes_its_entries_and_frees_its_address(
    vpc: Vpc, backend: Backend, way_out: WayOut
) -> None:
    _, of_cidr = add_snat_entries(vpc, backend, way_out)
    add_forward_entries(vpc, backend, way_out)
    vpc("DeleteSnatEntry", SnatTableId=way_out.snat_table, SnatEntryId=of_cidr)
    vpc("DeleteNatGateway", NatGatewayId=way_out.nat, Force="true")
    backend.clock.advance(3)
    assert vpc("DescribeNatGateways")["TotalCount"] == 0
    assert vpc("DescribeSnatTableEntries", SnatTableId=way_out.snat_table)["TotalCount"] == 0
    (freed,) = vpc("DescribeEipAddresses")["EipAddresses"]["EipAddress"]
    assert (freed["Status"], freed["InstanceId"]) == ("Available", "")
