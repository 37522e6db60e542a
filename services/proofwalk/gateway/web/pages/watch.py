"""One verification: where its walk stands, everything that happened, its end.

The page has all that is so far. With script it goes on by itself: `…/events` sends each
further event as the line that the page would have, and parts that changed are read
again. Without, a link loads it anew.
"""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from sse_starlette import ServerSentEvent

from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.gateway import changes
from proofwalk.gateway.routes.asking import App, VerificationId
from proofwalk.gateway.routes.events import HEARTBEAT_S, After, LastEventId, event_id
from proofwalk.gateway.routes.findings import REPORT_POLICY, report_of
from proofwalk.gateway.streams import EventStream, caller_message, watched
from proofwalk.gateway.web.guard import Pages, SignedIn
from proofwalk.gateway.web.listing import row_of
from proofwalk.gateway.web.pages.verifications import LIST
from proofwalk.gateway.web.rendering import harden
from proofwalk.gateway.web.story import entry_of, walk_of

router = APIRouter()
_PAGE = LIST + "/{verification_id}"


@router.get(_PAGE)
async def watch(
    visit: SignedIn, pages: Pages, parts: App, verification_id: VerificationId
) -> Response:
    verification = await parts.verification(verification_id, visit.caller)
    request = _events_of(visit, verification_id)
    request.stored_only = True
    events = [event async for event in parts.rollout.WatchEvents(request, timeout=30)]
    is_over = verification.state == "finished"
    return pages.page(
        visit,
        "watch",
        row=row_of(verification),
        is_over=is_over,
        episodes=len(verification.episodes),
        substeps=walk_of(events, is_walking=not is_over),
        entries=[entry_of(event) for event in events],
        last=events[-1].sequence if events else 0,
    )


@router.get(_PAGE + "/events")
async def events(
    visit: SignedIn,
    pages: Pages,
    parts: App,
    verification_id: VerificationId,
    after: After = 0,
    last_event_id: LastEventId = "",
) -> Response:
    await parts.verification(verification_id, visit.caller)
    request = _events_of(visit, verification_id)
    request.after = event_id(last_event_id) if last_event_id else after

    def spell(event: pb.Event) -> ServerSentEvent:
        line = pages.text(visit, "entry", entry=entry_of(event))
        return ServerSentEvent(data=line, event="entry", id=str(event.sequence))

    place = parts.limits.watch(visit.caller.principal)
    stream = watched(parts.rollout, request, parts.settings.stream_life_s, spell)
    response = EventStream(stream, ping=HEARTBEAT_S, ended=place.leave)
    harden(response)
    return response


@router.post(_PAGE + "/cancel")
async def cancel(visit: SignedIn, parts: App, verification_id: VerificationId) -> Response:
    await changes.cancel(parts, visit.caller, verification_id)
    return RedirectResponse(f"{LIST}/{verification_id}", status_code=303)


@router.get(_PAGE + "/report")
async def report(visit: SignedIn, parts: App, verification_id: VerificationId) -> Response:
    """The report, which has style and script of its own, in an origin of its own."""
    content = await report_of(parts, visit.caller, verification_id)
    policy = {"Content-Security-Policy": f"{REPORT_POLICY}; sandbox allow-scripts"}
    return HTMLResponse(content, headers=policy)


def _events_of(visit: SignedIn, verification_id: str) -> pb.WatchEventsRequest:
    return pb.WatchEventsRequest(
        caller=caller_message(visit.caller), verification_id=verification_id
    )
