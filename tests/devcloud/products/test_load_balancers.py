"""Load balancers: orders, changes, protection and release."""

from __future__ import annotations

import pytest

from tests.devcloud.clients.calls import make_network
from tests.devcloud.conftest import Backend
from tests.devcloud.products.slb import Slb, make_balancer


@pytest.fixture
def slb(backend: Backend, account: dict[str, str]) -> Slb:
    return Slb(backend, account)


def test_an_instance_lives_from_order_to_release(
    slb: Slb, backend: Backend, account: dict[str, str]
) -> None:
    vpc_id, vswitch_id = make_network(backend, account)
    slb.refuses(
        "InvalidVSwitchId.NotFound",
        "CreateLoadBalancer",
        AddressType="intranet",
        VSwitchId="vsw-none",
    )
    slb.refuses(
        "InvalidParameter.LoadBalancerSpec", "CreateLoadBalancer", LoadBalancerSpec="slb.s9.huge"
    )
    inner = slb(
        "CreateLoadBalancer", AddressType="intranet", VSwitchId=vswitch_id, LoadBalancerName="inner"
    )
    assert (inner["VpcId"], inner["NetworkType"]) == (vpc_id, "vpc")
    assert inner["Address"].startswith("192.168.1.")
    balancer = make_balancer(
        backend, slb, DeleteProtection="on", Tag=[{"Key": "team", "Value": "web"}]
    )
    shown = slb("DescribeLoadBalancerAttribute", LoadBalancerId=balancer)
    assert (shown["LoadBalancerStatus"], shown["DeleteProtection"], shown["LoadBalancerSpec"]) == (
        "active",
        "on",
        "slb.s1.small",
    )
    assert (shown["MasterZoneId"], shown["Address"][:10]) == ("cn-hangzhou-h", "203.0.113.")
    slb("SetLoadBalancerName", LoadBalancerId=balancer, LoadBalancerName="api-lb")
    slb("ModifyLoadBalancerInstanceSpec", LoadBalancerId=balancer, LoadBalancerSpec="slb.s2.small")
    slb(
        "ModifyLoadBalancerInternetSpec",
        LoadBalancerId=balancer,
        InternetChargeType="paybybandwidth",
        Bandwidth=20,
    )
    slb("SetLoadBalancerStatus", LoadBalancerId=balancer, LoadBalancerStatus="inactive")
    listed = slb("DescribeLoadBalancers", LoadBalancerName="api-lb")["LoadBalancers"][
        "LoadBalancer"
    ]
    assert [(r["LoadBalancerStatus"], r["LoadBalancerSpec"], r["Bandwidth"]) for r in listed] == [
        ("inactive", "slb.s2.small", 20)
    ]
    slb.refuses(
        "OperationDenied.DeleteProtectionIsOn", "DeleteLoadBalancer", LoadBalancerId=balancer
    )
    slb("SetLoadBalancerDeleteProtection", LoadBalancerId=balancer, DeleteProtection="off")
    slb("CreateVServerGroup", LoadBalancerId=balancer, VServerGroupName="web")
    slb("DeleteLoadBalancer", LoadBalancerId=balancer)
    slb.refuses(
        "InvalidLoadBalancerId.NotFound", "DescribeLoadBalancerAttribute", LoadBalancerId=balancer
    )
    slb("DeleteLoadBalancer", LoadBalancerId=inner["LoadBalancerId"])
    assert [r["resource_type"] for r in backend.inventory(account)] == ["vpc", "vswitch"]
