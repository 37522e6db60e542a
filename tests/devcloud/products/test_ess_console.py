"""The console of Auto Scaling: a group, its configuration, rules, members and tasks."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from tests.devcloud.clients.calls import make_network
from tests.devcloud.conftest import IMAGE, REGION, Backend, HttpFailure
from tests.devcloud.console_api import Console
from tests.devcloud.products.ess import Ecs


@dataclass(frozen=True)
class Network:
    vpc_id: str
    vswitch_id: str


@pytest.fixture
def network(backend: Backend, account: dict[str, str]) -> Network:
    return Network(*make_network(backend, account))


@pytest.fixture
def group(console: Console, network: Network) -> str:
    return console.make(
        "ess.scaling_group",
        name="web-asg",
        max_size=4,
        vpc_id=network.vpc_id,
        vswitch_ids=[network.vswitch_id],
    )


@pytest.fixture
def configuration(console: Console, network: Network, group: str) -> str:
    ecs = Ecs(console.backend, console.account)
    security = ecs("CreateSecurityGroup", VpcId=network.vpc_id, SecurityGroupName="web")
    return console.make(
        "ess.scaling_configuration",
        group_id=group,
        vpc_id=network.vpc_id,
        name="web-conf",
        instance_type="ecs.c7.large",
        image=IMAGE,
        security_group_id=security["SecurityGroupId"],
        user_data="#!/bin/sh\n",
    )


@pytest.fixture
def rule(console: Console, group: str, configuration: str) -> str:
    """Id of a rule that scales the group, enabled, to two instances."""
    console.act("ess.scaling_group", group, "enable", configuration_id=configuration)
    return console.make(
        "ess.scaling_rule",
        group_id=group,
        name="to-two",
        adjustment_type="TotalCapacity",
        adjustment=2,
    )


def execute(console: Console, rule: str) -> None:
    console.act("ess.scaling_rule", rule, "execute")
    console.backend.clock.advance(5)


def test_limits_that_do_not_agree_are_refused_at_their_field(
    console: Console, network: Network
) -> None:
    with pytest.raises(HttpFailure) as conflict:
        console.make(
            "ess.scaling_group",
            name="web-asg",
            min_size=3,
            max_size=2,
            vpc_id=network.vpc_id,
            vswitch_ids=[network.vswitch_id],
        )
    assert conflict.value.body["field"] == "max_size"


def test_a_group_is_ordered_with_the_forms_defaults(
    console: Console, network: Network, group: str
) -> None:
    request = console.logged("CreateScalingGroup")
    assert request["VSwitchIds.1"] == network.vswitch_id
    assert (request["MinSize"], request["RemovalPolicies.1"]) == ("0", "OldestScalingConfiguration")


def test_a_group_is_enabled_with_a_configuration_that_is_offered(
    console: Console, group: str, configuration: str
) -> None:
    assert console.logged("CreateScalingConfiguration")["UserData"] == "IyEvYmluL3NoCg=="
    assert console.offered("ess_configurations", id=group) == [configuration]
    console.act("ess.scaling_group", group, "enable", configuration_id=configuration)
    assert console.logged("EnableScalingGroup") == {
        "RegionId": REGION,
        "ScalingGroupId": group,
        "ActiveScalingConfigurationId": configuration,
    }


def test_a_rule_scales_a_group(console: Console, group: str, rule: str) -> None:
    execute(console, rule)
    assert console.row("ess.scaling_group", group)["capacity"] == 2
    assert console.logged("ExecuteScalingRule")["ScalingRuleAri"].endswith(f":scalingrule/{rule}")


def test_an_instance_is_removed_from_its_group(console: Console, group: str, rule: str) -> None:
    execute(console, rule)
    member = console.rows("ess.scaling_instance", group_id=group)[0]
    console.act("ess.scaling_instance", member["id"], "remove")
    console.backend.clock.advance(5)
    assert console.logged("RemoveInstances") == {
        "RegionId": REGION,
        "ScalingGroupId": group,
        "InstanceIds.1": member["instance_id"],
    }


def test_a_task_is_scheduled_once_and_disabled(console: Console, group: str, rule: str) -> None:
    task = console.make(
        "ess.scheduled_task",
        name="morning",
        launch="2038-01-31 08:30:00",
        method="rule",
        group_id=group,
        action=console.rows("ess.scaling_rule", group_id=group)[0]["ari"],
        recurring=False,
        enabled=True,
    )
    console.act("ess.scheduled_task", task, "disable")
    assert console.row("ess.scheduled_task", task)["enabled"] is False
    request = console.logged("CreateScheduledTask")
    assert request["LaunchTime"].startswith("2038-01-31T08:30")
    assert "RecurrenceType" not in request
    assert console.logged("ModifyScheduledTask") == {
        "RegionId": REGION,
        "ScheduledTaskId": task,
        "TaskEnabled": "false",
    }


def test_a_group_with_instances_is_deleted_by_force(
    console: Console, group: str, rule: str
) -> None:
    execute(console, rule)
    console.act("ess.scaling_group", group, "delete", force=True)
    assert console.logged("DeleteScalingGroup") == {
        "RegionId": REGION,
        "ScalingGroupId": group,
        "ForceDelete": "true",
    }
