"""ActionTrail through its official client: LookupEvents of one account over a window,
as `AuditEvent`s.

How calls are made is `sdk_calls`. A log's times are whole seconds, so the window is
widened to whole seconds: an event of the start's own second belongs to it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from alibabacloud_actiontrail20200706.client import Client
from alibabacloud_actiontrail20200706.models import LookupEventsRequest

from proofwalk.cloud.ports import CloudAccount
from proofwalk.cloud.sdk_calls import Endpoint, SdkCalls
from proofwalk.kernel.clock import Clock, parse_moment
from proofwalk.kernel.errors import unavailable
from proofwalk.kernel.evidence import AuditEvent
from proofwalk.kernel.json_values import JsonObject

PAGE = 50
"""Most events that LookupEvents returns at once."""
MAX_EVENTS = 5000
"""Most events of a window. An episode has tens; more is a mistake in the window."""


class ActionTrailLog:
    """`AuditLog` over ActionTrail. `close()` ends its threads."""

    def __init__(
        self,
        *,
        endpoint: str,
        protocol: str,
        region: str,
        clock: Clock,
        delivery_bound_s: float,
        deadline_s: float = 20.0,
        threads: int = 4,
    ) -> None:
        self.delivery_bound_s = delivery_bound_s
        self.self_recording = True
        self._calls = SdkCalls(
            service="ActionTrail",
            action="actiontrail:LookupEvents",
            endpoint=Endpoint(address=endpoint, protocol=protocol, region=region),
            clock=clock,
            deadline_s=deadline_s,
            threads=threads,
        )

    def close(self) -> None:
        """Take no more calls. Those in flight end by the SDK's own time-outs."""
        self._calls.close()

    async def events(
        self, account: CloudAccount, *, start: datetime, end: datetime
    ) -> Sequence[AuditEvent]:
        """Return the events of [start, end], whole seconds, that are visible now,
        oldest first."""
        client = Client(self._calls.config(account))
        first, last = start.astimezone(UTC).replace(microsecond=0), end.astimezone(UTC)
        until = (
            last if last.microsecond == 0 else last.replace(microsecond=0) + timedelta(seconds=1)
        )
        give_up = self._calls.deadline()
        by_id: dict[str, AuditEvent] = {}
        token: str | None = None
        while True:
            request = LookupEventsRequest(
                start_time=_stamp(first),
                end_time=_stamp(until),
                max_results=str(PAGE),
                next_token=token,
                direction="FORWARD",
            )
            response = await self._calls.call(
                lambda asked=request: client.lookup_events(asked),  # type: ignore[misc]
                give_up,
            )
            for raw in response.body.events or ():
                event = event_of(raw)
                if first <= event.time <= last:
                    by_id[event.id] = event
            token = response.body.next_token or None
            if token is None:
                return sorted(by_id.values(), key=lambda event: (event.time, event.id))
            if len(by_id) > MAX_EVENTS:
                raise unavailable(
                    "cloud.unavailable",
                    f"the audit log has more than {MAX_EVENTS} events between {first} and {last}",
                )


def _stamp(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def event_of(raw: JsonObject) -> AuditEvent:
    """Convert one ActionTrail record into an event of the platform."""
    identity = _mapping(raw.get("userIdentity"))
    error = str(raw.get("errorCode") or "")
    return AuditEvent(
        id=str(raw.get("eventId", "")),
        time=parse_moment(str(raw.get("eventTime", ""))),
        service=str(raw.get("serviceName", "")),
        name=str(raw.get("eventName", "")),
        kind=str(raw.get("eventType", "")),
        write=str(raw.get("eventRW", "")) == "Write",
        ok=not error,
        error_code=error,
        actor=str(identity.get("userName") or identity.get("principalId") or ""),
        request=_mapping(raw.get("requestParameters")) or _mapping(raw.get("requestParameterJson")),
        response=_mapping(raw.get("responseElements")),
        resources=_resources(raw),
        raw=dict(raw),
    )


def _mapping(value: object) -> JsonObject:
    if isinstance(value, str) and value:
        try:
            value = json.loads(value)
        except json.JSONDecodeError:
            return {}
    return dict(value) if isinstance(value, Mapping) else {}


def _resources(raw: JsonObject) -> Sequence[str]:
    names = [
        name for name in str(raw.get("resourceName") or "").replace(";", ",").split(",") if name
    ]
    for group in _mapping(raw.get("referencedResources")).values():
        names += [str(name) for name in group] if isinstance(group, list) else []
    return tuple(dict.fromkeys(names))
