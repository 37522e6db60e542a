"""The console of load balancers: an instance, its servers, a listener by its protocol,
and access control."""

from __future__ import annotations

import json

import pytest

from tests.devcloud.clients.calls import make_network
from tests.devcloud.conftest import REGION, HttpFailure
from tests.devcloud.console_api import Console
from tests.devcloud.products.slb import make_server


@pytest.fixture
def balancer(console: Console) -> str:
    balancer = console.make(
        "slb.load_balancer",
        master_zone="cn-hangzhou-h",
        name="web-lb",
        delete_protection=True,
        agree=True,
    )
    console.backend.clock.advance(2)
    return balancer


@pytest.fixture
def group(console: Console, balancer: str) -> str:
    return console.make("slb.vserver_group", load_balancer_id=balancer, name="web")


@pytest.fixture
def listener(console: Console, balancer: str, group: str) -> str:
    """Id of an HTTP listener in front of the group."""
    return console.make(
        "slb.listener",
        load_balancer_id=balancer,
        protocol="http",
        port=80,
        sticky=False,
        target="vserver",
        vgroup_id=group,
        health_check=True,
        check_uri="/live",
        healthy=5,
    )


def start(console: Console, listener: str) -> None:
    console.act("slb.listener", listener, "start")
    console.backend.clock.advance(2)


def test_an_instance_is_ordered_with_protection(console: Console, balancer: str) -> None:
    assert console.logged("CreateLoadBalancer")["DeleteProtection"] == "on"


def test_a_listener_runs_after_its_instance_was_stopped_and_started(
    console: Console, balancer: str, listener: str
) -> None:
    start(console, listener)
    console.act("slb.load_balancer", balancer, "stop")
    console.act("slb.load_balancer", balancer, "start")
    assert console.logged("SetLoadBalancerStatus")["LoadBalancerStatus"] == "active"
    assert [row["status"] for row in console.rows("slb.listener", load_balancer_id=balancer)] == [
        "running"
    ]


def test_a_server_of_a_group_changes_its_weight(console: Console, group: str) -> None:
    network = make_network(console.backend, console.account)
    server = make_server(console.backend, console.account, *network)
    member = console.make(
        "slb.backend_server", group_id=group, server_id=server, port=80, weight=40
    )
    console.act("slb.backend_server", member, "weight", weight=90)
    assert json.loads(console.logged("SetVServerGroupAttribute")["BackendServers"]) == [
        {"ServerId": server, "Port": "80", "Weight": "90", "Type": "ecs"}
    ]


def test_a_listener_in_front_of_a_group_names_it(console: Console, balancer: str) -> None:
    with pytest.raises(HttpFailure) as refusal:
        console.make(
            "slb.listener",
            load_balancer_id=balancer,
            protocol="http",
            port=80,
            target="vserver",
        )
    assert refusal.value.body["field"] == "vgroup_id"


def test_a_listener_is_made_by_its_protocol(
    console: Console, balancer: str, group: str, listener: str
) -> None:
    assert listener == f"{balancer}/http/80"
    request = console.logged("CreateLoadBalancerHTTPListener")
    assert (
        request["ListenerPort"],
        request["VServerGroupId"],
        request["HealthCheck"],
        request["HealthyThreshold"],
    ) == ("80", group, "on", "5")
    assert "ListenerProtocol" not in request


def test_a_listener_is_started_and_its_check_switched_off(
    console: Console, balancer: str, listener: str
) -> None:
    port = {"RegionId": REGION, "LoadBalancerId": balancer, "ListenerPort": "80"}
    start(console, listener)
    console.act("slb.listener", listener, "health", health_check=False)
    (row,) = console.rows("slb.listener", load_balancer_id=balancer)
    assert (row["status"], row["port"], row["health_check"]) == ("running", 80, False)
    assert console.logged("StartLoadBalancerListener") == {**port, "ListenerProtocol": "http"}
    assert console.logged("SetLoadBalancerHTTPListenerAttribute") == {**port, "HealthCheck": "off"}


def test_an_entry_of_a_list_is_removed_as_it_was_added(console: Console) -> None:
    acl = console.make("slb.acl", name="office", ip_version="ipv4")
    entry = console.make("slb.acl_entry", acl_id=acl, entry="10.0.0.0/8", comment="lan")
    console.act("slb.acl_entry", entry, "remove")
    assert json.loads(console.logged("RemoveAccessControlListEntry")["AclEntrys"]) == [
        {"entry": "10.0.0.0/8", "comment": "lan"}
    ]
