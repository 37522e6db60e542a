"""The rows under races, on both databases: one claim, one numbering of events, nothing
written by who was taken over."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta

import pytest

from proofwalk.chassis.database import Database
from proofwalk.chassis.migrations import difference
from proofwalk.kernel.callers import ITSELF
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.jobs import EpisodePhase, JobState
from proofwalk.kernel.outcomes import EnvCause, Outcome, OutcomeKind
from proofwalk.rollout import episode_usecases, repository, usecases
from proofwalk.rollout.episode_repository import StepRow
from proofwalk.rollout.judgement import Judgement, Verdict
from proofwalk.rollout.selections import Selection
from proofwalk.rollout.usecases import Claim
from tests.rollout.setting import Setting, verification

TTL = timedelta(seconds=30)
OUTCOME = Outcome(kind=OutcomeKind.ENV_FAILURE, cause=EnvCause.SANDBOX, reason="gone")
VERDICT = Verdict(judgement=Judgement(outcome=OUTCOME), seconds=1.0, cost=0.0, episodes=1)


async def claim(
    setting: Setting, holder: str = "worker_1", db: Database | None = None
) -> Claim | None:
    return await usecases.claim(
        db or setting.db, "ver_1", holder=holder, ttl=TTL, clock=setting.clock
    )


async def held(setting: Setting, holder: str = "worker_1") -> Claim:
    got = await claim(setting, holder)
    assert got is not None
    return got


async def test_the_migrations_make_the_declared_tables(rows: Setting) -> None:
    assert await difference(rows.db, "proofwalk.rollout", repository.METADATA) == []


async def test_creating_twice_is_creating_once(rows: Setting) -> None:
    first = await rows.create()
    again = await rows.create()
    assert first == again
    assert [event.type for event in await rows.events()] == ["verification_queued"]


async def test_creating_at_the_same_time_is_creating_once(rows: Setting) -> None:
    made = await asyncio.gather(*(rows.create() for _ in range(6)))
    assert len({row.id for row in made}) == 1
    assert len(await rows.events()) == 1


async def test_an_id_is_not_taken_for_another_request(rows: Setting) -> None:
    await rows.create()
    with pytest.raises(ProofwalkError) as caught:
        await rows.create(request_digest="e" * 64)
    assert caught.value.code == "verification.exists"


async def test_of_many_claims_one_wins(rows: Setting) -> None:
    await rows.create()
    other = Database(
        rows.db.url.render_as_string(hide_password=False)
        .replace("+aiosqlite", "")
        .replace("+asyncpg", "")
    )
    try:
        claims = await asyncio.gather(
            *(claim(rows, f"worker_{n}", rows.db if n % 2 else other) for n in range(8))
        )
    finally:
        await other.close()
    (won,) = [one for one in claims if one is not None]
    row = await rows.row()
    assert (row.claim_holder, row.claim_epoch, row.state) == (won.holder, 1, JobState.RUNNING)


async def test_a_claim_is_taken_over_when_its_time_has_passed_and_not_before(rows: Setting) -> None:
    await rows.create()
    first = await held(rows)
    rows.clock.advance(29)
    assert await claim(rows, "worker_2") is None
    assert await usecases.waiting(rows.db, clock=rows.clock, limit=5) == []
    await usecases.renew_claim(rows.db, first, ttl=TTL, clock=rows.clock)
    rows.clock.advance(29)
    assert await claim(rows, "worker_2") is None
    rows.clock.advance(1)
    assert await usecases.waiting(rows.db, clock=rows.clock, limit=5) == ["ver_1"]
    second = await claim(rows, "worker_2")
    assert second is not None
    assert second.epoch == 2


def _writes(
    setting: Setting, stale: Claim, episode_id: str
) -> dict[str, Callable[[], Awaitable[object]]]:
    db, clock, now = setting.db, setting.clock, setting.clock.now()
    step = StepRow(
        episode_id=episode_id, number=1, substep="1", thought="", action="{}", result="", ok=True, url="", screenshot="",
        started_at=now, ended_at=now,
    )  # fmt: skip
    return {
        "renew": lambda: usecases.renew_claim(db, stale, ttl=TTL, clock=clock),
        "give_back": lambda: usecases.give_back(db, stale, clock=clock),
        "start_episode": lambda: episode_usecases.start_episode(
            db, stale, episode_id="ep_late", clock=clock
        ),
        "enter_phase": lambda: episode_usecases.enter_phase(
            db, stale, episode_id, EpisodePhase.WALK, clock=clock
        ),
        "record_event": lambda: episode_usecases.record_event(db, stale, type="late", clock=clock),
        "intend": lambda: episode_usecases.intend(db, stale, episode_id, "late", clock=clock),
        "settle": lambda: episode_usecases.settle(
            db, stale, episode_id, "account", result={"swept": 1}, clock=clock
        ),
        "undone": lambda: episode_usecases.undone(
            db, stale, episode_id, "account", result={}, clock=clock
        ),
        "record_step": lambda: episode_usecases.record_step(
            db, stale, step, done=1, total=3, clock=clock
        ),
        "finish_episode": lambda: episode_usecases.finish_episode(
            db, stale, episode_id, Judgement(outcome=OUTCOME), lost=False, clock=clock
        ),
        "finish": lambda: usecases.finish_verification(db, stale, verdict=VERDICT, clock=clock),
    }


@pytest.mark.parametrize("after", ["taken over", "given back", "finished"])
async def test_who_lost_the_claim_writes_nothing(rows: Setting, after: str) -> None:
    await rows.create()
    stale = await held(rows)
    await episode_usecases.start_episode(rows.db, stale, episode_id="ep_1", clock=rows.clock)
    await episode_usecases.intend(rows.db, stale, "ep_1", "account", clock=rows.clock)
    if after == "taken over":
        rows.clock.advance(31)
        await held(rows, "worker_2")
    elif after == "given back":
        await usecases.give_back(rows.db, stale, clock=rows.clock)
    else:
        await usecases.finish_verification(rows.db, stale, verdict=VERDICT, clock=rows.clock)

    async def everything() -> object:
        return await rows.row(), await rows.episodes(), await rows.events(), await rows.intents()

    before = await everything()
    for name, write in _writes(rows, stale, "ep_1").items():
        with pytest.raises(ProofwalkError) as caught:
            await write()
        assert caught.value.code == "lease.stale_epoch", name
    assert await everything() == before


async def test_a_given_back_verification_is_free_at_once(rows: Setting) -> None:
    await rows.create()
    await usecases.give_back(rows.db, await held(rows), clock=rows.clock)
    assert (await rows.row()).state is JobState.QUEUED
    assert (await held(rows, "worker_2")).epoch == 2


async def test_events_are_numbered_without_a_gap_by_many_writers(rows: Setting) -> None:
    await rows.create()
    mine = await held(rows)
    cancels = [
        usecases.request_cancel(rows.db, "ver_1", caller=ITSELF, clock=rows.clock) for _ in range(3)
    ]
    writes = [
        episode_usecases.record_event(rows.db, mine, type=f"said_{n}", clock=rows.clock)
        for n in range(12)
    ]
    await asyncio.gather(*writes, *cancels)
    events = await rows.events()
    assert [event.sequence for event in events] == list(range(1, len(events) + 1))
    assert len(events) == 1 + 12 + 1
    assert [event.type for event in events].count("verification_cancel_requested") == 1
    row, later = await usecases.read_events(rows.db, "ver_1", caller=ITSELF, after=10, limit=2)
    assert [event.sequence for event in later] == [11, 12]
    assert row.event_count == len(events)


async def test_a_queued_verification_that_is_cancelled_waits_for_a_worker_to_end_it(
    rows: Setting,
) -> None:
    await rows.create()
    assert (
        await usecases.request_cancel(rows.db, "ver_1", caller=ITSELF, clock=rows.clock)
    ).state is JobState.CANCELLING
    assert await usecases.waiting(rows.db, clock=rows.clock, limit=5) == ["ver_1"]
    row = await rows.finish()
    assert row.verdict is not None
    assert row.verdict.judgement.outcome.kind == "cancelled"
    assert await rows.episodes() == []
    assert rows.world.calls == []


async def test_a_running_verification_learns_of_its_cancellation_when_it_renews(
    rows: Setting,
) -> None:
    await rows.create()
    mine = await held(rows)
    await usecases.request_cancel(rows.db, "ver_1", caller=ITSELF, clock=rows.clock)
    assert (
        await usecases.renew_claim(rows.db, mine, ttl=TTL, clock=rows.clock) is JobState.CANCELLING
    )
    assert await claim(rows, "worker_2") is None
    await usecases.give_back(rows.db, mine, clock=rows.clock)
    again = await claim(rows, "worker_2")
    assert again is not None
    assert (await rows.row()).state is JobState.CANCELLING


async def test_cancelling_again_or_too_late_changes_nothing(rows: Setting) -> None:
    await rows.create()
    first = await usecases.request_cancel(rows.db, "ver_1", caller=ITSELF, clock=rows.clock)
    rows.clock.advance(1)
    assert await usecases.request_cancel(rows.db, "ver_1", caller=ITSELF, clock=rows.clock) == first
    finished = await rows.finish()
    assert (
        await usecases.request_cancel(rows.db, "ver_1", caller=ITSELF, clock=rows.clock) == finished
    )
    with pytest.raises(ProofwalkError) as caught:
        await usecases.request_cancel(rows.db, "ver_none", caller=ITSELF, clock=rows.clock)
    assert caught.value.code == "verification.not_found"


async def test_an_episode_and_a_verification_are_finished_once(rows: Setting) -> None:
    await rows.create()
    mine = await held(rows)
    await episode_usecases.start_episode(rows.db, mine, episode_id="ep_1", clock=rows.clock)
    other = Outcome(kind=OutcomeKind.VERIFIED, reason="really")
    for outcome in (OUTCOME, other):
        judgement = Judgement(outcome=outcome, cost=1.5)
        await episode_usecases.finish_episode(
            rows.db, mine, "ep_1", judgement, lost=False, clock=rows.clock
        )
    (episode,) = await rows.episodes()
    assert (episode.outcome, episode.cause, episode.lost) == ("env_failure", "sandbox", False)
    assert episode.judgement == Judgement(outcome=OUTCOME, cost=1.5)
    assert [event.type for event in await rows.events()].count("episode_finished") == 1


async def test_intents_keep_their_result_until_they_are_undone(rows: Setting) -> None:
    await rows.create()
    mine = await held(rows)
    await episode_usecases.start_episode(rows.db, mine, episode_id="ep_1", clock=rows.clock)
    for key in ("account", "sandbox"):
        await episode_usecases.intend(rows.db, mine, "ep_1", key, clock=rows.clock)
        rows.clock.advance(1)
    await episode_usecases.settle(
        rows.db, mine, "ep_1", "account", result={"epoch": 3}, clock=rows.clock
    )
    newest_first = await episode_usecases.open_intents(rows.db, "ep_1")
    assert [(row.key, row.state, row.result) for row in newest_first] == [
        ("sandbox", "intended", {}),
        ("account", "done", {"epoch": 3}),
    ]
    await episode_usecases.undone(
        rows.db, mine, "ep_1", "account", result={"clean": True}, clock=rows.clock
    )
    assert [row.key for row in await episode_usecases.open_intents(rows.db, "ep_1")] == ["sandbox"]


async def test_pages_go_from_new_to_old_without_a_gap_also_within_one_moment(rows: Setting) -> None:
    for number in range(7):
        await rows.create(f"ver_{number}", principal="ci" if number % 2 else "local")
        if number % 3 == 0:
            rows.clock.advance(1)
    seen: list[str] = []
    before = None
    while page := await usecases.page_of_verifications(
        rows.db, caller=ITSELF, limit=2, before=before
    ):
        seen += [row.id for row, _ in page]
        before = (page[-1][0].created_at, page[-1][0].id)
    assert seen == ["ver_6", "ver_5", "ver_4", "ver_3", "ver_2", "ver_1", "ver_0"]
    mine = await usecases.page_of_verifications(
        rows.db, caller=ITSELF, limit=10, before=None, selection=Selection(principal="ci")
    )
    assert [row.id for row, _ in mine] == ["ver_5", "ver_3", "ver_1"]


async def test_the_oldest_waits_least(rows: Setting) -> None:
    for number in (2, 1, 3):
        await rows.create(f"ver_{number}")
        rows.clock.advance(1)
    assert await usecases.waiting(rows.db, clock=rows.clock, limit=2) == ["ver_2", "ver_1"]


async def test_a_finished_state_always_has_its_time(rows: Setting) -> None:
    async with rows.db.transaction() as tx:
        with pytest.raises(Exception, match=r"(?i)check constraint|CheckViolation"):
            await repository.insert_verification(tx, verification(state=JobState.FINISHED))
        await tx.rollback()
