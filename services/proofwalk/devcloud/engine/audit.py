"""The audit log: one ActionTrail event for each operation, and LookupEvents over them.

An event is written in the same transaction as what it reports, so there is no operation
without its event and no event without its operation. It becomes visible `lag` seconds
later, as in the real service, where delivery takes minutes. Field names and forms are
the real ones; a request parameter that carries a password is masked.
"""

from __future__ import annotations

import base64
import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from proofwalk.devcloud.engine.calls import Caller
from proofwalk.devcloud.engine.state.faults import CloudError
from proofwalk.devcloud.engine.state.store import Store
from proofwalk.kernel.ids import IdSource

_COLUMNS = {
    "EventName": "name",
    "ServiceName": "service",
    "User": "user",
    "EventId": "event_id",
    "EventRW": "rw",
    "EventAccessKeyId": "access_key",
    "ResourceType": "resource_type",
    "ResourceName": "resource_name",
}
MAX_RESULTS = 50
DEFAULT_RESULTS = 20
DEFAULT_WINDOW = timedelta(days=7)


def zulu(moment: datetime) -> str:
    """`2026-11-21T03:04:05Z`, as the API writes moments."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def request_id(ids: IdSource) -> str:
    """An upper-case UUID, made from the id source so that a seeded world repeats it."""
    return str(uuid.uuid5(uuid.NAMESPACE_OID, ids.new("req"))).upper()


@dataclass(frozen=True, kw_only=True)
class Entry:
    """What one event reports, before it has the log's form."""

    caller: Caller
    name: str
    service: str
    version: str
    reads: bool
    region: str
    request_id: str
    params: Mapping[str, str]
    answer: Mapping[str, Any] | None = None
    referenced: Mapping[str, list[str]] | None = None
    error: CloudError | None = None
    additional: Mapping[str, str] | None = None
    source: str | None = None
    is_global: bool = False
    """Of a service without regions: the event names the default region and says so."""


class AuditLog:
    """Writes and reads events."""

    def __init__(self, store: Store, ids: IdSource, *, lag: float) -> None:
        self._store = store
        self._ids = ids
        self.lag = lag
        """Seconds until an event is visible; applies to events from now on."""

    def record(self, entry: Entry, now: datetime) -> None:
        """Append an event; call inside the operation's transaction."""
        event = self._event(entry, now)
        self._store.put_event(
            (
                entry.caller.account,
                int(now.timestamp()),
                now.timestamp() + self.lag + entry.caller.lag_s,
                event["eventId"],
                entry.name,
                entry.service,
                entry.caller.user_name,
                event["eventRW"],
                entry.caller.access_key_id,
                event["resourceType"],
                event["resourceName"],
                json.dumps(event),
            )
        )

    def _event(self, entry: Entry, now: datetime) -> dict[str, Any]:
        caller, referenced = entry.caller, dict(entry.referenced or {})
        params = dict(entry.params)
        place = "" if entry.is_global else f"{entry.region}."
        identity: dict[str, Any] = {
            "type": caller.identity_type,
            "accountId": caller.account,
            "principalId": caller.principal_id,
            "userName": caller.user_name,
        }
        if caller.access_key_id:
            identity["accessKeyId"] = caller.access_key_id
        event: dict[str, Any] = {
            "eventId": str(uuid.uuid5(uuid.NAMESPACE_OID, self._ids.new("evt"))).upper(),
            "eventVersion": "1",
            "eventName": entry.name,
            "eventSource": entry.source or f"{entry.service.lower()}.{place}aliyuncs.com",
            "eventTime": zulu(now),
            "eventType": caller.event_type,
            "eventCategory": "Management",
            "eventRW": "Read" if entry.reads else "Write",
            "serviceName": entry.service,
            "apiVersion": entry.version,
            "acsRegion": entry.region,
            "requestId": entry.request_id,
            "requestParameters": params,
            "requestParameterJson": json.dumps(params),
            "responseElements": (
                dict(entry.answer) if entry.answer is not None and not entry.reads else {}
            ),
            "resourceType": ";".join(referenced),
            "resourceName": ";".join(",".join(names) for names in referenced.values()),
            "referencedResources": referenced,
            "sourceIpAddress": caller.source_ip,
            "userAgent": caller.user_agent,
            "userIdentity": identity,
            "additionalEventData": dict(entry.additional or {}),
            "recipientAccountId": caller.account,
            "isGlobal": entry.is_global,
        }
        if entry.error is not None:
            event["errorCode"] = entry.error.code
            event["errorMessage"] = entry.error.message
        return event

    def lookup(self, account: str, params: Mapping[str, str], now: datetime) -> dict[str, Any]:
        """Answer LookupEvents: events of the account with StartTime <= eventTime <=
        EndTime, visible now."""
        end = _moment(params, "EndTime") or now
        start = _moment(params, "StartTime") or end - DEFAULT_WINDOW
        if start > end:
            raise _invalid("StartTime must not be later than EndTime.")
        limit = _limit(params.get("MaxResults"))
        direction = (params.get("Direction") or "BACKWARD").upper()
        if direction not in ("FORWARD", "BACKWARD"):
            raise _invalid("Direction must be FORWARD or BACKWARD.")
        where = "account = ? AND at >= ? AND at <= ? AND visible <= ?"
        arguments: list[Any] = [
            account,
            int(start.timestamp()),
            int(end.timestamp()),
            now.timestamp(),
        ]
        for column, value in _attributes(params):
            if column in ("resource_type", "resource_name"):
                where += (
                    f" AND instr(',' || replace({column}, ';', ',') || ',', ',' || ? || ',') > 0"
                )
            else:
                where += f" AND {column} = ?"
            arguments.append(value)
        if params.get("NextToken"):
            where += " AND seq > ?" if direction == "FORWARD" else " AND seq < ?"
            arguments.append(_cursor(params["NextToken"]))
        rows = self._store.events(
            where, arguments, "seq" if direction == "FORWARD" else "seq DESC", limit + 1
        )
        answer: dict[str, Any] = {
            "StartTime": zulu(start),
            "EndTime": zulu(end),
            "Events": [json.loads(body) for _, _, body in rows[:limit]],
        }
        if limit and len(rows) > limit:
            answer["NextToken"] = base64.urlsafe_b64encode(
                str(rows[limit - 1][0]).encode()
            ).decode()
        return answer


def _invalid(why: str) -> CloudError:
    return CloudError("InvalidQueryParameter", f"The specified query parameter is invalid. {why}")


def _moment(params: Mapping[str, str], name: str) -> datetime | None:
    raw = params.get(name)
    if not raw:
        return None
    try:
        return datetime.strptime(raw, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    except ValueError:
        raise _invalid(f"{name} must have the form YYYY-MM-DDThh:mm:ssZ.") from None


def _limit(raw: str | None) -> int:
    if not raw:
        return DEFAULT_RESULTS
    if not raw.isdigit() or int(raw) > MAX_RESULTS:
        raise _invalid(f"MaxResults must be a number from 0 to {MAX_RESULTS}.")
    return int(raw)


def _attributes(params: Mapping[str, str]) -> list[tuple[str, str]]:
    found = []
    for index in range(1, 11):
        key = params.get(f"LookupAttribute.{index}.Key")
        if key is None:
            break
        if key not in _COLUMNS:
            raise _invalid(f"LookupAttribute.{index}.Key {key!r} is not supported.")
        found.append((_COLUMNS[key], params.get(f"LookupAttribute.{index}.Value", "")))
    return found


def _cursor(token: str) -> int:
    try:
        return int(base64.urlsafe_b64decode(token.encode()))
    except ValueError:
        raise _invalid("NextToken is not one that was given.") from None
