"""Collections of documents: when each is inspected next and was last, what is due in
it, and the runs of the last and coming weeks by day."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from fastapi import APIRouter
from fastapi.responses import Response

from proofwalk.api.inspection.v1 import inspection_pb2 as pb
from proofwalk.api.rollout.v1 import rollout_pb2
from proofwalk.chassis.rpc.vocabulary import moment_to_pb
from proofwalk.gateway.routes.asking import App, Parts
from proofwalk.gateway.streams import caller_message
from proofwalk.gateway.web.coverage_view import CoverageView, coverage_of
from proofwalk.gateway.web.guard import Pages, SignedIn
from proofwalk.gateway.web.inspection_view import (
    LIST,
    CalendarView,
    CollectionView,
    Now,
    RunView,
    calendar_of,
    calendar_span,
    collection_of,
    run_of,
)
from proofwalk.gateway.web.page_parts import PagePart, part_of

router = APIRouter()
_LOOKED_INTO = 50
"""Collections of which the page asks for the last run and for what is due."""


@dataclass(frozen=True, kw_only=True)
class CollectionRow:
    """A collection with what its row tells besides."""

    view: CollectionView
    last: PagePart[RunView | None]
    coverage: PagePart[CoverageView]


@router.get(LIST)
async def inspections(visit: SignedIn, pages: Pages, parts: App) -> Response:
    caller = caller_message(visit.caller)
    now = Now(at=parts.clock.now(), zone=visit.zone)
    request = pb.ListCollectionsRequest(caller=caller)
    listing, calendar = await asyncio.gather(
        part_of(parts.inspections.ListCollections(request)), read_calendar(parts, caller, now)
    )
    collections = list(listing.content.collections) if listing.content else []
    rows = await asyncio.gather(
        *(_row(parts, caller, one, now) for one in collections[:_LOOKED_INTO])
    )
    return pages.page(
        visit,
        "inspections",
        error=listing.error,
        rows=rows,
        unseen=[collection_of(one, now) for one in collections[_LOOKED_INTO:]],
        calendar=calendar,
    )


async def read_calendar(
    parts: Parts, caller: rollout_pb2.Caller, now: Now, *, collection_id: str = ""
) -> PagePart[CalendarView]:
    """The weeks around now, of one collection or of all."""
    first, last = calendar_span(now)
    request = pb.GetCalendarRequest(
        caller=caller,
        collection_id=collection_id,
        first=moment_to_pb(first),
        last=moment_to_pb(last),
    )
    calendar = await part_of(parts.inspections.GetCalendar(request))
    return calendar.mapped(lambda reply: calendar_of(reply, now))


async def read_coverage(
    parts: Parts, caller: rollout_pb2.Caller, now: Now, collection_id: str
) -> PagePart[CoverageView]:
    """A collection's coverage, and what is due in it."""
    request = pb.GetCoverageRequest(caller=caller, collection_id=collection_id)
    coverage = await part_of(parts.inspections.GetCoverage(request))
    return coverage.mapped(lambda reply: coverage_of(reply, zone=now.zone))


async def _row(
    parts: Parts, caller: rollout_pb2.Caller, collection: pb.Collection, now: Now
) -> CollectionRow:
    collection_id = collection.collection_id
    request = pb.ListInspectionsRequest(caller=caller, collection_id=collection_id, limit=1)
    last, coverage = await asyncio.gather(
        part_of(parts.inspections.ListInspections(request)),
        read_coverage(parts, caller, now, collection_id),
    )
    return CollectionRow(
        view=collection_of(collection, now),
        last=last.mapped(lambda reply: next((run_of(one, now) for one in reply.inspections), None)),
        coverage=coverage,
    )
