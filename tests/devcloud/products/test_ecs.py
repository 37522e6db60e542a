"""Elastic Compute Service beyond instances and disks: images, templates, policies, key
pairs, types, renewal, rollback."""

from __future__ import annotations

import json
from typing import Any

import pytest
from alibabacloud_ecs20140526 import models as e
from alibabacloud_ecs20140526.client import Client as Ecs

from tests.devcloud.clients.calls import make_network, refused
from tests.devcloud.conftest import IMAGE, REGION, Backend, HttpFailure
from tests.devcloud.console_api import make, path

TYPE = "ecs.g7.large"


@pytest.fixture
def ecs(backend: Backend, account: dict[str, str]) -> Ecs:
    return Ecs(backend.config(account))


def run_instance(backend: Backend, account: dict[str, str], **more: Any) -> str:
    ecs = Ecs(backend.config(account))
    vpc_id, vswitch_id = make_network(backend, account)
    group = ecs.create_security_group(
        e.CreateSecurityGroupRequest(region_id=REGION, vpc_id=vpc_id)
    ).body.security_group_id
    request = e.RunInstancesRequest(
        region_id=REGION,
        image_id=IMAGE,
        instance_type=TYPE,
        v_switch_id=vswitch_id,
        security_group_id=group,
        **more,
    )
    (instance_id,) = ecs.run_instances(request).body.instance_id_sets.instance_id_set
    backend.clock.advance(5)
    return str(instance_id)


def shown(ecs: Ecs, instance_id: str) -> Any:
    asked = e.DescribeInstancesRequest(region_id=REGION, instance_ids=json.dumps([instance_id]))
    return ecs.describe_instances(asked).body.instances.instance[0]


def stop(backend: Backend, ecs: Ecs, instance_id: str) -> None:
    ecs.stop_instance(e.StopInstanceRequest(instance_id=instance_id))
    backend.clock.advance(2)


def test_a_custom_image_is_made_listed_used_and_deleted(
    backend: Backend, account: dict[str, str], ecs: Ecs
) -> None:
    instance_id = run_instance(backend, account)
    request = e.CreateImageRequest(
        region_id=REGION, instance_id=instance_id, image_name="base-1", description="kept"
    )
    image_id = ecs.create_image(request).body.image_id
    refused("InvalidImageName.Duplicated", ecs.create_image, request)
    refused(
        "IncorrectImageStatus",
        ecs.delete_image,
        e.DeleteImageRequest(region_id=REGION, image_id=image_id),
    )
    backend.clock.advance(4)
    own = ecs.describe_images(
        e.DescribeImagesRequest(region_id=REGION, image_owner_alias="self")
    ).body
    assert [(i.image_id, i.status, i.osname, i.size) for i in own.images.image] == [
        (image_id, "Available", "Alibaba Cloud Linux 3.2104 LTS 64-bit", 40)
    ]
    everything = ecs.describe_images(e.DescribeImagesRequest(region_id=REGION)).body
    assert everything.total_count == 7
    assert {i.image_owner_alias for i in everything.images.image} == {"self", "system"}
    ecs.modify_image_attribute(
        e.ModifyImageAttributeRequest(region_id=REGION, image_id=image_id, image_name="base-2")
    )
    other = shown(ecs, instance_id)
    made = ecs.run_instances(
        e.RunInstancesRequest(
            region_id=REGION,
            image_id=image_id,
            instance_type=TYPE,
            v_switch_id=other.vpc_attributes.v_switch_id,
            security_group_id=other.security_group_ids.security_group_id[0],
        )
    ).body.instance_id_sets.instance_id_set
    assert shown(ecs, made[0]).image_id == image_id
    ecs.delete_image(e.DeleteImageRequest(region_id=REGION, image_id=image_id))
    refused(
        "InvalidImageId.NotFound",
        ecs.delete_image,
        e.DeleteImageRequest(region_id=REGION, image_id=image_id),
    )


def test_a_key_pair_is_bound_to_one_instance_and_blocks_its_deletion(
    backend: Backend, account: dict[str, str], ecs: Ecs
) -> None:
    instance_id = run_instance(backend, account)
    made = ecs.create_key_pair(
        e.CreateKeyPairRequest(region_id=REGION, key_pair_name="ops-key")
    ).body
    assert made.key_pair_id.startswith("ssh-")
    refused(
        "KeyPair.AlreadyExist",
        ecs.create_key_pair,
        e.CreateKeyPairRequest(region_id=REGION, key_pair_name="ops-key"),
    )
    bad = e.ImportKeyPairRequest(region_id=REGION, key_pair_name="mine", public_key_body="nonsense")
    refused("InvalidPublicKeyBody.Malformed", ecs.import_key_pair, bad)
    ecs.import_key_pair(
        e.ImportKeyPairRequest(
            region_id=REGION,
            key_pair_name="mine",
            public_key_body="ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAB",
        )
    )
    bind = e.AttachKeyPairRequest(
        region_id=REGION, instance_ids=json.dumps([instance_id]), key_pair_name="ops-key"
    )
    assert ecs.attach_key_pair(bind).body.fail_count == "0"
    assert shown(ecs, instance_id).key_pair_name == "ops-key"
    refused("KeyPairAlreadyBound", ecs.attach_key_pair, bind)
    delete = e.DeleteKeyPairsRequest(region_id=REGION, key_pair_names='["ops-key"]')
    refused("InvalidParameter.KeypairAlreadyAttachedInstance", ecs.delete_key_pairs, delete)
    ecs.detach_key_pair(
        e.DetachKeyPairRequest(
            region_id=REGION, instance_ids=json.dumps([instance_id]), key_pair_name="ops-key"
        )
    )
    ecs.delete_key_pairs(delete)
    listed = ecs.describe_key_pairs(
        e.DescribeKeyPairsRequest(region_id=REGION)
    ).body.key_pairs.key_pair
    assert [k.key_pair_name for k in listed] == ["mine"]


def test_an_automatic_snapshot_policy_applies_to_disks_until_it_is_deleted(
    backend: Backend, account: dict[str, str], ecs: Ecs
) -> None:
    disk_id = ecs.create_disk(
        e.CreateDiskRequest(region_id=REGION, zone_id="cn-hangzhou-h", size=40)
    ).body.disk_id
    backend.clock.advance(2)
    request = e.CreateAutoSnapshotPolicyRequest(
        region_id=REGION,
        auto_snapshot_policy_name="nightly",
        time_points='["2","14"]',
        repeat_weekdays='["1","5"]',
        retention_days=30,
    )
    policy_id = ecs.create_auto_snapshot_policy(request).body.auto_snapshot_policy_id
    wrong = e.CreateAutoSnapshotPolicyRequest(
        region_id=REGION, time_points='["25"]', repeat_weekdays='["1"]', retention_days=1
    )
    refused("InvalidTimePoints.Malformed", ecs.create_auto_snapshot_policy, wrong)
    apply = e.ApplyAutoSnapshotPolicyRequest(
        region_id=REGION, auto_snapshot_policy_id=policy_id, disk_ids=json.dumps([disk_id])
    )
    ecs.apply_auto_snapshot_policy(apply)

    def policy() -> Any:
        asked = e.DescribeAutoSnapshotPolicyExRequest(
            region_id=REGION, auto_snapshot_policy_id=policy_id
        )
        return ecs.describe_auto_snapshot_policy_ex(
            asked
        ).body.auto_snapshot_policies.auto_snapshot_policy[0]

    assert (policy().disk_nums, policy().time_points, policy().repeat_weekdays) == (
        1,
        '["2", "14"]',
        '["1", "5"]',
    )
    asked = e.DescribeDisksRequest(region_id=REGION, auto_snapshot_policy_id=policy_id)
    assert [d.disk_id for d in ecs.describe_disks(asked).body.disks.disk] == [disk_id]
    ecs.modify_auto_snapshot_policy_ex(
        e.ModifyAutoSnapshotPolicyExRequest(
            region_id=REGION, auto_snapshot_policy_id=policy_id, retention_days=-1
        )
    )
    assert policy().retention_days == -1
    ecs.cancel_auto_snapshot_policy(
        e.CancelAutoSnapshotPolicyRequest(region_id=REGION, disk_ids=json.dumps([disk_id]))
    )
    assert policy().disk_nums == 0
    ecs.apply_auto_snapshot_policy(apply)
    ecs.delete_auto_snapshot_policy(
        e.DeleteAutoSnapshotPolicyRequest(region_id=REGION, auto_snapshot_policy_id=policy_id)
    )
    assert (
        ecs.describe_disks(e.DescribeDisksRequest(region_id=REGION))
        .body.disks.disk[0]
        .auto_snapshot_policy_id
        == ""
    )


def test_a_launch_template_has_versions_and_a_default(
    backend: Backend, account: dict[str, str], ecs: Ecs
) -> None:
    request = e.CreateLaunchTemplateRequest(
        region_id=REGION,
        launch_template_name="web",
        image_id=IMAGE,
        instance_type=TYPE,
        zone_id="cn-hangzhou-h",
    )
    template_id = ecs.create_launch_template(request).body.launch_template_id
    refused("InvalidLaunchTemplateName.Duplicate", ecs.create_launch_template, request)
    version = e.CreateLaunchTemplateVersionRequest(
        region_id=REGION, launch_template_id=template_id, image_id=IMAGE
    )
    assert ecs.create_launch_template_version(version).body.launch_template_version_number == 2

    def default(number: int) -> e.ModifyLaunchTemplateDefaultVersionRequest:
        return e.ModifyLaunchTemplateDefaultVersionRequest(
            region_id=REGION, launch_template_id=template_id, default_version_number=number
        )

    refused(
        "InvalidLaunchTemplateVersion.NotFound",
        ecs.modify_launch_template_default_version,
        default(3),
    )
    ecs.modify_launch_template_default_version(default(2))
    found = ecs.describe_launch_templates(
        e.DescribeLaunchTemplatesRequest(region_id=REGION, launch_template_id=[template_id])
    )
    (row,) = found.body.launch_template_sets.launch_template_set
    assert (row.default_version_number, row.latest_version_number) == (2, 2)
    versions = ecs.describe_launch_template_versions(
        e.DescribeLaunchTemplateVersionsRequest(region_id=REGION, launch_template_id=template_id)
    ).body.launch_template_version_sets.launch_template_version_set
    assert [(v.version_number, v.default_version) for v in versions] == [(1, False), (2, True)]
    assert versions[0].launch_template_data.instance_type == TYPE
    ecs.delete_launch_template(
        e.DeleteLaunchTemplateRequest(region_id=REGION, launch_template_id=template_id)
    )
    left = backend.admin("GET", f"/accounts/{account['account_id']}/inventory?all=1")["resources"]
    assert [r for r in left if r["product"] == "ecs"] == []


def test_only_a_stopped_instance_changes_its_type(
    backend: Backend, account: dict[str, str], ecs: Ecs
) -> None:
    instance_id = run_instance(backend, account)

    def change(wanted: str) -> e.ModifyInstanceSpecRequest:
        return e.ModifyInstanceSpecRequest(instance_id=instance_id, instance_type=wanted)

    refused("IncorrectInstanceStatus", ecs.modify_instance_spec, change("ecs.g7.xlarge"))
    stop(backend, ecs, instance_id)
    refused("InvalidInstanceType.NoChange", ecs.modify_instance_spec, change(TYPE))
    refused(
        "InvalidInstanceType.ValueNotSupported", ecs.modify_instance_spec, change("ecs.r7.large")
    )
    ecs.modify_instance_spec(change("ecs.g7.xlarge"))
    assert (shown(ecs, instance_id).instance_type, shown(ecs, instance_id).cpu) == (
        "ecs.g7.xlarge",
        4,
    )


def test_a_subscription_is_renewed_and_released_only_as_pay_as_you_go(
    backend: Backend, account: dict[str, str], ecs: Ecs
) -> None:
    instance_id = run_instance(backend, account, instance_charge_type="PrePaid", period=1)
    before = shown(ecs, instance_id).expired_time
    ecs.renew_instance(e.RenewInstanceRequest(instance_id=instance_id, period=3))
    assert shown(ecs, instance_id).expired_time > before
    ecs.modify_instance_auto_renew_attribute(
        e.ModifyInstanceAutoRenewAttributeRequest(
            region_id=REGION, instance_id=instance_id, auto_renew=True, duration=1
        )
    )
    stop(backend, ecs, instance_id)
    refused(
        "ChargeTypeViolation",
        ecs.delete_instance,
        e.DeleteInstanceRequest(instance_id=instance_id, force=True),
    )
    ecs.modify_instance_charge_type(
        e.ModifyInstanceChargeTypeRequest(
            region_id=REGION,
            instance_ids=json.dumps([instance_id]),
            instance_charge_type="PostPaid",
        )
    )
    refused(
        "ChargeTypeViolation",
        ecs.renew_instance,
        e.RenewInstanceRequest(instance_id=instance_id, period=1),
    )
    past = e.ModifyInstanceAutoReleaseTimeRequest(
        region_id=REGION, instance_id=instance_id, auto_release_time="2020-01-01T00:00:00Z"
    )
    refused("InvalidAutoReleaseTime.Malformed", ecs.modify_instance_auto_release_time, past)
    past.auto_release_time = "2099-01-31T00:00:00Z"
    ecs.modify_instance_auto_release_time(past)
    ecs.delete_instance(e.DeleteInstanceRequest(instance_id=instance_id))


def test_a_disk_is_rolled_back_while_its_instance_is_stopped(
    backend: Backend, account: dict[str, str], ecs: Ecs
) -> None:
    instance_id = run_instance(backend, account)
    disk_id = (
        ecs.describe_disks(e.DescribeDisksRequest(region_id=REGION, instance_id=instance_id))
        .body.disks.disk[0]
        .disk_id
    )
    snapshot_id = ecs.create_snapshot(
        e.CreateSnapshotRequest(disk_id=disk_id, snapshot_name="good")
    ).body.snapshot_id
    backend.clock.advance(3)
    reset = e.ResetDiskRequest(disk_id=disk_id, snapshot_id=snapshot_id)
    refused("IncorrectInstanceStatus", ecs.reset_disk, reset)
    stop(backend, ecs, instance_id)
    refused(
        "InvalidSnapshotId.NotMatchDisk",
        ecs.reset_disk,
        e.ResetDiskRequest(disk_id="d-other", snapshot_id=snapshot_id),
    )
    ecs.reset_disk(reset)


def test_the_console_makes_a_policy_and_a_template_and_binds_a_key(
    backend: Backend, account: dict[str, str], ecs: Ecs
) -> None:
    browser = backend.browser(account)
    policy = make(
        browser,
        "ecs.auto_snapshot_policy",
        name="weekly",
        time_points=["2"],
        weekdays=["7"],
        retention_days=14,
    )
    shown_policy = browser.get(path("ecs.auto_snapshot_policy", policy))
    assert (shown_policy["time_points"], shown_policy["disks"]) == (["2"], 0)
    with pytest.raises(HttpFailure) as caught:
        make(
            browser,
            "ecs.auto_snapshot_policy",
            name="none",
            time_points=[],
            weekdays=["7"],
            retention_days=14,
        )
    assert caught.value.body["field"] == "time_points"
    script = "#!/bin/sh\necho hello\n"
    template = make(browser, "ecs.launch_template", name="jobs", image=IMAGE, user_data=script)
    versions = browser.get(path("ecs.launch_template_version", **{"where.template_id": template}))[
        "rows"
    ]
    assert [(v["number"], v["is_default"], v["user_data"]) for v in versions] == [
        (1, True, "IyEvYmluL3NoCmVjaG8gaGVsbG8K")
    ]
    instance_id = run_instance(backend, account)
    make(browser, "ecs.key_pair", name="console-key")
    browser.post(path("ecs.instance", instance_id, "bind_key_pair"), {"key_pair": "console-key"})
    assert shown(ecs, instance_id).key_pair_name == "console-key"
    release = {"auto_release": "2099-01-31 08:00:00"}
    browser.post(path("ecs.instance", instance_id, "auto_release"), release)
    assert shown(ecs, instance_id).auto_release_time == "2099-01-31T08:00:00Z"
