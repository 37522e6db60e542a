"""The ECS instances that a scaling group makes."""

from __future__ import annotations

from typing import Any

from proofwalk.devcloud.engine.calls import Call
from proofwalk.devcloud.engine.identity import new_id
from proofwalk.devcloud.engine.scaling.groups import DISK, ECS
from proofwalk.devcloud.engine.state.faults import CloudError
from proofwalk.devcloud.engine.state.world import Resource
from proofwalk.devcloud.engine.values.derivations import DERIVATIONS as COMMON


def vswitch_of(call: Call, group: Resource, number: int) -> Resource:
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


def new_instance(
    call: Call, group: Resource, configuration: Resource, vswitch: Resource
) -> Resource:
    """Return an instance of the group in a vSwitch. It is not in the world yet."""
    terms = configuration.fields
    address = COMMON["free_address"](
        call.scope, {"cidr": vswitch.fields["cidr"], "subnet": vswitch.id}
    )
    defaults: dict[str, Any] = {
        field.id: field.default
        for field in call.catalogue.resources[ECS].fields
        if field.default is not None and not field.api.console_only and not field.show_if
    }
    instance = Resource(
        account=call.account,
        kind=ECS,
        id=new_id(call, ECS, group.region),
        region=group.region,
        status=call.catalogue.resources[ECS].lifecycle.initial,
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


def new_system_disk(call: Call, instance: Resource) -> Resource:
    """Return the system disk of an instance. It is not in the world yet."""
    return Resource(
        account=call.account,
        kind=DISK,
        id=new_id(call, DISK, instance.region),
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
