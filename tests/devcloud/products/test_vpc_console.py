"""The console of a VPC: a gateway, its address, its entries and the routes through it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from tests.devcloud.clients.calls import make_network
from tests.devcloud.conftest import REGION, Backend, Browser, HttpFailure
from tests.devcloud.console_api import events, make, path


@dataclass(frozen=True)
class Console:
    """A signed-in browser, and a network with a NAT gateway ordered in it."""

    browser: Browser
    backend: Backend
    account: dict[str, str]
    vpc_id: str
    vswitch_id: str
    nat: str

    def make(self, kind: str, **values: Any) -> str:
        return make(self.browser, kind, **values)

    def options(self, kind: str, **query: str) -> list[str]:
        asked = "".join(f"&{name}={value}" for name, value in query.items())
        offers = self.browser.get(f"/console/api/options/{kind}?region={REGION}{asked}")
        return [one["value"] for one in offers]

    def logged(self, action: str) -> dict[str, Any]:
        """Parameters of the last call of `action` in the audit log."""
        parameters: dict[str, Any] = {
            event["eventName"]: event["requestParameters"]
            for event in events(self.backend, self.account)
        }[action]
        return parameters


@pytest.fixture
def console(backend: Backend, account: dict[str, str]) -> Console:
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
    return Console(browser, backend, account, vpc_id, vswitch_id, nat)


def bind_eip(console: Console) -> str:
    """Bind a new EIP to the gateway, and return its id."""
    eip = console.make("vpc.eip", name="web-eip", bandwidth=20, agree=True)
    console.browser.post(
        path("vpc.eip", eip, "associate"), {"instance_type": "Nat", "instance_id": console.nat}
    )
    console.backend.clock.advance(2)
    return eip


def address_of(console: Console, eip: str) -> str:
    return str(console.browser.get(path("vpc.eip", eip))["ip_address"])


def gateway(console: Console) -> dict[str, Any]:
    return dict(console.browser.get(path("vpc.nat_gateway", console.nat)))


def table_of_the_gateway(console: Console) -> dict[str, str]:
    """What every SNAT entry of the gateway belongs to."""
    return {
        "nat_id": console.nat,
        "snat_table_id": gateway(console)["snat_table_id"],
        "vpc_id": console.vpc_id,
    }


def add_snat_entry(console: Console, address: str) -> None:
    console.make(
        "vpc.snat_entry",
        **table_of_the_gateway(console),
        granularity="vswitch",
        source_vswitch=console.vswitch_id,
        snat_ip=address,
        name="office",
    )
    console.backend.clock.advance(2)


def add_route(console: Console) -> str:
    """Id of a new route table, whose one entry leads to the gateway."""
    table = console.make("vpc.route_table", vpc_id=console.vpc_id, name="egress")
    console.backend.clock.advance(2)
    console.make(
        "vpc.route_entry",
        route_table_id=table,
        vpc_id=console.vpc_id,
        destination="0.0.0.0/0",
        next_hop_type="NatGateway",
        next_hop_id=console.nat,
    )
    return table


def test_an_eip_is_ordered_by_who_agrees(console: Console) -> None:
    with pytest.raises(HttpFailure) as unsigned:
        console.make("vpc.eip", name="web-eip", bandwidth=20)
    assert unsigned.value.body["field"] == "agree"
    assert console.make("vpc.eip", name="web-eip", bandwidth=20, agree=True)


def test_an_eip_is_bound_to_a_gateway_that_is_offered(console: Console) -> None:
    assert console.options("eip_targets", instance_type="Nat") == [console.nat]
    assert console.options("eip_targets", instance_type="EcsInstance") == []
    eip = bind_eip(console)
    address = address_of(console, eip)
    assert gateway(console)["eips"] == address
    assert console.options("nat_addresses", nat_id=console.nat) == [address]
    assert console.logged("AssociateEipAddress") == {
        "RegionId": REGION,
        "AllocationId": eip,
        "InstanceType": "Nat",
        "InstanceId": console.nat,
    }


def test_an_snat_entry_is_made_for_a_vswitch(console: Console) -> None:
    address = address_of(console, bind_eip(console))
    add_snat_entry(console, address)
    fixed = table_of_the_gateway(console)
    where = {f"where.{name}": value for name, value in fixed.items()}
    (entry,) = console.browser.get(path("vpc.snat_entry", **where))["rows"]
    assert (entry["status"], entry["source_vswitch"]) == ("Available", console.vswitch_id)
    assert console.logged("CreateSnatEntry") == {
        "RegionId": REGION,
        "SnatTableId": fixed["snat_table_id"],
        "SourceVSwitchId": console.vswitch_id,
        "SnatIp": address,
        "SnatEntryName": "office",
    }


def test_a_route_table_is_associated_and_removed(console: Console) -> None:
    table = add_route(console)
    association = console.make(
        "vpc.route_association",
        route_table_id=table,
        vpc_id=console.vpc_id,
        vswitch_id=console.vswitch_id,
    )
    console.backend.clock.advance(2)
    console.browser.post(path("vpc.route_association", association, "remove"), {})
    assert console.logged("CreateRouteEntry")["NextHopId"] == console.nat
    assert console.logged("UnassociateRouteTable") == {
        "RegionId": REGION,
        "RouteTableId": table,
        "VSwitchId": console.vswitch_id,
    }


def test_a_gateway_with_all_that_hangs_on_it_is_deleted_by_force(console: Console) -> None:
    add_snat_entry(console, address_of(console, bind_eip(console)))
    add_route(console)
    console.backend.clock.advance(2)
    console.browser.post(path("vpc.nat_gateway", console.nat, "delete"), {"force": True})
    assert console.logged("DeleteNatGateway") == {
        "RegionId": REGION,
        "NatGatewayId": console.nat,
        "Force": "true",
    }
