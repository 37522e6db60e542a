"""Projects, log stores and indexes of Simple Log Service. What lies in a project has
the id `project:name`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
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
from proofwalk.resource_provisioner.alicloud_provider.values import known


def _parts(id_: str) -> dict[str, str]:
    project, _, logstore = id_.partition(":")
    if not logstore:
        raise ApiError("Import", "InvalidId", "the id is project:logstore")
    return {"project": project, "logstore": logstore}


class Project(Resource):
    """`alicloud_log_project`; its id is its name."""

    type_name = "alicloud_log_project"
    replaced_by = frozenset({"project_name", "name"})
    aliases = {"name": "project_name"}  # noqa: RUF012 -- declared ClassVar by the base
    needed = ("project_name",)

    def create(self, cloud: CloudApi, planned: State) -> str:
        name = given(planned, "project_name") or given(planned, "name")
        cloud.write(
            "log", "CreateProject", projectName=name, description=given(planned, "description")
        )
        return str(name)

    def settle(self, cloud: CloudApi, state: State) -> None:
        name = state["id"]
        look = lambda: cloud.find("log", "GetProject", project=name)  # noqa: E731
        cloud.wait(
            name,
            look,
            lambda row: row.get("status") == "Normal",
            timeout_s=self.timeout(state, "create", 300),
        )
        if state.get("tags"):
            cloud.write(
                "log",
                "TagResources",
                ResourceType="project",
                ResourceId=[name],
                Tag=tag_params(state["tags"]),
            )

    def read(self, cloud: CloudApi, state: State) -> State | None:
        row = cloud.find("log", "GetProject", project=state["id"])
        if row is None:
            return None
        return self.merged(
            state,
            {
                "project_name": row.get("projectName"),
                "description": row.get("description") or None,
                "create_time": row.get("createTime"),
                "resource_group_id": row.get("resourceGroupId"),
                "status": row.get("status"),
                "tags": tags_of({"Tags": {"Tag": row.get("tags") or []}}, "tagKey", "tagValue"),
            },
        )

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        if "description" in changed:
            cloud.write(
                "log",
                "UpdateProject",
                project=prior["id"],
                description=given(planned, "description") or "",
            )
        if "tags" in changed:
            update_tags(cloud, "log", "project", prior["id"], prior, planned)

    def delete(self, cloud: CloudApi, state: State) -> None:
        cloud.remove("log", "DeleteProject", project=state["id"])
        look = lambda: cloud.find("log", "GetProject", project=state["id"])  # noqa: E731
        cloud.until_gone(state["id"], look, timeout_s=self.timeout(state, "delete", 300))


class LogStore(Resource):
    """`alicloud_log_store`."""

    type_name = "alicloud_log_store"
    replaced_by = frozenset(
        {"project_name", "project", "logstore_name", "name", "shard_count", "encrypt_conf", "mode"}
    )
    aliases = {  # noqa: RUF012
        "name": "logstore_name",
        "project": "project_name",
    }
    defaults = {"retention_period": 30, "shard_count": 2}  # noqa: RUF012
    choices = {"mode": ("standard", "query")}  # noqa: RUF012
    needed = ("project_name", "logstore_name")

    def create(self, cloud: CloudApi, planned: State) -> str:
        project = given(planned, "project_name") or given(planned, "project")
        name = given(planned, "logstore_name") or given(planned, "name")
        encryption: Mapping[str, Any] = next(iter(planned.get("encrypt_conf") or []), {})
        own_key: Mapping[str, Any] = next(iter(encryption.get("user_cmk_info") or []), {})
        cloud.write(
            "log",
            "CreateLogStore",
            project=project,
            logstoreName=name,
            mode=given(planned, "mode"),
            meteringMode=given(planned, "metering_mode"),
            shardCount=given(planned, "shard_count"),
            **self._settings(planned),
            **{
                "encrypt_conf.enable": given(encryption, "enable"),
                "encrypt_conf.user_cmk_info.cmk_key_id": given(own_key, "cmk_key_id"),
            },
        )
        return f"{project}:{name}"

    def _settings(self, planned: State) -> dict[str, Any]:
        split = bool(given(planned, "auto_split"))
        return {
            "ttl": given(planned, "retention_period"),
            "hot_ttl": given(planned, "hot_ttl"),
            "autoSplit": split,
            "maxSplitShard": given(planned, "max_split_shard_count") if split else None,
            "enable_tracking": bool(given(planned, "enable_web_tracking")),
            "appendMeta": bool(given(planned, "append_meta")),
        }

    def settle(self, cloud: CloudApi, state: State) -> None:
        look = lambda: cloud.find("log", "GetLogStore", **_parts(state["id"]))  # noqa: E731
        limit = self.timeout(state, "create", 300)
        cloud.wait(
            state["id"], look, lambda row: row.get("status", "Normal") == "Normal", timeout_s=limit
        )

    def read(self, cloud: CloudApi, state: State) -> State | None:
        place = _parts(state["id"])
        row = cloud.find("log", "GetLogStore", **place)
        if row is None:
            return None
        shards = cloud.read("log", "ListShards", **place).get("shards") or []
        return self.merged(
            state,
            {
                "project_name": place["project"],
                "logstore_name": row.get("logstoreName"),
                "mode": row.get("mode"),
                "metering_mode": row.get("meteringMode"),
                "retention_period": row.get("ttl"),
                "hot_ttl": row.get("hot_ttl"),
                "shard_count": row.get("shardCount"),
                "auto_split": row.get("autoSplit"),
                # Where the template leaves it open the service's own limit is no
                # difference.
                "max_split_shard_count": (
                    row.get("maxSplitShard")
                    if state.get("max_split_shard_count") is not None
                    else None
                ),
                "enable_web_tracking": row.get("enable_tracking"),
                "append_meta": row.get("appendMeta"),
                "create_time": _seconds(row.get("createTime")),
                "shards": [
                    {
                        "id": shard.get("shardID"),
                        "status": shard.get("status"),
                        "begin_key": shard.get("inclusiveBeginKey"),
                        "end_key": shard.get("exclusiveEndKey"),
                    }
                    for shard in shards
                ],
            },
        )

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        place = _parts(prior["id"])
        if "metering_mode" in changed:
            cloud.write(
                "log", "UpdateLogStoreMeteringMode", **place, meteringMode=planned["metering_mode"]
            )
        if changed - {"metering_mode"}:
            cloud.write("log", "UpdateLogStore", **place, **self._settings(planned))

    def delete(self, cloud: CloudApi, state: State) -> None:
        cloud.remove("log", "DeleteLogStore", **_parts(state["id"]))


def _seconds(moment: object) -> int | None:
    """Seconds since 1970 of a moment as the service tells it: a number already, or a
    text."""
    if isinstance(moment, str) and moment:
        return int(datetime.fromisoformat(moment).timestamp())
    return int(moment) if isinstance(moment, int) else None


class LogStoreIndex(Resource):
    """`alicloud_log_store_index`. A change makes the index anew, because a field cannot
    be taken out of one."""

    type_name = "alicloud_log_store_index"
    replaced_by = frozenset({"project", "logstore"})

    def create(self, cloud: CloudApi, planned: State) -> str:
        place = {"project": planned["project"], "logstore": planned["logstore"]}
        cloud.write("log", "CreateIndex", **place, **self._params(known(planned)))
        return f"{place['project']}:{place['logstore']}"

    def _params(self, state: Mapping[str, Any]) -> dict[str, Any]:
        line = next(iter(state.get("full_text") or []), None)
        fields = _by_name(state.get("field_search"))
        return {
            "line.enable": line is not None,
            "line.caseSensitive": bool(line.get("case_sensitive")) if line is not None else None,
            "line.chn": bool(line.get("include_chinese")) if line is not None else None,
            "line.token": line.get("token") if line is not None else None,
            "keys": (
                [
                    {
                        "name": name,
                        "type": field.get("type") or "long",
                        "alias": field.get("alias"),
                        "caseSensitive": bool(field.get("case_sensitive")),
                        "chn": bool(field.get("include_chinese")),
                        "token": field.get("token"),
                        "doc_value": field.get("enable_analytics") is not False,
                    }
                    for name, field in fields.items()
                ]
                or None
            ),
        }

    def read(self, cloud: CloudApi, state: State) -> State | None:
        place = _parts(state["id"])
        row = cloud.find("log", "GetIndex", **place)
        if row is None:
            return None
        merged = self.merged(state, place)
        line = row.get("line") or {}
        there = {str(key["name"]): key for key in row.get("keys") or []}
        if not line.get("enable"):
            merged["full_text"] = []
        elif not merged["full_text"] or not _same_line(merged["full_text"][0], line):
            flags = {
                "case_sensitive": line.get("caseSensitive") or None,
                "include_chinese": line.get("chn") or None,
            }
            text = {**flags, "token": line.get("token")}
            merged["full_text"] = [text]
        held = _by_name(merged["field_search"])
        if set(held) != set(there) or any(
            not _same_key(held[name], key) for name, key in there.items()
        ):
            merged["field_search"] = [
                {
                    "name": name,
                    "type": key.get("type"),
                    "alias": key.get("alias") or None,
                    "case_sensitive": key.get("caseSensitive") or None,
                    "include_chinese": key.get("chn") or None,
                    "token": key.get("token") or None,
                    "enable_analytics": None if key.get("doc_value") else False,
                    "json_keys": [],
                }
                for name, key in there.items()
            ]
        return merged

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        place = _parts(prior["id"])
        cloud.remove("log", "DeleteIndex", **place)
        cloud.write("log", "CreateIndex", **place, **self._params(known(planned)))

    def delete(self, cloud: CloudApi, state: State) -> None:
        cloud.remove("log", "DeleteIndex", **_parts(state["id"]))


def _by_name(fields: Sequence[Mapping[str, Any]] | None) -> dict[str, Mapping[str, Any]]:
    return {str(field["name"]): field for field in fields or []}


def _same_line(own: Mapping[str, Any], line: Mapping[str, Any]) -> bool:
    """Whether what a template says of the full-text index is what the service says."""
    flags = bool(own.get("case_sensitive")) == bool(line.get("caseSensitive"))
    return (
        flags
        and bool(own.get("include_chinese")) == bool(line.get("chn"))
        and own.get("token") in (None, line.get("token"))
    )


def _same_key(own: Mapping[str, Any], key: Mapping[str, Any]) -> bool:
    """Whether what a template says of a field is what the service says."""
    return (
        own.get("type") or "long",
        own.get("alias") or "",
        own.get("enable_analytics") is not False,
    ) == (
        key.get("type"),
        key.get("alias") or "",
        bool(key.get("doc_value")),
    )


RESOURCES: Sequence[type[Resource]] = (Project, LogStore, LogStoreIndex)
