"""How instances join a scaling group and leave it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from proofwalk.devcloud.engine.calls import Call
from proofwalk.devcloud.engine.identity import chosen
from proofwalk.devcloud.engine.scaling.groups import CONFIGURATION, ECS, MEMBER
from proofwalk.devcloud.engine.scaling.instances import new_instance, new_system_disk, vswitch_of
from proofwalk.devcloud.engine.state.faults import CloudError
from proofwalk.devcloud.engine.state.world import Resource


def join(
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
        kind=MEMBER,
        id=chosen(call.catalogue.resources[MEMBER], fields),
        region=group.region,
        status="Pending",
        created=call.scope.now,
        fields=fields,
    )
    call.world.add(member)
    call.lifecycle.enter(member, "Pending", call.now, call.scope)
    return member


def launch(call: Call, group: Resource, number: int) -> None:
    """Start an ECS instance by the configuration in effect, with its system disk.
    `number` picks the vSwitch: the group's take turns."""
    configuration = call.world.find(
        call.account, group.fields.get("configuration_id"), CONFIGURATION
    )
    if configuration is None:
        raise CloudError(
            "MissingActiveScalingConfiguration",
            "An active scaling configuration is missing in the scaling group.",
        )
    instance = new_instance(call, group, configuration, vswitch_of(call, group, number))
    call.world.add(instance)
    call.lifecycle.enter(instance, instance.status, call.now, call.scope)
    disk = new_system_disk(call, instance)
    call.world.add(disk)
    join(call, group, instance, "AutoCreated", configuration.id)


def leave(call: Call, member: Resource, *, keep: bool) -> None:
    call.lifecycle.enter(member, "Removing", call.now, call.scope)
    instance = call.world.find(call.account, member.fields["instance_id"], ECS)
    if instance is not None and not keep and member.fields.get("creation") == "AutoCreated":
        call.lifecycle.enter(instance, "Releasing", call.now, call.scope)


def removal_order(group: Resource) -> Callable[[Resource], tuple[Any, ...]]:
    """Which members go first, by the removal policies."""
    newest = group.fields.get("removal_first") == "NewestInstance"
    return lambda r: (
        (
            -datetime.fromisoformat(r.created).timestamp()
            if newest
            else datetime.fromisoformat(r.created).timestamp()
        ),
    )
