"""The list of verifications that the caller sees, newest first, in pages."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.gateway.routes.asking import App
from proofwalk.gateway.streams import caller_message
from proofwalk.gateway.web.guard import Pages, SignedIn
from proofwalk.gateway.web.listing import row_of

router = APIRouter()
LIST = "/console/verifications"
_PAGE = 50


@router.get(LIST)
async def verifications(
    visit: SignedIn,
    pages: Pages,
    parts: App,
    page_token: Annotated[str, Query(max_length=512)] = "",
) -> Response:
    request = pb.ListVerificationsRequest(
        caller=caller_message(visit.caller), limit=_PAGE, page_token=page_token
    )
    reply = await parts.rollout.ListVerifications(request, timeout=10)
    return pages.page(
        visit,
        "verifications",
        rows=[row_of(one) for one in reply.verifications],
        page_token=page_token,
        next_page_token=reply.next_page_token,
    )
