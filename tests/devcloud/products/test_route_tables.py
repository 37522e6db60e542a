"""Route tables: the system's and one's own, their entries and vSwitches."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from tests.devcloud.clients.calls import make_network
from tests.devcloud.conftest import Backend
from tests.devcloud.products.vpc import Vpc, make_nat


@dataclass(frozen=True)
class Network:
    """A VPC with a vSwitch and a NAT gateway in it."""

    vpc_id: str
    vswitch_id: str
    nat: str

    @property
    def route(self) -> dict[str, str]:
        """Parameters of an entry that sends everything through the gateway."""
        return {
            "DestinationCidrBlock": "0.0.0.0/0",
            "NextHopType": "NatGateway",
            "NextHopId": self.nat,
        }


@pytest.fixture
def vpc(backend: Backend, account: dict[str, str]) -> Vpc:
    return Vpc(backend, account)


@pytest.fixture
def network(vpc: Vpc, backend: Backend, account: dict[str, str]) -> Network:
    vpc_id, vswitch_id = make_network(backend, account)
    nat = make_nat(backend, vpc, vpc_id, vswitch_id)["NatGatewayId"]
    return Network(vpc_id, vswitch_id, nat)


@pytest.fixture
def table(vpc: Vpc, backend: Backend, network: Network) -> str:
    answer = vpc("CreateRouteTable", VpcId=network.vpc_id, RouteTableName="egress")
    backend.clock.advance(2)
    return str(answer["RouteTableId"])


def system_table(vpc: Vpc, vpc_id: str) -> str:
    tables = vpc("DescribeRouteTableList", VpcId=vpc_id)["RouterTableList"]["RouterTableListType"]
    return str(next(one["RouteTableId"] for one in tables if one["RouteTableType"] == "System"))


def table_of(vpc: Vpc, vswitch_id: str) -> str:
    answer = vpc("DescribeVSwitchAttributes", VSwitchId=vswitch_id)
    return str(answer["RouteTable"]["RouteTableId"])


def test_a_vpc_has_a_system_table_which_is_in_no_inventory_and_is_not_deleted(
    vpc: Vpc, backend: Backend, account: dict[str, str]
) -> None:
    vpc_id, _ = make_network(backend, account)
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


def test_a_table_takes_entries_once_it_is_there(
    vpc: Vpc, backend: Backend, network: Network
) -> None:
    table = vpc("CreateRouteTable", VpcId=network.vpc_id, RouteTableName="egress")["RouteTableId"]
    vpc.refuses(
        "IncorrectRouteTableStatus", "CreateRouteEntry", RouteTableId=table, **network.route
    )
    backend.clock.advance(2)
    vpc("ModifyRouteTableAttributes", RouteTableId=table, RouteTableName="internet")
    wrong = {**network.route, "NextHopType": "Instance"}
    vpc.refuses("InvalidNexthop", "CreateRouteEntry", RouteTableId=table, **wrong)


def test_an_entry_leads_to_its_next_hop(
    vpc: Vpc, backend: Backend, network: Network, table: str
) -> None:
    entry = vpc("CreateRouteEntry", RouteTableId=table, RouteEntryName="out", **network.route)[
        "RouteEntryId"
    ]
    vpc.refuses(
        "RouterEntryConflict.Duplicated", "CreateRouteEntry", RouteTableId=table, **network.route
    )
    backend.clock.advance(2)
    (row,) = vpc("DescribeRouteEntryList", RouteTableId=table)["RouteEntrys"]["RouteEntry"]
    assert (row["RouteEntryId"], row["Status"], row["NextHops"]["NextHop"][0]["NextHopId"]) == (
        entry,
        "Available",
        network.nat,
    )
    vpc("ModifyRouteEntry", RouteEntryId=entry, Description="all traffic")


def test_a_vswitch_follows_its_table_and_falls_back_to_the_systems(
    vpc: Vpc, backend: Backend, network: Network, table: str
) -> None:
    association = {"RouteTableId": table, "VSwitchId": network.vswitch_id}
    vpc("AssociateRouteTable", **association)
    vpc.refuses("ResourceAlreadyAssociated.RouteTable", "AssociateRouteTable", **association)
    backend.clock.advance(2)
    assert table_of(vpc, network.vswitch_id) == table
    vpc("UnassociateRouteTable", **association)
    backend.clock.advance(2)
    assert table_of(vpc, network.vswitch_id) == system_table(vpc, network.vpc_id)


def test_a_table_is_deleted_without_entries_and_vswitches(
    vpc: Vpc, backend: Backend, network: Network, table: str
) -> None:
    association = {"RouteTableId": table, "VSwitchId": network.vswitch_id}
    vpc("CreateRouteEntry", RouteTableId=table, **network.route)
    vpc("AssociateRouteTable", **association)
    backend.clock.advance(2)
    vpc.refuses("IncorrectRouteTableStatus.RouteEntryExist", "DeleteRouteTable", RouteTableId=table)
    vpc.refuses("MissingParameter", "DeleteRouteEntry")
    vpc(
        "DeleteRouteEntry",
        RouteTableId=table,
        DestinationCidrBlock="0.0.0.0/0",
        NextHopId=network.nat,
    )
    backend.clock.advance(2)
    vpc.refuses("DependencyViolation.VSwitch", "DeleteRouteTable", RouteTableId=table)
    vpc("UnassociateRouteTable", **association)
    backend.clock.advance(2)
    vpc("DeleteRouteTable", RouteTableId=table)
    backend.clock.advance(2)
    vpc.refuses("InvalidRouteTableId.NotFound", "DeleteRouteTable", RouteTableId=table)
