"""A verification's history: server-sent events, or JSON where they are not accepted."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header, Query, Request
from fastapi.responses import JSONResponse, Response

from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.gateway import schemas
from proofwalk.gateway.message_schemas import answer, listed, parsed
from proofwalk.gateway.routes.asking import App, Asking, VerificationId
from proofwalk.gateway.streams import EventStream, caller_message, watched
from proofwalk.kernel.errors import invalid

router = APIRouter()
HEARTBEAT_S = 15
_LAST_SEQUENCE = 2**53
After = Annotated[int, Query(ge=0, le=_LAST_SEQUENCE)]
_STORED = answer(listed("events", parsed(pb.Event, "data")))
LastEventId = Annotated[str, Header(max_length=40)]


@router.get(
    "/v1/verifications/{verification_id}/events",
    operation_id="watchEvents",
    responses={200: {"content": {**_STORED[200]["content"], "text/event-stream": {}}}},
)
async def events(
    request: Request,
    caller: Asking,
    parts: App,
    verification_id: VerificationId,
    after: After = 0,
    last_event_id: LastEventId = "",
) -> Response:
    start = event_id(last_event_id) if last_event_id else after
    await parts.verification(verification_id, caller)
    wanted = pb.WatchEventsRequest(
        caller=caller_message(caller), verification_id=verification_id, after=start
    )
    if "text/event-stream" not in request.headers.get("accept", "text/event-stream"):
        wanted.stored_only = True
        found = [
            schemas.event(item) async for item in parts.rollout.WatchEvents(wanted, timeout=30)
        ]
        return JSONResponse({"events": found})
    place = parts.limits.watch(caller.principal)
    stream = watched(parts.rollout, wanted, parts.settings.stream_life_s)
    return EventStream(stream, ping=HEARTBEAT_S, ended=place.leave)


def event_id(text: str) -> int:
    """The number in a `Last-Event-ID`. Raises `events.bad_id`."""
    if not (text.isascii() and text.isdigit() and int(text[:20]) <= _LAST_SEQUENCE):
        raise invalid(
            "events.bad_id", f"Last-Event-ID {text[:40]!r} is not a number that this service gave"
        )
    return int(text)
