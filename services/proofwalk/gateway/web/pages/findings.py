"""The queue of findings that wait for a reviewer, and decisions on several at once.

The queue is read in keyset pages, newest or most important first, and narrowed by its
address, which the form of decisions keeps. A decision names each finding with the
version that was looked at; the answer is the queue again, with what became of each:
what somebody else has decided meanwhile stays as that one left it, and the reason that
was written stays in the form. `review.js` sends the same form without leaving the page.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response

from proofwalk.api.inspection.v1 import findings_pb2 as pb
from proofwalk.gateway import changes
from proofwalk.gateway.roles import Act
from proofwalk.gateway.routes.asking import App, Parts
from proofwalk.gateway.streams import caller_message
from proofwalk.gateway.web.finding_view import (
    LIST,
    ORDERS,
    STATES,
    Narrowing,
    choices_of,
    narrowing_of,
    precision_of,
    view_of,
)
from proofwalk.gateway.web.guard import Pages, SignedIn
from proofwalk.gateway.web.page_parts import part_of
from proofwalk.gateway.web.rendering import Console
from proofwalk.gateway.web.visit import Visit, read_form, text_of
from proofwalk.kernel.errors import HTTP_STATUS, ProofwalkError, Status
from proofwalk.kernel.outcomes import FindingKind

router = APIRouter()
_PAGE = 50


def _narrowing(request: Request) -> Narrowing:
    return narrowing_of(request.query_params)


Narrowed = Annotated[Narrowing, Depends(_narrowing)]
PageToken = Annotated[str, Query(max_length=512)]


@dataclass(frozen=True, kw_only=True)
class Decided:
    """What came of a decision on the chosen findings."""

    act: str
    words: str
    reviewed: Sequence[pb.ReviewedFinding] = ()
    error: ProofwalkError | None = None
    """Why none was decided on."""

    @property
    def refused(self) -> Sequence[pb.ReviewedFinding]:
        return [one for one in self.reviewed if one.code]


@router.get(LIST)
async def queue(
    visit: SignedIn, pages: Pages, parts: App, narrowing: Narrowed, page_token: PageToken = ""
) -> Response:
    return await _page(visit, pages, parts, narrowing, page_token)


@router.post(LIST)
async def decide(
    request: Request,
    visit: SignedIn,
    pages: Pages,
    parts: App,
    narrowing: Narrowed,
    page_token: PageToken = "",
) -> Response:
    parts.keys.permit(visit.caller, Act.REVIEW)
    form = await read_form(request, parts)
    act, words = text_of(form, "act"), text_of(form, "words")
    versions = choices_of([one for one in form.getlist("chosen") if isinstance(one, str)])
    decision = pb.Decision(act=act, words=words)
    try:
        reply = await changes.decide_all(parts, visit.caller, versions, decision)
    except ProofwalkError as error:
        if error.status is Status.PERMISSION_DENIED:
            raise
        decided = Decided(act=act, words=words, error=error)
    else:
        decided = Decided(act=act, words=words, reviewed=reply.findings)
    return await _page(visit, pages, parts, narrowing, page_token, decided)


async def _page(
    visit: Visit,
    pages: Console,
    parts: Parts,
    narrowing: Narrowing,
    page_token: str,
    decided: Decided | None = None,
) -> Response:
    request = narrowing.request()
    request.limit, request.page_token = _PAGE, page_token
    request.caller.CopyFrom(caller_message(visit.caller))
    counting = pb.GetPrecisionRequest(caller=request.caller)
    listing, precision = await asyncio.gather(
        part_of(parts.findings.ListFindings(request)),
        part_of(parts.findings.GetPrecision(counting)),
    )
    further = listing.content.next_page_token if listing.content else ""
    error = decided.error if decided else None
    return pages.page(
        visit,
        "findings",
        status=HTTP_STATUS[error.status] if error else 200,
        rows=listing.mapped(
            lambda reply: [view_of(one, zone=visit.zone) for one in reply.findings]
        ),
        precision=precision.mapped(precision_of),
        narrowing=narrowing,
        states=list(STATES),
        kinds=list(FindingKind),
        orders=ORDERS,
        decided=decided,
        here=narrowing.address(**({"page_token": page_token} if page_token else {})),
        first=narrowing.address() if page_token else "",
        older=narrowing.address(page_token=further) if further else "",
    )
