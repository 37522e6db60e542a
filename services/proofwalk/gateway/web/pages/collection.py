"""One collection: its schedule, coverage, what is due and why, its runs; begun by hand,
paused, and let go on. And one of its procedures over all runs."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response

from proofwalk.api.inspection.v1 import inspection_pb2 as pb
from proofwalk.gateway import changes
from proofwalk.gateway.roles import Act
from proofwalk.gateway.routes.asking import App, CollectionId
from proofwalk.gateway.streams import caller_message
from proofwalk.gateway.web.guard import Pages, SignedIn
from proofwalk.gateway.web.inspection_view import LIST, Now, collection_of, item_of, run_of
from proofwalk.gateway.web.page_parts import part_of
from proofwalk.gateway.web.pages.inspections import read_calendar, read_coverage
from proofwalk.gateway.web.visit import read_form, text_of

router = APIRouter()
_PAGE = LIST + "/{collection_id}"
_RUNS = 20
_WALKS = 100


@router.get(_PAGE)
async def collection(
    visit: SignedIn,
    pages: Pages,
    parts: App,
    collection_id: CollectionId,
    page_token: Annotated[str, Query(max_length=512)] = "",
) -> Response:
    caller = caller_message(visit.caller)
    now = Now(at=parts.clock.now(), zone=visit.zone)
    request = pb.GetCollectionRequest(caller=caller, collection_id=collection_id)
    reply = await parts.inspections.GetCollection(request, timeout=10)
    listed = pb.ListInspectionsRequest(
        caller=caller, collection_id=collection_id, limit=_RUNS, page_token=page_token
    )
    coverage, runs, calendar = await asyncio.gather(
        read_coverage(parts, caller, now, collection_id),
        part_of(parts.inspections.ListInspections(listed)),
        read_calendar(parts, caller, now, collection_id=collection_id),
    )
    return pages.page(
        visit,
        "collection",
        view=collection_of(reply.collection, now),
        coverage=coverage,
        runs=runs.mapped(lambda reply: [run_of(one, now) for one in reply.inspections]),
        further=runs.content.next_page_token if runs.content else "",
        is_first=not page_token,
        calendar=calendar,
    )


@router.post(_PAGE + "/start")
async def start(
    request: Request, visit: SignedIn, parts: App, collection_id: CollectionId
) -> Response:
    parts.keys.permit(visit.caller, Act.SUBMIT)
    form = await read_form(request, parts)
    everything = bool(text_of(form, "everything"))
    run = await changes.start_inspection(parts, visit.caller, collection_id, everything=everything)
    return RedirectResponse(f"{LIST}/{collection_id}/runs/{run.inspection_id}", status_code=303)


@router.post(_PAGE + "/pause")
async def pause(visit: SignedIn, parts: App, collection_id: CollectionId) -> Response:
    await changes.pause_collection(parts, visit.caller, collection_id, paused=True)
    return RedirectResponse(f"{LIST}/{collection_id}", status_code=303)


@router.post(_PAGE + "/resume")
async def resume(visit: SignedIn, parts: App, collection_id: CollectionId) -> Response:
    await changes.pause_collection(parts, visit.caller, collection_id, paused=False)
    return RedirectResponse(f"{LIST}/{collection_id}", status_code=303)


@router.get(_PAGE + "/history")
async def history(
    visit: SignedIn,
    pages: Pages,
    parts: App,
    collection_id: CollectionId,
    procedure_id: Annotated[str, Query(max_length=4096)] = "",
) -> Response:
    caller = caller_message(visit.caller)
    now = Now(at=parts.clock.now(), zone=visit.zone)
    request = pb.GetCollectionRequest(caller=caller, collection_id=collection_id)
    reply = await parts.inspections.GetCollection(request, timeout=10)
    asked = pb.ListHistoryRequest(
        caller=caller, collection_id=collection_id, procedure_id=procedure_id, limit=_WALKS
    )
    walks = await part_of(parts.inspections.ListHistory(asked))
    return pages.page(
        visit,
        "procedure_history",
        view=collection_of(reply.collection, now),
        procedure_id=procedure_id,
        walks=walks.mapped(lambda reply: [item_of(one, now) for one in reply.items]),
    )
