"""The list of verifications that the caller sees, newest first, in pages; narrowed by
state, outcome and target."""

from __future__ import annotations

import asyncio
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Query
from fastapi.responses import Response

from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.chassis.rpc.vocabulary import OUTCOMES
from proofwalk.gateway.routes.asking import App
from proofwalk.gateway.streams import caller_message
from proofwalk.gateway.web.guard import Pages, SignedIn
from proofwalk.gateway.web.listing import row_of
from proofwalk.kernel.jobs import JobState
from proofwalk.kernel.outcomes import OutcomeKind

router = APIRouter()
LIST = "/console/verifications"
_PAGE = 50


@router.get(LIST)
async def verifications(
    visit: SignedIn,
    pages: Pages,
    parts: App,
    status: Annotated[str, Query(max_length=64)] = "",
    target: Annotated[str, Query(max_length=128)] = "",
    page_token: Annotated[str, Query(max_length=512)] = "",
) -> Response:
    """`status` is a word for a state or an outcome; one that is neither narrows
    nothing."""
    outcome = OUTCOMES.spelt(status)
    state = status if status in _STATES else ""
    request = pb.ListVerificationsRequest(
        caller=caller_message(visit.caller),
        limit=_PAGE,
        page_token=page_token,
        state=state,
        outcome=OUTCOMES.to_pb(outcome),
        target=target,
    )
    reply, targets = await asyncio.gather(
        parts.rollout.ListVerifications(request, timeout=10),
        parts.rollout.ListTargets(pb.ListTargetsRequest(), timeout=10),
    )
    narrowed = {"status": status if outcome or state else "", "target": target}
    narrowing = {name: text for name, text in narrowed.items() if text}
    further = {**narrowing, "page_token": reply.next_page_token}
    return pages.page(
        visit,
        "verifications",
        rows=[row_of(one) for one in reply.verifications],
        statuses=[*_STATES, *OutcomeKind],
        targets=[one.id for one in targets.targets],
        narrowed=narrowed,
        first=f"{LIST}?{urlencode(narrowing)}" if page_token else "",
        older=f"{LIST}?{urlencode(further)}" if reply.next_page_token else "",
    )


_STATES = tuple(state.value for state in JobState if state is not JobState.FINISHED)
"""States that people ask for; those that are finished are known by their outcomes."""
