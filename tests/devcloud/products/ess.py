"""Scaling groups and their configurations, made by signed calls."""

from __future__ import annotations

from typing import Any

from tests.devcloud.clients.calls import make_network
from tests.devcloud.conftest import IMAGE, Backend
from tests.devcloud.products.signed import SignedCaller


class Ess(SignedCaller):
    product = "ess"


class Ecs(SignedCaller):
    product = "ecs"


def make_group(backend: Backend, account: dict[str, str], ess: Ess, **more: Any) -> tuple[str, str]:
    """A group and a configuration of it."""
    vpc_id, vswitch_id = make_network(backend, account)
    security = Ecs(backend, account)("CreateSecurityGroup", VpcId=vpc_id)["SecurityGroupId"]
    order = {
        "ScalingGroupName": "web-asg",
        "MinSize": 0,
        "MaxSize": 3,
        "VSwitchIds": [vswitch_id],
        **more,
    }
    group = ess("CreateScalingGroup", **order)["ScalingGroupId"]
    configuration = ess(
        "CreateScalingConfiguration",
        ScalingGroupId=group,
        ScalingConfigurationName="web-conf",
        ImageId=IMAGE,
        InstanceType="ecs.g7.large",
        SecurityGroupId=security,
    )
    return str(group), str(configuration["ScalingConfigurationId"])


def capacity(ess: Ess, group: str) -> int:
    (row,) = ess("DescribeScalingGroups", ScalingGroupIds=[group])["ScalingGroups"]
    return int(row["TotalCapacity"])
