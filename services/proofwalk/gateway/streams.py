"""Streams of events: rollout's, as server-sent events. A stream holds its key's place
among the watchers until it has ended."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import structlog
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.types import Receive, Scope, Send

from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.api.rollout.v1.rollout_pb2_grpc import RolloutStub
from proofwalk.gateway import schemas
from proofwalk.kernel.callers import Caller
from proofwalk.kernel.errors import ProofwalkError

log = structlog.get_logger()


def caller_message(caller: Caller) -> pb.Caller:
    """A caller as the contract names it."""
    return pb.Caller(principal=caller.principal, operator=caller.is_operator)


class EventStream(EventSourceResponse):
    """Server-sent events that end with their source or their reader; `ended` is called
    then, however that was.

    The library's own watch for a shutdown is a polling task that nobody owns and that
    looks for signal handlers which this process does not have; the HTTP server ends its
    connections itself, within its grace.
    """

    def __init__(
        self, content: AsyncIterator[ServerSentEvent], *, ended: Callable[[], None], **options: Any
    ) -> None:
        super().__init__(content, **options)
        self._ended = ended

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            # Not in the source's own `finally`: a source whose reader left before the
            # first item has never run.
            self._ended()

    @staticmethod
    async def _listen_for_exit_signal() -> None:
        await asyncio.get_running_loop().create_future()


def as_json(event: pb.Event) -> ServerSentEvent:
    """An event as REST sends it."""
    body = json.dumps(schemas.event(event), ensure_ascii=False)
    return ServerSentEvent(data=body, event=event.type, id=str(event.sequence))


async def watched(
    rollout: RolloutStub,
    request: pb.WatchEventsRequest,
    life_s: float,
    spell: Callable[[pb.Event], ServerSentEvent] = as_json,
) -> AsyncIterator[ServerSentEvent]:
    """The events as SSE, until the verification is finished or the stream's life is
    over."""
    watch = rollout.WatchEvents(request, timeout=life_s)
    try:
        async for item in watch:
            yield spell(item)
        yield ServerSentEvent(data="{}", event="end")
    except ProofwalkError as error:
        # Resumable by the client's Last-Event-ID, whether the stream's life is over or
        # rollout is away.
        log.info("event_stream_ended", job_id=request.verification_id, code=error.code)
        yield ServerSentEvent(data="{}", event="reconnect", retry=1000)
