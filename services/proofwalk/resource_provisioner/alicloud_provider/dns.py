"""Alibaba Cloud DNS: domain names, their groups and their records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from proofwalk.resource_provisioner.alicloud_provider.openapi import CloudApi
from proofwalk.resource_provisioner.alicloud_provider.resource import (
    Resource,
    State,
    given,
    update_tags,
)


class DomainGroup(Resource):
    """`alicloud_alidns_domain_group`."""

    type_name = "alicloud_alidns_domain_group"
    aliases = {"group_name": "domain_group_name"}  # noqa: RUF012 -- declared ClassVar by the base
    needed = ("domain_group_name",)

    def create(self, cloud: CloudApi, planned: State) -> str:
        return str(
            cloud.write("alidns", "AddDomainGroup", GroupName=planned["domain_group_name"])[
                "GroupId"
            ]
        )

    def read(self, cloud: CloudApi, state: State) -> State | None:
        listed = (
            cloud.read("alidns", "DescribeDomainGroups", PageSize=100).get("DomainGroups") or {}
        ).get("DomainGroup") or []
        row = next((group for group in listed if group.get("GroupId") == state["id"]), None)
        return self.merged(state, {"domain_group_name": row.get("GroupName")}) if row else None

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        if "domain_group_name" in changed:
            cloud.write(
                "alidns",
                "UpdateDomainGroup",
                GroupId=prior["id"],
                GroupName=planned["domain_group_name"],
            )

    def delete(self, cloud: CloudApi, state: State) -> None:
        cloud.remove("alidns", "DeleteDomainGroup", GroupId=state["id"])


class Domain(Resource):
    """`alicloud_alidns_domain`; its id is the domain name."""

    type_name = "alicloud_alidns_domain"
    replaced_by = frozenset({"domain_name"})
    follows = {"group_name": frozenset({"group_id"})}  # noqa: RUF012 -- declared ClassVar by the base

    def create(self, cloud: CloudApi, planned: State) -> str:
        answer = cloud.write(
            "alidns",
            "AddDomain",
            DomainName=planned["domain_name"],
            GroupId=given(planned, "group_id"),
        )
        return str(answer["DomainName"])

    def settle(self, cloud: CloudApi, state: State) -> None:
        if given(state, "remark"):
            self._remark(cloud, state)
        if state.get("tags"):
            update_tags(cloud, "alidns", "DOMAIN", state["id"], {}, state)

    def _remark(self, cloud: CloudApi, state: State) -> None:
        # a domain name that was just added is looked at first, and refuses changes
        # meanwhile
        cloud.remove(
            "alidns",
            "UpdateDomainRemark",
            DomainName=state["domain_name"],
            Remark=given(state, "remark") or "",
        )

    def read(self, cloud: CloudApi, state: State) -> State | None:
        row = cloud.find("alidns", "DescribeDomainInfo", DomainName=state["id"])
        if row is None:
            return None
        tags = {tag["Key"]: tag["Value"] for tag in (row.get("Tags") or {}).get("Tag") or []}
        return self.merged(
            state,
            {
                "domain_name": row.get("DomainName"),
                "domain_id": row.get("DomainId"),
                "puny_code": row.get("PunyCode"),
                "dns_servers": (row.get("DnsServers") or {}).get("DnsServer") or [],
                "group_id": row.get("GroupId") or None,
                "group_name": row.get("GroupName"),
                "remark": row.get("Remark") or None,
                "resource_group_id": row.get("ResourceGroupId"),
                "tags": tags or None,
            },
        )

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        if "remark" in changed:
            self._remark(cloud, planned)
        if "group_id" in changed:
            cloud.remove(
                "alidns",
                "ChangeDomainGroup",
                DomainName=prior["id"],
                GroupId=given(planned, "group_id") or "",
            )
        if "tags" in changed:
            update_tags(cloud, "alidns", "DOMAIN", prior["id"], prior, planned)

    def delete(self, cloud: CloudApi, state: State) -> None:
        cloud.remove("alidns", "DeleteDomain", DomainName=state["id"])


class Record(Resource):
    """`alicloud_alidns_record`."""

    type_name = "alicloud_alidns_record"
    replaced_by = frozenset({"domain_name"})
    defaults = {  # noqa: RUF012
        "line": "default",
        "status": "ENABLE",
        "ttl": 600,
    }
    choices = {"status": ("ENABLE", "DISABLE")}  # noqa: RUF012

    def _params(self, planned: State) -> dict[str, Any]:
        return {
            "RR": planned["rr"],
            "Type": planned["type"],
            "Value": planned["value"],
            "Line": given(planned, "line"),
            "TTL": given(planned, "ttl"),
            "Priority": given(planned, "priority"),
        }

    def create(self, cloud: CloudApi, planned: State) -> str:
        answer = cloud.write(
            "alidns", "AddDomainRecord", DomainName=planned["domain_name"], **self._params(planned)
        )
        return str(answer["RecordId"])

    def settle(self, cloud: CloudApi, state: State) -> None:
        if given(state, "remark"):
            cloud.write(
                "alidns", "UpdateDomainRecordRemark", RecordId=state["id"], Remark=state["remark"]
            )
        if given(state, "status") == "DISABLE":
            self._set_status(cloud, state["id"], "DISABLE")

    def _set_status(self, cloud: CloudApi, id_: str, status: str) -> None:
        cloud.write("alidns", "SetDomainRecordStatus", RecordId=id_, Status=status.capitalize())

    def read(self, cloud: CloudApi, state: State) -> State | None:
        row = cloud.find("alidns", "DescribeDomainRecordInfo", RecordId=state["id"])
        if row is None:
            return None
        facts = {
            "domain_name": row.get("DomainName"),
            "rr": row.get("RR"),
            "type": row.get("Type"),
            "value": row.get("Value"),
            "ttl": row.get("TTL"),
            "line": row.get("Line"),
            "status": row.get("Status"),
            "remark": row.get("Remark") or None,
        }
        if row.get("Type") == "MX":
            facts["priority"] = row.get("Priority")
        return self.merged(state, facts)

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        if changed & {"rr", "type", "value", "line", "ttl", "priority"}:
            cloud.write(
                "alidns", "UpdateDomainRecord", RecordId=prior["id"], **self._params(planned)
            )
        if "remark" in changed:
            cloud.write(
                "alidns",
                "UpdateDomainRecordRemark",
                RecordId=prior["id"],
                Remark=given(planned, "remark") or "",
            )
        if "status" in changed:
            self._set_status(cloud, prior["id"], str(planned["status"]))

    def delete(self, cloud: CloudApi, state: State) -> None:
        cloud.remove("alidns", "DeleteDomainRecord", RecordId=state["id"])


RESOURCES: Sequence[type[Resource]] = (DomainGroup, Domain, Record)
