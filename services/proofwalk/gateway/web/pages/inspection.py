"""One run of a collection: how far it is, what it waits for, how long it will take by
what was measured, and what became of each procedure. It can be cancelled."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import RedirectResponse, Response

from proofwalk.api.inspection.v1 import inspection_pb2 as pb
from proofwalk.gateway import changes
from proofwalk.gateway.routes.asking import App, CollectionId, InspectionId
from proofwalk.gateway.streams import caller_message
from proofwalk.gateway.web.guard import Pages, SignedIn
from proofwalk.gateway.web.inspection_view import LIST, Now, item_of, run_of
from proofwalk.gateway.web.page_parts import part_of
from proofwalk.kernel.errors import not_found

router = APIRouter()
_PAGE = LIST + "/{collection_id}/runs/{inspection_id}"
_ITEMS = 200


@router.get(_PAGE)
async def inspection(
    visit: SignedIn,
    pages: Pages,
    parts: App,
    collection_id: CollectionId,
    inspection_id: InspectionId,
    after: Annotated[int, Query(ge=0, le=2**31 - 1)] = 0,
) -> Response:
    caller = caller_message(visit.caller)
    now = Now(at=parts.clock.now(), zone=visit.zone)
    request = pb.GetInspectionRequest(caller=caller, inspection_id=inspection_id)
    reply = await parts.inspections.GetInspection(request, timeout=10)
    if reply.inspection.collection_id != collection_id:
        raise not_found("inspection.not_found", f"there is no inspection {inspection_id!r}")
    listed = pb.ListItemsRequest(
        caller=caller, inspection_id=inspection_id, after=after, limit=_ITEMS
    )
    items = await part_of(parts.inspections.ListItems(listed))
    numbers = [one.number for one in items.content.items] if items.content else []
    return pages.page(
        visit,
        "inspection",
        view=run_of(reply.inspection, now),
        items=items.mapped(lambda reply: [item_of(one, now) for one in reply.items]),
        after=after,
        further=numbers[-1] if len(numbers) == _ITEMS else 0,
    )


@router.post(_PAGE + "/cancel")
async def cancel(
    visit: SignedIn, parts: App, collection_id: CollectionId, inspection_id: InspectionId
) -> Response:
    run = await changes.cancel_inspection(parts, visit.caller, inspection_id)
    return RedirectResponse(f"{LIST}/{run.collection_id}/runs/{inspection_id}", status_code=303)
