"""What every test of an official client needs: a network, and a refusal with its
code."""

from __future__ import annotations

from typing import Any

import pytest
from alibabacloud_tea_openapi.exceptions import AlibabaCloudException
from alibabacloud_vpc20160428 import models as v
from alibabacloud_vpc20160428.client import Client as Vpc

from tests.devcloud.conftest import REGION, Backend


def refused(code: str, call: Any, *arguments: Any) -> AlibabaCloudException:
    with pytest.raises(AlibabaCloudException) as caught:
        call(*arguments)
    assert caught.value.code == code
    return caught.value


def make_network(backend: Backend, account: dict[str, str]) -> tuple[str, str]:
    vpc = Vpc(backend.config(account))
    vpc_id = vpc.create_vpc(
        v.CreateVpcRequest(region_id=REGION, vpc_name="prod", cidr_block="192.168.0.0/16")
    ).body.vpc_id
    backend.clock.advance(2)
    made = vpc.create_vswitch(
        v.CreateVSwitchRequest(
            region_id=REGION, vpc_id=vpc_id, zone_id="cn-hangzhou-h", cidr_block="192.168.1.0/24"
        )
    )
    backend.clock.advance(2)
    return vpc_id, made.body.v_switch_id
