"""Security groups and their rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from proofwalk.resource_provisioner.alicloud_provider.openapi import ApiError, CloudApi
from proofwalk.resource_provisioner.alicloud_provider.resource import (
    Resource,
    State,
    given,
    tag_params,
    tags_of,
    update_tags,
)


class SecurityGroup(Resource):
    """`alicloud_security_group`."""

    type_name = "alicloud_security_group"
    replaced_by = frozenset({"vpc_id", "security_group_type"})
    aliases = {"name": "security_group_name"}  # noqa: RUF012 -- declared ClassVar by the base
    choices = {  # noqa: RUF012
        "security_group_type": ("normal", "enterprise"),
        "inner_access_policy": ("Accept", "Drop"),
    }

    def create(self, cloud: CloudApi, planned: State) -> str:
        answer = cloud.write(
            "ecs",
            "CreateSecurityGroup",
            SecurityGroupName=given(planned, "security_group_name"),
            VpcId=given(planned, "vpc_id"),
            SecurityGroupType=given(planned, "security_group_type"),
            Description=given(planned, "description"),
            Tag=tag_params(planned.get("tags")),
        )
        return str(answer["SecurityGroupId"])

    def read(self, cloud: CloudApi, state: State) -> State | None:
        attribute = group_attribute(cloud, state["id"])
        if attribute is None:
            return None
        answer = cloud.read("ecs", "DescribeSecurityGroups", SecurityGroupId=state["id"])
        row = ((answer.get("SecurityGroups") or {}).get("SecurityGroup") or [{}])[0]
        policy = attribute.get("InnerAccessPolicy") or "Accept"
        return self.merged(
            state,
            {
                "security_group_name": attribute.get("SecurityGroupName"),
                "vpc_id": attribute.get("VpcId"),
                "description": attribute.get("Description") or None,
                "inner_access_policy": policy,
                "inner_access": policy == "Accept",
                "security_group_type": row.get("SecurityGroupType"),
                "create_time": row.get("CreationTime"),
                "tags": tags_of(row),
            },
        )

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        if changed & {"security_group_name", "name", "description"}:
            cloud.write(
                "ecs",
                "ModifySecurityGroupAttribute",
                SecurityGroupId=prior["id"],
                SecurityGroupName=given(planned, "security_group_name"),
                Description=given(planned, "description"),
            )
        if changed & {"inner_access_policy", "inner_access"}:
            cloud.write(
                "ecs",
                "ModifySecurityGroupPolicy",
                SecurityGroupId=prior["id"],
                InnerAccessPolicy=given(planned, "inner_access_policy") or "Accept",
            )
        if "tags" in changed:
            update_tags(cloud, "ecs", "securitygroup", prior["id"], prior, planned)

    def delete(self, cloud: CloudApi, state: State) -> None:
        cloud.remove("ecs", "DeleteSecurityGroup", SecurityGroupId=state["id"])


def group_attribute(cloud: CloudApi, id_: str) -> dict[str, Any] | None:
    """A security group with its rules; None when it is gone."""
    try:
        return cloud.read(
            "ecs", "DescribeSecurityGroupAttribute", SecurityGroupId=id_, Direction="all"
        )
    except ApiError as error:
        if error.not_found:
            return None
        raise


class SecurityGroupRule(Resource):
    """`alicloud_security_group_rule`; its id says all that tells a rule from another,
    as the real provider's does."""

    type_name = "alicloud_security_group_rule"
    replaced_by = frozenset(
        {
            *(
                "cidr_ip",
                "ip_protocol",
                "ipv6_cidr_ip",
                "nic_type",
                "policy",
                "port_range",
                "prefix_list_id",
                "priority",
            ),
            *(
                "security_group_id",
                "source_group_owner_account",
                "source_security_group_id",
                "type",
            ),
        }
    )
    defaults = {  # noqa: RUF012
        "policy": "accept",
        "priority": 1,
        "port_range": "-1/-1",
        "nic_type": "intranet",
    }
    choices = {  # noqa: RUF012
        "type": ("ingress", "egress"),
        "ip_protocol": ("tcp", "udp", "icmp", "icmpv6", "gre", "all"),
        "policy": ("accept", "drop"),
    }

    def create(self, cloud: CloudApi, planned: State) -> str:
        cloud.write("ecs", self._verb(planned, "Authorize"), **self._params(planned))
        peer = (
            given(planned, "source_security_group_id")
            or given(planned, "cidr_ip")
            or given(planned, "ipv6_cidr_ip")
            or ""
        )
        facts = ("security_group_id", "type", "ip_protocol", "port_range", "nic_type")
        return ":".join(
            [
                *(str(planned[name]) for name in facts),
                str(peer),
                str(planned["policy"]),
                str(planned["priority"]),
            ]
        )

    def _verb(self, state: State, verb: str) -> str:
        return f"{verb}SecurityGroup{'Egress' if state['type'] == 'egress' else ''}"

    def _params(self, state: State) -> dict[str, Any]:
        ingress = state["type"] == "ingress"
        return {
            "SecurityGroupId": state["security_group_id"],
            "IpProtocol": state["ip_protocol"],
            "PortRange": state["port_range"],
            "Policy": state["policy"],
            "Priority": str(state["priority"]),
            "NicType": given(state, "nic_type"),
            "SourceCidrIp" if ingress else "DestCidrIp": given(state, "cidr_ip"),
            "SourceGroupId" if ingress else "DestGroupId": given(state, "source_security_group_id"),
            "Description": given(state, "description"),
        }

    def _look(self, cloud: CloudApi, id_: str) -> tuple[str, State] | None:
        """The cloud's id of the rule, and its attributes."""
        parts = id_.split(":")
        if len(parts) != 8:
            raise ApiError(
                "Import",
                "InvalidId",
                "the id is group:type:protocol:ports:nic:peer:policy:priority",
            )
        group = group_attribute(cloud, parts[0])
        for rule in ((group or {}).get("Permissions") or {}).get("Permission") or []:
            ingress = str(rule.get("Direction", "")).lower() == "ingress"
            cidr = rule.get("SourceCidrIp" if ingress else "DestCidrIp") or ""
            peer = rule.get("SourceGroupId" if ingress else "DestGroupId") or ""
            facts = {
                "security_group_id": parts[0],
                "type": "ingress" if ingress else "egress",
                "ip_protocol": str(rule.get("IpProtocol", "")).lower(),
                "port_range": str(rule.get("PortRange")),
                "nic_type": parts[4],
                "policy": str(rule.get("Policy", "")).lower(),
                "priority": rule.get("Priority"),
                "cidr_ip": cidr or None,
                "source_security_group_id": peer or None,
                "description": rule.get("Description") or None,
            }
            told = [
                *(
                    str(facts[name])
                    for name in (
                        "security_group_id",
                        "type",
                        "ip_protocol",
                        "port_range",
                        "nic_type",
                    )
                )
            ]
            if [*told, peer or cidr, str(facts["policy"]), str(facts["priority"])] == parts:
                return str(rule.get("SecurityGroupRuleId") or ""), facts
        return None

    def read(self, cloud: CloudApi, state: State) -> State | None:
        found = self._look(cloud, state["id"])
        return None if found is None else self.merged(state, found[1])

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        found = self._look(cloud, prior["id"])
        if found is None:
            raise ApiError(
                "ModifySecurityGroupRule", "InvalidSecurityGroupRuleId.NotFound", "the rule is gone"
            )
        verb = (
            "ModifySecurityGroupRule"
            if planned["type"] == "ingress"
            else "ModifySecurityGroupEgressRule"
        )
        described = given(planned, "description") or ""
        cloud.write(
            "ecs",
            verb,
            SecurityGroupId=prior["security_group_id"],
            SecurityGroupRuleId=found[0],
            Description=described,
        )

    def delete(self, cloud: CloudApi, state: State) -> None:
        params = self._params(state)
        params.pop("Description")
        cloud.remove("ecs", self._verb(state, "Revoke"), **params)


RESOURCES: Sequence[type[Resource]] = (SecurityGroup, SecurityGroupRule)
