"""Collections of documents: made, listed, changed, deleted, and what every inspection
found of one procedure.

The body is `proofwalk.orders.collection.CollectionSpec`, which goes to the inspection
role as it is. A repeated `POST` makes no second one: names are unique for a key.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, Response
from pydantic import ValidationError

from proofwalk.api.inspection.v1 import inspection_pb2 as pb
from proofwalk.gateway import schemas
from proofwalk.gateway.bodies import in_time
from proofwalk.gateway.message_schemas import (
    LINKS,
    Schema,
    answer,
    leading,
    linked,
    listed,
    replaced,
)
from proofwalk.gateway.problems import malformed
from proofwalk.gateway.routes.asking import App, Asking, CollectionId, Submitting
from proofwalk.gateway.streams import caller_message
from proofwalk.orders.body import rows_of
from proofwalk.orders.collection import CollectionSpec
from proofwalk.orders.collection_contract import spec_to_pb

router = APIRouter()
_COLLECTION = replaced(
    pb.Collection,
    spec={"$ref": "#/paths/~1v1~1collections/post/requestBody/content/application~1json/schema"},
    links=LINKS,
)
_CALL_S = 10


def _body(call: str) -> Schema:
    schema = schemas.body_schema(CollectionSpec, call)
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


@router.post(
    "/v1/collections",
    status_code=201,
    operation_id="createCollection",
    openapi_extra=_body("~1v1~1collections/post"),
    responses=leading(
        answer(_COLLECTION, 201),
        "collection_id",
        "getCollection",
        "updateCollection",
        "startInspection",
        "listInspectionsOf",
        "listHistory",
        "deleteCollection",
    ),
)
async def create(request: Request, caller: Submitting, parts: App) -> Response:
    try:
        spec = CollectionSpec.model_validate_json(await in_time(request, request.body()))
    except ValidationError as error:
        return malformed(rows_of(error))
    asked = pb.CreateCollectionRequest(
        caller=caller_message(caller), collection_id=parts.ids.new("col"), spec=spec_to_pb(spec)
    )
    made = (await parts.inspections.CreateCollection(asked, timeout=_CALL_S)).collection
    headers = {"Location": f"/v1/collections/{made.collection_id}"}
    return JSONResponse(schemas.collection(made), status_code=201, headers=headers)


@router.get(
    "/v1/collections",
    operation_id="listCollections",
    responses=answer(listed("collections", _COLLECTION)),
)
async def list_all(
    caller: Asking, parts: App, name: Annotated[str, Query(max_length=1024)] = ""
) -> Response:
    asked = pb.ListCollectionsRequest(caller=caller_message(caller), name=name)
    reply = await parts.inspections.ListCollections(asked, timeout=_CALL_S)
    return JSONResponse({"collections": [schemas.collection(one) for one in reply.collections]})


@router.get(
    "/v1/collections/{collection_id}",
    operation_id="getCollection",
    responses=answer(_COLLECTION),
)
async def get(caller: Asking, parts: App, collection_id: CollectionId) -> Response:
    asked = pb.GetCollectionRequest(caller=caller_message(caller), collection_id=collection_id)
    reply = await parts.inspections.GetCollection(asked, timeout=_CALL_S)
    return JSONResponse(schemas.collection(reply.collection))


@router.put(
    "/v1/collections/{collection_id}",
    operation_id="updateCollection",
    openapi_extra=_body("~1v1~1collections~1{collection_id}/put"),
    responses=answer(_COLLECTION),
)
async def update(
    request: Request, caller: Submitting, parts: App, collection_id: CollectionId
) -> Response:
    try:
        spec = CollectionSpec.model_validate_json(await in_time(request, request.body()))
    except ValidationError as error:
        return malformed(rows_of(error))
    asked = pb.UpdateCollectionRequest(
        caller=caller_message(caller), collection_id=collection_id, spec=spec_to_pb(spec)
    )
    reply = await parts.inspections.UpdateCollection(asked, timeout=_CALL_S)
    return JSONResponse(schemas.collection(reply.collection))


@router.delete("/v1/collections/{collection_id}", status_code=204, operation_id="deleteCollection")
async def delete(caller: Submitting, parts: App, collection_id: CollectionId) -> Response:
    asked = pb.DeleteCollectionRequest(caller=caller_message(caller), collection_id=collection_id)
    await parts.inspections.DeleteCollection(asked, timeout=_CALL_S)
    return Response(status_code=204)


@router.get(
    "/v1/collections/{collection_id}/history",
    operation_id="listHistory",
    responses=answer(listed("items", linked(pb.Item))),
)
async def history(
    caller: Asking,
    parts: App,
    collection_id: CollectionId,
    procedure_id: Annotated[str, Query(max_length=4096, description="`page#procedure`.")],
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> Response:
    asked = pb.ListHistoryRequest(
        caller=caller_message(caller),
        collection_id=collection_id,
        procedure_id=procedure_id,
        limit=limit,
    )
    reply = await parts.inspections.ListHistory(asked, timeout=_CALL_S)
    return JSONResponse({"items": [schemas.item(one) for one in reply.items]})
