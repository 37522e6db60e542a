"""The official clients drive a full life of each product's resources, unchanged."""

from __future__ import annotations

import json
from typing import Any

import pytest
from alibabacloud_ecs20140526 import models as e
from alibabacloud_ecs20140526.client import Client as Ecs
from alibabacloud_rds20140815 import models as r
from alibabacloud_rds20140815.client import Client as Rds
from alibabacloud_tea_openapi.exceptions import AlibabaCloudException
from alibabacloud_vpc20160428 import models as v
from alibabacloud_vpc20160428.client import Client as Vpc

from tests.devcloud.conftest import IMAGE, REGION, Backend


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


def test_vpc_life(backend: Backend, account: dict[str, str]) -> None:
    vpc = Vpc(backend.config(account))
    vpc_id = vpc.create_vpc(
        v.CreateVpcRequest(
            region_id=REGION,
            vpc_name="prod",
            cidr_block="10.0.0.0/8",
            tag=[v.CreateVpcRequestTag(key="task", value="t1")],
        )
    ).body.vpc_id
    wanted = v.DescribeVpcAttributeRequest(region_id=REGION, vpc_id=vpc_id)
    assert vpc.describe_vpc_attribute(wanted).body.status == "Pending"
    backend.clock.advance(2)
    shown = vpc.describe_vpc_attribute(wanted).body
    assert (shown.status, shown.cidr_block, shown.vpc_name) == ("Available", "10.0.0.0/8", "prod")
    vpc.modify_vpc_attribute(
        v.ModifyVpcAttributeRequest(
            region_id=REGION, vpc_id=vpc_id, vpc_name="renamed", description="d"
        )
    )
    listed = vpc.describe_vpcs(v.DescribeVpcsRequest(region_id=REGION, vpc_name="renamed")).body
    assert (
        listed.total_count,
        listed.vpcs.vpc[0].vpc_id,
        listed.vpcs.vpc[0].tags.tag[0].value,
    ) == (1, vpc_id, "t1")

    def vswitch(cidr: str, zone: str = "cn-hangzhou-h") -> str:
        request = v.CreateVSwitchRequest(
            region_id=REGION, vpc_id=vpc_id, zone_id=zone, cidr_block=cidr
        )
        made: str = vpc.create_vswitch(request).body.v_switch_id
        return made

    refused("InvalidCidrBlock", vswitch, "192.168.0.0/24")
    refused("InvalidCidrBlock.Malformed", vswitch, "10.0.0.1/24")
    refused("InvalidZoneId.NotFound", vswitch, "10.0.0.0/24", "cn-shanghai-b")
    vswitch_id = vswitch("10.0.0.0/24")
    refused("InvalidCidrBlock.Overlapped", vswitch, "10.0.0.128/25")
    refused(
        "DependencyViolation.VSwitch",
        vpc.delete_vpc,
        v.DeleteVpcRequest(region_id=REGION, vpc_id=vpc_id),
    )
    backend.clock.advance(2)
    shown = vpc.describe_vswitch_attributes(
        v.DescribeVSwitchAttributesRequest(region_id=REGION, v_switch_id=vswitch_id)
    ).body
    assert (shown.v_switch_id, shown.status, shown.available_ip_address_count) == (
        vswitch_id,
        "Available",
        252,
    )
    tags = v.TagResourcesRequest(
        region_id=REGION,
        resource_type="VSWITCH",
        resource_id=[vswitch_id],
        tag=[v.TagResourcesRequestTag(key="a", value="b")],
    )
    vpc.tag_resources(tags)
    listed_tags = vpc.list_tag_resources(
        v.ListTagResourcesRequest(
            region_id=REGION, resource_type="VSWITCH", resource_id=[vswitch_id]
        )
    ).body.tag_resources.tag_resource
    assert [(t.tag_key, t.tag_value) for t in listed_tags] == [("a", "b")]
    vpc.delete_vswitch(v.DeleteVSwitchRequest(region_id=REGION, v_switch_id=vswitch_id))
    gone = vpc.describe_vswitch_attributes(
        v.DescribeVSwitchAttributesRequest(region_id=REGION, v_switch_id=vswitch_id)
    )
    assert (gone.status_code, gone.body.v_switch_id) == (200, "")
    vpc.delete_vpc(v.DeleteVpcRequest(region_id=REGION, vpc_id=vpc_id))
    error = refused("InvalidVpcId.NotFound", vpc.describe_vpc_attribute, wanted)
    assert error.data["RequestId"]
    assert error.data["HostId"] == backend.host
    assert backend.inventory(account) == []


def test_instance_life(backend: Backend, account: dict[str, str]) -> None:
    _, vswitch_id = make_network(backend, account)
    ecs = Ecs(backend.config(account))
    vpc_id = backend.inventory(account)[0]["id"]
    group = ecs.create_security_group(
        e.CreateSecurityGroupRequest(region_id=REGION, vpc_id=vpc_id, security_group_name="web")
    ).body.security_group_id
    request = e.RunInstancesRequest(
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
    (instance_id,) = ecs.run_instances(request).body.instance_id_sets.instance_id_set
    assert ecs.run_instances(request).body.instance_id_sets.instance_id_set == [instance_id]

    def shown() -> Any:
        asked = e.DescribeInstancesRequest(region_id=REGION, instance_ids=json.dumps([instance_id]))
        return ecs.describe_instances(asked).body.instances.instance

    assert shown()[0].status == "Pending"
    refused(
        "IncorrectInstanceStatus", ecs.stop_instance, e.StopInstanceRequest(instance_id=instance_id)
    )
    backend.clock.advance(5)
    instance = shown()[0]
    assert (instance.status, instance.cpu, instance.memory, instance.zone_id) == (
        "Running",
        2,
        8192,
        "cn-hangzhou-h",
    )
    assert instance.vpc_attributes.private_ip_address.ip_address == ["192.168.1.4"]
    assert len(instance.public_ip_address.ip_address) == 1
    attribute = ecs.describe_instance_attribute(
        e.DescribeInstanceAttributeRequest(instance_id=instance_id)
    ).body
    assert (attribute.instance_name, attribute.security_group_ids.security_group_id) == (
        "web-01",
        [group],
    )
    assert ecs.describe_user_data(
        e.DescribeUserDataRequest(region_id=REGION, instance_id=instance_id)
    ).body.instance_id
    maintenance = ecs.describe_instance_maintenance_attributes(
        e.DescribeInstanceMaintenanceAttributesRequest(region_id=REGION, instance_id=[instance_id])
    )
    assert (
        maintenance.body.maintenance_attributes.maintenance_attribute[0].action_on_maintenance.value
        == "AutoRecover"
    )
    faces = ecs.describe_network_interfaces(
        e.DescribeNetworkInterfacesRequest(region_id=REGION, instance_id=instance_id)
    )
    assert len(faces.body.network_interface_sets.network_interface_set) == 1

    ecs.modify_instance_attribute(
        e.ModifyInstanceAttributeRequest(instance_id=instance_id, instance_name="web-02")
    )
    refused(
        "IncorrectInstanceStatus",
        ecs.delete_instance,
        e.DeleteInstanceRequest(instance_id=instance_id),
    )
    refused(
        "DependencyViolation",
        ecs.delete_security_group,
        e.DeleteSecurityGroupRequest(region_id=REGION, security_group_id=group),
    )
    ecs.reboot_instance(e.RebootInstanceRequest(instance_id=instance_id))
    backend.clock.advance(2)
    ecs.stop_instance(e.StopInstanceRequest(instance_id=instance_id))
    assert shown()[0].status == "Stopping"
    backend.clock.advance(2)
    ecs.start_instance(e.StartInstanceRequest(instance_id=instance_id))
    backend.clock.advance(2)
    states = ecs.describe_instance_status(
        e.DescribeInstanceStatusRequest(region_id=REGION, instance_id=[instance_id])
    )
    assert [s.status for s in states.body.instance_statuses.instance_status] == ["Running"]
    ecs.delete_instance(e.DeleteInstanceRequest(instance_id=instance_id, force=True))
    backend.clock.advance(2)
    assert shown() == []
    disks = ecs.describe_disks(e.DescribeDisksRequest(region_id=REGION)).body.disks.disk
    assert [(d.disk_name, d.status, d.instance_id) for d in disks] == [("data-1", "Available", "")]


def test_disks_and_snapshots(backend: Backend, account: dict[str, str]) -> None:
    _, vswitch_id = make_network(backend, account)
    ecs = Ecs(backend.config(account))
    vpc_id = backend.inventory(account)[0]["id"]
    group = ecs.create_security_group(
        e.CreateSecurityGroupRequest(region_id=REGION, vpc_id=vpc_id)
    ).body.security_group_id
    (instance_id,) = ecs.run_instances(
        e.RunInstancesRequest(
            region_id=REGION,
            image_id=IMAGE,
            instance_type="ecs.g7.large",
            v_switch_id=vswitch_id,
            security_group_id=group,
        )
    ).body.instance_id_sets.instance_id_set
    backend.clock.advance(5)
    disk_id = ecs.create_disk(
        e.CreateDiskRequest(
            region_id=REGION,
            zone_id="cn-hangzhou-h",
            size=40,
            disk_name="extra",
            disk_category="cloud_essd",
        )
    ).body.disk_id
    far = ecs.create_disk(
        e.CreateDiskRequest(region_id=REGION, zone_id="cn-hangzhou-i", size=40)
    ).body.disk_id
    refused(
        "IncorrectDiskStatus",
        ecs.attach_disk,
        e.AttachDiskRequest(disk_id=disk_id, instance_id=instance_id),
    )
    backend.clock.advance(2)
    refused(
        "InvalidParameter.ZoneMismatch",
        ecs.attach_disk,
        e.AttachDiskRequest(disk_id=far, instance_id=instance_id),
    )
    ecs.attach_disk(
        e.AttachDiskRequest(disk_id=disk_id, instance_id=instance_id, delete_with_instance=True)
    )
    backend.clock.advance(2)

    def disk() -> Any:
        asked = e.DescribeDisksRequest(region_id=REGION, disk_ids=json.dumps([disk_id]))
        return ecs.describe_disks(asked).body.disks.disk[0]

    assert (disk().status, disk().device, disk().instance_id) == (
        "In_use",
        "/dev/xvdb",
        instance_id,
    )
    refused(
        "InvalidDiskSize.TooSmall",
        ecs.resize_disk,
        e.ResizeDiskRequest(disk_id=disk_id, new_size=40),
    )
    ecs.resize_disk(e.ResizeDiskRequest(disk_id=disk_id, new_size=80))
    ecs.modify_disk_attribute(e.ModifyDiskAttributeRequest(disk_id=disk_id, disk_name="bigger"))
    assert (disk().size, disk().disk_name) == (80, "bigger")
    snapshot_id = ecs.create_snapshot(
        e.CreateSnapshotRequest(disk_id=disk_id, snapshot_name="before-change")
    ).body.snapshot_id
    refused(
        "IncorrectSnapshotStatus",
        ecs.delete_snapshot,
        e.DeleteSnapshotRequest(snapshot_id=snapshot_id),
    )
    backend.clock.advance(3)
    (snapshot,) = ecs.describe_snapshots(
        e.DescribeSnapshotsRequest(region_id=REGION, disk_id=disk_id)
    ).body.snapshots.snapshot
    assert (snapshot.status, snapshot.progress, snapshot.source_disk_size) == (
        "accomplished",
        "100%",
        "80",
    )
    ecs.modify_snapshot_attribute(
        e.ModifySnapshotAttributeRequest(snapshot_id=snapshot_id, description="kept")
    )
    ecs.delete_snapshot(e.DeleteSnapshotRequest(snapshot_id=snapshot_id))
    refused("IncorrectDiskStatus", ecs.delete_disk, e.DeleteDiskRequest(disk_id=disk_id))
    system = next(
        d
        for d in ecs.describe_disks(
            e.DescribeDisksRequest(region_id=REGION, instance_id=instance_id)
        ).body.disks.disk
        if d.type == "system"
    )
    refused(
        "DiskNotPortable",
        ecs.detach_disk,
        e.DetachDiskRequest(disk_id=system.disk_id, instance_id=instance_id),
    )
    ecs.detach_disk(e.DetachDiskRequest(disk_id=disk_id, instance_id=instance_id))
    backend.clock.advance(2)
    ecs.delete_disk(e.DeleteDiskRequest(disk_id=disk_id))
    assert (
        ecs.describe_disks(
            e.DescribeDisksRequest(region_id=REGION, disk_ids=json.dumps([disk_id]))
        ).body.total_count
        == 0
    )


def test_security_group_rules(backend: Backend, account: dict[str, str]) -> None:
    vpc_id, _ = make_network(backend, account)
    ecs = Ecs(backend.config(account))
    group = ecs.create_security_group(
        e.CreateSecurityGroupRequest(region_id=REGION, vpc_id=vpc_id)
    ).body.security_group_id
    ssh = e.AuthorizeSecurityGroupRequest(
        region_id=REGION,
        security_group_id=group,
        ip_protocol="tcp",
        port_range="22/22",
        source_cidr_ip="0.0.0.0/0",
    )
    ecs.authorize_security_group(ssh)
    ecs.authorize_security_group(ssh)
    ecs.authorize_security_group(
        e.AuthorizeSecurityGroupRequest(
            region_id=REGION,
            security_group_id=group,
            permissions=[
                e.AuthorizeSecurityGroupRequestPermissions(
                    ip_protocol="TCP", port_range=f"{p}/{p}", source_cidr_ip="10.0.0.0/8"
                )
                for p in (80, 443)
            ],
        )
    )
    ecs.authorize_security_group_egress(
        e.AuthorizeSecurityGroupEgressRequest(
            region_id=REGION,
            security_group_id=group,
            ip_protocol="all",
            port_range="-1/-1",
            dest_cidr_ip="0.0.0.0/0",
            policy="drop",
        )
    )
    bad = e.AuthorizeSecurityGroupRequest(
        region_id=REGION,
        security_group_id=group,
        ip_protocol="tcp",
        port_range="22",
        source_cidr_ip="0.0.0.0/0",
    )
    refused("InvalidPortRange.Malformed", ecs.authorize_security_group, bad)

    def rules(direction: str) -> list[tuple[str, str]]:
        asked = e.DescribeSecurityGroupAttributeRequest(
            region_id=REGION, security_group_id=group, direction=direction
        )
        found = ecs.describe_security_group_attribute(asked).body.permissions.permission
        return [(p.port_range, p.policy) for p in found]

    assert rules("ingress") == [("22/22", "Accept"), ("80/80", "Accept"), ("443/443", "Accept")]
    assert rules("egress") == [("-1/-1", "Drop")]
    assert len(rules("all")) == 4
    ecs.revoke_security_group(
        e.RevokeSecurityGroupRequest(
            region_id=REGION,
            security_group_id=group,
            ip_protocol="tcp",
            port_range="22/22",
            source_cidr_ip="0.0.0.0/0",
        )
    )
    assert rules("ingress") == [("80/80", "Accept"), ("443/443", "Accept")]
    ecs.delete_security_group(
        e.DeleteSecurityGroupRequest(region_id=REGION, security_group_id=group)
    )
    assert [r["resource_type"] for r in backend.inventory(account)] == ["vpc", "vswitch"]


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


def test_database_life(backend: Backend, account: dict[str, str]) -> None:
    vpc_id, vswitch_id = make_network(backend, account)
    rds = Rds(backend.config(account))
    instance_id = rds.create_dbinstance(
        r.CreateDBInstanceRequest(
            region_id=REGION,
            engine="MySQL",
            engine_version="8.0",
            dbinstance_class="mysql.n2.medium.2c",
            dbinstance_storage=40,
            dbinstance_net_type="Intranet",
            pay_type="Postpaid",
            zone_id="cn-hangzhou-h",
            vpcid=vpc_id,
            v_switch_id=vswitch_id,
            security_iplist="10.0.0.0/8,127.0.0.1",
            dbinstance_description="orders",
        )
    ).body.dbinstance_id
    attribute = r.DescribeDBInstanceAttributeRequest(dbinstance_id=instance_id)

    def shown() -> Any:
        return rds.describe_dbinstance_attribute(attribute).body.items.dbinstance_attribute[0]

    assert shown().dbinstance_status == "Creating"
    backend.clock.advance(4)
    instance = shown()
    assert (instance.dbinstance_status, instance.port, instance.dbinstance_storage) == (
        "Running",
        "3306",
        40,
    )
    assert instance.security_iplist == "10.0.0.0/8,127.0.0.1"
    listed = rds.describe_dbinstances(r.DescribeDBInstancesRequest(region_id=REGION)).body
    assert (listed.total_record_count, listed.page_record_count) == (1, 1)
    rds.modify_security_ips(
        r.ModifySecurityIpsRequest(
            dbinstance_id=instance_id,
            security_ips="10.1.1.1,10.1.1.2",
            dbinstance_iparray_name="office",
        )
    )
    rds.modify_security_ips(
        r.ModifySecurityIpsRequest(
            dbinstance_id=instance_id,
            security_ips="10.1.1.2",
            dbinstance_iparray_name="office",
            modify_mode="Delete",
        )
    )
    bad = r.ModifySecurityIpsRequest(dbinstance_id=instance_id, security_ips="10.1.1.300")
    refused("InvalidSecurityIPList.Format", rds.modify_security_ips, bad)
    arrays = rds.describe_dbinstance_iparray_list(
        r.DescribeDBInstanceIPArrayListRequest(dbinstance_id=instance_id)
    )
    assert {
        a.dbinstance_iparray_name: a.security_iplist for a in arrays.body.items.dbinstance_iparray
    } == {
        "default": "10.0.0.0/8,127.0.0.1",
        "office": "10.1.1.1",
    }
    rds.modify_parameter(
        r.ModifyParameterRequest(dbinstance_id=instance_id, parameters='{"wait_timeout": "600"}')
    )
    wrong = r.ModifyParameterRequest(dbinstance_id=instance_id, parameters='{"wait_timeout": "0"}')
    refused("InvalidParameterValue", rds.modify_parameter, wrong)
    parameters = rds.describe_parameters(
        r.DescribeParametersRequest(dbinstance_id=instance_id)
    ).body
    by_name = {
        p.parameter_name: p.parameter_value
        for p in parameters.running_parameters.dbinstance_parameter
    }
    assert by_name["wait_timeout"] == "600"
    rds.modify_parameter(
        r.ModifyParameterRequest(
            dbinstance_id=instance_id, parameters='{"lower_case_table_names": "0"}'
        )
    )
    assert shown().dbinstance_status == "Restarting"
    backend.clock.advance(3)
    renewal = r.ModifyInstanceAutoRenewalAttributeRequest(
        region_id=REGION, dbinstance_id=instance_id, auto_renew="True", duration="3"
    )
    refused(
        "InvalidDBInstanceChargeType.NotSupport",
        rds.modify_instance_auto_renewal_attribute,
        renewal,
    )
    rds.modify_dbinstance_description(
        r.ModifyDBInstanceDescriptionRequest(
            dbinstance_id=instance_id, dbinstance_description="orders-2"
        )
    )
    net = rds.describe_dbinstance_net_info(
        r.DescribeDBInstanceNetInfoRequest(dbinstance_id=instance_id)
    ).body
    assert net.dbinstance_net_infos.dbinstance_net_info[0].connection_string.startswith(instance_id)
    rds.restart_dbinstance(r.RestartDBInstanceRequest(dbinstance_id=instance_id))
    refused(
        "OperationDenied.DBInstanceStatus",
        rds.delete_dbinstance,
        r.DeleteDBInstanceRequest(dbinstance_id=instance_id),
    )
    backend.clock.advance(3)
    rds.delete_dbinstance(r.DeleteDBInstanceRequest(dbinstance_id=instance_id))
    backend.clock.advance(2)
    refused("InvalidDBInstanceId.NotFound", rds.describe_dbinstance_attribute, attribute)
    assert [x["resource_type"] for x in backend.inventory(account)] == ["vpc", "vswitch"]


def test_subscription_renews_and_cannot_be_released(
    backend: Backend, account: dict[str, str]
) -> None:
    vpc_id, vswitch_id = make_network(backend, account)
    rds = Rds(backend.config(account))
    instance_id = rds.create_dbinstance(
        r.CreateDBInstanceRequest(
            region_id=REGION,
            engine="PostgreSQL",
            engine_version="16.0",
            dbinstance_class="pg.n2.medium.2c",
            dbinstance_storage=20,
            pay_type="Prepaid",
            period="Month",
            used_time="3",
            vpcid=vpc_id,
            v_switch_id=vswitch_id,
            security_iplist="10.0.0.0/8",
        )
    ).body.dbinstance_id
    backend.clock.advance(4)
    rds.modify_instance_auto_renewal_attribute(
        r.ModifyInstanceAutoRenewalAttributeRequest(
            region_id=REGION, dbinstance_id=instance_id, auto_renew="True", duration="3"
        )
    )
    (item,) = rds.describe_instance_auto_renewal_attribute(
        r.DescribeInstanceAutoRenewalAttributeRequest(region_id=REGION, dbinstance_id=instance_id)
    ).body.items.item
    assert (item.auto_renew, item.duration) == ("true", 3)
    refused(
        "OperationDenied.PayType",
        rds.delete_dbinstance,
        r.DeleteDBInstanceRequest(dbinstance_id=instance_id),
    )
