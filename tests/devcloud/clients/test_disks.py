"""The official ECS client, unchanged: disks and snapshots."""

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
def instance_id(backend: Backend, account: dict[str, str], ecs: Ecs) -> str:
    """Id of an instance that runs in zone h."""
    vpc_id, vswitch_id = make_network(backend, account)
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
    return str(instance_id)


@pytest.fixture
def attached(ecs: Ecs, backend: Backend, instance_id: str) -> str:
    """Id of a disk that is attached to the instance."""
    disk_id = make_disk(ecs)
    backend.clock.advance(2)
    ecs.attach_disk(attachment(disk_id, instance_id))
    backend.clock.advance(2)
    return disk_id


def make_disk(ecs: Ecs) -> str:
    request = e.CreateDiskRequest(
        region_id=REGION,
        zone_id="cn-hangzhou-h",
        size=40,
        disk_name="extra",
        disk_category="cloud_essd",
    )
    return str(ecs.create_disk(request).body.disk_id)


def attachment(disk_id: str, instance_id: str) -> e.AttachDiskRequest:
    return e.AttachDiskRequest(disk_id=disk_id, instance_id=instance_id, delete_with_instance=True)


def describe(ecs: Ecs, disk_id: str) -> list[Any]:
    request = e.DescribeDisksRequest(region_id=REGION, disk_ids=json.dumps([disk_id]))
    return list(ecs.describe_disks(request).body.disks.disk)


def test_a_disk_is_attached_to_an_instance(ecs: Ecs, backend: Backend, instance_id: str) -> None:
    disk_id = make_disk(ecs)
    refused("IncorrectDiskStatus", ecs.attach_disk, attachment(disk_id, instance_id))
    backend.clock.advance(2)
    ecs.attach_disk(attachment(disk_id, instance_id))
    backend.clock.advance(2)
    (disk,) = describe(ecs, disk_id)
    assert (disk.status, disk.device, disk.instance_id) == ("In_use", "/dev/xvdb", instance_id)


def test_a_disk_of_another_zone_is_not_attached(
    ecs: Ecs, backend: Backend, instance_id: str
) -> None:
    far = ecs.create_disk(
        e.CreateDiskRequest(region_id=REGION, zone_id="cn-hangzhou-i", size=40)
    ).body.disk_id
    backend.clock.advance(2)
    refused(
        "InvalidParameter.ZoneMismatch",
        ecs.attach_disk,
        e.AttachDiskRequest(disk_id=far, instance_id=instance_id),
    )


def test_an_attached_disk_grows_and_is_renamed(ecs: Ecs, attached: str) -> None:
    refused(
        "InvalidDiskSize.TooSmall",
        ecs.resize_disk,
        e.ResizeDiskRequest(disk_id=attached, new_size=40),
    )
    ecs.resize_disk(e.ResizeDiskRequest(disk_id=attached, new_size=80))
    ecs.modify_disk_attribute(e.ModifyDiskAttributeRequest(disk_id=attached, disk_name="bigger"))
    (disk,) = describe(ecs, attached)
    assert (disk.size, disk.disk_name) == (80, "bigger")


def test_a_snapshot_of_a_disk_is_made_and_deleted(
    ecs: Ecs, backend: Backend, attached: str
) -> None:
    ecs.resize_disk(e.ResizeDiskRequest(disk_id=attached, new_size=80))
    snapshot_id = ecs.create_snapshot(
        e.CreateSnapshotRequest(disk_id=attached, snapshot_name="before-change")
    ).body.snapshot_id
    delete = e.DeleteSnapshotRequest(snapshot_id=snapshot_id)
    refused("IncorrectSnapshotStatus", ecs.delete_snapshot, delete)
    backend.clock.advance(3)
    (snapshot,) = ecs.describe_snapshots(
        e.DescribeSnapshotsRequest(region_id=REGION, disk_id=attached)
    ).body.snapshots.snapshot
    assert (snapshot.status, snapshot.progress, snapshot.source_disk_size) == (
        "accomplished",
        "100%",
        "80",
    )
    ecs.modify_snapshot_attribute(
        e.ModifySnapshotAttributeRequest(snapshot_id=snapshot_id, description="kept")
    )
    ecs.delete_snapshot(delete)


def test_a_system_disk_is_not_detached(ecs: Ecs, instance_id: str, attached: str) -> None:
    disks = ecs.describe_disks(
        e.DescribeDisksRequest(region_id=REGION, instance_id=instance_id)
    ).body.disks.disk
    system = next(disk for disk in disks if disk.type == "system")
    refused(
        "DiskNotPortable",
        ecs.detach_disk,
        e.DetachDiskRequest(disk_id=system.disk_id, instance_id=instance_id),
    )


def test_a_disk_is_deleted_once_it_is_detached(
    ecs: Ecs, backend: Backend, instance_id: str, attached: str
) -> None:
    refused("IncorrectDiskStatus", ecs.delete_disk, e.DeleteDiskRequest(disk_id=attached))
    ecs.detach_disk(e.DetachDiskRequest(disk_id=attached, instance_id=instance_id))
    backend.clock.advance(2)
    ecs.delete_disk(e.DeleteDiskRequest(disk_id=attached))
    request = e.DescribeDisksRequest(region_id=REGION, disk_ids=json.dumps([attached]))
    assert ecs.describe_disks(request).body.total_count == 0
