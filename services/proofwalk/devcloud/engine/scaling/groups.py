"""Scaling groups with their members and activities, as the world has them.

A group's members are `scaling_instance` rows, each about an ECS instance.
"""

from __future__ import annotations

from proofwalk.devcloud.engine.calls import Call
from proofwalk.devcloud.engine.identity import new_id
from proofwalk.devcloud.engine.state.faults import CloudError, missing_parameter
from proofwalk.devcloud.engine.state.world import Resource
from proofwalk.devcloud.engine.values.validation import refusal

GROUP, CONFIGURATION, RULE = "ess.scaling_group", "ess.scaling_configuration", "ess.scaling_rule"
MEMBER, ACTIVITY, ECS, DISK = (
    "ess.scaling_instance",
    "ess.scaling_activity",
    "ecs.instance",
    "ecs.disk",
)
_MEMBERS = ("Pending", "InService", "Protected")


def group_of(call: Call, *, active: bool) -> Resource:
    asked = call.params.get("ScalingGroupId")
    if not asked:
        raise missing_parameter("ScalingGroupId")
    found = call.world.find(call.account, asked, GROUP)
    api = call.catalogue.resources[GROUP].api
    if found is None or found.region != call.region:
        raise refusal(api.not_found, id=asked)
    if active and found.status != "Active":
        raise refusal(api.wrong_state, id=asked)
    return found


def members_of(call: Call, group: Resource) -> list[Resource]:
    return call.world.select(
        call.account,
        MEMBER,
        lambda r: r.fields.get("group_id") == group.id and r.status in _MEMBERS,
    )


def refuse_while_busy(call: Call, group: Resource) -> None:
    """Refuse while an activity of the group is going on."""
    if call.world.select(
        call.account,
        ACTIVITY,
        lambda r: r.fields.get("group_id") == group.id and r.status == "InProgress",
    ):
        message = (
            "You cannot delete a scaling group or launch a new scaling activity while there is a"
            " scaling activity in progress."
        )
        raise CloudError("ScalingActivityInProgress", message)


def record_activity(
    call: Call, group: Resource, description: str, cause: str, status: str = "InProgress"
) -> Resource:
    activity = Resource(
        account=call.account,
        kind=ACTIVITY,
        id=new_id(call, ACTIVITY, group.region),
        region=group.region,
        status=status,
        created=call.scope.now,
        fields={
            "group_id": group.id,
            "cause": cause,
            "description": description,
            "capacity": len(members_of(call, group)),
            "started": call.scope.now,
        },
    )
    call.world.add(activity)
    call.lifecycle.enter(activity, status, call.now, call.scope)
    return activity
