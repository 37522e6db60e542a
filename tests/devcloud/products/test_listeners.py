"""Listeners of load balancers: their four protocols, states and limits."""

from __future__ import annotations

from typing import Any

import pytest

from tests.devcloud.conftest import Backend
from tests.devcloud.products.slb import Slb, make_balancer


@pytest.fixture
def slb(backend: Backend, account: dict[str, str]) -> Slb:
    return Slb(backend, account)


@pytest.fixture
def balancer(slb: Slb, backend: Backend) -> str:
    return make_balancer(backend, slb)


def tcp(balancer: str) -> dict[str, Any]:
    return {"LoadBalancerId": balancer, "ListenerPort": 80}


def http(balancer: str) -> dict[str, Any]:
    return {"LoadBalancerId": balancer, "ListenerPort": 8000}


def add_tcp(slb: Slb, balancer: str) -> None:
    slb(
        "CreateLoadBalancerTCPListener",
        **tcp(balancer),
        BackendServerPort=8080,
        Bandwidth=-1,
        PersistenceTimeout=600,
        healthCheckInterval=5,
    )


def add_udp(slb: Slb, balancer: str) -> None:
    slb("CreateLoadBalancerUDPListener", **tcp(balancer), BackendServerPort=53)


def add_http(slb: Slb, balancer: str) -> None:
    slb(
        "CreateLoadBalancerHTTPListener",
        **http(balancer),
        BackendServerPort=8000,
        StickySession="on",
        StickySessionType="insert",
        CookieTimeout=120,
        HealthCheck="on",
        HealthCheckURI="/live",
        HealthyThreshold=4,
    )


def describe(slb: Slb, protocol: str, listener: dict[str, Any]) -> dict[str, Any]:
    return slb(f"DescribeLoadBalancer{protocol}ListenerAttribute", **listener)


def test_what_a_listener_refuses(slb: Slb, balancer: str) -> None:
    action = "CreateLoadBalancerTCPListener"
    add_tcp(slb, balancer)
    slb.refuses("ListenerAlreadyExists", action, **tcp(balancer), BackendServerPort=8080)
    slb.refuses("MissingParameter", action, **{**tcp(balancer), "ListenerPort": 81})
    slb.refuses(
        "InvalidParameter.ListenerPort",
        action,
        **{**tcp(balancer), "ListenerPort": 0},
        BackendServerPort=80,
    )


def test_a_tcp_listener_keeps_connections(slb: Slb, balancer: str) -> None:
    add_tcp(slb, balancer)
    row = describe(slb, "TCP", tcp(balancer))
    assert (
        row["Status"],
        row["BackendServerPort"],
        row["PersistenceTimeout"],
        row["HealthCheckInterval"],
    ) == ("stopped", 8080, 600, 5)


def test_udp_listens_at_a_port_that_tcp_has(slb: Slb, balancer: str) -> None:
    add_tcp(slb, balancer)
    add_udp(slb, balancer)
    assert describe(slb, "UDP", tcp(balancer))["Description"] == "udp_80"


def test_an_http_listener_has_cookies_and_checks(slb: Slb, balancer: str) -> None:
    add_http(slb, balancer)
    row = describe(slb, "HTTP", http(balancer))
    assert (
        row["StickySession"],
        row["CookieTimeout"],
        row["HealthCheckURI"],
        row["HealthyThreshold"],
    ) == ("on", 120, "/live", 4)


def test_a_listener_is_not_deleted_while_it_starts(
    slb: Slb, backend: Backend, balancer: str
) -> None:
    add_tcp(slb, balancer)
    slb("StartLoadBalancerListener", **tcp(balancer), ListenerProtocol="tcp")
    slb.refuses(
        "ListenerStatusNotSupport",
        "DeleteLoadBalancerListener",
        **tcp(balancer),
        ListenerProtocol="tcp",
    )
    backend.clock.advance(2)
    assert describe(slb, "TCP", tcp(balancer))["Status"] == "running"


def test_running_listeners_are_changed(slb: Slb, backend: Backend, balancer: str) -> None:
    add_tcp(slb, balancer)
    add_http(slb, balancer)
    slb("StartLoadBalancerListener", **tcp(balancer), ListenerProtocol="tcp")
    backend.clock.advance(2)
    change = "SetLoadBalancerTCPListenerAttribute"
    slb(change, **tcp(balancer), Scheduler="rr", Description="orders")
    slb(
        "SetLoadBalancerHTTPListenerAttribute",
        **http(balancer),
        HealthCheck="off",
        StickySession="off",
    )
    slb.refuses("InvalidParameter.Scheduler", change, **tcp(balancer), Scheduler="fast")
    assert describe(slb, "TCP", tcp(balancer))["Scheduler"] == "rr"
    assert describe(slb, "HTTP", http(balancer))["HealthCheck"] == "off"


def test_an_instance_lists_the_listeners_that_are_left(
    slb: Slb, backend: Backend, balancer: str
) -> None:
    for add in (add_tcp, add_udp, add_http):
        add(slb, balancer)
    slb("StartLoadBalancerListener", **tcp(balancer), ListenerProtocol="tcp")
    backend.clock.advance(2)
    slb("StopLoadBalancerListener", **tcp(balancer), ListenerProtocol="tcp")
    backend.clock.advance(2)
    slb("DeleteLoadBalancerListener", **tcp(balancer), ListenerProtocol="udp")
    ports = slb("DescribeLoadBalancerAttribute", LoadBalancerId=balancer)[
        "ListenerPortsAndProtocol"
    ]["ListenerPortAndProtocol"]
    assert sorted((p["ListenerPort"], p["ListenerProtocol"]) for p in ports) == [
        (80, "tcp"),
        (8000, "http"),
    ]


def test_an_instance_takes_so_many_listeners(slb: Slb, balancer: str) -> None:
    action = "CreateLoadBalancerTCPListener"
    behind = {"LoadBalancerId": balancer, "BackendServerPort": 80}
    for port in range(1, 51):
        slb(action, **behind, ListenerPort=port)
    slb.refuses("QuotaLimitExceeds.Listener", action, **behind, ListenerPort=51)
