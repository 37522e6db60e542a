"""Workers that die anywhere, are drained, or wake up too late: afterwards there is one
verdict, and nothing is left."""

from __future__ import annotations

import asyncio
import contextlib
from datetime import timedelta

import pytest

from proofwalk.agent.core.endings import Completed, Ending
from proofwalk.kernel.callers import ITSELF
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.jobs import JobState
from proofwalk.rollout import usecases
from proofwalk.rollout.ports import WalkListeners
from proofwalk.rollout.walk_order import WalkOrder
from tests.rollout.fakes import Died, DyingDatabase, Gate, away
from tests.rollout.setting import Setting, settings, until

PEER_CALLS = [
    "accounts.acquire",
    "provisioner.provision",
    "sandboxes.acquire",
    "accounts.console_login",
    "walker.walk",
    "provisioner.provision_on_demand",
    "sandboxes.release",
    "rewards.judge",
    "accounts.inspect",
    "provisioner.sweep",
    "accounts.release",
    "provisioner.prove",
]


async def test_a_worker_may_die_at_any_of_its_writes(setting: Setting) -> None:
    setting.world.walker.needs = ["a key pair"]
    number = 0
    while True:
        number += 1
        job = f"ver_{number}"
        await setting.create(job)
        db = DyingDatabase(setting.db, at=number)
        with contextlib.suppress(Died):
            await setting.worker("worker_1", db=db).attend(job)
        if db.writes < number:
            break
        setting.clock.advance(601)
        await setting.worker("worker_2").attend(job)
        row = await setting.check_all_is_well(job)
        assert row.verdict is not None
        assert row.verdict.judgement.outcome.kind == "verified", (
            f"died at write {number}: {row.verdict.judgement.outcome.reason}"
        )
        episodes = await setting.episodes(job)
        assert len(episodes) <= 2, number
        assert not episodes[-1].lost
    assert number > 25
    await setting.check_all_is_well(job)


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("call", PEER_CALLS)
async def test_a_worker_may_die_in_any_call(setting: Setting, call: str, when: str) -> None:
    setting.world.walker.needs = ["a key pair"]
    getattr(setting.world, when)[call].append(Died())
    await setting.create()
    with pytest.raises(Died):
        await setting.worker("worker_1").attend("ver_1")
    setting.clock.advance(601)
    row = await setting.finish(holder="worker_2")
    await setting.check_all_is_well()
    assert row.verdict is not None
    assert row.verdict.judgement.outcome.kind == "verified"


async def test_a_judgement_that_was_stored_is_kept_by_the_successor(setting: Setting) -> None:
    setting.world.before["accounts.release"].append(Died())
    await setting.create()
    with pytest.raises(Died):
        await setting.worker("worker_1").attend("ver_1")
    setting.clock.advance(601)
    await setting.finish(holder="worker_2")
    await setting.check_all_is_well()
    (episode,) = await setting.episodes()
    assert (episode.outcome, episode.lost) == ("verified", False)
    assert setting.world.calls.count("walker.walk") == 1


async def test_lost_episodes_do_not_count_as_attempts_but_have_an_end(setting: Setting) -> None:
    setting.settings = settings(lost_allowed=2)
    await setting.create(attempts=1)
    for number in range(3):
        setting.world.before["walker.walk"].append(Died())
        with pytest.raises(Died):
            await setting.worker(f"worker_{number}").attend("ver_1")
        setting.clock.advance(601)
    row = await setting.finish(holder="worker_9")
    await setting.check_all_is_well()
    assert row.verdict is not None
    assert (row.verdict.judgement.outcome.kind, row.verdict.judgement.outcome.code) == (
        "env_failure",
        "episode.lost",
    )
    assert [episode.lost for episode in await setting.episodes()] == [True] * 3


async def test_a_worker_that_wakes_up_too_late_is_fenced(setting: Setting) -> None:
    gate = setting.world.gates["walker.walk"] = Gate()
    await setting.create()
    old = asyncio.ensure_future(setting.worker("worker_1").attend("ver_1"))
    await asyncio.wait_for(gate.reached.wait(), 10)
    setting.clock.advance(601)
    del setting.world.gates["walker.walk"]
    await setting.finish(holder="worker_2")
    before = await setting.check_all_is_well(), await setting.events(), await setting.intents()
    gate.opened.set()
    with pytest.raises(ProofwalkError) as caught:
        await asyncio.wait_for(old, 10)
    assert caught.value.code == "lease.stale_epoch"
    assert (
        await setting.check_all_is_well(),
        await setting.events(),
        await setting.intents(),
    ) == before


async def test_the_keeper_stops_the_work_of_a_worker_that_was_taken_over(setting: Setting) -> None:
    setting.settings = settings(hold_ttl_s=0.2)
    gate = setting.world.gates["walker.walk"] = Gate()
    await setting.create()
    old = asyncio.ensure_future(setting.worker("worker_1").attend("ver_1"))
    await asyncio.wait_for(gate.reached.wait(), 10)
    del setting.world.gates["walker.walk"]
    # Standing still and being overtaken between two renewals.
    async with asyncio.timeout(10):
        while True:
            setting.clock.advance(0.3)
            if await usecases.claim(
                setting.db, "ver_1", holder="thief", ttl=timedelta(seconds=5), clock=setting.clock
            ):
                break
    with pytest.raises(ProofwalkError) as caught:
        await asyncio.wait_for(old, 10)
    assert caught.value.code == "lease.stale_epoch"
    assert not gate.opened.is_set()
    setting.clock.advance(60)
    await setting.finish(holder="worker_2")
    await setting.check_all_is_well()


@pytest.mark.parametrize("call", PEER_CALLS)
async def test_a_drained_worker_gives_back_and_the_next_goes_on_at_once(
    setting: Setting, call: str
) -> None:
    setting.world.walker.needs = ["a key pair"]
    gate = setting.world.gates[call] = Gate()
    await setting.create()
    running = asyncio.ensure_future(setting.worker("worker_1").run())
    await asyncio.wait_for(gate.reached.wait(), 10)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(running, 10)
    assert (await setting.row()).state is JobState.QUEUED
    del setting.world.gates[call]
    row = await setting.finish(holder="worker_2")
    await setting.check_all_is_well()
    assert row.verdict is not None
    assert row.verdict.judgement.outcome.kind == "verified"


CANCELLABLE = PEER_CALLS[: PEER_CALLS.index("accounts.inspect")]


@pytest.mark.parametrize("call", CANCELLABLE)
async def test_a_verification_may_be_cancelled_in_any_phase(setting: Setting, call: str) -> None:
    setting.settings = settings(hold_ttl_s=0.2)
    setting.world.walker.needs = ["a key pair"]
    gate = setting.world.gates[call] = Gate()
    await setting.create(attempts=3)
    running = asyncio.ensure_future(setting.worker().attend("ver_1"))
    await asyncio.wait_for(gate.reached.wait(), 10)
    del setting.world.gates[call]
    await usecases.request_cancel(setting.db, "ver_1", caller=ITSELF, clock=setting.clock)
    await asyncio.wait_for(running, 20)
    row = await setting.check_all_is_well()
    assert row.verdict is not None
    assert (row.verdict.judgement.outcome.kind, row.verdict.judgement.outcome.blame) == (
        "cancelled",
        "nobody",
    )
    (episode,) = await setting.episodes()
    assert episode.outcome == "cancelled"


async def test_a_cancelled_verification_whose_worker_dies_is_cleaned_up_and_ends_cancelled(
    setting: Setting,
) -> None:
    await setting.create()

    async def script(order: WalkOrder, listeners: WalkListeners) -> Ending:
        await usecases.request_cancel(setting.db, "ver_1", caller=ITSELF, clock=setting.clock)
        raise Died

    setting.world.walker.script = script
    with pytest.raises(Died):
        await setting.worker("worker_1").attend("ver_1")
    setting.clock.advance(601)
    row = await setting.finish(holder="worker_2")
    await setting.check_all_is_well()
    assert row.verdict is not None
    assert row.verdict.judgement.outcome.kind == "cancelled"


async def test_a_cancellation_that_comes_after_the_judgement_does_not_undo_what_was_found(
    setting: Setting,
) -> None:
    gate = setting.world.gates["accounts.release"] = Gate()
    await setting.create()
    running = asyncio.ensure_future(setting.worker().attend("ver_1"))
    await asyncio.wait_for(gate.reached.wait(), 10)
    await usecases.request_cancel(setting.db, "ver_1", caller=ITSELF, clock=setting.clock)
    gate.opened.set()
    await asyncio.wait_for(running, 10)
    await setting.check_all_is_well()
    (episode,) = await setting.episodes()
    assert episode.outcome == "verified"


async def test_retries_go_on_until_something_is_shown(setting: Setting) -> None:
    endings = iter([ValueError("once"), None])

    async def script(order: WalkOrder, listeners: WalkListeners) -> Ending:
        error = next(endings)
        if error is not None:
            raise error
        return Completed()

    setting.world.walker.script = script
    setting.world.before["sandboxes.acquire"].extend(away())
    await setting.create(attempts=5)
    await setting.finish()
    row = await setting.check_all_is_well()
    assert row.verdict is not None
    assert (row.verdict.judgement.outcome.kind, row.verdict.episodes) == ("verified", 3)
    assert [episode.outcome for episode in await setting.episodes()] == [
        "env_failure",
        "env_failure",
        "verified",
    ]


async def test_retries_have_the_end_that_was_asked_for(setting: Setting) -> None:
    setting.world.rewards.decision = "denied"
    await setting.create(attempts=3)
    await setting.finish()
    row = await setting.check_all_is_well()
    assert row.verdict is not None
    assert (row.verdict.judgement.outcome.kind, row.verdict.episodes) == ("agent_failure", 3)
    assert row.verdict.cost == 0.75


async def test_many_verifications_share_a_worker_boundedly_and_wait_for_accounts(
    setting: Setting,
) -> None:
    setting.settings = settings(concurrency=3, account_wait_s=60.0, sandbox_wait_s=60.0)
    jobs = [f"ver_{number}" for number in range(8)]
    for job in jobs:
        await setting.create(job)
    most = 0

    async def script(order: WalkOrder, listeners: WalkListeners) -> Ending:
        nonlocal most
        most = max(most, len(setting.world.accounts.live))
        return Completed()

    setting.world.walker.script = script
    running = asyncio.ensure_future(setting.worker().run())
    await until(lambda: len(setting.world.accounts.releases) == len(jobs), seconds=30)
    for job in jobs:
        await setting.until_finished(job)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    for job in jobs:
        row = await setting.check_all_is_well(job)
        assert row.verdict is not None
        assert row.verdict.judgement.outcome.kind == "verified"
    assert most <= 2


async def test_a_verification_that_crashes_its_worker_takes_no_other_along(
    setting: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    await setting.create("ver_bad")
    await setting.create("ver_good")
    worker = setting.worker()
    attend = worker.attend

    async def crashing(verification_id: str) -> None:
        if verification_id == "ver_bad":
            raise KeyError("a bug")
        await attend(verification_id)

    monkeypatch.setattr(worker, "attend", crashing)
    running = asyncio.ensure_future(worker.run())
    await setting.until_finished("ver_good")
    assert not running.done()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
