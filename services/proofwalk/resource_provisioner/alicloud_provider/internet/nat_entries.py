"""Entries of a NAT gateway: ways out (SNAT) and ways in (forwarding)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from proofwalk.resource_provisioner.alicloud_provider.openapi import ApiError, CloudApi
from proofwalk.resource_provisioner.alicloud_provider.resource import Resource, State, given


class SnatEntry(Resource):
    """`alicloud_snat_entry`; its id is `table:entry`."""

    type_name = "alicloud_snat_entry"
    replaced_by = frozenset({"snat_table_id", "source_vswitch_id", "source_cidr"})

    def create(self, cloud: CloudApi, planned: State) -> str:
        answer = cloud.write(
            "vpc",
            "CreateSnatEntry",
            SnatTableId=planned["snat_table_id"],
            SnatIp=planned["snat_ip"],
            SourceVSwitchId=given(planned, "source_vswitch_id"),
            SourceCIDR=given(planned, "source_cidr"),
            SnatEntryName=given(planned, "snat_entry_name"),
        )
        return f"{planned['snat_table_id']}:{answer['SnatEntryId']}"

    def _look(self, cloud: CloudApi, id_: str) -> dict[str, Any] | None:
        table, _, entry = id_.partition(":")
        if not entry:
            raise ApiError("Import", "InvalidId", "the id is table:entry")
        answer = cloud.read("vpc", "DescribeSnatTableEntries", SnatTableId=table, SnatEntryId=entry)
        rows = (answer.get("SnatTableEntries") or {}).get("SnatTableEntry") or []
        return rows[0] if rows else None

    def settle(self, cloud: CloudApi, state: State) -> None:
        look = lambda: self._look(cloud, state["id"])  # noqa: E731
        cloud.wait(
            state["id"],
            look,
            lambda row: row.get("Status") == "Available",
            timeout_s=self.timeout(state, "create", 300),
        )

    def read(self, cloud: CloudApi, state: State) -> State | None:
        row = self._look(cloud, state["id"])
        if row is None:
            return None
        return self.merged(
            state,
            {
                "snat_table_id": row.get("SnatTableId"),
                "snat_entry_id": row.get("SnatEntryId"),
                "snat_entry_name": row.get("SnatEntryName") or None,
                "snat_ip": row.get("SnatIp"),
                "source_cidr": row.get("SourceCIDR"),
                "source_vswitch_id": row.get("SourceVSwitchId"),
                "status": row.get("Status"),
            },
        )

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        table, _, entry = prior["id"].partition(":")
        name, address = given(planned, "snat_entry_name"), planned["snat_ip"]
        cloud.write(
            "vpc",
            "ModifySnatEntry",
            SnatTableId=table,
            SnatEntryId=entry,
            SnatIp=address,
            SnatEntryName=name,
        )
        self.settle(cloud, prior)

    def delete(self, cloud: CloudApi, state: State) -> None:
        table, _, entry = state["id"].partition(":")
        cloud.remove("vpc", "DeleteSnatEntry", SnatTableId=table, SnatEntryId=entry)
        cloud.until_gone(
            state["id"],
            lambda: self._look(cloud, state["id"]),
            timeout_s=self.timeout(state, "delete", 300),
        )


class ForwardEntry(Resource):
    """`alicloud_forward_entry`; its id is `table:entry`."""

    type_name = "alicloud_forward_entry"
    replaced_by = frozenset({"forward_table_id"})
    aliases = {"name": "forward_entry_name"}  # noqa: RUF012
    _sent = (
        ("ExternalIp", "external_ip"),
        ("ExternalPort", "external_port"),
        ("InternalIp", "internal_ip"),
        ("InternalPort", "internal_port"),
        ("IpProtocol", "ip_protocol"),
        ("ForwardEntryName", "forward_entry_name"),
    )

    def create(self, cloud: CloudApi, planned: State) -> str:
        wanted = {param: given(planned, name) for param, name in self._sent}
        answer = cloud.write(
            "vpc", "CreateForwardEntry", ForwardTableId=planned["forward_table_id"], **wanted
        )
        return f"{planned['forward_table_id']}:{answer['ForwardEntryId']}"

    def _look(self, cloud: CloudApi, id_: str) -> dict[str, Any] | None:
        table, _, entry = id_.partition(":")
        if not entry:
            raise ApiError("Import", "InvalidId", "the id is table:entry")
        answer = cloud.read(
            "vpc", "DescribeForwardTableEntries", ForwardTableId=table, ForwardEntryId=entry
        )
        rows = (answer.get("ForwardTableEntries") or {}).get("ForwardTableEntry") or []
        return rows[0] if rows else None

    def settle(self, cloud: CloudApi, state: State) -> None:
        look = lambda: self._look(cloud, state["id"])  # noqa: E731
        cloud.wait(
            state["id"],
            look,
            lambda row: row.get("Status") == "Available",
            timeout_s=self.timeout(state, "create", 300),
        )

    def read(self, cloud: CloudApi, state: State) -> State | None:
        row = self._look(cloud, state["id"])
        if row is None:
            return None
        facts = {name: row.get(param) for param, name in self._sent}
        known = {
            "forward_table_id": row.get("ForwardTableId"),
            "forward_entry_id": row.get("ForwardEntryId"),
            "status": row.get("Status"),
        }
        return self.merged(state, {**facts, **known})

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        table, _, entry = prior["id"].partition(":")
        wanted = {param: given(planned, name) for param, name in self._sent}
        cloud.write(
            "vpc", "ModifyForwardEntry", ForwardTableId=table, ForwardEntryId=entry, **wanted
        )
        self.settle(cloud, prior)

    def delete(self, cloud: CloudApi, state: State) -> None:
        table, _, entry = state["id"].partition(":")
        cloud.remove("vpc", "DeleteForwardEntry", ForwardTableId=table, ForwardEntryId=entry)
        cloud.until_gone(
            state["id"],
            lambda: self._look(cloud, state["id"]),
            timeout_s=self.timeout(state, "delete", 300),
        )


RESOURCES: Sequence[type[Resource]] = (SnatEntry, ForwardEntry)
