"""How many instances a scaling group has, and by which configuration."""

from __future__ import annotations

from proofwalk.devcloud.engine.calls import Call
from proofwalk.devcloud.engine.scaling.groups import CONFIGURATION, members_of, record_activity
from proofwalk.devcloud.engine.scaling.members import launch, leave, removal_order
from proofwalk.devcloud.engine.state.faults import CloudError
from proofwalk.devcloud.engine.state.world import Resource
from proofwalk.devcloud.engine.values.validation import refusal

MOST_AT_ONCE = 20
"""Instances that one activity makes at most; the real service allows 1000."""


def scale(call: Call, group: Resource, wanted: int, cause: str) -> Resource:
    """Bring the group to so many instances, within its limits, as one activity."""
    members = members_of(call, group)
    low, high = int(group.fields.get("min_size") or 0), int(group.fields.get("max_size") or 0)
    wanted = max(low, min(high, wanted))
    change = wanted - len(members)
    if abs(change) > MOST_AT_ONCE:
        raise CloudError(
            "QuotaExceeded.InstanceQuota",
            f"At most {MOST_AT_ONCE} instances can be changed at once.",
        )
    for number in range(max(change, 0)):
        launch(call, group, len(members) + number)
    for member in sorted(members, key=removal_order(group))[: max(-change, 0)]:
        leave(call, member, keep=False)
    if change == 0:
        return record_activity(
            call, group, "The total capacity does not change.", cause, status="Rejected"
        )
    verb = "Add" if change > 0 else "Remove"
    return record_activity(call, group, f'{verb} "{abs(change)}" ECS instances.', cause)


def put_in_effect(call: Call, group: Resource, configuration_id: str) -> None:
    configuration = call.world.find(call.account, configuration_id, CONFIGURATION)
    if configuration is None or configuration.fields.get("group_id") != group.id:
        raise refusal(
            call.catalogue.resources[CONFIGURATION].api.not_found,
            id=configuration_id,
            field="configuration_id",
        )
    for other in call.world.select(
        call.account, CONFIGURATION, lambda r: r.fields.get("group_id") == group.id
    ):
        call.lifecycle.enter(
            other, "Active" if other.id == configuration.id else "Inactive", call.now, call.scope
        )
    call.world.touch(group)
    group.fields["configuration_id"] = configuration.id


def fill(call: Call, group: Resource) -> None:
    """Bring an enabled group between its limits, or to the number that is expected of
    it."""
    held = len(members_of(call, group))
    expected = group.fields.get("desired")
    wanted = int(expected) if expected is not None else held
    if (
        max(
            int(group.fields.get("min_size") or 0),
            min(int(group.fields.get("max_size") or 0), wanted),
        )
        != held
    ):
        scale(call, group, wanted, "The capacity of the scaling group is outside of its limits.")
