"""Server groups of load balancers: the servers, their ports and weights."""

from __future__ import annotations

import json

import pytest

from tests.devcloud.clients.calls import make_network
from tests.devcloud.conftest import Backend
from tests.devcloud.products.slb import Ecs, Slb, make_balancer, make_server


@pytest.fixture
def slb(backend: Backend, account: dict[str, str]) -> Slb:
    return Slb(backend, account)


@pytest.fixture
def balancer(slb: Slb, backend: Backend) -> str:
    return make_balancer(backend, slb)


@pytest.fixture
def server(backend: Backend, account: dict[str, str]) -> str:
    return make_server(backend, account, *make_network(backend, account))


@pytest.fixture
def group(slb: Slb, balancer: str, server: str) -> dict[str, str]:
    """Names the server group of two ports of the server: 80 and 81."""
    answer = slb(
        "CreateVServerGroup",
        LoadBalancerId=balancer,
        VServerGroupName="web",
        BackendServers=members(server, "80", "100"),
    )
    named = {"VServerGroupId": str(answer["VServerGroupId"])}
    slb("AddVServerGroupBackendServers", **named, BackendServers=members(server, "81", "60"))
    return named


def members(server: str, port: str, weight: str) -> str:
    return json.dumps([{"ServerId": server, "Port": port, "Weight": weight}])


def default(server: str, weight: str) -> str:
    """A member of the default group, which has no port."""
    return json.dumps([{"ServerId": server, "Weight": weight}])


def test_the_default_group_takes_and_gives_back_servers(
    slb: Slb, balancer: str, server: str
) -> None:
    owner = {"LoadBalancerId": balancer}
    slb("AddBackendServers", **owner, BackendServers=default(server, "100"))
    slb("SetBackendServers", **owner, BackendServers=default(server, "30"))
    rows = slb("DescribeLoadBalancerAttribute", **owner)["BackendServers"]["BackendServer"]
    assert [(row["ServerId"], row["Weight"]) for row in rows] == [(server, 30)]
    slb("RemoveBackendServers", **owner, BackendServers=default(server, "100"))


@pytest.mark.parametrize(
    ("servers", "code"),
    [
        (default("i-none", "1"), "ObjectNotExist.BackendServer"),
        ("web", "InvalidParameter.BackendServers"),
    ],
)
def test_what_is_no_server_is_refused(slb: Slb, balancer: str, servers: str, code: str) -> None:
    slb.refuses(code, "AddBackendServers", LoadBalancerId=balancer, BackendServers=servers)


def test_a_group_is_made_with_its_servers(slb: Slb, balancer: str, server: str) -> None:
    answer = slb(
        "CreateVServerGroup",
        LoadBalancerId=balancer,
        VServerGroupName="web",
        BackendServers=members(server, "80", "100"),
    )
    assert [one["Port"] for one in answer["BackendServers"]["BackendServer"]] == [80]


def test_a_group_changes_its_name_and_weights(slb: Slb, group: dict[str, str], server: str) -> None:
    slb(
        "SetVServerGroupAttribute",
        **group,
        VServerGroupName="api",
        BackendServers=members(server, "81", "10"),
    )
    row = slb("DescribeVServerGroupAttribute", **group)
    assert row["VServerGroupName"] == "api"
    assert sorted(
        (one["Port"], one["Weight"]) for one in row["BackendServers"]["BackendServer"]
    ) == [(80, 100), (81, 10)]


def test_a_released_server_leaves_its_group(
    slb: Slb, backend: Backend, account: dict[str, str], group: dict[str, str], server: str
) -> None:
    slb("RemoveVServerGroupBackendServers", **group, BackendServers=members(server, "81", "60"))
    (left,) = slb("DescribeVServerGroupAttribute", **group)["BackendServers"]["BackendServer"]
    assert left["Port"] == 80
    Ecs(backend, account)("DeleteInstance", InstanceId=server, Force="true")
    backend.clock.advance(3)
    assert slb("DescribeVServerGroupAttribute", **group)["BackendServers"]["BackendServer"] == []


def test_a_group_is_deleted_once_no_listener_uses_it(
    slb: Slb, balancer: str, group: dict[str, str]
) -> None:
    listener = {"LoadBalancerId": balancer, "ListenerPort": 80}
    slb("CreateLoadBalancerTCPListener", **listener, **group)
    slb.refuses("RspoolVipExist", "DeleteVServerGroup", **group)
    slb("DeleteLoadBalancerListener", **listener, ListenerProtocol="tcp")
    slb("DeleteVServerGroup", **group)
    slb.refuses("InvalidVServerGroupId.NotFound", "DescribeVServerGroupAttribute", **group)
