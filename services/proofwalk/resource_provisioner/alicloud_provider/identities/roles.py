"""RAM roles."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from proofwalk.resource_provisioner.alicloud_provider.identities.documents import same_document
from proofwalk.resource_provisioner.alicloud_provider.openapi import CloudApi
from proofwalk.resource_provisioner.alicloud_provider.resource import (
    Problem,
    Resource,
    State,
    given,
)


class Role(Resource):
    """`alicloud_ram_role`."""

    type_name = "alicloud_ram_role"
    replaced_by = frozenset({"name"})
    follows = {  # noqa: RUF012 -- declared ClassVar by the base
        "services": frozenset({"document"}),
        "ram_users": frozenset({"document"}),
        "document": frozenset({"services", "ram_users"}),
    }

    def validate(self, config: Mapping[str, Any]) -> list[Problem]:
        problems = super().validate(config)
        if all(config.get(name) is None for name in ("document", "services", "ram_users")):
            detail = "One of 'document', 'services' and 'ram_users' says who may assume the role."
            problems.append(Problem(summary="Missing required argument", detail=detail))
        return problems

    def _document(self, planned: State) -> str:
        document = given(planned, "document")
        if document is not None:
            return str(document)
        principal = {
            name: sorted(values)
            for name, values in (
                ("RAM", given(planned, "ram_users")),
                ("Service", given(planned, "services")),
            )
            if values
        }
        statement = {"Action": "sts:AssumeRole", "Effect": "Allow", "Principal": principal}
        return json.dumps(
            {"Statement": [statement], "Version": given(planned, "version") or "1"},
            separators=(",", ":"),
        )

    def create(self, cloud: CloudApi, planned: State) -> str:
        answer = cloud.write(
            "ram",
            "CreateRole",
            RoleName=planned["name"],
            AssumeRolePolicyDocument=self._document(planned),
            Description=given(planned, "description"),
            MaxSessionDuration=given(planned, "max_session_duration"),
        )
        return str(answer["Role"]["RoleName"])

    def read(self, cloud: CloudApi, state: State) -> State | None:
        found = cloud.find("ram", "GetRole", RoleName=state["id"])
        if found is None:
            return None
        row = found["Role"]
        document = str(row.get("AssumeRolePolicyDocument") or "")
        facts: dict[str, Any] = {
            "name": row.get("RoleName"),
            "arn": row.get("Arn"),
            "role_id": row.get("RoleId"),
            "description": row.get("Description"),
        }
        if state.get("max_session_duration") is not None:
            facts["max_session_duration"] = row.get("MaxSessionDuration")
        former = state.get("document")
        facts["document"] = (
            former if isinstance(former, str) and same_document(former, document) else document
        )
        return self.merged(state, facts)

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        retrusted = bool(changed & {"document", "services", "ram_users", "version"})
        cloud.write(
            "ram",
            "UpdateRole",
            RoleName=prior["id"],
            NewAssumeRolePolicyDocument=self._document(planned) if retrusted else None,
            NewDescription=given(planned, "description") or "",
            NewMaxSessionDuration=given(planned, "max_session_duration"),
        )

    def delete(self, cloud: CloudApi, state: State) -> None:
        if state.get("force"):
            listed = cloud.find("ram", "ListPoliciesForRole", RoleName=state["id"]) or {}
            for policy in (listed.get("Policies") or {}).get("Policy") or []:
                named = {"PolicyName": policy["PolicyName"], "PolicyType": policy["PolicyType"]}
                cloud.remove("ram", "DetachPolicyFromRole", RoleName=state["id"], **named)
        cloud.remove("ram", "DeleteRole", RoleName=state["id"])


RESOURCES: Sequence[type[Resource]] = (Role,)
