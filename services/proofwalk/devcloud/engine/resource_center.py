"""Resource Center's SearchResources: what exists in the caller's account, of every
product and region in one list.

Listed are resources of their own, not what every account has from the beginning and not
the parts of others (rules, whitelists, parameters). A lagging account (`faults`) is
listed as it was.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from proofwalk.devcloud.engine.calls import Caller
from proofwalk.devcloud.engine.operations import Cloud
from proofwalk.devcloud.engine.state.faults import CloudError
from proofwalk.devcloud.engine.state.world import Resource
from proofwalk.devcloud.products.catalogue import Catalogue

_MOST = 500
_DEFAULT = 20
_MOST_FILTERS = 20
_MATCHES: Mapping[str, Callable[[str, str], bool]] = {
    "Equals": str.__eq__,
    "Prefix": str.startswith,
    "Contains": str.__contains__,
}
_KEYS = ("ResourceType", "ResourceId", "ResourceName", "RegionId")


def stands_alone(catalogue: Catalogue, resource: Resource) -> bool:
    """Whether it is something to be left behind: not given to every account, and not a
    row of a sub-table, which is a part of another resource."""
    api = catalogue.resources[resource.kind].api
    is_part = bool(api.parent) if api.part is None else api.part
    return not (resource.given or is_part)


class ResourceCenter:
    """The service's operation."""

    def __init__(self, cloud: Cloud) -> None:
        self._cloud = cloud

    def search(self, caller: Caller, params: Mapping[str, str]) -> dict[str, Any]:
        """SearchResources."""
        size = params.get("MaxResults") or str(_DEFAULT)
        if not size.isdigit() or not 1 <= int(size) <= _MOST:
            message = f"MaxResults must be from 1 to {_MOST}."
            raise CloudError("InvalidParameter.MaxResults", message)
        self._cloud.furnish(caller.account)
        self._cloud.settle()
        now = self._cloud.clock.now().timestamp()
        world = self._cloud.faults.seen(self._cloud.world, caller.account, now)
        rows = [
            self._row(resource)
            for resource in world.inventory(caller.account)
            if stands_alone(self._cloud.catalogue, resource) and self._type(resource)
        ]
        filters = list(_filters(params))
        rows = sorted(
            (row for row in rows if all(accepts(row) for accepts in filters)), key=_cursor
        )
        after = _decoded(params.get("NextToken", ""))
        rows = [row for row in rows if _cursor(row) > after]
        shown = rows[: int(size)]
        answer: dict[str, Any] = {"MaxResults": int(size), "Resources": shown}
        if len(rows) > len(shown):
            answer["NextToken"] = base64.urlsafe_b64encode(_cursor(shown[-1]).encode()).decode()
        return answer

    def _type(self, resource: Resource) -> str:
        return self._cloud.catalogue.resources[resource.kind].api.type or ""

    def _row(self, resource: Resource) -> dict[str, Any]:
        spec = self._cloud.catalogue.resources[resource.kind]
        return {
            "AccountId": resource.account,
            "CreateTime": resource.created,
            "IpAddresses": [],
            "RegionId": resource.region or "global",
            "ResourceId": resource.id,
            "ResourceName": str(resource.fields.get(spec.name or "") or ""),
            "ResourceType": self._type(resource),
            "Tags": [{"Key": key, "Value": value} for key, value in resource.tags.items()],
            "ZoneId": str(resource.fields.get("zone") or ""),
        }


def _filters(params: Mapping[str, str]) -> Sequence[Callable[[dict[str, Any]], bool]]:
    made = []
    for number in range(1, _MOST_FILTERS + 1):
        key = params.get(f"Filter.{number}.Key")
        if key is None:
            break
        match = _MATCHES.get(params.get(f"Filter.{number}.MatchType") or "Equals")
        if key not in _KEYS or match is None:
            raise CloudError("InvalidParameter.Filter", f"The filter {key} is not supported.")
        values = [
            params[name]
            for value in range(1, _MOST_FILTERS + 1)
            if (name := f"Filter.{number}.Value.{value}") in params
        ]
        made.append(_accepting(key, match, values))
    return made


def _accepting(
    key: str, match: Callable[[str, str], bool], values: Sequence[str]
) -> Callable[[dict[str, Any]], bool]:
    return lambda row: any(match(str(row[key]), value) for value in values)


def _cursor(row: Mapping[str, Any]) -> str:
    return f"{row['ResourceType']}\n{row['ResourceId']}"


def _decoded(token: str) -> str:
    try:
        return base64.b64decode(token.encode(), altchars=b"-_", validate=True).decode()
    except ValueError:
        raise CloudError("InvalidParameter.NextToken", "The NextToken is invalid.") from None
