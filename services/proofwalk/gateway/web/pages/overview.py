"""The first page: what runs and waits, what came of what ran, which documents drift,
and how good findings were. Operators also see what of the installation is free.

All is asked at once. Verifications are the page; the rest are figures that may be
missing (`overview_figures`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from fastapi import APIRouter
from fastapi.responses import Response

from proofwalk.api.account_pool.v1 import account_pool_pb2 as pool
from proofwalk.api.inspection.v1 import findings_pb2 as findings
from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.api.sandbox_scheduler.v1 import sandbox_scheduler_pb2 as scheduler
from proofwalk.gateway.roles import MAY, Act
from proofwalk.gateway.routes.asking import App, Parts
from proofwalk.gateway.streams import caller_message
from proofwalk.gateway.web import charts
from proofwalk.gateway.web.errors import ROOT
from proofwalk.gateway.web.guard import Pages, SignedIn
from proofwalk.gateway.web.listing import row_of
from proofwalk.gateway.web.overview_figures import (
    WEEKS,
    Free,
    free_accounts,
    free_sandboxes,
    precision_weeks,
)
from proofwalk.gateway.web.page_parts import PagePart
from proofwalk.gateway.web.visit import Visit
from proofwalk.kernel.jobs import JobState

router = APIRouter()
_DAYS = 14
_SHOWN = 10


@router.get(ROOT)
async def overview(visit: SignedIn, pages: Pages, parts: App) -> Response:
    caller = caller_message(visit.caller)

    def listed(state: str) -> pb.ListVerificationsRequest:
        return pb.ListVerificationsRequest(caller=caller, state=state, limit=_SHOWN)

    summing = pb.SummariseVerificationsRequest(caller=caller, days=_DAYS)
    weekly = findings.GetWeeklyPrecisionRequest(caller=caller, weeks=WEEKS)
    precision: PagePart[findings.GetWeeklyPrecisionResponse]
    summary, (running, queued, latest), precision, free = await asyncio.gather(
        parts.rollout.SummariseVerifications(summing, timeout=10),
        asyncio.gather(
            *(
                parts.rollout.ListVerifications(listed(state.value), timeout=10)
                for state in (JobState.RUNNING, JobState.QUEUED, JobState.FINISHED)
            )
        ),
        parts.neighbours.glance(parts.findings.GetWeeklyPrecision, weekly),
        _free(visit, parts),
    )
    today = parts.clock.now().date()
    return pages.page(
        visit,
        "overview",
        summary=summary,
        chart=charts.chart_of(summary.verdicts, today=today, days=_DAYS),
        groups=charts.GROUPS,
        bar_width=charts.BAR,
        bar_step=charts.STEP,
        height=charts.HEIGHT,
        precision=precision.mapped(lambda reply: precision_weeks(reply, today=today)),
        free=free,
        drifting=[one for one in summary.documents if one.defects],
        running=[row_of(one) for one in running.verifications],
        queued=[row_of(one) for one in queued.verifications],
        latest=[row_of(one) for one in latest.verifications],
    )


async def _free(visit: Visit, parts: Parts) -> Mapping[str, PagePart[Free]]:
    """What is free, by what it is. Nothing is asked for who may not see the fleet."""
    if Act.OPERATE not in MAY[parts.keys.role(visit.caller)]:
        return {}
    roles = parts.neighbours
    accounts: PagePart[pool.ListAccountsResponse]
    tools: PagePart[scheduler.ListToolsResponse]
    accounts, tools = await asyncio.gather(
        roles.glance(roles.accounts.ListAccounts, pool.ListAccountsRequest()),
        roles.glance(roles.sandboxes.ListTools, scheduler.ListToolsRequest()),
    )
    return {
        "accounts": accounts.mapped(free_accounts),
        "sandboxes": tools.mapped(free_sandboxes),
    }
