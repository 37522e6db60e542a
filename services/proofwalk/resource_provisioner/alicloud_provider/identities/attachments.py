"""Policies attached to users, groups and roles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from proofwalk.resource_provisioner.alicloud_provider.openapi import ApiError, CloudApi
from proofwalk.resource_provisioner.alicloud_provider.resource import Resource, State


class Attachment(Resource):
    """A policy attached to a user, group or role; its id names all three parts, as the
    real provider's does."""

    choices = {"policy_type": ("Custom", "System")}  # noqa: RUF012 -- declared ClassVar by the base
    whom: ClassVar[str]
    """`user`, `group` or `role`."""

    def _params(self, state: State) -> dict[str, str]:
        word = self.whom.capitalize()
        return {
            f"{word}Name": state[f"{self.whom}_name"],
            "PolicyName": state["policy_name"],
            "PolicyType": state["policy_type"],
        }

    def create(self, cloud: CloudApi, planned: State) -> str:
        cloud.write("ram", f"AttachPolicyTo{self.whom.capitalize()}", **self._params(planned))
        return f"{self.whom}:{planned['policy_name']}:{planned['policy_type']}:{planned[f'{self.whom}_name']}"

    def read(self, cloud: CloudApi, state: State) -> State | None:
        _, policy, policy_type, holder = str(state["id"]).split(":", 3)
        word = self.whom.capitalize()
        listed = cloud.find("ram", f"ListPoliciesFor{word}", **{f"{word}Name": holder}) or {}
        held = {
            (row["PolicyName"], row["PolicyType"])
            for row in (listed.get("Policies") or {}).get("Policy") or []
        }
        if (policy, policy_type) not in held:
            return None
        return self.merged(
            state, {f"{self.whom}_name": holder, "policy_name": policy, "policy_type": policy_type}
        )

    def delete(self, cloud: CloudApi, state: State) -> None:
        try:
            cloud.remove("ram", f"DetachPolicyFrom{self.whom.capitalize()}", **self._params(state))
        except ApiError as error:
            if not error.not_found:
                raise


class UserPolicyAttachment(Attachment):
    """`alicloud_ram_user_policy_attachment`."""

    type_name = "alicloud_ram_user_policy_attachment"
    whom = "user"
    replaced_by = frozenset({"policy_name", "policy_type", "user_name"})


class GroupPolicyAttachment(Attachment):
    """`alicloud_ram_group_policy_attachment`."""

    type_name = "alicloud_ram_group_policy_attachment"
    whom = "group"
    replaced_by = frozenset({"policy_name", "policy_type", "group_name"})


class RolePolicyAttachment(Attachment):
    """`alicloud_ram_role_policy_attachment`."""

    type_name = "alicloud_ram_role_policy_attachment"
    whom = "role"
    replaced_by = frozenset({"policy_name", "policy_type", "role_name"})


RESOURCES: Sequence[type[Resource]] = (
    UserPolicyAttachment,
    GroupPolicyAttachment,
    RolePolicyAttachment,
)
