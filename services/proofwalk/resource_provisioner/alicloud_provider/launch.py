"""What instances are made from and kept by: custom images, launch templates, key pairs,
automatic snapshot policies."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from proofwalk.resource_provisioner.alicloud_provider.openapi import ApiError, CloudApi
from proofwalk.resource_provisioner.alicloud_provider.resource import (
    Resource,
    State,
    given,
    tag_params,
    tags_of,
    update_tags,
)


class Image(Resource):
    """`alicloud_image`, made from an instance or a snapshot."""

    type_name = "alicloud_image"
    replaced_by = frozenset(
        {"instance_id", "snapshot_id", "architecture", "platform", "disk_device_mapping"}
    )
    aliases = {"name": "image_name"}  # noqa: RUF012 -- declared ClassVar by the base

    def create(self, cloud: CloudApi, planned: State) -> str:
        answer = cloud.write(
            "ecs",
            "CreateImage",
            InstanceId=given(planned, "instance_id"),
            SnapshotId=given(planned, "snapshot_id"),
            ImageName=given(planned, "image_name"),
            ImageFamily=given(planned, "image_family"),
            Description=given(planned, "description"),
            Tag=tag_params(planned.get("tags")),
        )
        return str(answer["ImageId"])

    def settle(self, cloud: CloudApi, state: State) -> None:
        look = lambda: self._look(cloud, state["id"])  # noqa: E731
        cloud.wait(
            state["id"],
            look,
            lambda row: row.get("Status") == "Available",
            timeout_s=self.timeout(state, "create", 600),
        )

    def _look(self, cloud: CloudApi, id_: str) -> dict[str, Any] | None:
        answer = cloud.read(
            "ecs",
            "DescribeImages",
            ImageId=id_,
            ImageOwnerAlias="self",
            Status="Creating,Waiting,Available,UnAvailable",
        )
        rows = (answer.get("Images") or {}).get("Image") or []
        return rows[0] if rows else None

    def read(self, cloud: CloudApi, state: State) -> State | None:
        row = self._look(cloud, state["id"])
        if row is None:
            return None
        return self.merged(
            state,
            {
                "image_name": row.get("ImageName"),
                "image_family": row.get("ImageFamily") or None,
                "description": row.get("Description") or None,
                "status": row.get("Status"),
                "platform": row.get("Platform"),
                "create_time": row.get("CreationTime"),
                "resource_group_id": row.get("ResourceGroupId"),
                "tags": tags_of(row),
            },
        )

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        if changed & {"image_name", "name", "description", "image_family"}:
            cloud.write(
                "ecs",
                "ModifyImageAttribute",
                ImageId=prior["id"],
                ImageName=given(planned, "image_name"),
                ImageFamily=given(planned, "image_family"),
                Description=given(planned, "description"),
            )
        if "tags" in changed:
            update_tags(cloud, "ecs", "image", prior["id"], prior, planned)

    def delete(self, cloud: CloudApi, state: State) -> None:
        cloud.remove("ecs", "DeleteImage", ImageId=state["id"], Force=given(state, "force"))
        cloud.until_gone(
            state["id"],
            lambda: self._look(cloud, state["id"]),
            timeout_s=self.timeout(state, "delete", 300),
        )


_CONTENT: Mapping[str, str] = {
    "image_id": "ImageId",
    "instance_type": "InstanceType",
    "instance_charge_type": "InstanceChargeType",
    "instance_name": "InstanceName",
    "host_name": "HostName",
    "internet_max_bandwidth_out": "InternetMaxBandwidthOut",
    "key_pair_name": "KeyPairName",
    "security_group_id": "SecurityGroupId",
    "user_data": "UserData",
    "version_description": "VersionDescription",
    "vpc_id": "VpcId",
    "vswitch_id": "VSwitchId",
    "zone_id": "ZoneId",
}
"""Attribute -> parameter of what a version of a template says."""
_DISK: Mapping[str, str] = {
    "system_disk_category": "SystemDisk.Category",
    "system_disk_size": "SystemDisk.Size",
}
_VERSIONED = frozenset({*_CONTENT, *_DISK, "system_disk", "userdata"})


class LaunchTemplate(Resource):
    """`alicloud_ecs_launch_template`; a change of its content is one more version of
    it."""

    type_name = "alicloud_ecs_launch_template"
    replaced_by = frozenset({"launch_template_name", "name"})
    aliases = {"name": "launch_template_name", "userdata": "user_data"}  # noqa: RUF012
    follows = {  # noqa: RUF012
        "latest_version_number": _VERSIONED,
        "default_version_number": _VERSIONED | {"update_default_version_number"},
    }

    def create(self, cloud: CloudApi, planned: State) -> str:
        answer = cloud.write(
            "ecs",
            "CreateLaunchTemplate",
            LaunchTemplateName=given(planned, "launch_template_name"),
            TemplateTag=tag_params(planned.get("template_tags")),
            **self._content(planned),
        )
        return str(answer["LaunchTemplateId"])

    def _content(self, planned: State) -> dict[str, Any]:
        disk: dict[str, Any] = next(iter(planned.get("system_disk") or []), {})
        sent = {param: given(planned, name) for name, param in _CONTENT.items()}
        sent["SystemDisk.Category"] = given(disk, "category") or given(
            planned, "system_disk_category"
        )
        sent["SystemDisk.Size"] = given(disk, "size") or given(planned, "system_disk_size")
        return {param: value for param, value in sent.items() if value is not None}

    def read(self, cloud: CloudApi, state: State) -> State | None:
        answer = cloud.read("ecs", "DescribeLaunchTemplates", LaunchTemplateId=[state["id"]])
        rows = (answer.get("LaunchTemplateSets") or {}).get("LaunchTemplateSet") or []
        if not rows:
            return None
        row = rows[0]
        latest = str(row.get("LatestVersionNumber"))
        found = cloud.read(
            "ecs",
            "DescribeLaunchTemplateVersions",
            LaunchTemplateId=state["id"],
            LaunchTemplateVersion=[latest],
            DetailFlag=True,
        )
        versions = (found.get("LaunchTemplateVersionSets") or {}).get(
            "LaunchTemplateVersionSet"
        ) or [{}]
        version = versions[0]
        data = {
            **(version.get("LaunchTemplateData") or {}),
            "VersionDescription": version.get("VersionDescription"),
        }
        facts = {
            name: data.get(param) or None for name, param in (*_CONTENT.items(), *_DISK.items())
        }
        if (
            facts["instance_charge_type"] == "PostPaid"
            and state.get("instance_charge_type") is None
        ):
            # The cloud's default, which a template need not say.
            del facts["instance_charge_type"]
        return self.merged(
            state,
            facts
            | {
                "launch_template_name": row.get("LaunchTemplateName"),
                "default_version_number": row.get("DefaultVersionNumber"),
                "latest_version_number": row.get("LatestVersionNumber"),
                "template_tags": tags_of(row),
            },
        )

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        version = None
        if changed & _VERSIONED:
            answer = cloud.write(
                "ecs",
                "CreateLaunchTemplateVersion",
                LaunchTemplateId=prior["id"],
                **self._content(planned),
            )
            version = (
                answer["LaunchTemplateVersionNumber"]
                if planned.get("update_default_version_number")
                else None
            )
        elif "default_version_number" in changed:
            version = given(planned, "default_version_number")
        if version is not None:
            cloud.write(
                "ecs",
                "ModifyLaunchTemplateDefaultVersion",
                LaunchTemplateId=prior["id"],
                DefaultVersionNumber=str(version),
            )
        if "template_tags" in changed:
            before, after = ({"tags": state.get("template_tags")} for state in (prior, planned))
            update_tags(cloud, "ecs", "launchtemplate", prior["id"], before, after)

    def delete(self, cloud: CloudApi, state: State) -> None:
        cloud.remove("ecs", "DeleteLaunchTemplate", LaunchTemplateId=state["id"])


class KeyPair(Resource):
    """`alicloud_ecs_key_pair`; its id is its name. Without a public key the cloud makes
    both keys."""

    type_name = "alicloud_ecs_key_pair"
    replaced_by = frozenset(
        {"key_pair_name", "key_name", "key_name_prefix", "public_key", "key_file"}
    )
    aliases = {"key_name": "key_pair_name"}  # noqa: RUF012

    def create(self, cloud: CloudApi, planned: State) -> str:
        if given(planned, "key_file"):
            raise ApiError(
                "CreateKeyPair",
                "NotSupported",
                "the private key is not written to a file; leave key_file out",
            )
        name = (
            given(planned, "key_pair_name")
            or f"{given(planned, 'key_name_prefix') or 'terraform-'}{uuid.uuid4().hex[:12]}"
        )
        key = given(planned, "public_key")
        if key is None:
            cloud.write(
                "ecs", "CreateKeyPair", KeyPairName=name, Tag=tag_params(planned.get("tags"))
            )
        else:
            cloud.write(
                "ecs",
                "ImportKeyPair",
                KeyPairName=name,
                PublicKeyBody=key,
                Tag=tag_params(planned.get("tags")),
            )
        return str(name)

    def read(self, cloud: CloudApi, state: State) -> State | None:
        answer = cloud.read("ecs", "DescribeKeyPairs", KeyPairName=state["id"])
        rows = (answer.get("KeyPairs") or {}).get("KeyPair") or []
        if not rows:
            return None
        row = rows[0]
        return self.merged(
            state,
            {
                "key_pair_name": row.get("KeyPairName"),
                "finger_print": row.get("KeyPairFingerPrint"),
                "create_time": row.get("CreationTime"),
                "resource_group_id": row.get("ResourceGroupId"),
                "tags": tags_of(row),
            },
        )

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        if "tags" in changed:
            update_tags(cloud, "ecs", "keypair", prior["id"], prior, planned)

    def delete(self, cloud: CloudApi, state: State) -> None:
        cloud.remove("ecs", "DeleteKeyPairs", KeyPairNames=json.dumps([state["id"]]))


class AutoSnapshotPolicy(Resource):
    """`alicloud_ecs_auto_snapshot_policy`."""

    type_name = "alicloud_ecs_auto_snapshot_policy"
    aliases = {"name": "auto_snapshot_policy_name"}  # noqa: RUF012
    needed = ("repeat_weekdays", "time_points", "retention_days")

    def create(self, cloud: CloudApi, planned: State) -> str:
        answer = cloud.write(
            "ecs",
            "CreateAutoSnapshotPolicy",
            regionId=cloud.region,
            Tag=tag_params(planned.get("tags")),
            **self._params(planned),
        )
        return str(answer["AutoSnapshotPolicyId"])

    def _params(self, planned: State) -> dict[str, Any]:
        return {
            "autoSnapshotPolicyName": given(planned, "auto_snapshot_policy_name"),
            "repeatWeekdays": json.dumps(planned["repeat_weekdays"]),
            "timePoints": json.dumps(planned["time_points"]),
            "retentionDays": planned["retention_days"],
        }

    def read(self, cloud: CloudApi, state: State) -> State | None:
        answer = cloud.read("ecs", "DescribeAutoSnapshotPolicyEx", AutoSnapshotPolicyId=state["id"])
        rows = (answer.get("AutoSnapshotPolicies") or {}).get("AutoSnapshotPolicy") or []
        if not rows:
            return None
        row = rows[0]
        return self.merged(
            state,
            {
                "auto_snapshot_policy_name": row.get("AutoSnapshotPolicyName"),
                "repeat_weekdays": json.loads(row.get("RepeatWeekdays") or "[]"),
                "time_points": json.loads(row.get("TimePoints") or "[]"),
                "retention_days": row.get("RetentionDays"),
                "status": row.get("Status"),
                "create_time": row.get("CreationTime"),
                "region_id": row.get("RegionId"),
                "copied_snapshots_retention_days": row.get("CopiedSnapshotsRetentionDays"),
                "tags": tags_of(row),
            },
        )

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        if changed & {
            "auto_snapshot_policy_name",
            "name",
            "repeat_weekdays",
            "time_points",
            "retention_days",
        }:
            cloud.write(
                "ecs",
                "ModifyAutoSnapshotPolicyEx",
                regionId=cloud.region,
                autoSnapshotPolicyId=prior["id"],
                **self._params(planned),
            )
        if "tags" in changed:
            update_tags(cloud, "ecs", "snapshotpolicy", prior["id"], prior, planned)

    def delete(self, cloud: CloudApi, state: State) -> None:
        cloud.remove(
            "ecs",
            "DeleteAutoSnapshotPolicy",
            regionId=cloud.region,
            autoSnapshotPolicyId=state["id"],
        )


RESOURCES: Sequence[type[Resource]] = (Image, LaunchTemplate, KeyPair, AutoSnapshotPolicy)
