"""Scheduled tasks of Auto Scaling, and the rules that they execute."""

from __future__ import annotations

from typing import Any

import pytest

from tests.devcloud.conftest import Backend
from tests.devcloud.products.ess import Ess, make_group


@pytest.fixture
def ess(backend: Backend, account: dict[str, str]) -> Ess:
    return Ess(backend, account)


@pytest.fixture
def group(ess: Ess, backend: Backend, account: dict[str, str]) -> str:
    group, _ = make_group(backend, account, ess)
    return group


@pytest.fixture
def rule(ess: Ess, group: str) -> dict[str, Any]:
    return ess(
        "CreateScalingRule", ScalingGroupId=group, AdjustmentType="TotalCapacity", AdjustmentValue=2
    )


@pytest.fixture
def task(ess: Ess, rule: dict[str, Any]) -> str:
    """Id of a task that executes the rule twice a week."""
    answer = ess(
        "CreateScheduledTask",
        **morning(rule),
        RecurrenceType="Weekly",
        RecurrenceValue="1,3",
        RecurrenceEndTime="2038-06-01T00:00Z",
    )
    return str(answer["ScheduledTaskId"])


def morning(rule: dict[str, Any]) -> dict[str, str]:
    return {
        "ScheduledTaskName": "morning",
        "ScheduledAction": rule["ScalingRuleAri"],
        "LaunchTime": "2038-01-01T08:00Z",
    }


def test_a_tracking_rule_has_a_target_and_is_not_executed(ess: Ess, group: str) -> None:
    kind = {"ScalingGroupId": group, "ScalingRuleType": "TargetTrackingScalingRule"}
    rule = ess("CreateScalingRule", **kind, MetricName="CpuUtilization", TargetValue=60)
    ess.refuses("MissingParameter", "CreateScalingRule", **kind)
    ess.refuses(
        "OperationDenied.ScalingRuleType",
        "ExecuteScalingRule",
        ScalingRuleAri=rule["ScalingRuleAri"],
    )


def test_a_task_is_launched_in_future_by_a_rule_that_exists(ess: Ess, rule: dict[str, Any]) -> None:
    late = {**morning(rule), "LaunchTime": "2020-01-01T08:00Z"}
    ess.refuses("InvalidLaunchTime.Expired", "CreateScheduledTask", **late)
    no_rule = {**morning(rule), "ScheduledAction": "ari:none"}
    ess.refuses("InvalidScalingRuleAri.NotFound", "CreateScheduledTask", **no_rule)


def test_a_task_recurs(ess: Ess, task: str) -> None:
    (row,) = ess("DescribeScheduledTasks")["ScheduledTasks"]
    assert (row["LaunchTime"], row["RecurrenceType"], row["TaskEnabled"]) == (
        "2038-01-01T08:00Z",
        "Weekly",
        True,
    )


def test_a_task_is_disabled(ess: Ess, task: str) -> None:
    ess("ModifyScheduledTask", ScheduledTaskId=task, TaskEnabled="false", LaunchExpirationTime=900)
    (row,) = ess("DescribeScheduledTasks", ScheduledTaskIds=[task])["ScheduledTasks"]
    assert (row["TaskEnabled"], row["LaunchExpirationTime"]) == (False, 900)


def test_a_rule_is_deleted_once_no_task_uses_it(ess: Ess, rule: dict[str, Any], task: str) -> None:
    ess.refuses("ScalingRuleInUse", "DeleteScalingRule", ScalingRuleId=rule["ScalingRuleId"])
    ess("DeleteScheduledTask", ScheduledTaskId=task)
    ess("DeleteScalingRule", ScalingRuleId=rule["ScalingRuleId"])
    ess.refuses("InvalidScheduledTaskId.NotFound", "DeleteScheduledTask", ScheduledTaskId=task)
