"""What the installation runs on: accounts, sandboxes, and what was made for walks.

Account pool, sandbox scheduler and resource provisioner are asked side by side; the
part of one that is away says so. What still stands in an account, or leaked, is listed
apart from what ended, and one provisioning is found by its id. `fleet_rows` chooses
what a row shows.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from proofwalk.api.account_pool.v1 import account_pool_pb2 as pool
from proofwalk.api.resource_provisioner.v1 import resource_provisioner_pb2 as provisions
from proofwalk.api.sandbox_scheduler.v1 import sandbox_scheduler_pb2 as scheduler
from proofwalk.gateway.neighbours import Neighbours
from proofwalk.gateway.roles import Act
from proofwalk.gateway.routes.asking import App
from proofwalk.gateway.web.fleet_rows import (
    account_rows,
    provisioning_rows,
    sandbox_rows,
    spends,
    tool_rows,
)
from proofwalk.gateway.web.guard import Pages, SignedIn
from proofwalk.gateway.web.page_parts import PagePart

router = APIRouter()
PATH = "/console/fleet"
_LEASES = 1000
"""Lines of the ledger that an account's cost is added up from."""
_HELD = ("leaked", "creating", "verifying", "ready", "failing", "destroying")
_MOST_HELD = 200
_ENDED = ("failed", "destroyed")
_MOST_ENDED = 30


@router.get(PATH)
async def fleet(
    visit: SignedIn,
    pages: Pages,
    parts: App,
    provisioning: Annotated[str, Query(max_length=128)] = "",
) -> Response:
    parts.keys.permit(visit.caller, Act.OPERATE)
    roles, now = parts.neighbours, parts.clock.now()
    (accounts, leases), (sandboxes, tools), (held, ended, chosen) = await asyncio.gather(
        _pool(roles), _scheduler(roles), _provisioner(roles, provisioning)
    )
    return pages.page(
        visit,
        "fleet",
        accounts=accounts.mapped(account_rows),
        spends=leases.mapped(spends),
        sandboxes=sandboxes.mapped(lambda reply: sandbox_rows(reply, now=now)),
        tools=tools.mapped(tool_rows),
        held=held.mapped(lambda reply: provisioning_rows(reply, now=now)),
        ended=ended.mapped(lambda reply: provisioning_rows(reply, now=now)),
        provisioning=provisioning,
        chosen=chosen.mapped(lambda reply: provisioning_rows(reply, now=now)),
    )


async def _pool(
    roles: Neighbours,
) -> tuple[PagePart[pool.ListAccountsResponse], PagePart[pool.ListLeasesResponse]]:
    accounts: PagePart[pool.ListAccountsResponse]
    leases: PagePart[pool.ListLeasesResponse]
    accounts, leases = await asyncio.gather(
        roles.ask(roles.accounts.ListAccounts, pool.ListAccountsRequest()),
        roles.ask(roles.accounts.ListLeases, pool.ListLeasesRequest(limit=_LEASES)),
    )
    return accounts, leases


async def _scheduler(
    roles: Neighbours,
) -> tuple[PagePart[scheduler.ListSandboxesResponse], PagePart[scheduler.ListToolsResponse]]:
    sandboxes: PagePart[scheduler.ListSandboxesResponse]
    tools: PagePart[scheduler.ListToolsResponse]
    sandboxes, tools = await asyncio.gather(
        roles.ask(roles.sandboxes.ListSandboxes, scheduler.ListSandboxesRequest()),
        roles.ask(roles.sandboxes.ListTools, scheduler.ListToolsRequest()),
    )
    return sandboxes, tools


async def _provisioner(
    roles: Neighbours, provisioning_id: str
) -> Sequence[PagePart[provisions.ListProvisioningsResponse]]:
    """What stands or leaked, the newest that ended, and the one of the id."""
    requests = [
        provisions.ListProvisioningsRequest(states=_HELD, limit=_MOST_HELD),
        provisions.ListProvisioningsRequest(states=_ENDED, limit=_MOST_ENDED),
    ]
    if provisioning_id:
        requests.append(provisions.ListProvisioningsRequest(provisioning_id=provisioning_id))
    listed: list[PagePart[provisions.ListProvisioningsResponse]] = await asyncio.gather(
        *(roles.ask(roles.provisioner.ListProvisionings, request) for request in requests)
    )
    nothing = PagePart(content=provisions.ListProvisioningsResponse())
    return [*listed, *([] if provisioning_id else [nothing])]
