"""The first page: what runs, and what came of what ran."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import Response

from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.gateway.routes.asking import App
from proofwalk.gateway.streams import caller_message
from proofwalk.gateway.web.errors import ROOT
from proofwalk.gateway.web.guard import Pages, SignedIn
from proofwalk.gateway.web.listing import row_of

router = APIRouter()
_LATEST = 10


@router.get(ROOT)
async def overview(visit: SignedIn, pages: Pages, parts: App) -> Response:
    request = pb.ListVerificationsRequest(caller=caller_message(visit.caller), limit=_LATEST)
    reply = await parts.rollout.ListVerifications(request, timeout=10)
    return pages.page(visit, "overview", latest=[row_of(one) for one in reply.verifications])
