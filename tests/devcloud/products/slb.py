"""Load balancers and the servers behind them, made by signed calls."""

from __future__ import annotations

from typing import Any

from tests.devcloud.conftest import IMAGE, Backend
from tests.devcloud.products.signed import SignedCaller


class Slb(SignedCaller):
    product = "slb"


class Ecs(SignedCaller):
    product = "ecs"


def make_balancer(backend: Backend, slb: Slb, **more: Any) -> str:
    balancer = slb(
        "CreateLoadBalancer", **{"LoadBalancerName": "web-lb", "AddressType": "internet", **more}
    )
    backend.clock.advance(2)
    return str(balancer["LoadBalancerId"])


def make_server(backend: Backend, account: dict[str, str], vpc_id: str, vswitch_id: str) -> str:
    ecs = Ecs(backend, account)
    group = ecs("CreateSecurityGroup", VpcId=vpc_id)["SecurityGroupId"]
    order = ecs(
        "RunInstances",
        ImageId=IMAGE,
        InstanceType="ecs.g7.large",
        VSwitchId=vswitch_id,
        SecurityGroupId=group,
    )
    backend.clock.advance(5)
    return str(order["InstanceIdSets"]["InstanceIdSet"][0])
