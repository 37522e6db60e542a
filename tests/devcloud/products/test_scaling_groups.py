"""Scaling groups: instances between limits, rules, instances of one's own, deletion."""

from __future__ import annotations

from typing import Any

import pytest

from tests.devcloud.conftest import IMAGE, Backend
from tests.devcloud.products.ess import Ecs, Ess, capacity, make_group


@pytest.fixture
def ess(backend: Backend, account: dict[str, str]) -> Ess:
    return Ess(backend, account)


@pytest.fixture
def ecs(backend: Backend, account: dict[str, str]) -> Ecs:
    return Ecs(backend, account)


@pytest.fixture
def group(ess: Ess, backend: Backend, account: dict[str, str]) -> str:
    """Id of an enabled group of one to three instances, of which one is in service."""
    group, configuration = make_group(
        backend, account, ess, MinSize=1, RemovalPolicies=["NewestInstance"]
    )
    ess("EnableScalingGroup", ScalingGroupId=group, ActiveScalingConfigurationId=configuration)
    backend.clock.advance(5)
    return group


@pytest.fixture
def rule(ess: Ess, group: str) -> dict[str, str]:
    """Names a rule that adds two instances: `ScalingRuleId` and `ScalingRuleAri`."""
    answer = ess(
        "CreateScalingRule",
        ScalingGroupId=group,
        ScalingRuleName="add-2",
        AdjustmentType="QuantityChangeInCapacity",
        AdjustmentValue=2,
    )
    return {name: str(answer[name]) for name in ("ScalingRuleId", "ScalingRuleAri")}


def members(ess: Ess, group: str) -> list[dict[str, Any]]:
    return list(ess("DescribeScalingInstances", ScalingGroupId=group)["ScalingInstances"])


def execute(ess: Ess, backend: Backend, rule: dict[str, str]) -> None:
    ess("ExecuteScalingRule", ScalingRuleAri=rule["ScalingRuleAri"])
    backend.clock.advance(5)


def test_a_new_group_is_inactive_with_its_removal_policies(
    ess: Ess, backend: Backend, account: dict[str, str]
) -> None:
    group, _ = make_group(backend, account, ess, MinSize=1, RemovalPolicies=["NewestInstance"])
    (row,) = ess("DescribeScalingGroups", ScalingGroupIds=[group])["ScalingGroups"]
    assert (row["LifecycleState"], row["RemovalPolicies"], row["DefaultCooldown"]) == (
        "Inactive",
        ["NewestInstance", "OldestInstance"],
        300,
    )


def test_names_of_groups_differ_and_limits_agree(
    ess: Ess, backend: Backend, account: dict[str, str]
) -> None:
    make_group(backend, account, ess)
    same_name = {"ScalingGroupName": "web-asg", "MinSize": 0, "MaxSize": 1}
    ess.refuses("InvalidScalingGroupName.Duplicate", "CreateScalingGroup", **same_name)
    no_room = {"ScalingGroupName": "x-asg", "MinSize": 4, "MaxSize": 1}
    ess.refuses("InvalidParameter.Conflict", "CreateScalingGroup", **no_room)


def test_a_group_is_enabled_once_with_a_configuration(
    ess: Ess, backend: Backend, account: dict[str, str]
) -> None:
    group, configuration = make_group(backend, account, ess, MinSize=1)
    ess.refuses("MissingActiveScalingConfiguration", "EnableScalingGroup", ScalingGroupId=group)
    ess("EnableScalingGroup", ScalingGroupId=group, ActiveScalingConfigurationId=configuration)
    ess.refuses("IncorrectScalingGroupStatus", "EnableScalingGroup", ScalingGroupId=group)


def test_an_enabled_group_starts_the_fewest_instances(
    ess: Ess, ecs: Ecs, backend: Backend, account: dict[str, str]
) -> None:
    group, configuration = make_group(backend, account, ess, MinSize=1)
    ess("EnableScalingGroup", ScalingGroupId=group, ActiveScalingConfigurationId=configuration)
    (member,) = members(ess, group)
    assert (member["LifecycleState"], member["CreationType"]) == ("Pending", "AutoCreated")
    backend.clock.advance(5)
    assert members(ess, group)[0]["LifecycleState"] == "InService"
    instances = ecs("DescribeInstances")["Instances"]["Instance"]
    assert [(i["InstanceId"], i["Status"], i["InstanceType"]) for i in instances] == [
        (member["InstanceId"], "Running", "ecs.g7.large")
    ]
    (activity,) = ess("DescribeScalingActivities", ScalingGroupId=group)["ScalingActivities"]
    assert (activity["StatusCode"], activity["TotalCapacity"]) == ("Successful", "1")


def test_rules_of_a_group_have_names_of_their_own(
    ess: Ess, group: str, rule: dict[str, str]
) -> None:
    ess.refuses(
        "InvalidScalingRuleName.Duplicate",
        "CreateScalingRule",
        ScalingGroupId=group,
        ScalingRuleName="add-2",
        AdjustmentType="QuantityChangeInCapacity",
        AdjustmentValue=1,
    )


def test_a_rule_is_executed_when_no_other_activity_goes_on(
    ess: Ess, group: str, rule: dict[str, str]
) -> None:
    ess("ExecuteScalingRule", ScalingRuleAri=rule["ScalingRuleAri"])
    assert capacity(ess, group) == 3
    ess.refuses(
        "ScalingActivityInProgress", "ExecuteScalingRule", ScalingRuleAri=rule["ScalingRuleAri"]
    )


def test_a_changed_rule_releases_instances(
    ess: Ess, ecs: Ecs, backend: Backend, group: str, rule: dict[str, str]
) -> None:
    execute(ess, backend, rule)
    ess(
        "ModifyScalingRule",
        ScalingRuleId=rule["ScalingRuleId"],
        AdjustmentType="TotalCapacity",
        AdjustmentValue=1,
    )
    (oldest, *_) = members(ess, group)
    execute(ess, backend, rule)
    assert capacity(ess, group) == 1
    assert len(ecs("DescribeInstances")["Instances"]["Instance"]) == 1
    ess.refuses(
        "IncorrectCapacity.MinSize",
        "RemoveInstances",
        ScalingGroupId=group,
        InstanceIds=[oldest["InstanceId"]],
    )


def test_limits_of_a_group_are_changed_so_that_they_agree(ess: Ess, group: str) -> None:
    ess("ModifyScalingGroup", ScalingGroupId=group, MinSize=0, DefaultCooldown=60)
    ess.refuses("InvalidParameter.Conflict", "ModifyScalingGroup", ScalingGroupId=group, MinSize=9)


def test_a_disabled_group_scales_no_more_and_keeps_what_it_uses(
    ess: Ess, group: str, rule: dict[str, str]
) -> None:
    (row,) = ess("DescribeScalingConfigurations", ScalingGroupId=group)["ScalingConfigurations"]
    ess("DisableScalingGroup", ScalingGroupId=group)
    ess.refuses(
        "IncorrectScalingGroupStatus", "ExecuteScalingRule", ScalingRuleAri=rule["ScalingRuleAri"]
    )
    ess.refuses(
        "IncorrectScalingConfigurationLifecycleState",
        "DeleteScalingConfiguration",
        ScalingConfigurationId=row["ScalingConfigurationId"],
    )
    ess.refuses(
        "IncorrectScalingGroupStatus.InstanceExist", "DeleteScalingGroup", ScalingGroupId=group
    )


def test_a_group_deleted_by_force_takes_its_instances(
    ess: Ess, ecs: Ecs, backend: Backend, group: str
) -> None:
    by_force = {"ScalingGroupId": group, "ForceDelete": "true"}
    ess("DisableScalingGroup", ScalingGroupId=group)
    ess("SetGroupDeletionProtection", ScalingGroupId=group, GroupDeletionProtection="true")
    ess.refuses("OperationDenied.DeletionProtection", "DeleteScalingGroup", **by_force)
    ess("SetGroupDeletionProtection", ScalingGroupId=group, GroupDeletionProtection="false")
    ess("DeleteScalingGroup", **by_force)
    backend.clock.advance(5)
    assert ess("DescribeScalingGroups")["TotalCount"] == 0
    assert ecs("DescribeInstances")["TotalCount"] == 0


def test_instances_join_and_leave(
    ess: Ess, ecs: Ecs, backend: Backend, account: dict[str, str]
) -> None:
    group, configuration = make_group(backend, account, ess, MaxSize=1)
    network = {r["resource_type"]: r["id"] for r in backend.inventory(account)}
    wanted = {
        "VSwitchId": network["vswitch"],
        "SecurityGroupId": network["security_group"],
        "Amount": 2,
    }
    own = ecs("RunInstances", ImageId=IMAGE, InstanceType="ecs.g7.large", **wanted)[
        "InstanceIdSets"
    ]["InstanceIdSet"]
    ess.refuses(
        "IncorrectScalingGroupStatus", "AttachInstances", ScalingGroupId=group, InstanceIds=own[:1]
    )
    ess("EnableScalingGroup", ScalingGroupId=group, ActiveScalingConfigurationId=configuration)
    ess.refuses(
        "IncorrectInstanceStatus", "AttachInstances", ScalingGroupId=group, InstanceIds=own[:1]
    )
    backend.clock.advance(5)
    ess.refuses(
        "IncorrectCapacity.MaxSize", "AttachInstances", ScalingGroupId=group, InstanceIds=own
    )
    ess("AttachInstances", ScalingGroupId=group, InstanceIds=own[:1])
    backend.clock.advance(3)
    ess.refuses(
        "InvalidInstanceId.InUse", "AttachInstances", ScalingGroupId=group, InstanceIds=own[:1]
    )
    ess("DetachInstances", ScalingGroupId=group, InstanceIds=own[:1])
    backend.clock.advance(3)
    assert capacity(ess, group) == 0
    assert ecs("DescribeInstances")["TotalCount"] == 2
    ess("AttachInstances", ScalingGroupId=group, InstanceIds=own[1:])
    backend.clock.advance(3)
    ecs("DeleteInstance", InstanceId=own[1], Force="true")
    backend.clock.advance(3)
    assert capacity(ess, group) == 0


def test_a_group_takes_so_many_configurations(
    ess: Ess, backend: Backend, account: dict[str, str]
) -> None:
    group, _ = make_group(backend, account, ess)
    security = next(
        r["id"] for r in backend.inventory(account) if r["resource_type"] == "security_group"
    )
    wanted = {
        "ScalingGroupId": group,
        "ImageId": IMAGE,
        "InstanceType": "ecs.g7.large",
        "SecurityGroupId": security,
    }
    for number in range(9):
        ess("CreateScalingConfiguration", ScalingConfigurationName=f"conf-{number}", **wanted)
    ess.refuses(
        "QuotaExceeded.ScalingConfiguration",
        "CreateScalingConfiguration",
        ScalingConfigurationName="conf-9",
        **wanted,
    )
