"""ActionTrail through its official client: LookupEvents of one account over a window,
as `AuditEvent`s.

The SDK is synchronous at heart (its async calls ignore `no_proxy`), so calls run in a
small pool of threads with the SDK's own time-outs below the deadline. Throttling and
server errors are retried with growing pauses until the deadline; then they raise
`cloud.unavailable`. A log's times are whole seconds, so the window is widened to whole
seconds: an event of the start's own second belongs to it.
"""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from alibabacloud_actiontrail20200706.client import Client
from alibabacloud_actiontrail20200706.models import LookupEventsRequest, LookupEventsResponse
from alibabacloud_tea_openapi.exceptions import AlibabaCloudException
from alibabacloud_tea_openapi.models import Config

from proofwalk.cloud.ports import AccessKey, CloudAccount
from proofwalk.kernel.clock import Clock, parse_moment
from proofwalk.kernel.errors import ProofwalkError, Status, unavailable
from proofwalk.kernel.evidence import AuditEvent
from proofwalk.kernel.json_values import JsonObject

T = TypeVar("T")
PAGE = 50
"""Most events that LookupEvents returns at once."""
UNREACHABLE_TRIES = 3
"""How often a refused connection is tried. Throttling and server errors are retried
until the deadline."""
MAX_EVENTS = 5000
"""Most events of a window. An episode has tens; more is a mistake in the window."""
_DENIED = (
    "InvalidAccessKeyId",
    "SignatureDoesNotMatch",
    "Forbidden",
    "NoPermission",
    "InvalidSecurityToken",
    "Unauthorized",
)


def denied(message: str, *, hint: str = "") -> ProofwalkError:
    """Return the error for a key that the cloud refuses."""
    return ProofwalkError("cloud.denied", message, status=Status.PERMISSION_DENIED, hint=hint)


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
        self._endpoint = endpoint
        self._protocol = protocol
        self._region = region
        self._clock = clock
        self._deadline_s = deadline_s
        self._threads = ThreadPoolExecutor(max_workers=threads, thread_name_prefix="actiontrail")

    def close(self) -> None:
        """Take no more calls. Those in flight end by the SDK's own time-outs."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def events(
        self, account: CloudAccount, *, start: datetime, end: datetime
    ) -> Sequence[AuditEvent]:
        """Return the events of [start, end], whole seconds, that are visible now,
        oldest first."""
        if account.access_key is None:
            raise denied(
                f"account {account.external_id!r} has no access key, and ActionTrail asks for one",
                hint="give it one in the pool",
            )
        first, last = start.astimezone(UTC).replace(microsecond=0), end.astimezone(UTC)
        until = (
            last if last.microsecond == 0 else last.replace(microsecond=0) + timedelta(seconds=1)
        )
        give_up = self._clock.monotonic() + self._deadline_s
        client = self._client(account.access_key)
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
            response = await self._call(lambda asked=request: client.lookup_events(asked), give_up)  # type: ignore[misc]
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

    def _client(self, key: AccessKey) -> Client:
        return Client(
            Config(
                access_key_id=key.key_id,
                access_key_secret=key.secret.get_secret_value(),
                endpoint=self._endpoint,
                protocol=self._protocol,
                region_id=self._region,
                connect_timeout=3000,
                read_timeout=int(self._deadline_s * 500),
            )
        )

    async def _call(
        self, work: Callable[[], LookupEventsResponse], give_up: float
    ) -> LookupEventsResponse:
        loop = asyncio.get_running_loop()
        attempt = 0
        while True:
            left = give_up - self._clock.monotonic()
            try:
                async with asyncio.timeout(max(left, 0.001)):
                    return await loop.run_in_executor(self._threads, work)
            except TimeoutError:
                raise unavailable(
                    "cloud.unavailable", f"ActionTrail gave no answer within {self._deadline_s:g} s"
                ) from None
            except Exception as error:
                failure = _sorted(error)
                pause = min(0.2 * 2**attempt, 5.0) * random.uniform(0.5, 1.0)  # noqa: S311 -- jitter
                attempt += 1
                gone = not isinstance(error, AlibabaCloudException) and attempt >= UNREACHABLE_TRIES
                if not failure.retryable or gone or pause >= give_up - self._clock.monotonic():
                    raise failure from error
                await asyncio.sleep(pause)


def _sorted(error: Exception) -> ProofwalkError:
    """Convert an SDK failure into one of ours, retryable if another try may help."""
    if isinstance(error, AlibabaCloudException):
        code = str(error.code or "")
        if code.startswith(_DENIED) or error.status_code in (401, 403):
            return denied(
                f"ActionTrail refused the key: {code}",
                hint="rotate the account's credentials or grant actiontrail:LookupEvents",
            )
        if code.startswith("Throttling") or (error.status_code or 500) >= 500:
            return unavailable("cloud.unavailable", f"ActionTrail answered {code}")
        return ProofwalkError(
            "cloud.bad_answer", f"ActionTrail refused the look-up: {code}", status=Status.INTERNAL
        )
    return unavailable(
        "cloud.unavailable", f"ActionTrail cannot be reached: {type(error).__name__}"
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
