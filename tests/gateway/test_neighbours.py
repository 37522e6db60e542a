"""A role that nobody serves is given up when time is up, and told."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import CollectorRegistry

from proofwalk.api.account_pool.v1 import account_pool_pb2 as pool
from proofwalk.api.trainer.v1 import trainer_pb2 as trainer
from proofwalk.chassis.metrics import RpcMetrics
from proofwalk.chassis.rpc import RpcChannel
from proofwalk.chassis.rpc.callers import CALLERS
from proofwalk.chassis.tracing import Tracing
from proofwalk.gateway.neighbours import GLANCE_S, Neighbours
from proofwalk.gateway.web.page_parts import WAIT_S, PagePart
from proofwalk.kernel.errors import ProofwalkError, Status, not_found
from tests.gateway.neighbour_fakes import neighbours


@pytest.fixture
def nobody() -> Neighbours:
    """Roles that no call of a test reaches."""
    none: Any = None
    return Neighbours(accounts=none, sandboxes=none, provisioner=none, trainer=none)


async def test_roles_that_are_away_are_waited_for_side_by_side(
    home: Path, tracing: Tracing
) -> None:
    metrics = RpcMetrics(CollectorRegistry())
    channel = RpcChannel(f"unix:{home}/nobody.sock", tracing=tracing, metrics=metrics)
    roles, began = neighbours(channel, patience_s=0.3), time.monotonic()
    accounts: PagePart[pool.ListAccountsResponse]
    runs: PagePart[trainer.ListRunsResponse]
    accounts, runs = await asyncio.gather(
        roles.ask(roles.accounts.ListAccounts, pool.ListAccountsRequest()),
        roles.ask(roles.trainer.ListRuns, trainer.ListRunsRequest()),
    )
    assert time.monotonic() - began < 2
    for one in (accounts, runs):
        assert one.content is None
        assert one.error is not None
        assert one.error.status in (Status.UNAVAILABLE, Status.DEADLINE_EXCEEDED)
    await channel.close()


@pytest.mark.parametrize("status", sorted(set(Status) - {Status.NOT_FOUND}))
async def test_whatever_a_role_refuses_is_told_in_its_part(
    nobody: Neighbours, status: Status
) -> None:
    async def refused(request: object, *, timeout: float) -> None:
        raise ProofwalkError("rpc.caller_not_allowed", "no", status=status)

    part: PagePart[None] = await nobody.ask(refused, pool.ListAccountsRequest())
    assert part.error is not None
    assert part.error.code == "rpc.caller_not_allowed"


async def test_what_is_not_found_and_what_is_a_bug_are_the_whole_pages(nobody: Neighbours) -> None:
    for raised in (not_found("trainer.run_not_found", "none"), RuntimeError("a bug")):

        async def failing(request: object, *, timeout: float, error: Exception = raised) -> None:
            raise error

        with pytest.raises(type(raised)):
            await nobody.ask(failing, pool.ListAccountsRequest())


async def test_a_figure_is_given_up_sooner_than_a_page() -> None:
    async def silent(request: object, *, timeout: float) -> None:
        await asyncio.Event().wait()

    none: Any = None
    roles = Neighbours(
        accounts=none, sandboxes=none, provisioner=none, trainer=none, patience_s=0.05
    )
    part: PagePart[None] = await roles.glance(silent, pool.ListAccountsRequest())
    assert part.error is not None
    assert part.error.code == "rpc.deadline_exceeded"
    assert GLANCE_S < WAIT_S


def test_the_gateway_may_look_at_these_roles_and_do_one_thing_alone() -> None:
    roles = ("account_pool", "sandbox_scheduler", "resource_provisioner", "trainer")
    asked = {
        row.rpartition("/")[2]
        for row, callers in CALLERS.items()
        if "gateway" in callers and row.split(".")[2] in roles
    }
    acts = {name for name in asked if not name.startswith(("List", "Get", "Watch"))}
    assert acts == {"TryMeta"}, "an operator has a META record tried; nothing else is changed"
    assert not asked & {"GetCredential", "GetProvisioning"}
