"""The official ECS client, unchanged: instances from their order to their release, and
the catalogues that an order is made from."""

from __future__ import annotations

import json
from typing import Any

import pytest
from alibabacloud_ecs20140526 import models as e
from alibabacloud_ecs20140526.client import Client as Ecs

from tests.devcloud.clients.calls import make_network, refused
from tests.devcloud.conftest import IMAGE, REGION, Backend


@pytest.fixture
def ecs(backend: Backend, account: dict[str, str]) -> Ecs:
    return Ecs(backend.config(account))


@pytest.fixture
def order(backend: Backend, account: dict[str, str], ecs: Ecs) -> e.RunInstancesRequest:
    """An order of an instance in a new network and a new security group."""
    vpc_id, vswitch_id = make_network(backend, account)
    group = ecs.create_security_group(
        e.CreateSecurityGroupRequest(region_id=REGION, vpc_id=vpc_id, security_group_name="web")
    ).body.security_group_id
    return e.RunInstancesRequest(
        region_id=REGION,
        image_id=IMAGE,
        instance_type="ecs.g7.large",
        v_switch_id=vswitch_id,
        security_group_id=group,
        instance_name="web-01",
        internet_max_bandwidth_out=5,
        client_token="once",
        system_disk=e.RunInstancesRequestSystemDisk(size="60", category="cloud_essd"),
        data_disk=[
            e.RunInstancesRequestDataDisk(size=100, disk_name="data-1", delete_with_instance=False)
        ],
        tag=[e.RunInstancesRequestTag(key="task", value="t1")],
    )


@pytest.fixture
def running(ecs: Ecs, backend: Backend, order: e.RunInstancesRequest) -> str:
    """Id of an instance that runs."""
    instance_id = run(ecs, order)
    backend.clock.advance(5)
    return instance_id


def run(ecs: Ecs, order: e.RunInstancesRequest) -> str:
    (instance_id,) = ecs.run_instances(order).body.instance_id_sets.instance_id_set
    return str(instance_id)


def describe(ecs: Ecs, instance_id: str) -> list[Any]:
    request = e.DescribeInstancesRequest(region_id=REGION, instance_ids=json.dumps([instance_id]))
    return list(ecs.describe_instances(request).body.instances.instance)


def test_an_order_repeated_with_its_token_runs_no_second_instance(
    ecs: Ecs, order: e.RunInstancesRequest
) -> None:
    instance_id = run(ecs, order)
    assert ecs.run_instances(order).body.instance_id_sets.instance_id_set == [instance_id]


def test_a_pending_instance_is_not_stopped(ecs: Ecs, order: e.RunInstancesRequest) -> None:
    instance_id = run(ecs, order)
    assert describe(ecs, instance_id)[0].status == "Pending"
    refused(
        "IncorrectInstanceStatus", ecs.stop_instance, e.StopInstanceRequest(instance_id=instance_id)
    )


def test_a_running_instance_has_its_type_and_addresses(ecs: Ecs, running: str) -> None:
    (instance,) = describe(ecs, running)
    assert (instance.status, instance.cpu, instance.memory, instance.zone_id) == (
        "Running",
        2,
        8192,
        "cn-hangzhou-h",
    )
    assert instance.vpc_attributes.private_ip_address.ip_address == ["192.168.1.4"]
    assert len(instance.public_ip_address.ip_address) == 1
    interfaces = ecs.describe_network_interfaces(
        e.DescribeNetworkInterfacesRequest(region_id=REGION, instance_id=running)
    )
    assert len(interfaces.body.network_interface_sets.network_interface_set) == 1


def test_an_instance_answers_for_each_of_its_attributes(
    ecs: Ecs, order: e.RunInstancesRequest, running: str
) -> None:
    attribute = ecs.describe_instance_attribute(
        e.DescribeInstanceAttributeRequest(instance_id=running)
    ).body
    assert (attribute.instance_name, attribute.security_group_ids.security_group_id) == (
        "web-01",
        [order.security_group_id],
    )
    assert ecs.describe_user_data(
        e.DescribeUserDataRequest(region_id=REGION, instance_id=running)
    ).body.instance_id
    maintenance = ecs.describe_instance_maintenance_attributes(
        e.DescribeInstanceMaintenanceAttributesRequest(region_id=REGION, instance_id=[running])
    )
    (attributes,) = maintenance.body.maintenance_attributes.maintenance_attribute
    assert attributes.action_on_maintenance.value == "AutoRecover"


def test_a_running_instance_is_renamed(ecs: Ecs, running: str) -> None:
    ecs.modify_instance_attribute(
        e.ModifyInstanceAttributeRequest(instance_id=running, instance_name="web-02")
    )
    assert describe(ecs, running)[0].instance_name == "web-02"


def test_a_running_instance_and_its_group_are_not_deleted(
    ecs: Ecs, order: e.RunInstancesRequest, running: str
) -> None:
    refused(
        "IncorrectInstanceStatus", ecs.delete_instance, e.DeleteInstanceRequest(instance_id=running)
    )
    refused(
        "DependencyViolation",
        ecs.delete_security_group,
        e.DeleteSecurityGroupRequest(region_id=REGION, security_group_id=order.security_group_id),
    )


def test_an_instance_is_rebooted_stopped_and_started(
    ecs: Ecs, backend: Backend, running: str
) -> None:
    ecs.reboot_instance(e.RebootInstanceRequest(instance_id=running))
    backend.clock.advance(2)
    ecs.stop_instance(e.StopInstanceRequest(instance_id=running))
    assert describe(ecs, running)[0].status == "Stopping"
    backend.clock.advance(2)
    ecs.start_instance(e.StartInstanceRequest(instance_id=running))
    backend.clock.advance(2)
    states = ecs.describe_instance_status(
        e.DescribeInstanceStatusRequest(region_id=REGION, instance_id=[running])
    )
    assert [s.status for s in states.body.instance_statuses.instance_status] == ["Running"]


def test_a_deleted_instance_leaves_the_disk_that_was_to_stay(
    ecs: Ecs, backend: Backend, running: str
) -> None:
    ecs.delete_instance(e.DeleteInstanceRequest(instance_id=running, force=True))
    backend.clock.advance(2)
    assert describe(ecs, running) == []
    disks = ecs.describe_disks(e.DescribeDisksRequest(region_id=REGION)).body.disks.disk
    assert [(d.disk_name, d.status, d.instance_id) for d in disks] == [("data-1", "Available", "")]


def test_catalogues(backend: Backend, account: dict[str, str]) -> None:
    ecs = Ecs(backend.config(account))
    regions = ecs.describe_regions(e.DescribeRegionsRequest()).body.regions.region
    assert [g.region_id for g in regions] == ["cn-hangzhou", "cn-shanghai", "ap-southeast-1"]
    zones = ecs.describe_zones(e.DescribeZonesRequest(region_id="ap-southeast-1")).body.zones.zone
    assert [z.zone_id for z in zones] == ["ap-southeast-1a", "ap-southeast-1b", "ap-southeast-1c"]
    images = ecs.describe_images(e.DescribeImagesRequest(region_id=REGION, image_id=IMAGE)).body
    assert (images.total_count, images.images.image[0].image_id) == (1, IMAGE)
    types = ecs.describe_instance_types(
        e.DescribeInstanceTypesRequest(instance_types=["ecs.g7.large"])
    ).body
    assert [t.cpu_core_count for t in types.instance_types.instance_type] == [2]
    refused(
        "InvalidRegionId.NotFound",
        ecs.describe_zones,
        e.DescribeZonesRequest(region_id="cn-nowhere"),
    )
