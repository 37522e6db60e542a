"""Auto Scaling: activities that start and release ECS instances by the configuration in
effect.

A group's members are `scaling_instance` rows, each about an ECS instance; an activity
makes or removes them at once and takes its time by its own state. Nothing happens by
itself: scheduled tasks and target tracking rules are kept and never fire.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from proofwalk.devcloud.engine.calls import Call, Outcome
from proofwalk.devcloud.engine.identity import chosen, new_id
from proofwalk.devcloud.engine.state.faults import CloudError, missing_parameter
from proofwalk.devcloud.engine.state.world import Resource
from proofwalk.devcloud.engine.values.derivations import DERIVATIONS as COMMON
from proofwalk.devcloud.engine.values.parameters import repeated
from proofwalk.devcloud.engine.values.templates import Derivation, Scope, render
from proofwalk.devcloud.engine.values.validation import refusal
from proofwalk.devcloud.engine.writes import update_resource

_GROUP, _CONFIGURATION, _RULE = "ess.scaling_group", "ess.scaling_configuration", "ess.scaling_rule"
_MEMBER, _ACTIVITY, _ECS, _DISK = (
    "ess.scaling_instance",
    "ess.scaling_activity",
    "ecs.instance",
    "ecs.disk",
)
_MEMBERS = ("Pending", "InService", "Protected")
MOST_AT_ONCE = 20
"""Instances that one activity makes at most; the real service allows 1000."""


def _group(call: Call, *, active: bool) -> Resource:
    asked = call.params.get("ScalingGroupId")
    if not asked:
        raise missing_parameter("ScalingGroupId")
    found = call.world.find(call.account, asked, _GROUP)
    api = call.catalogue.resources[_GROUP].api
    if found is None or found.region != call.region:
        raise refusal(api.not_found, id=asked)
    if active and found.status != "Active":
        raise refusal(api.wrong_state, id=asked)
    return found


def _members(call: Call, group: Resource) -> list[Resource]:
    return call.world.select(
        call.account,
        _MEMBER,
        lambda r: r.fields.get("group_id") == group.id and r.status in _MEMBERS,
    )


def _idle(call: Call, group: Resource) -> None:
    """Refuse while an activity of the group is going on."""
    if call.world.select(
        call.account,
        _ACTIVITY,
        lambda r: r.fields.get("group_id") == group.id and r.status == "InProgress",
    ):
        message = (
            "You cannot delete a scaling group or launch a new scaling activity while there is a"
            " scaling activity in progress."
        )
        raise CloudError("ScalingActivityInProgress", message)


def _record(
    call: Call, group: Resource, description: str, cause: str, status: str = "InProgress"
) -> Resource:
    activity = Resource(
        account=call.account,
        kind=_ACTIVITY,
        id=new_id(call, _ACTIVITY, group.region),
        region=group.region,
        status=status,
        created=call.scope.now,
        fields={
            "group_id": group.id,
            "cause": cause,
            "description": description,
            "capacity": len(_members(call, group)),
            "started": call.scope.now,
        },
    )
    call.world.add(activity)
    call.lifecycle.enter(activity, status, call.now, call.scope)
    return activity


def _join(
    call: Call, group: Resource, instance: Resource, creation: str, configuration: str
) -> Resource:
    fields = {
        "group_id": group.id,
        "instance_id": instance.id,
        "creation": creation,
        "configuration_id": configuration,
    }
    member = Resource(
        account=call.account,
        kind=_MEMBER,
        id=chosen(call.catalogue.resources[_MEMBER], fields),
        region=group.region,
        status="Pending",
        created=call.scope.now,
        fields=fields,
    )
    call.world.add(member)
    call.lifecycle.enter(member, "Pending", call.now, call.scope)
    return member


def _launch(call: Call, group: Resource, number: int) -> None:
    """Start an ECS instance by the configuration in effect, with its system disk.
    `number` picks the vSwitch: the group's take turns."""
    configuration = call.world.find(
        call.account, group.fields.get("configuration_id"), _CONFIGURATION
    )
    if configuration is None:
        raise CloudError(
            "MissingActiveScalingConfiguration",
            "An active scaling configuration is missing in the scaling group.",
        )
    instance = _instance(call, group, configuration, _vswitch(call, group, number))
    call.world.add(instance)
    call.lifecycle.enter(instance, instance.status, call.now, call.scope)
    disk = _system_disk(call, instance)
    call.world.add(disk)
    _join(call, group, instance, "AutoCreated", configuration.id)


def _vswitch(call: Call, group: Resource, number: int) -> Resource:
    """Return the group's vSwitch for its instance `number`. Raises
    `InvalidVSwitchId.NotFound`."""
    vswitches = group.fields.get("vswitch_ids") or []
    vswitch = (
        call.world.find(call.account, vswitches[number % len(vswitches)], "vpc.vswitch")
        if vswitches
        else None
    )
    if vswitch is None:
        raise CloudError(
            "InvalidVSwitchId.NotFound", "The scaling group has no usable VSwitch.", 404
        )
    return vswitch


def _instance(call: Call, group: Resource, configuration: Resource, vswitch: Resource) -> Resource:
    """Return an instance of the group in a vSwitch. It is not in the world yet."""
    terms = configuration.fields
    address = COMMON["free_address"](
        call.scope, {"cidr": vswitch.fields["cidr"], "subnet": vswitch.id}
    )
    defaults: dict[str, Any] = {
        field.id: field.default
        for field in call.catalogue.resources[_ECS].fields
        if field.default is not None and not field.api.console_only and not field.show_if
    }
    instance = Resource(
        account=call.account,
        kind=_ECS,
        id=new_id(call, _ECS, group.region),
        region=group.region,
        status=call.catalogue.resources[_ECS].lifecycle.initial,
        created=call.scope.now,
    )
    instance.fields = {
        **defaults,
        "billing": "PostPaid",
        "zone": vswitch.fields["zone"],
        "type": terms["instance_type"],
        "image": terms["image"],
        "system_disk_category": terms.get("system_disk_category") or "cloud_essd",
        "system_disk_size": terms.get("system_disk_size") or 40,
        "vpc_id": vswitch.fields["vpc_id"],
        "vswitch_id": vswitch.id,
        "security_group_id": terms["security_group_id"],
        "bandwidth": terms.get("bandwidth") or 0,
        "name": terms.get("instance_name") or f"ESS-asg-{group.fields['name']}",
        "hostname": "iZlocal",
        "private_ip": address,
        "public_ip": COMMON["public_address"](
            call.scope, {"bandwidth": terms.get("bandwidth"), "of": instance.id}
        ),
        "expires": COMMON["expiry"](call.scope, {"billing": "PostPaid"}),
    }
    instance.tags = {"acs:autoscaling:scalingGroupId": group.id}
    return instance


def _system_disk(call: Call, instance: Resource) -> Resource:
    """Return the system disk of an instance. It is not in the world yet."""
    return Resource(
        account=call.account,
        kind=_DISK,
        id=new_id(call, _DISK, instance.region),
        region=instance.region,
        status="In_use",
        created=call.scope.now,
        fields={
            "name": "",
            "description": "",
            "type": "system",
            "category": instance.fields["system_disk_category"],
            "size": instance.fields["system_disk_size"],
            "zone": instance.fields["zone"],
            "instance_id": instance.id,
            "device": "/dev/xvda",
            "delete_with_instance": True,
            "image": instance.fields["image"],
            "billing": "PostPaid",
        },
    )


def _leave(call: Call, member: Resource, *, keep: bool) -> None:
    call.lifecycle.enter(member, "Removing", call.now, call.scope)
    instance = call.world.find(call.account, member.fields["instance_id"], _ECS)
    if instance is not None and not keep and member.fields.get("creation") == "AutoCreated":
        call.lifecycle.enter(instance, "Releasing", call.now, call.scope)


def _order(group: Resource) -> Callable[[Resource], tuple[Any, ...]]:
    """Which members go first, by the removal policies."""
    newest = group.fields.get("removal_first") == "NewestInstance"
    return lambda r: (
        (
            -datetime.fromisoformat(r.created).timestamp()
            if newest
            else datetime.fromisoformat(r.created).timestamp()
        ),
    )


def _scale(call: Call, group: Resource, wanted: int, cause: str) -> Resource:
    """Bring the group to so many instances, within its limits, as one activity."""
    members = _members(call, group)
    low, high = int(group.fields.get("min_size") or 0), int(group.fields.get("max_size") or 0)
    wanted = max(low, min(high, wanted))
    change = wanted - len(members)
    if abs(change) > MOST_AT_ONCE:
        raise CloudError(
            "QuotaExceeded.InstanceQuota",
            f"At most {MOST_AT_ONCE} instances can be changed at once.",
        )
    for number in range(max(change, 0)):
        _launch(call, group, len(members) + number)
    for member in sorted(members, key=_order(group))[: max(-change, 0)]:
        _leave(call, member, keep=False)
    if change == 0:
        return _record(call, group, "The total capacity does not change.", cause, status="Rejected")
    verb = "Add" if change > 0 else "Remove"
    return _record(call, group, f'{verb} "{abs(change)}" ECS instances.', cause)


def execute_scaling_rule(call: Call) -> Outcome:
    """ExecuteScalingRule: a simple rule, named by its ARI."""
    ari = call.params.get("ScalingRuleAri")
    if not ari:
        raise missing_parameter("ScalingRuleAri")
    rules = call.world.select(call.account, _RULE, lambda r: r.fields.get("ari") == ari)
    if not rules:
        raise CloudError(
            "InvalidScalingRuleAri.NotFound", "The specified scaling rule Ari does not exist.", 404
        )
    rule = rules[0]
    if rule.fields.get("type") != "SimpleScalingRule":
        raise CloudError(
            "OperationDenied.ScalingRuleType", "Only simple scaling rules can be executed."
        )
    group = call.world.find(call.account, rule.fields["group_id"], _GROUP)
    if group is None or group.status != "Active":
        raise refusal(call.catalogue.resources[_GROUP].api.wrong_state)
    _idle(call, group)
    held, value = len(_members(call, group)), int(rule.fields.get("adjustment") or 0)
    by_type = {
        "QuantityChangeInCapacity": held + value,
        "PercentChangeInCapacity": held + round(held * value / 100),
        "TotalCapacity": value,
    }
    cause = (
        f'A user requests to execute scaling rule "{rule.id}", changing the Total Capacity from'
        f' "{held}".'
    )
    activity = _scale(call, group, by_type[str(rule.fields.get("adjustment_type"))], cause)
    return Outcome(
        answer=render(call.operation.spec.response, call.at(activity)), resources=[rule, group]
    )


def _put_in_effect(call: Call, group: Resource, configuration_id: str) -> None:
    configuration = call.world.find(call.account, configuration_id, _CONFIGURATION)
    if configuration is None or configuration.fields.get("group_id") != group.id:
        raise refusal(
            call.catalogue.resources[_CONFIGURATION].api.not_found,
            id=configuration_id,
            field="configuration_id",
        )
    for other in call.world.select(
        call.account, _CONFIGURATION, lambda r: r.fields.get("group_id") == group.id
    ):
        call.lifecycle.enter(
            other, "Active" if other.id == configuration.id else "Inactive", call.now, call.scope
        )
    call.world.touch(group)
    group.fields["configuration_id"] = configuration.id


def _fill(call: Call, group: Resource) -> None:
    """Bring an enabled group between its limits, or to the number that is expected of
    it."""
    held = len(_members(call, group))
    expected = group.fields.get("desired")
    wanted = int(expected) if expected is not None else held
    if (
        max(
            int(group.fields.get("min_size") or 0),
            min(int(group.fields.get("max_size") or 0), wanted),
        )
        != held
    ):
        _scale(call, group, wanted, "The capacity of the scaling group is outside of its limits.")


def enable_scaling_group(call: Call) -> Outcome:
    """EnableScalingGroup: puts a configuration in effect and starts the instances that
    the group wants."""
    group = _group(call, active=False)
    if group.status != "Inactive":
        raise refusal(call.catalogue.resources[_GROUP].api.wrong_state, id=group.id)
    wanted = call.params.get("ActiveScalingConfigurationId") or group.fields.get("configuration_id")
    if not wanted:
        raise CloudError(
            "MissingActiveScalingConfiguration",
            "An active scaling configuration is missing in the scaling group.",
            field="configuration_id",
        )
    _put_in_effect(call, group, wanted)
    call.lifecycle.enter(group, "Active", call.now, call.scope)
    _fill(call, group)
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
        _put_in_effect(call, group, call.params["ActiveScalingConfigurationId"])
    if group.status == "Active":
        _fill(call, group)
    return outcome


def delete_scaling_group(call: Call) -> Outcome:
    """DeleteScalingGroup: by force, the instances that the group made are released with
    it."""
    outcome = update_resource(call)
    for group in outcome.resources:
        for member in _members(call, group):
            _leave(call, member, keep=False)
    return outcome


def _asked(call: Call) -> Sequence[str]:
    ids = repeated(call.params, "InstanceIds") or repeated(call.params, "InstanceId")
    if not ids:
        raise missing_parameter("InstanceIds.1")
    return ids


def attach_instances(call: Call) -> Outcome:
    """AttachInstances: running instances of the group's VPC join it."""
    group = _group(call, active=True)
    _idle(call, group)
    joined = []
    for one in _asked(call):
        instance = call.world.find(call.account, one, _ECS)
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
            _MEMBER,
            lambda r, wanted=one: r.fields.get("instance_id") == wanted,  # type: ignore[misc]
        ):
            raise CloudError(
                "InvalidInstanceId.InUse",
                f'Instance "{one}" is already in a scaling group.',
                field="instance_id",
            )
        if len(_members(call, group)) >= int(group.fields.get("max_size") or 0):
            message = (
                "To attach the instances, the total capacity will be greater than the MaxSize."
            )
            raise CloudError("IncorrectCapacity.MaxSize", message)
        joined.append(_join(call, group, instance, "Attached", ""))
    activity = _record(
        call,
        group,
        f'Attach "{len(joined)}" ECS instances.',
        "A user requests to attach instances.",
    )
    return Outcome(
        answer=render(call.operation.spec.response, call.at(activity)), resources=[*joined, group]
    )


def _withdraw(call: Call, *, keep: bool, verb: str) -> Outcome:
    group = _group(call, active=True)
    _idle(call, group)
    members = {r.fields["instance_id"]: r for r in _members(call, group)}
    asked = _asked(call)
    for one in asked:
        if one not in members:
            raise refusal(call.catalogue.resources[_MEMBER].api.not_found, id=one)
    if len(members) - len(asked) < int(group.fields.get("min_size") or 0):
        message = f"To {verb} the instances, the total capacity will be lesser than the MinSize."
        raise CloudError("IncorrectCapacity.MinSize", message)
    for one in asked:
        _leave(call, members[one], keep=keep)
    activity = _record(
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
    rules = scope.world.select(scope.account, _RULE, lambda r: r.fields.get("ari") == ari)
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
