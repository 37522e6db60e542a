"""Custom policies with their versions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from proofwalk.resource_provisioner.alicloud_provider.identities.documents import same_document
from proofwalk.resource_provisioner.alicloud_provider.openapi import CloudApi
from proofwalk.resource_provisioner.alicloud_provider.resource import (
    Plan,
    Resource,
    State,
    given,
    tag_params,
)


class Policy(Resource):
    """`alicloud_ram_policy`: a change of its document is a further version, which
    becomes the default one."""

    type_name = "alicloud_ram_policy"
    replaced_by = frozenset({"policy_name", "name", "description"})
    follows = {  # noqa: RUF012 -- declared ClassVar by the base
        name: frozenset({"policy_document", "document"})
        for name in ("default_version", "version_id")
    }
    aliases = {"name": "policy_name", "document": "policy_document"}  # noqa: RUF012
    needed = ("policy_name", "policy_document")

    def create(self, cloud: CloudApi, planned: State) -> str:
        answer = cloud.write(
            "ram",
            "CreatePolicy",
            PolicyName=planned["policy_name"],
            PolicyDocument=planned["policy_document"],
            Description=given(planned, "description"),
            Tag=tag_params(planned.get("tags")),
        )
        return str(answer["Policy"]["PolicyName"])

    def read(self, cloud: CloudApi, state: State) -> State | None:
        found = cloud.find("ram", "GetPolicy", PolicyName=state["id"], PolicyType="Custom")
        if found is None:
            return None
        row, version = found["Policy"], found["DefaultPolicyVersion"]
        document, former = str(version.get("PolicyDocument") or ""), state.get("policy_document")
        facts = {
            "policy_name": row.get("PolicyName"),
            "policy_document": (
                former if isinstance(former, str) and same_document(former, document) else document
            ),
            "description": row.get("Description"),
            "type": row.get("PolicyType"),
            "default_version": row.get("DefaultVersion"),
            "version_id": row.get("DefaultVersion"),
            "attachment_count": row.get("AttachmentCount"),
            "create_time": row.get("CreateDate"),
        }
        return self.merged(state, facts)

    def plan(self, prior: State | None, proposed: State, config: Mapping[str, Any]) -> Plan:
        plan = super().plan(prior, proposed, config)
        if prior is not None:
            # others attach it, which is no reason for a change
            plan.state["attachment_count"] = prior.get("attachment_count")
        return plan

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        if changed & {"policy_document", "document"}:
            cloud.write(
                "ram",
                "CreatePolicyVersion",
                PolicyName=prior["id"],
                PolicyDocument=planned["policy_document"],
                SetAsDefault=True,
                RotateStrategy=given(planned, "rotate_strategy"),
            )

    def delete(self, cloud: CloudApi, state: State) -> None:
        cloud.remove("ram", "DeletePolicy", PolicyName=state["id"])


RESOURCES: Sequence[type[Resource]] = (Policy,)
