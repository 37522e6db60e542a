"""Auto Scaling: scaling groups, their configurations and rules, scheduled tasks."""

from __future__ import annotations

import json
from collections.abc import Sequence
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


def _one(cloud: CloudApi, action: str, member: str, **named: Any) -> dict[str, Any] | None:
    rows = cloud.read("ess", action, **named).get(member) or []
    return rows[0] if rows else None


def look_at_group(cloud: CloudApi, id_: str) -> dict[str, Any] | None:
    """A scaling group as it is; None when it is gone."""
    return _one(cloud, "DescribeScalingGroups", "ScalingGroups", ScalingGroupIds=[id_])


def _delete_group(cloud: CloudApi, id_: str, limit_s: float) -> None:
    row = look_at_group(cloud, id_)
    if row is not None and row.get("GroupDeletionProtection"):
        cloud.write(
            "ess", "SetGroupDeletionProtection", ScalingGroupId=id_, GroupDeletionProtection=False
        )
    cloud.remove("ess", "DeleteScalingGroup", ScalingGroupId=id_, ForceDelete=True)
    cloud.until_gone(id_, lambda: look_at_group(cloud, id_), timeout_s=limit_s)


class ScalingGroup(Resource):
    """`alicloud_ess_scaling_group`."""

    type_name = "alicloud_ess_scaling_group"
    replaced_by = frozenset({"multi_az_policy", "group_type", "instance_id", "container_group_id"})
    follows = {"scaling_policy": frozenset({"scaling_policy"})}  # noqa: RUF012 -- declared ClassVar by the base

    def _parameters(self, planned: State) -> dict[str, Any]:
        return {
            "ScalingGroupName": given(planned, "scaling_group_name"),
            "MinSize": planned["min_size"],
            "MaxSize": planned["max_size"],
            "DesiredCapacity": given(planned, "desired_capacity"),
            "DefaultCooldown": given(planned, "default_cooldown"),
            "HealthCheckType": given(planned, "health_check_type"),
            "RemovalPolicies": given(planned, "removal_policies"),
        }

    def create(self, cloud: CloudApi, planned: State) -> str:
        balancers = given(planned, "loadbalancer_ids")
        answer = cloud.write(
            "ess",
            "CreateScalingGroup",
            **self._parameters(planned),
            VSwitchIds=given(planned, "vswitch_ids")
            or ([planned["vswitch_id"]] if given(planned, "vswitch_id") else None),
            MultiAZPolicy=given(planned, "multi_az_policy"),
            LoadBalancerIds=json.dumps(balancers) if balancers else None,
            GroupDeletionProtection=given(planned, "group_deletion_protection"),
            Tags=tag_params(planned.get("tags")),
        )
        return str(answer["ScalingGroupId"])

    def read(self, cloud: CloudApi, state: State) -> State | None:
        row = look_at_group(cloud, state["id"])
        if row is None:
            return None
        facts: dict[str, Any] = {
            "min_size": row.get("MinSize"),
            "max_size": row.get("MaxSize"),
            "group_type": row.get("GroupType"),
            "health_check_type": row.get("HealthCheckType"),
            "removal_policies": row.get("RemovalPolicies"),
            "resource_group_id": row.get("ResourceGroupId"),
            "scaling_policy": row.get("ScalingPolicy"),
            "group_deletion_protection": row.get("GroupDeletionProtection"),
            "tags": tags_of({"Tags": {"Tag": row.get("Tags")}}),
        }
        optional = {
            "scaling_group_name": "ScalingGroupName",
            "default_cooldown": "DefaultCooldown",
            "desired_capacity": "DesiredCapacity",
            "multi_az_policy": "MultiAZPolicy",
            "vswitch_ids": "VSwitchIds",
            "loadbalancer_ids": "LoadBalancerIds",
        }
        facts |= {
            name: row.get(member)
            for name, member in optional.items()
            if state.get(name) is not None
        }
        return self.merged(state, facts)

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        settings = {
            "scaling_group_name",
            "min_size",
            "max_size",
            "desired_capacity",
            "default_cooldown",
            "health_check_type",
        }
        unchangeable = changed & {"vswitch_ids", "vswitch_id", "loadbalancer_ids"}
        if unchangeable:
            raise ApiError(
                "ModifyScalingGroup",
                "NotSupported",
                f"{', '.join(sorted(unchangeable))} cannot be changed in place",
            )
        if changed & {*settings, "removal_policies"}:
            cloud.write(
                "ess", "ModifyScalingGroup", ScalingGroupId=prior["id"], **self._parameters(planned)
            )
        if "group_deletion_protection" in changed:
            wanted = bool(given(planned, "group_deletion_protection"))
            cloud.write(
                "ess",
                "SetGroupDeletionProtection",
                ScalingGroupId=prior["id"],
                GroupDeletionProtection=wanted,
            )
        if "tags" in changed:
            update_tags(cloud, "ess", "scalinggroup", prior["id"], prior, planned)

    def delete(self, cloud: CloudApi, state: State) -> None:
        _delete_group(cloud, state["id"], 300)


class ScalingConfiguration(Resource):
    """`alicloud_ess_scaling_configuration`; `active` puts it in effect, `enable`
    enables the group with it."""

    type_name = "alicloud_ess_scaling_configuration"
    replaced_by = frozenset({"scaling_group_id"})
    needed = ("image_id", "security_group_id")

    def _parameters(self, planned: State) -> dict[str, Any]:
        types = given(planned, "instance_types") or []
        return {
            "ScalingConfigurationName": given(planned, "scaling_configuration_name"),
            "ImageId": given(planned, "image_id"),
            "InstanceType": given(planned, "instance_type") or (types[0] if types else None),
            "SecurityGroupId": given(planned, "security_group_id"),
            "SystemDisk.Category": given(planned, "system_disk_category"),
            "SystemDisk.Size": given(planned, "system_disk_size"),
            "InternetMaxBandwidthOut": given(planned, "internet_max_bandwidth_out"),
            "InstanceName": given(planned, "instance_name"),
            "UserData": given(planned, "user_data"),
        }

    def create(self, cloud: CloudApi, planned: State) -> str:
        group = planned["scaling_group_id"]
        answer = cloud.write(
            "ess", "CreateScalingConfiguration", ScalingGroupId=group, **self._parameters(planned)
        )
        return str(answer["ScalingConfigurationId"])

    def _look(self, cloud: CloudApi, id_: str) -> dict[str, Any] | None:
        return _one(
            cloud,
            "DescribeScalingConfigurations",
            "ScalingConfigurations",
            ScalingConfigurationIds=[id_],
        )

    def settle(self, cloud: CloudApi, state: State) -> None:
        self._put_in_effect(cloud, state["id"], state)

    def _put_in_effect(self, cloud: CloudApi, id_: str, wanted: State) -> None:
        named = {"ScalingGroupId": wanted["scaling_group_id"], "ActiveScalingConfigurationId": id_}
        group = look_at_group(cloud, wanted["scaling_group_id"]) or {}
        enabled = group.get("LifecycleState") == "Active"
        if given(wanted, "active") and group.get("ActiveScalingConfigurationId") != id_:
            cloud.write("ess", "ModifyScalingGroup", **named)
        if given(wanted, "enable") and not enabled:
            cloud.write("ess", "EnableScalingGroup", **named)
        elif wanted.get("enable") is False and enabled:
            cloud.write("ess", "DisableScalingGroup", ScalingGroupId=wanted["scaling_group_id"])

    def read(self, cloud: CloudApi, state: State) -> State | None:
        row = self._look(cloud, state["id"])
        if row is None:
            return None
        facts: dict[str, Any] = {
            "scaling_group_id": row.get("ScalingGroupId"),
            "scaling_configuration_name": row.get("ScalingConfigurationName"),
            "active": row.get("LifecycleState") == "Active",
            "image_id": row.get("ImageId"),
            "security_group_id": row.get("SecurityGroupId"),
        }
        optional = {
            "instance_type": "InstanceType",
            "system_disk_category": "SystemDiskCategory",
            "system_disk_size": "SystemDiskSize",
            "internet_max_bandwidth_out": "InternetMaxBandwidthOut",
            "instance_name": "InstanceName",
        }
        facts |= {
            name: row.get(member)
            for name, member in optional.items()
            if state.get(name) is not None
        }
        return self.merged(state, facts)

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        if changed - {"active", "enable", "force_delete", "substitute", "override"}:
            cloud.write(
                "ess",
                "ModifyScalingConfiguration",
                ScalingConfigurationId=prior["id"],
                **self._parameters(planned),
            )
        if changed & {"active", "enable"}:
            self._put_in_effect(cloud, prior["id"], planned)

    def delete(self, cloud: CloudApi, state: State) -> None:
        row = self._look(cloud, state["id"])
        if (
            row is not None
            and row.get("LifecycleState") == "Active"
            and given(state, "force_delete")
        ):
            # The one in effect goes only with its group, as the real provider does it.
            _delete_group(cloud, str(row["ScalingGroupId"]), 300)
            return
        cloud.remove("ess", "DeleteScalingConfiguration", ScalingConfigurationId=state["id"])


class ScalingRule(Resource):
    """`alicloud_ess_scaling_rule`; its id is `group:rule`."""

    type_name = "alicloud_ess_scaling_rule"
    replaced_by = frozenset({"scaling_group_id", "scaling_rule_type"})
    _sent = (
        ("ScalingRuleName", "scaling_rule_name"),
        ("AdjustmentType", "adjustment_type"),
        ("AdjustmentValue", "adjustment_value"),
        ("Cooldown", "cooldown"),
        ("MetricName", "metric_name"),
        ("TargetValue", "target_value"),
        ("DisableScaleIn", "disable_scale_in"),
        ("EstimatedInstanceWarmup", "estimated_instance_warmup"),
    )

    def _parameters(self, planned: State) -> dict[str, Any]:
        return {param: given(planned, name) for param, name in self._sent}

    def create(self, cloud: CloudApi, planned: State) -> str:
        group, kind = planned["scaling_group_id"], given(planned, "scaling_rule_type")
        answer = cloud.write(
            "ess",
            "CreateScalingRule",
            ScalingGroupId=group,
            ScalingRuleType=kind,
            **self._parameters(planned),
        )
        return f"{group}:{answer['ScalingRuleId']}"

    def read(self, cloud: CloudApi, state: State) -> State | None:
        group, _, rule = state["id"].partition(":")
        if not rule:
            raise ApiError("Import", "InvalidId", "the id is group:rule")
        row = _one(
            cloud,
            "DescribeScalingRules",
            "ScalingRules",
            ScalingGroupId=group,
            ScalingRuleIds=[rule],
        )
        if row is None:
            return None
        facts: dict[str, Any] = {"scaling_group_id": group, "ari": row.get("ScalingRuleAri")}
        for param, name in self._sent:
            if state.get(name) is not None or self.block.attributes[name].computed:
                facts[name] = row.get(param)
        return self.merged(state, facts)

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        cloud.write(
            "ess",
            "ModifyScalingRule",
            ScalingRuleId=prior["id"].partition(":")[2],
            **self._parameters(planned),
        )

    def delete(self, cloud: CloudApi, state: State) -> None:
        cloud.remove("ess", "DeleteScalingRule", ScalingRuleId=state["id"].partition(":")[2])


class ScheduledTask(Resource):
    """`alicloud_ess_scheduled_task`."""

    type_name = "alicloud_ess_scheduled_task"
    _sent = (
        ("ScheduledTaskName", "scheduled_task_name"),
        ("Description", "description"),
        ("LaunchTime", "launch_time"),
        ("LaunchExpirationTime", "launch_expiration_time"),
        ("ScheduledAction", "scheduled_action"),
        ("MinValue", "min_value"),
        ("MaxValue", "max_value"),
        ("RecurrenceType", "recurrence_type"),
        ("RecurrenceValue", "recurrence_value"),
        ("RecurrenceEndTime", "recurrence_end_time"),
        ("TaskEnabled", "task_enabled"),
    )

    def _parameters(self, planned: State) -> dict[str, Any]:
        return {param: given(planned, name) for param, name in self._sent}

    def create(self, cloud: CloudApi, planned: State) -> str:
        group = None if given(planned, "scheduled_action") else given(planned, "scaling_group_id")
        answer = cloud.write(
            "ess", "CreateScheduledTask", ScalingGroupId=group, **self._parameters(planned)
        )
        return str(answer["ScheduledTaskId"])

    def read(self, cloud: CloudApi, state: State) -> State | None:
        row = _one(
            cloud, "DescribeScheduledTasks", "ScheduledTasks", ScheduledTaskIds=[state["id"]]
        )
        if row is None:
            return None
        facts: dict[str, Any] = {"scaling_group_id": row.get("ScalingGroupId")}
        for param, name in self._sent:
            if state.get(name) is not None or self.block.attributes[name].computed:
                facts[name] = row.get(param)
        return self.merged(state, facts)

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        cloud.write(
            "ess", "ModifyScheduledTask", ScheduledTaskId=prior["id"], **self._parameters(planned)
        )

    def delete(self, cloud: CloudApi, state: State) -> None:
        cloud.remove("ess", "DeleteScheduledTask", ScheduledTaskId=state["id"])


RESOURCES: Sequence[type[Resource]] = (
    ScalingGroup,
    ScalingConfiguration,
    ScalingRule,
    ScheduledTask,
)
