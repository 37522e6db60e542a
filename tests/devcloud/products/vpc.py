"""Gateways and addresses of a VPC, made by signed calls."""

from __future__ import annotations

from typing import Any

from tests.devcloud.conftest import Backend
from tests.devcloud.products.signed import SignedCaller


class Vpc(SignedCaller):
    product = "vpc"


def make_nat(
    backend: Backend, vpc: Vpc, vpc_id: str, vswitch_id: str, **more: Any
) -> dict[str, Any]:
    nat = vpc(
        "CreateNatGateway",
        VpcId=vpc_id,
        VSwitchId=vswitch_id,
        NatType="Enhanced",
        Name="nat-web",
        **more,
    )
    backend.clock.advance(3)
    return dict(nat)


def make_eip(
    backend: Backend, vpc: Vpc, instance: str = "", kind: str = "Nat", **more: Any
) -> dict[str, Any]:
    eip = vpc(
        "AllocateEipAddress", **{"Bandwidth": "10", "InternetChargeType": "PayByTraffic", **more}
    )
    if instance:
        vpc(
            "AssociateEipAddress",
            AllocationId=eip["AllocationId"],
            InstanceId=instance,
            InstanceType=kind,
        )
        backend.clock.advance(2)
    return dict(eip)
