"""Inspections of collections: started, listed, looked at, cancelled, and what became of
each procedure. A collection has one at a time, so a repeated start makes no second
one."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse, Response

from proofwalk.api.inspection.v1 import inspection_pb2 as pb
from proofwalk.gateway import changes, schemas
from proofwalk.gateway.message_schemas import answer, leading, linked, listed
from proofwalk.gateway.routes.asking import (
    App,
    Asking,
    Cancelling,
    CollectionId,
    InspectionId,
    Submitting,
)
from proofwalk.gateway.streams import caller_message

router = APIRouter()
_CALL_S = 10
Limit = Annotated[int, Query(ge=1, le=200)]
PageToken = Annotated[str, Query(max_length=512)]
_INSPECTION = linked(pb.Inspection)
_PAGE = listed("inspections", _INSPECTION, paged=True)


@router.post(
    "/v1/collections/{collection_id}/inspections",
    status_code=202,
    operation_id="startInspection",
    responses=leading(
        answer(_INSPECTION, 202),
        "inspection_id",
        "getInspection",
        "listInspectionItems",
        "cancelInspection",
    ),
)
async def start(
    caller: Submitting,
    parts: App,
    collection_id: CollectionId,
    everything: Annotated[bool, Query(description="What is not due, too.")] = False,
) -> Response:
    made = await changes.start_inspection(parts, caller, collection_id, everything=everything)
    headers = {"Location": f"/v1/inspections/{made.inspection_id}", "Retry-After": "5"}
    return JSONResponse(schemas.inspection(made), status_code=202, headers=headers)


@router.get(
    "/v1/collections/{collection_id}/inspections",
    operation_id="listInspectionsOf",
    responses=answer(_PAGE),
)
async def list_of(
    caller: Asking,
    parts: App,
    collection_id: CollectionId,
    limit: Limit = 50,
    page_token: PageToken = "",
) -> Response:
    asked = pb.ListInspectionsRequest(
        caller=caller_message(caller),
        collection_id=collection_id,
        limit=limit,
        page_token=page_token,
    )
    return _page(await parts.inspections.ListInspections(asked, timeout=_CALL_S))


@router.get("/v1/inspections", operation_id="listInspections", responses=answer(_PAGE))
async def list_all(
    caller: Asking, parts: App, limit: Limit = 50, page_token: PageToken = ""
) -> Response:
    asked = pb.ListInspectionsRequest(
        caller=caller_message(caller), limit=limit, page_token=page_token
    )
    return _page(await parts.inspections.ListInspections(asked, timeout=_CALL_S))


@router.get(
    "/v1/inspections/{inspection_id}",
    operation_id="getInspection",
    responses=answer(_INSPECTION),
)
async def get(caller: Asking, parts: App, inspection_id: InspectionId) -> Response:
    asked = pb.GetInspectionRequest(caller=caller_message(caller), inspection_id=inspection_id)
    found = (await parts.inspections.GetInspection(asked, timeout=_CALL_S)).inspection
    headers = {} if found.HasField("finished_at") else {"Retry-After": "5"}
    return JSONResponse(schemas.inspection(found), headers=headers)


@router.post(
    "/v1/inspections/{inspection_id}:cancel",
    operation_id="cancelInspection",
    responses=answer(_INSPECTION),
)
async def cancel(caller: Cancelling, parts: App, inspection_id: InspectionId) -> Response:
    ending = await changes.cancel_inspection(parts, caller, inspection_id)
    return JSONResponse(schemas.inspection(ending))


@router.get(
    "/v1/inspections/{inspection_id}/items",
    operation_id="listInspectionItems",
    responses=answer(listed("items", linked(pb.Item))),
)
async def items(
    caller: Asking,
    parts: App,
    inspection_id: InspectionId,
    after: Annotated[int, Query(ge=0, lt=2**31, description="Number of the last one known.")] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 200,
) -> Response:
    asked = pb.ListItemsRequest(
        caller=caller_message(caller), inspection_id=inspection_id, after=after, limit=limit
    )
    reply = await parts.inspections.ListItems(asked, timeout=_CALL_S)
    return JSONResponse({"items": [schemas.item(one) for one in reply.items]})


def _page(reply: pb.ListInspectionsResponse) -> Response:
    return JSONResponse(
        {
            "inspections": [schemas.inspection(one) for one in reply.inspections],
            "next_page_token": reply.next_page_token,
        }
    )
