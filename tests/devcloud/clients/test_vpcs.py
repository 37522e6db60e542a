"""The official VPC client, unchanged: VPCs, vSwitches and their tags."""

from __future__ import annotations

import pytest
from alibabacloud_vpc20160428 import models as v
from alibabacloud_vpc20160428.client import Client as Vpc

from tests.devcloud.clients.calls import refused
from tests.devcloud.conftest import REGION, Backend


@pytest.fixture
def vpc(backend: Backend, account: dict[str, str]) -> Vpc:
    return Vpc(backend.config(account))


@pytest.fixture
def vpc_id(vpc: Vpc) -> str:
    request = v.CreateVpcRequest(
        region_id=REGION,
        vpc_name="prod",
        cidr_block="10.0.0.0/8",
        tag=[v.CreateVpcRequestTag(key="task", value="t1")],
    )
    return str(vpc.create_vpc(request).body.vpc_id)


@pytest.fixture
def available_vpc(backend: Backend, vpc_id: str) -> str:
    backend.clock.advance(2)
    return vpc_id


def attribute(vpc_id: str) -> v.DescribeVpcAttributeRequest:
    return v.DescribeVpcAttributeRequest(region_id=REGION, vpc_id=vpc_id)


def make_vswitch(vpc: Vpc, vpc_id: str, cidr: str, zone: str = "cn-hangzhou-h") -> str:
    request = v.CreateVSwitchRequest(region_id=REGION, vpc_id=vpc_id, zone_id=zone, cidr_block=cidr)
    return str(vpc.create_vswitch(request).body.v_switch_id)


def test_a_vpc_becomes_available(vpc: Vpc, backend: Backend, vpc_id: str) -> None:
    assert vpc.describe_vpc_attribute(attribute(vpc_id)).body.status == "Pending"
    backend.clock.advance(2)
    row = vpc.describe_vpc_attribute(attribute(vpc_id)).body
    assert (row.status, row.cidr_block, row.vpc_name) == ("Available", "10.0.0.0/8", "prod")


def test_a_renamed_vpc_is_listed_with_its_tags(vpc: Vpc, available_vpc: str) -> None:
    vpc.modify_vpc_attribute(
        v.ModifyVpcAttributeRequest(
            region_id=REGION, vpc_id=available_vpc, vpc_name="renamed", description="d"
        )
    )
    answer = vpc.describe_vpcs(v.DescribeVpcsRequest(region_id=REGION, vpc_name="renamed")).body
    assert (
        answer.total_count,
        answer.vpcs.vpc[0].vpc_id,
        answer.vpcs.vpc[0].tags.tag[0].value,
    ) == (1, available_vpc, "t1")


def test_a_vswitch_lies_in_its_vpc_and_in_a_zone(vpc: Vpc, available_vpc: str) -> None:
    refused("InvalidCidrBlock", make_vswitch, vpc, available_vpc, "192.168.0.0/24")
    refused("InvalidCidrBlock.Malformed", make_vswitch, vpc, available_vpc, "10.0.0.1/24")
    refused(
        "InvalidZoneId.NotFound", make_vswitch, vpc, available_vpc, "10.0.0.0/24", "cn-shanghai-b"
    )


def test_vswitches_do_not_overlap(vpc: Vpc, available_vpc: str) -> None:
    make_vswitch(vpc, available_vpc, "10.0.0.0/24")
    refused("InvalidCidrBlock.Overlapped", make_vswitch, vpc, available_vpc, "10.0.0.128/25")


def test_a_vswitch_counts_its_free_addresses(
    vpc: Vpc, backend: Backend, available_vpc: str
) -> None:
    vswitch_id = make_vswitch(vpc, available_vpc, "10.0.0.0/24")
    backend.clock.advance(2)
    row = vpc.describe_vswitch_attributes(
        v.DescribeVSwitchAttributesRequest(region_id=REGION, v_switch_id=vswitch_id)
    ).body
    assert (row.v_switch_id, row.status, row.available_ip_address_count) == (
        vswitch_id,
        "Available",
        252,
    )


def test_a_vswitch_is_tagged(vpc: Vpc, backend: Backend, available_vpc: str) -> None:
    vswitch_id = make_vswitch(vpc, available_vpc, "10.0.0.0/24")
    backend.clock.advance(2)
    vpc.tag_resources(
        v.TagResourcesRequest(
            region_id=REGION,
            resource_type="VSWITCH",
            resource_id=[vswitch_id],
            tag=[v.TagResourcesRequestTag(key="a", value="b")],
        )
    )
    tags = vpc.list_tag_resources(
        v.ListTagResourcesRequest(
            region_id=REGION, resource_type="VSWITCH", resource_id=[vswitch_id]
        )
    ).body.tag_resources.tag_resource
    assert [(tag.tag_key, tag.tag_value) for tag in tags] == [("a", "b")]


def test_a_vpc_is_deleted_after_its_vswitches(
    vpc: Vpc, backend: Backend, account: dict[str, str], available_vpc: str
) -> None:
    vswitch_id = make_vswitch(vpc, available_vpc, "10.0.0.0/24")
    delete = v.DeleteVpcRequest(region_id=REGION, vpc_id=available_vpc)
    refused("DependencyViolation.VSwitch", vpc.delete_vpc, delete)
    backend.clock.advance(2)
    vpc.delete_vswitch(v.DeleteVSwitchRequest(region_id=REGION, v_switch_id=vswitch_id))
    absent = vpc.describe_vswitch_attributes(
        v.DescribeVSwitchAttributesRequest(region_id=REGION, v_switch_id=vswitch_id)
    )
    assert (absent.status_code, absent.body.v_switch_id) == (200, "")
    vpc.delete_vpc(delete)
    error = refused("InvalidVpcId.NotFound", vpc.describe_vpc_attribute, attribute(available_vpc))
    assert error.data["RequestId"]
    assert error.data["HostId"] == backend.host
    assert backend.inventory(account) == []
