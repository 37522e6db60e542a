"""What an elastic IP address is bound to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from proofwalk.resource_provisioner.alicloud_provider.internet.addresses import look_at_eip
from proofwalk.resource_provisioner.alicloud_provider.openapi import ApiError, CloudApi
from proofwalk.resource_provisioner.alicloud_provider.resource import Resource, State, given


class EipAssociation(Resource):
    """`alicloud_eip_association`; its id is `eip:instance`."""

    type_name = "alicloud_eip_association"
    replaced_by = frozenset(
        {"allocation_id", "instance_id", "instance_type", "private_ip_address", "mode", "vpc_id"}
    )
    _kinds = (("i-", "EcsInstance"), ("ngw-", "Nat"), ("lb-", "SlbInstance"))

    def create(self, cloud: CloudApi, planned: State) -> str:
        instance = str(planned["instance_id"])
        by_prefix = next(
            (kind for prefix, kind in self._kinds if instance.startswith(prefix)), None
        )
        cloud.write(
            "vpc",
            "AssociateEipAddress",
            AllocationId=planned["allocation_id"],
            InstanceId=instance,
            InstanceType=given(planned, "instance_type") or by_prefix,
            PrivateIpAddress=given(planned, "private_ip_address"),
        )
        return f"{planned['allocation_id']}:{instance}"

    def settle(self, cloud: CloudApi, state: State) -> None:
        eip = state["id"].partition(":")[0]
        limit = self.timeout(state, "create", 300)
        cloud.wait(
            eip,
            lambda: look_at_eip(cloud, eip),
            lambda row: row.get("Status") == "InUse",
            timeout_s=limit,
        )

    def read(self, cloud: CloudApi, state: State) -> State | None:
        eip, _, instance = state["id"].partition(":")
        if not instance:
            raise ApiError("Import", "InvalidId", "the id is eip:instance")
        row = look_at_eip(cloud, eip)
        if row is None or row.get("InstanceId") != instance:
            return None
        facts = {
            "allocation_id": eip,
            "instance_id": instance,
            "instance_type": row.get("InstanceType"),
            "mode": row.get("Mode"),
        }
        return self.merged(state, facts)

    def delete(self, cloud: CloudApi, state: State) -> None:
        eip, _, instance = state["id"].partition(":")

        def bound() -> dict[str, Any] | None:
            row = look_at_eip(cloud, eip)
            return (
                row
                if row is not None
                and row.get("Status") in ("InUse", "Associating", "Unassociating")
                else None
            )

        row = bound()
        if row is None or row.get("InstanceId") not in (instance, ""):
            return
        if row.get("InstanceId"):
            kind = row.get("InstanceType")
            cloud.remove(
                "vpc",
                "UnassociateEipAddress",
                AllocationId=eip,
                InstanceId=instance,
                InstanceType=kind,
            )
        cloud.until_gone(state["id"], bound, timeout_s=self.timeout(state, "delete", 300))


RESOURCES: Sequence[type[Resource]] = (EipAssociation,)
