"""The inspection contract (`proto/proofwalk/api/inspection/v1`) over the use cases:
mapping only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import grpc

from proofwalk.api.inspection.v1 import inspection_pb2 as pb
from proofwalk.api.inspection.v1.inspection_pb2_grpc import InspectionsServicer
from proofwalk.api.rollout.v1 import rollout_pb2
from proofwalk.chassis.database import Database
from proofwalk.chassis.rpc.page_tokens import page_token, read_page_token
from proofwalk.chassis.rpc.vocabulary import moment_from_pb
from proofwalk.inspection import usecases
from proofwalk.inspection.calendar import Span
from proofwalk.inspection.domain import check_spec
from proofwalk.inspection.due import page_pattern
from proofwalk.inspection.messages import (
    calendar_message,
    collection_message,
    coverage_message,
    inspection_message,
    item_message,
)
from proofwalk.kernel.callers import Caller
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import invalid
from proofwalk.orders.collection import CollectionSpec
from proofwalk.orders.collection_contract import spec_from_pb

Context = grpc.aio.ServicerContext[Any, Any]
_MAX_PAGE = 200
_MAX_ITEMS = 500


class InspectionsApi(InspectionsServicer):
    """Serves the contract."""

    def __init__(
        self,
        *,
        db: Database,
        clock: Clock,
        allowed: Callable[[CollectionSpec], None],
        wake: Callable[[], None],
    ) -> None:
        """`allowed` refuses what these settings do not let a collection read; `wake`
        has the worker look now."""
        self._db = db
        self._clock = clock
        self._allowed = allowed
        self._wake = wake

    async def CreateCollection(
        self, request: pb.CreateCollectionRequest, context: Context
    ) -> pb.CreateCollectionResponse:
        caller, spec = caller_of(request.caller, owns=True), self._spec(request.spec)
        made = await usecases.create_collection(
            self._db, request.collection_id, spec, caller=caller, clock=self._clock
        )
        return pb.CreateCollectionResponse(collection=collection_message(made))

    async def GetCollection(
        self, request: pb.GetCollectionRequest, context: Context
    ) -> pb.GetCollectionResponse:
        found = await usecases.read_collection(
            self._db, request.collection_id, caller=caller_of(request.caller)
        )
        return pb.GetCollectionResponse(collection=collection_message(found))

    async def ListCollections(
        self, request: pb.ListCollectionsRequest, context: Context
    ) -> pb.ListCollectionsResponse:
        found = await usecases.read_collections(
            self._db, caller=caller_of(request.caller), name=request.name
        )
        return pb.ListCollectionsResponse(collections=[collection_message(one) for one in found])

    async def UpdateCollection(
        self, request: pb.UpdateCollectionRequest, context: Context
    ) -> pb.UpdateCollectionResponse:
        caller = caller_of(request.caller)
        await usecases.read_collection(self._db, request.collection_id, caller=caller)
        found = await usecases.update_collection(
            self._db,
            request.collection_id,
            self._spec(request.spec),
            caller=caller,
            clock=self._clock,
        )
        self._wake()
        return pb.UpdateCollectionResponse(collection=collection_message(found))

    async def DeleteCollection(
        self, request: pb.DeleteCollectionRequest, context: Context
    ) -> pb.DeleteCollectionResponse:
        await usecases.delete_collection(
            self._db, request.collection_id, caller=caller_of(request.caller)
        )
        return pb.DeleteCollectionResponse()

    async def StartInspection(
        self, request: pb.StartInspectionRequest, context: Context
    ) -> pb.StartInspectionResponse:
        asked = usecases.Start(
            inspection_id=request.inspection_id,
            collection_id=request.collection_id,
            everything=request.everything,
        )
        standing = await usecases.start_inspection(
            self._db, asked, caller=caller_of(request.caller), clock=self._clock
        )
        self._wake()
        return pb.StartInspectionResponse(inspection=inspection_message(standing))

    async def GetInspection(
        self, request: pb.GetInspectionRequest, context: Context
    ) -> pb.GetInspectionResponse:
        standing = await usecases.read_inspection(
            self._db, request.inspection_id, caller=caller_of(request.caller)
        )
        return pb.GetInspectionResponse(inspection=inspection_message(standing))

    async def ListInspections(
        self, request: pb.ListInspectionsRequest, context: Context
    ) -> pb.ListInspectionsResponse:
        limit = min(request.limit if request.limit > 0 else 50, _MAX_PAGE)
        found = await usecases.read_inspections(
            self._db,
            caller=caller_of(request.caller),
            collection_id=request.collection_id,
            limit=limit + 1,
            before=read_page_token(request.page_token) if request.page_token else None,
        )
        page = found[:limit]
        last = page[-1].inspection if len(found) > limit else None
        return pb.ListInspectionsResponse(
            inspections=[inspection_message(one) for one in page],
            next_page_token=page_token(last.created_at, last.id) if last else "",
        )

    async def CancelInspection(
        self, request: pb.CancelInspectionRequest, context: Context
    ) -> pb.CancelInspectionResponse:
        standing = await usecases.request_cancel(
            self._db,
            request.inspection_id,
            caller=caller_of(request.caller),
            clock=self._clock,
        )
        self._wake()
        return pb.CancelInspectionResponse(inspection=inspection_message(standing))

    async def ListItems(
        self, request: pb.ListItemsRequest, context: Context
    ) -> pb.ListItemsResponse:
        found = await usecases.read_items(
            self._db,
            request.inspection_id,
            caller=caller_of(request.caller),
            after=request.after,
            limit=min(request.limit if request.limit > 0 else 200, _MAX_ITEMS),
        )
        return pb.ListItemsResponse(items=[item_message(item) for item in found])

    async def ListHistory(
        self, request: pb.ListHistoryRequest, context: Context
    ) -> pb.ListHistoryResponse:
        found = await usecases.read_history(
            self._db,
            request.collection_id,
            request.procedure_id,
            caller=caller_of(request.caller),
            limit=min(request.limit if request.limit > 0 else 50, _MAX_ITEMS),
        )
        return pb.ListHistoryResponse(items=[item_message(item) for item in found])

    async def GetCoverage(
        self, request: pb.GetCoverageRequest, context: Context
    ) -> pb.GetCoverageResponse:
        coverage = await usecases.read_coverage(
            self._db,
            request.collection_id,
            caller=caller_of(request.caller),
            clock=self._clock,
        )
        limit = min(request.limit if request.limit > 0 else 50, _MAX_ITEMS)
        return coverage_message(coverage, limit=limit)

    async def GetCalendar(
        self, request: pb.GetCalendarRequest, context: Context
    ) -> pb.GetCalendarResponse:
        calendar = await usecases.read_calendar(
            self._db,
            Span(first=moment_from_pb(request.first), last=moment_from_pb(request.last)),
            caller=caller_of(request.caller),
            clock=self._clock,
            collection_id=request.collection_id,
        )
        return calendar_message(calendar)

    def _spec(self, message: pb.CollectionSpec) -> CollectionSpec:
        spec = check_spec(spec_from_pb(message))
        for one in spec.weights:
            page_pattern(one.pattern)
        self._allowed(spec)
        return spec


def caller_of(caller: rollout_pb2.Caller, *, owns: bool = False) -> Caller:
    """Raises `caller.missing`: a call that says for nobody that it is made sees
    nothing, and with `owns` makes nothing either."""
    if not caller.principal and (owns or not caller.operator):
        raise invalid(
            "caller.missing",
            "the call does not say for whom it is made",
            hint="name the principal; compare the versions of the roles",
        )
    return Caller(principal=caller.principal, is_operator=caller.operator)
