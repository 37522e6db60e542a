"""Auto Scaling: groups, configurations, rules, tasks, and activities that start and
release ECS instances."""

from __future__ import annotations

from typing import Any

import pytest

from tests.devcloud.clients.calls import make_network
from tests.devcloud.conftest import IMAGE, REGION, Backend, HttpFailure
from tests.devcloud.console_api import events, make, path
from tests.devcloud.products.signed import SignedCaller


class Signed(SignedCaller):
    product = "ess"


class Ecs(SignedCaller):
    product = "ecs"


@pytest.fixture
def ess(backend: Backend, account: dict[str, str]) -> Signed:
    return Signed(backend, account)


@pytest.fixture
def ecs(backend: Backend, account: dict[str, str]) -> Ecs:
    return Ecs(backend, account)


def make_group(
    backend: Backend, account: dict[str, str], ess: Signed, **more: Any
) -> tuple[str, str]:
    """A group and a configuration of it."""
    vpc_id, vswitch_id = make_network(backend, account)
    security = Ecs(backend, account)("CreateSecurityGroup", VpcId=vpc_id)["SecurityGroupId"]
    wanted = {
        "ScalingGroupName": "web-asg",
        "MinSize": 0,
        "MaxSize": 3,
        "VSwitchIds": [vswitch_id],
        **more,
    }
    group = ess("CreateScalingGroup", **wanted)["ScalingGroupId"]
    made = ess(
        "CreateScalingConfiguration",
        ScalingGroupId=group,
        ScalingConfigurationName="web-conf",
        ImageId=IMAGE,
        InstanceType="ecs.g7.large",
        SecurityGroupId=security,
    )
    return str(group), str(made["ScalingConfigurationId"])


def capacity(ess: Signed, group: str) -> int:
    (found,) = ess("DescribeScalingGroups", ScalingGroupIds=[group])["ScalingGroups"]
    return int(found["TotalCapacity"])


def test_a_group_keeps_its_instances_between_its_limits(
    ess: Signed, ecs: Ecs, backend: Backend, account: dict[str, str]
) -> None:
    group, configuration = make_group(
        backend, account, ess, MinSize=1, RemovalPolicies=["NewestInstance"]
    )
    (shown,) = ess("DescribeScalingGroups", ScalingGroupIds=[group])["ScalingGroups"]
    assert (shown["LifecycleState"], shown["RemovalPolicies"], shown["DefaultCooldown"]) == (
        "Inactive",
        ["NewestInstance", "OldestInstance"],
        300,
    )
    ess.refuses(
        "InvalidScalingGroupName.Duplicate",
        "CreateScalingGroup",
        ScalingGroupName="web-asg",
        MinSize=0,
        MaxSize=1,
    )
    ess.refuses(
        "InvalidParameter.Conflict",
        "CreateScalingGroup",
        ScalingGroupName="x-asg",
        MinSize=4,
        MaxSize=1,
    )
    ess.refuses("MissingActiveScalingConfiguration", "EnableScalingGroup", ScalingGroupId=group)
    ess("EnableScalingGroup", ScalingGroupId=group, ActiveScalingConfigurationId=configuration)
    ess.refuses("IncorrectScalingGroupStatus", "EnableScalingGroup", ScalingGroupId=group)
    (held,) = ess("DescribeScalingInstances", ScalingGroupId=group)["ScalingInstances"]
    assert (held["LifecycleState"], held["CreationType"]) == ("Pending", "AutoCreated")
    backend.clock.advance(5)
    assert (
        ess("DescribeScalingInstances", ScalingGroupId=group)["ScalingInstances"][0][
            "LifecycleState"
        ]
        == "InService"
    )
    listed = ecs("DescribeInstances")["Instances"]["Instance"]
    assert [(i["InstanceId"], i["Status"], i["InstanceType"]) for i in listed] == [
        (held["InstanceId"], "Running", "ecs.g7.large")
    ]
    (activity,) = ess("DescribeScalingActivities", ScalingGroupId=group)["ScalingActivities"]
    assert (activity["StatusCode"], activity["TotalCapacity"]) == ("Successful", "1")

    rule = {
        "ScalingGroupId": group,
        "ScalingRuleName": "add-2",
        "AdjustmentType": "QuantityChangeInCapacity",
    }
    made = ess("CreateScalingRule", **rule, AdjustmentValue=2)
    ess.refuses("InvalidScalingRuleName.Duplicate", "CreateScalingRule", **rule, AdjustmentValue=1)
    ess("ExecuteScalingRule", ScalingRuleAri=made["ScalingRuleAri"])
    assert capacity(ess, group) == 3
    ess.refuses(
        "ScalingActivityInProgress", "ExecuteScalingRule", ScalingRuleAri=made["ScalingRuleAri"]
    )
    backend.clock.advance(5)
    ess(
        "ModifyScalingRule",
        ScalingRuleId=made["ScalingRuleId"],
        AdjustmentType="TotalCapacity",
        AdjustmentValue=1,
    )
    ess("ExecuteScalingRule", ScalingRuleAri=made["ScalingRuleAri"])
    backend.clock.advance(5)
    assert capacity(ess, group) == 1
    assert len(ecs("DescribeInstances")["Instances"]["Instance"]) == 1
    ess.refuses(
        "IncorrectCapacity.MinSize",
        "RemoveInstances",
        ScalingGroupId=group,
        InstanceIds=[held["InstanceId"]],
    )
    ess("ModifyScalingGroup", ScalingGroupId=group, MinSize=0, DefaultCooldown=60)
    ess.refuses("InvalidParameter.Conflict", "ModifyScalingGroup", ScalingGroupId=group, MinSize=9)
    ess("DisableScalingGroup", ScalingGroupId=group)
    ess.refuses(
        "IncorrectScalingGroupStatus", "ExecuteScalingRule", ScalingRuleAri=made["ScalingRuleAri"]
    )
    ess.refuses(
        "IncorrectScalingConfigurationLifecycleState",
        "DeleteScalingConfiguration",
        ScalingConfigurationId=configuration,
    )
    ess.refuses(
        "IncorrectScalingGroupStatus.InstanceExist", "DeleteScalingGroup", ScalingGroupId=group
    )
    ess("SetGroupDeletionProtection", ScalingGroupId=group, GroupDeletionProtection="true")
    ess.refuses(
        "OperationDenied.DeletionProtection",
        "DeleteScalingGroup",
        ScalingGroupId=group,
        ForceDelete="true",
    )
    ess("SetGroupDeletionProtection", ScalingGroupId=group, GroupDeletionProtection="false")
    ess("DeleteScalingGroup", ScalingGroupId=group, ForceDelete="true")
    backend.clock.advance(5)
    assert ess("DescribeScalingGroups")["TotalCount"] == 0
    assert ecs("DescribeInstances")["TotalCount"] == 0


def test_instances_join_and_leave(
    ess: Signed, ecs: Ecs, backend: Backend, account: dict[str, str]
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


def test_tasks_and_tracking_rules(ess: Signed, backend: Backend, account: dict[str, str]) -> None:
    group, _ = make_group(backend, account, ess)
    rule = ess(
        "CreateScalingRule", ScalingGroupId=group, AdjustmentType="TotalCapacity", AdjustmentValue=2
    )
    tracking = ess(
        "CreateScalingRule",
        ScalingGroupId=group,
        ScalingRuleType="TargetTrackingScalingRule",
        MetricName="CpuUtilization",
        TargetValue=60,
    )
    ess.refuses(
        "MissingParameter",
        "CreateScalingRule",
        ScalingGroupId=group,
        ScalingRuleType="TargetTrackingScalingRule",
    )
    ess.refuses(
        "OperationDenied.ScalingRuleType",
        "ExecuteScalingRule",
        ScalingRuleAri=tracking["ScalingRuleAri"],
    )
    task = {"ScheduledTaskName": "morning", "ScheduledAction": rule["ScalingRuleAri"]}
    ess.refuses(
        "InvalidLaunchTime.Expired", "CreateScheduledTask", **task, LaunchTime="2020-01-01T08:00Z"
    )
    ess.refuses(
        "InvalidScalingRuleAri.NotFound",
        "CreateScheduledTask",
        **{**task, "ScheduledAction": "ari:none"},
        LaunchTime="2038-01-01T08:00Z",
    )
    made = ess(
        "CreateScheduledTask",
        **task,
        LaunchTime="2038-01-01T08:00Z",
        RecurrenceType="Weekly",
        RecurrenceValue="1,3",
        RecurrenceEndTime="2038-06-01T00:00Z",
    )
    (shown,) = ess("DescribeScheduledTasks")["ScheduledTasks"]
    assert (shown["LaunchTime"], shown["RecurrenceType"], shown["TaskEnabled"]) == (
        "2038-01-01T08:00Z",
        "Weekly",
        True,
    )
    ess.refuses("ScalingRuleInUse", "DeleteScalingRule", ScalingRuleId=rule["ScalingRuleId"])
    ess(
        "ModifyScheduledTask",
        ScheduledTaskId=made["ScheduledTaskId"],
        TaskEnabled="false",
        LaunchExpirationTime=900,
    )
    (shown,) = ess("DescribeScheduledTasks", ScheduledTaskIds=[made["ScheduledTaskId"]])[
        "ScheduledTasks"
    ]
    assert (shown["TaskEnabled"], shown["LaunchExpirationTime"]) == (False, 900)
    ess("DeleteScheduledTask", ScheduledTaskId=made["ScheduledTaskId"])
    ess("DeleteScalingRule", ScalingRuleId=rule["ScalingRuleId"])
    ess.refuses(
        "InvalidScheduledTaskId.NotFound",
        "DeleteScheduledTask",
        ScheduledTaskId=made["ScheduledTaskId"],
    )


def test_a_group_takes_so_many_configurations(
    ess: Signed, backend: Backend, account: dict[str, str]
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


def test_the_console_scales_a_group(ecs: Ecs, backend: Backend, account: dict[str, str]) -> None:
    browser = backend.browser(account)
    vpc_id, vswitch_id = make_network(backend, account)
    security = ecs("CreateSecurityGroup", VpcId=vpc_id, SecurityGroupName="web")["SecurityGroupId"]
    with pytest.raises(HttpFailure) as conflict:
        make(
            browser,
            "ess.scaling_group",
            name="web-asg",
            min_size=3,
            max_size=2,
            vpc_id=vpc_id,
            vswitch_ids=[vswitch_id],
        )
    assert conflict.value.body["field"] == "max_size"
    group = make(
        browser,
        "ess.scaling_group",
        name="web-asg",
        max_size=4,
        vpc_id=vpc_id,
        vswitch_ids=[vswitch_id],
    )
    owner = {"group_id": group, "vpc_id": vpc_id}
    form = {
        "instance_type": "ecs.c7.large",
        "image": IMAGE,
        "security_group_id": security,
        "user_data": "#!/bin/sh\n",
    }
    configuration = make(browser, "ess.scaling_configuration", **owner, name="web-conf", **form)
    offered = browser.get(f"/console/api/options/ess_configurations?region={REGION}&id={group}")
    assert [one["value"] for one in offered] == [configuration]
    browser.post(path("ess.scaling_group", group, "enable"), {"configuration_id": configuration})
    rule = make(
        browser,
        "ess.scaling_rule",
        group_id=group,
        name="to-two",
        adjustment_type="TotalCapacity",
        adjustment=2,
    )
    browser.post(path("ess.scaling_rule", rule, "execute"), {})
    backend.clock.advance(5)
    assert browser.get(path("ess.scaling_group", group))["capacity"] == 2
    members = browser.get(path("ess.scaling_instance", **{"where.group_id": group}))["rows"]
    browser.post(path("ess.scaling_instance", members[0]["id"], "remove"), {})
    backend.clock.advance(5)
    task = make(
        browser,
        "ess.scheduled_task",
        name="morning",
        launch="2038-01-31 08:30:00",
        method="rule",
        group_id=group,
        action=browser.get(path("ess.scaling_rule", **{"where.group_id": group}))["rows"][0]["ari"],
        recurring=False,
        enabled=True,
    )
    browser.post(path("ess.scheduled_task", task, "disable"), {})
    assert browser.get(path("ess.scheduled_task", task))["enabled"] is False
    browser.post(path("ess.scaling_group", group, "delete"), {"force": True})
    written = [
        e for e in events(backend, account) if e["serviceName"] == "Ess" and "errorCode" not in e
    ]
    found = {event["eventName"]: event["requestParameters"] for event in written}
    assert found["CreateScalingGroup"]["VSwitchIds.1"] == vswitch_id
    assert (
        found["CreateScalingGroup"]["MinSize"],
        found["CreateScalingGroup"]["RemovalPolicies.1"],
    ) == (
        "0",
        "OldestScalingConfiguration",
    )
    assert found["CreateScalingConfiguration"]["UserData"] == "IyEvYmluL3NoCg=="
    assert found["EnableScalingGroup"] == {
        "RegionId": REGION,
        "ScalingGroupId": group,
        "ActiveScalingConfigurationId": configuration,
    }
    assert found["ExecuteScalingRule"]["ScalingRuleAri"].endswith(f":scalingrule/{rule}")
    assert found["RemoveInstances"] == {
        "RegionId": REGION,
        "ScalingGroupId": group,
        "InstanceIds.1": members[0]["instance_id"],
    }
    assert found["CreateScheduledTask"]["LaunchTime"].startswith("2038-01-31T08:30")
    assert "RecurrenceType" not in found["CreateScheduledTask"]
    assert found["ModifyScheduledTask"] == {
        "RegionId": REGION,
        "ScheduledTaskId": task,
        "TaskEnabled": "false",
    }
    assert found["DeleteScalingGroup"] == {
        "RegionId": REGION,
        "ScalingGroupId": group,
        "ForceDelete": "true",
    }
