"""The first page: what runs and waits, what came of what ran, and which documents
drift."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter
from fastapi.responses import Response

from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.gateway.routes.asking import App
from proofwalk.gateway.streams import caller_message
from proofwalk.gateway.web import charts
from proofwalk.gateway.web.errors import ROOT
from proofwalk.gateway.web.guard import Pages, SignedIn
from proofwalk.gateway.web.listing import row_of
from proofwalk.kernel.jobs import JobState

router = APIRouter()
_DAYS = 14
_SHOWN = 10


@router.get(ROOT)
async def overview(visit: SignedIn, pages: Pages, parts: App) -> Response:
    caller = caller_message(visit.caller)

    def listed(state: str) -> pb.ListVerificationsRequest:
        return pb.ListVerificationsRequest(caller=caller, state=state, limit=_SHOWN)

    summary, running, queued, latest = await asyncio.gather(
        parts.rollout.SummariseVerifications(
            pb.SummariseVerificationsRequest(caller=caller, days=_DAYS), timeout=10
        ),
        *(
            parts.rollout.ListVerifications(listed(state), timeout=10)
            for state in (JobState.RUNNING.value, JobState.QUEUED.value, JobState.FINISHED.value)
        ),
    )
    return pages.page(
        visit,
        "overview",
        summary=summary,
        chart=charts.chart_of(summary.verdicts, today=parts.clock.now().date(), days=_DAYS),
        groups=charts.GROUPS,
        bar_width=charts.BAR,
        bar_step=charts.STEP,
        height=charts.HEIGHT,
        drifting=[one for one in summary.documents if one.defects],
        running=[row_of(one) for one in running.verifications],
        queued=[row_of(one) for one in queued.verifications],
        latest=[row_of(one) for one in latest.verifications],
    )
