"""Auto Scaling: activities that start and release ECS instances by the configuration in
effect.

An activity makes or removes a group's members at once and takes its time by its own
state (`engine.scaling`). Nothing happens by itself: scheduled tasks and target tracking
rules are kept and never fire.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from proofwalk.devcloud.engine.calls import Call, Outcome
from proofwalk.devcloud.engine.scaling.capacity import fill, put_in_effect, scale
from proofwalk.devcloud.engine.scaling.groups import (
    ECS,
    GROUP,
    MEMBER,
    RULE,
    group_of,
    members_of,
    record_activity,
    refuse_while_busy,
)
from proofwalk.devcloud.engine.scaling.members import join, leave
from proofwalk.devcloud.engine.state.faults import CloudError, missing_parameter
from proofwalk.devcloud.engine.values.parameters import repeated
from proofwalk.devcloud.engine.values.templates import Derivation, Scope, render
from proofwalk.devcloud.engine.values.validation import refusal
from proofwalk.devcloud.engine.writes import update_resource


def execute_scaling_rule(call: Call) -> Outcome:
    """ExecuteScalingRule: a simple rule, named by its ARI."""
    ari = call.params.get("ScalingRuleAri")
    if not ari:
        raise missing_parameter("ScalingRuleAri")
    rules = call.world.select(call.account, RULE, lambda r: r.fields.get("ari") == ari)
    if not rules:
        raise CloudError(
            "InvalidScalingRuleAri.NotFound", "The specified scaling rule Ari does not exist.", 404
        )
    rule = rules[0]
    if rule.fields.get("type") != "SimpleScalingRule":
        raise CloudError(
            "OperationDenied.ScalingRuleType", "Only simple scaling rules can be executed."
        )
    group = call.world.find(call.account, rule.fields["group_id"], GROUP)
    if group is None or group.status != "Active":
        raise refusal(call.catalogue.resources[GROUP].api.wrong_state)
    refuse_while_busy(call, group)
    held, value = len(members_of(call, group)), int(rule.fields.get("adjustment") or 0)
    by_type = {
        "QuantityChangeInCapacity": held + value,
        "PercentChangeInCapacity": held + round(held * value / 100),
        "TotalCapacity": value,
    }
    cause = (
        f'A user requests to execute scaling rule "{rule.id}", changing the Total Capacity from'
        f' "{held}".'
    )
    activity = scale(call, group, by_type[str(rule.fields.get("adjustment_type"))], cause)
    return Outcome(
        answer=render(call.operation.spec.response, call.at(activity)), resources=[rule, group]
    )


def enable_scaling_group(call: Call) -> Outcome:
    """EnableScalingGroup: puts a configuration in effect and starts the instances that
    the group wants."""
    group = group_of(call, active=False)
    if group.status != "Inactive":
        raise refusal(call.catalogue.resources[GROUP].api.wrong_state, id=group.id)
    wanted = call.params.get("ActiveScalingConfigurationId") or group.fields.get("configuration_id")
    if not wanted:
        raise CloudError(
            "MissingActiveScalingConfiguration",
            "An active scaling configuration is missing in the scaling group.",
            field="configuration_id",
        )
    put_in_effect(call, group, wanted)
    call.lifecycle.enter(group, "Active", call.now, call.scope)
    fill(call, group)
    return Outcome(answer=render(call.operation.spec.response, call.at(group)), resources=[group])


def modify_scaling_group(call: Call) -> Outcome:
    """ModifyScalingGroup: settings, limits and the configuration in effect."""
    outcome = update_resource(call)
    group = outcome.resources[0]
    low, high = int(group.fields.get("min_size") or 0), int(group.fields.get("max_size") or 0)
    if low > high:
        message = (
            "The value of parameter MinSize should be less than or equal to the value of parameter"
            " MaxSize."
        )
        raise CloudError("InvalidParameter.Conflict", message, field="min_size")
    if call.params.get("ActiveScalingConfigurationId"):
        put_in_effect(call, group, call.params["ActiveScalingConfigurationId"])
    if group.status == "Active":
        fill(call, group)
    return outcome


def delete_scaling_group(call: Call) -> Outcome:
    """DeleteScalingGroup: by force, the instances that the group made are released with
    it."""
    outcome = update_resource(call)
    for group in outcome.resources:
        for member in members_of(call, group):
            leave(call, member, keep=False)
    return outcome


def _asked(call: Call) -> Sequence[str]:
    ids = repeated(call.params, "InstanceIds") or repeated(call.params, "InstanceId")
    if not ids:
        raise missing_parameter("InstanceIds.1")
    return ids


def attach_instances(call: Call) -> Outcome:
    """AttachInstances: running instances of the group's VPC join it."""
    group = group_of(call, active=True)
    refuse_while_busy(call, group)
    joined = []
    for one in _asked(call):
        instance = call.world.find(call.account, one, ECS)
        if instance is None or instance.region != group.region:
            raise CloudError(
                "InvalidInstanceId.NotFound",
                f'Instance "{one}" does not exist.',
                404,
                field="instance_id",
            )
        if instance.status != "Running":
            raise CloudError(
                "IncorrectInstanceStatus",
                f'The current status of instance "{one}" does not support this action.',
            )
        if group.fields.get("vpc_id") and instance.fields.get("vpc_id") != group.fields["vpc_id"]:
            raise CloudError(
                "InvalidInstanceId.VPCMismatch",
                f'Instance "{one}" is not in the VPC of the scaling group.',
                field="instance_id",
            )
        if call.world.select(
            call.account,
            MEMBER,
            lambda r, wanted=one: r.fields.get("instance_id") == wanted,  # type: ignore[misc]
        ):
            raise CloudError(
                "InvalidInstanceId.InUse",
                f'Instance "{one}" is already in a scaling group.',
                field="instance_id",
            )
        if len(members_of(call, group)) >= int(group.fields.get("max_size") or 0):
            message = (
                "To attach the instances, the total capacity will be greater than the MaxSize."
            )
            raise CloudError("IncorrectCapacity.MaxSize", message)
        joined.append(join(call, group, instance, "Attached", ""))
    activity = record_activity(
        call,
        group,
        f'Attach "{len(joined)}" ECS instances.',
        "A user requests to attach instances.",
    )
    return Outcome(
        answer=render(call.operation.spec.response, call.at(activity)), resources=[*joined, group]
    )


def _withdraw(call: Call, *, keep: bool, verb: str) -> Outcome:
    group = group_of(call, active=True)
    refuse_while_busy(call, group)
    members = {r.fields["instance_id"]: r for r in members_of(call, group)}
    asked = _asked(call)
    for one in asked:
        if one not in members:
            raise refusal(call.catalogue.resources[MEMBER].api.not_found, id=one)
    if len(members) - len(asked) < int(group.fields.get("min_size") or 0):
        message = f"To {verb} the instances, the total capacity will be lesser than the MinSize."
        raise CloudError("IncorrectCapacity.MinSize", message)
    for one in asked:
        leave(call, members[one], keep=keep)
    activity = record_activity(
        call,
        group,
        f'{verb.title()} "{len(asked)}" ECS instances.',
        f"A user requests to {verb} instances.",
    )
    left = [members[one] for one in asked]
    return Outcome(
        answer=render(call.operation.spec.response, call.at(activity)), resources=[*left, group]
    )


def detach_instances(call: Call) -> Outcome:
    """DetachInstances: they leave the group and run on."""
    return _withdraw(call, keep=True, verb="detach")


def remove_instances(call: Call) -> Outcome:
    """RemoveInstances: they leave the group, and those that it made are released."""
    return _withdraw(call, keep=False, verb="remove")


def _moment(scope: Scope, arguments: Mapping[str, Any]) -> str:
    """A moment as this service writes it: to the minute."""
    value = str(arguments.get("value") or "")
    return f"{value[:10]}T{value[11:16]}Z" if value else ""


def _rule_group(scope: Scope, arguments: Mapping[str, Any]) -> str | None:
    """The group of the rule with this ARI; nothing where none is given."""
    ari = arguments.get("ari")
    if not ari:
        return None
    rules = scope.world.select(scope.account, RULE, lambda r: r.fields.get("ari") == ari)
    if not rules:
        raise CloudError(
            "InvalidScalingRuleAri.NotFound",
            "The specified scaling rule Ari does not exist.",
            404,
            field="action",
        )
    return str(rules[0].fields["group_id"])


HOOKS: Mapping[str, Callable[[Call], Outcome]] = {
    "attach_instances": attach_instances,
    "delete_scaling_group": delete_scaling_group,
    "detach_instances": detach_instances,
    "enable_scaling_group": enable_scaling_group,
    "execute_scaling_rule": execute_scaling_rule,
    "modify_scaling_group": modify_scaling_group,
    "remove_instances": remove_instances,
}
DERIVATIONS: Mapping[str, Derivation] = {"ess_moment": _moment, "rule_group": _rule_group}
