"""The console of a VPC: a gateway, its address, its entries and the routes through
it."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from tests.devcloud.clients.calls import make_network
from tests.devcloud.conftest import REGION, Backend, HttpFailure
from tests.devcloud.console_api import Console


@dataclass(frozen=True)
class Gateway:
    """A NAT gateway that was ordered through the console, and where it stands."""

    nat: str
    vpc_id: str
    vswitch_id: str


@pytest.fixture
def gateway(console: Console, backend: Backend, account: dict[str, str]) -> Gateway:
    vpc_id, vswitch_id = make_network(backend, account)
    nat = console.make(
        "vpc.nat_gateway",
        network_type="internet",
        vpc_id=vpc_id,
        vswitch_id=vswitch_id,
        name="nat-web",
        bind_mode="NAT",
        agree=True,
    )
    backend.clock.advance(3)
    return Gateway(nat, vpc_id, vswitch_id)


def bind_eip(console: Console, gateway: Gateway) -> str:
    """Bind a new EIP to the gateway, and return its id."""
    eip = console.make("vpc.eip", name="web-eip", bandwidth=20, agree=True)
    console.act("vpc.eip", eip, "associate", instance_type="Nat", instance_id=gateway.nat)
    console.backend.clock.advance(2)
    return eip


def address_of(console: Console, eip: str) -> str:
    return str(console.row("vpc.eip", eip)["ip_address"])


def table_of_the_gateway(console: Console, gateway: Gateway) -> dict[str, str]:
    """What every SNAT entry of the gateway belongs to."""
    return {
        "nat_id": gateway.nat,
        "snat_table_id": console.row("vpc.nat_gateway", gateway.nat)["snat_table_id"],
        "vpc_id": gateway.vpc_id,
    }


def add_snat_entry(console: Console, gateway: Gateway, address: str) -> None:
    console.make(
        "vpc.snat_entry",
        **table_of_the_gateway(console, gateway),
        granularity="vswitch",
        source_vswitch=gateway.vswitch_id,
        snat_ip=address,
        name="office",
    )
    console.backend.clock.advance(2)


def add_route(console: Console, gateway: Gateway) -> str:
    """Id of a new route table, whose one entry leads to the gateway."""
    table = console.make("vpc.route_table", vpc_id=gateway.vpc_id, name="egress")
    console.backend.clock.advance(2)
    console.make(
        "vpc.route_entry",
        route_table_id=table,
        vpc_id=gateway.vpc_id,
        destination="0.0.0.0/0",
        next_hop_type="NatGateway",
        next_hop_id=gateway.nat,
    )
    return table


def test_an_eip_is_ordered_by_who_agrees(console: Console) -> None:
    with pytest.raises(HttpFailure) as unsigned:
        console.make("vpc.eip", name="web-eip", bandwidth=20)
    assert unsigned.value.body["field"] == "agree"
    assert console.make("vpc.eip", name="web-eip", bandwidth=20, agree=True)


def test_an_eip_is_bound_to_a_gateway_that_is_offered(console: Console, gateway: Gateway) -> None:
    assert console.offered("eip_targets", instance_type="Nat") == [gateway.nat]
    assert console.offered("eip_targets", instance_type="EcsInstance") == []
    eip = bind_eip(console, gateway)
    address = address_of(console, eip)
    assert console.row("vpc.nat_gateway", gateway.nat)["eips"] == address
    assert console.offered("nat_addresses", nat_id=gateway.nat) == [address]
    assert console.logged("AssociateEipAddress") == {
        "RegionId": REGION,
        "AllocationId": eip,
        "InstanceType": "Nat",
        "InstanceId": gateway.nat,
    }


def test_an_snat_entry_is_made_for_a_vswitch(console: Console, gateway: Gateway) -> None:
    address = address_of(console, bind_eip(console, gateway))
    add_snat_entry(console, gateway, address)
    fixed = table_of_the_gateway(console, gateway)
    (entry,) = console.rows("vpc.snat_entry", **fixed)
    assert (entry["status"], entry["source_vswitch"]) == ("Available", gateway.vswitch_id)
    assert console.logged("CreateSnatEntry") == {
        "RegionId": REGION,
        "SnatTableId": fixed["snat_table_id"],
        "SourceVSwitchId": gateway.vswitch_id,
        "SnatIp": address,
        "SnatEntryName": "office",
    }


def test_a_route_table_is_associated_and_removed(console: Console, gateway: Gateway) -> None:
    table = add_route(console, gateway)
    association = console.make(
        "vpc.route_association",
        route_table_id=table,
        vpc_id=gateway.vpc_id,
        vswitch_id=gateway.vswitch_id,
    )
    console.backend.clock.advance(2)
    console.act("vpc.route_association", association, "remove")
    assert console.logged("CreateRouteEntry")["NextHopId"] == gateway.nat
    assert console.logged("UnassociateRouteTable") == {
        "RegionId": REGION,
        "RouteTableId": table,
        "VSwitchId": gateway.vswitch_id,
    }


def test_a_gateway_with_all_that_hangs_on_it_is_deleted_by_force(
    console: Console, gateway: Gateway
) -> None:
    add_snat_entry(console, gateway, address_of(console, bind_eip(console, gateway)))
    add_route(console, gateway)
    console.backend.clock.advance(2)
    console.act("vpc.nat_gateway", gateway.nat, "delete", force=True)
    assert console.logged("DeleteNatGateway") == {
        "RegionId": REGION,
        "NatGatewayId": gateway.nat,
        "Force": "true",
    }
