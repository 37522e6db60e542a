"""Work stops before what it holds may be another's, whatever keeps the renewals."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from proofwalk.agent.core.endings import Completed, Ending
from proofwalk.kernel.errors import unavailable
from proofwalk.kernel.jobs import JobState
from proofwalk.rollout import usecases
from proofwalk.rollout.leases_kept import Holds
from proofwalk.rollout.ports import AccountLease, Sandbox, WalkListeners
from proofwalk.rollout.usecases import Claim
from proofwalk.rollout.walk_order import WalkOrder
from tests.rollout.fakes import Gate
from tests.rollout.setting import Setting, settings

LEASE = AccountLease(
    lease_id="lease_1", account_id="acc_1", external_id="1001", target="devcloud", epoch=1
)


@pytest.mark.parametrize("what", ["account", "sandbox"])
async def test_a_renewal_that_is_not_answered_stops_the_walk_before_the_lease_ends(
    setting: Setting, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    async def is_not_answered(hold: AccountLease | Sandbox, *, ttl: timedelta) -> None:
        await asyncio.Event().wait()

    stopped = asyncio.Event()

    async def goes_on(order: WalkOrder, listeners: WalkListeners) -> Ending:
        setting.clock.advance(0.01)  # so that the one that is renewed is the younger
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()
        return Completed(note="never")

    setting.settings = settings(hold_ttl_s=3.0)
    peer = {"account": setting.world.accounts, "sandbox": setting.world.sandboxes}[what]
    monkeypatch.setattr(peer, "renew", is_not_answered)
    setting.world.walker.script = goes_on
    await setting.create()
    async with asyncio.timeout(30):
        await setting.finish()
    outcome = (await setting.verdict()).judgement.outcome
    assert stopped.is_set()
    assert (outcome.kind, outcome.cause, outcome.code) == (
        "env_failure",
        what,
        "lease.not_renewed",
    )


async def test_a_renewal_counts_from_when_it_was_asked_for(setting: Setting) -> None:
    deps = setting.deps()
    held = Claim(verification_id="ver_1", epoch=1, holder="w")
    holds = Holds(deps.db, deps.peers, held, clock=setting.clock, ttl=timedelta(seconds=100))
    holds.hold_account(LEASE)
    assert holds._seconds_left("account") == pytest.approx(80)

    async def slow() -> None:
        setting.clock.advance(30)

    await holds._renew("account", LEASE, slow())
    assert holds._seconds_left("account") == pytest.approx(50)


async def test_a_claim_that_cannot_be_renewed_for_a_while_leaves_nothing_behind(
    setting: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    setting.settings = settings(hold_ttl_s=1.2)
    gate = setting.world.gates["accounts.release"] = Gate()
    await setting.create()
    finishing = asyncio.ensure_future(setting.finish())
    await asyncio.wait_for(gate.reached.wait(), 20)
    renews, refused = usecases.renew_claim, asyncio.Event()

    async def is_away_once(*args: Any, **named: Any) -> JobState | None:
        if refused.is_set():
            return await renews(*args, **named)
        refused.set()
        setting.clock.advance(5)  # longer than the claim lives
        raise unavailable("database.unavailable", "it stands still")

    monkeypatch.setattr(usecases, "renew_claim", is_away_once)
    await asyncio.wait_for(refused.wait(), 20)
    gate.opened.set()
    await asyncio.wait_for(finishing, 20)
    assert (await setting.verdict()).judgement.outcome.kind == "verified"
    await setting.check_all_is_well()
