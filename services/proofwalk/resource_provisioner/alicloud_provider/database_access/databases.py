"""Databases of an instance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from proofwalk.resource_provisioner.alicloud_provider.database_access.identifiers import id_parts
from proofwalk.resource_provisioner.alicloud_provider.database_access.instances import when_running
from proofwalk.resource_provisioner.alicloud_provider.openapi import ApiError, CloudApi
from proofwalk.resource_provisioner.alicloud_provider.resource import Resource, State, given


class Database(Resource):
    """`alicloud_db_database`; its id is `instance:name`."""

    type_name = "alicloud_db_database"
    replaced_by = frozenset({"instance_id", "name", "character_set"})
    defaults = {"character_set": "utf8mb4"}  # noqa: RUF012

    def create(self, cloud: CloudApi, planned: State) -> str:
        when_running(
            cloud,
            "CreateDatabase",
            planned["instance_id"],
            DBName=planned["name"],
            CharacterSetName=planned["character_set"],
            DBDescription=given(planned, "description"),
        )
        return f"{planned['instance_id']}:{planned['name']}"

    def settle(self, cloud: CloudApi, state: State) -> None:
        look = lambda: self._look(cloud, state["id"])  # noqa: E731
        cloud.wait(state["id"], look, lambda row: row.get("DBStatus") == "Running", timeout_s=300)

    def _look(self, cloud: CloudApi, id_: str) -> dict[str, Any] | None:
        instance, name = id_parts(id_, 2, "instance:name")
        try:
            answer = cloud.read("rds", "DescribeDatabases", DBInstanceId=instance, DBName=name)
        except ApiError as error:
            if error.not_found:
                return None
            raise
        rows = (answer.get("Databases") or {}).get("Database") or []
        return rows[0] if rows else None

    def read(self, cloud: CloudApi, state: State) -> State | None:
        row = self._look(cloud, state["id"])
        if row is None:
            return None
        return self.merged(
            state,
            {
                "instance_id": row.get("DBInstanceId"),
                "name": row.get("DBName"),
                "character_set": row.get("CharacterSetName"),
                "description": row.get("DBDescription") or None,
            },
        )

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        instance, name = id_parts(prior["id"], 2, "instance:name")
        if "description" in changed:
            when_running(
                cloud,
                "ModifyDBDescription",
                instance,
                DBName=name,
                DBDescription=given(planned, "description"),
            )

    def delete(self, cloud: CloudApi, state: State) -> None:
        instance, name = id_parts(state["id"], 2, "instance:name")
        cloud.remove("rds", "DeleteDatabase", DBInstanceId=instance, DBName=name)
        cloud.until_gone(state["id"], lambda: self._look(cloud, state["id"]), timeout_s=300)


RESOURCES: Sequence[type[Resource]] = (Database,)
