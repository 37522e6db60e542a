"""One finding: what the document asks for, what the console has, the step at which a
walk saw it, the proposed patch, what happened to it, and the decisions that are open.

A decision names the version that was looked at. If somebody has decided meanwhile, the
page shows what the finding is now, says so, and keeps what was written.
"""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from proofwalk.api.inspection.v1 import findings_pb2 as pb
from proofwalk.gateway import changes, walks
from proofwalk.gateway.roles import Act
from proofwalk.gateway.routes.asking import App, FindingId, Parts
from proofwalk.gateway.streams import caller_message
from proofwalk.gateway.web import verification_view
from proofwalk.gateway.web.finding_view import (
    LIST,
    Evidence,
    HistoryView,
    choices_of,
    evidence_of,
    history_of,
)
from proofwalk.gateway.web.guard import Pages, SignedIn
from proofwalk.gateway.web.page_parts import part_of
from proofwalk.gateway.web.rendering import Console
from proofwalk.gateway.web.visit import Visit, read_form, text_of
from proofwalk.kernel.callers import Caller
from proofwalk.kernel.errors import HTTP_STATUS, ProofwalkError, Status

router = APIRouter()
_PAGE = LIST + "/{finding_id}"
_SHOWN_HERE = (Status.ABORTED, Status.FAILED_PRECONDITION, Status.INVALID_ARGUMENT)
"""Refusals after which the page is shown again, with what was written."""


@router.get(_PAGE)
async def finding(visit: SignedIn, pages: Pages, parts: App, finding_id: FindingId) -> Response:
    return await _page(visit, pages, parts, finding_id)


@router.post(_PAGE)
async def decide(
    request: Request, visit: SignedIn, pages: Pages, parts: App, finding_id: FindingId
) -> Response:
    parts.keys.permit(visit.caller, Act.REVIEW)
    form = await read_form(request, parts)
    decision = pb.Decision(act=text_of(form, "act"), words=text_of(form, "words"))
    versions = choices_of([f"{finding_id}:{text_of(form, 'version')}"])
    looked_at = pb.FindingVersion(finding_id=finding_id, version=versions.get(finding_id, 0))
    try:
        await changes.decide(parts, visit.caller, looked_at, decision)
    except ProofwalkError as error:
        if error.status not in _SHOWN_HERE:
            raise
        return await _page(visit, pages, parts, finding_id, refused=error, decision=decision)
    return RedirectResponse(f"{LIST}/{finding_id}", status_code=303)


async def _page(
    visit: Visit,
    pages: Console,
    parts: Parts,
    finding_id: str,
    *,
    refused: ProofwalkError | None = None,
    decision: pb.Decision | None = None,
) -> Response:
    asking = caller_message(visit.caller)
    request = pb.GetFindingRequest(caller=asking, finding_id=finding_id)
    view = history_of(await parts.findings.GetFinding(request, timeout=10), zone=visit.zone)
    proposing = pb.ProposePatchRequest(caller=asking, finding_id=finding_id)
    evidence, patch = await asyncio.gather(
        part_of(_evidence(parts, visit.caller, view), also=(Status.NOT_FOUND,)),
        part_of(parts.findings.ProposePatch(proposing), also=(Status.NOT_FOUND,)),
    )
    return pages.page(
        visit,
        "finding",
        status=HTTP_STATUS[refused.status] if refused else 200,
        view=view,
        evidence=evidence,
        patch=patch,
        refused=refused,
        written={decision.act: decision.words} if decision else {},
    )


async def _evidence(parts: Parts, caller: Caller, view: HistoryView) -> Evidence | None:
    if not view.newest:
        return None
    walk = await walks.read_walk(parts, caller, view.newest, episode=0)
    return evidence_of(verification_view.view_of(walk, step=0), view.row.stored)
