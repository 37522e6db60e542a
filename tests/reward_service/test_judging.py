"""Judging over the memory cloud: polling, storing, asking again, rescoring, and
failures on the way."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from proofwalk.chassis.database import Database
from proofwalk.chassis.migrations import difference, migrate
from proofwalk.chassis.rpc import deadlines
from proofwalk.cloud.adapters import Clouds
from proofwalk.cloud.memory import MemoryCloud
from proofwalk.cloud.ports import CloudAccount
from proofwalk.cloud.target import TargetCatalog
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.evidence import API_CALL, AuditEvent, Pause, WalkWindow
from proofwalk.kernel.leases import LeaseRef, stale_epoch
from proofwalk.reward_service import repository
from proofwalk.reward_service.confined import Rules
from proofwalk.reward_service.rescoring import Rescoring
from proofwalk.reward_service.settings import RewardServiceSettings
from proofwalk.reward_service.usecases import JudgeOrder, Judging
from tests.fixtures.reading import InPlace
from tests.fixtures.templates import copy_migrated
from tests.reward_service.events import event

TARGET = "{id: memory, title: t, adapter: memory, console: {url: 'http://127.0.0.1:1'}}"
LEASE = LeaseRef(lease_id="lease_1", epoch=1, target="memory")
STOPPED = (
    "{id: stopped, version: 1, delta_s: 0, all: [{event: StopInstance, where: [[request.InstanceId,"
    " eq, $meta.id]]}]}"
)
STRICT = (
    "{id: strict, version: 1, delta_s: 0, all: [{event: StopInstance}], none: [{event:"
    " DeleteInstance}]}"
)
QUICK = RewardServiceSettings(poll_shortest_s=0.02, poll_longest_s=0.05, late_grace_s=0.4)


class Pool:
    """The account pool's side: one account, until the lease ends."""

    def __init__(self, cloud: MemoryCloud) -> None:
        self._cloud = cloud
        self.ended = False

    async def account(self, *, lease_id: str, epoch: int) -> CloudAccount:
        if self.ended:
            raise stale_epoch(epoch, epoch + 1)
        return self._cloud.account("1001")


@pytest.fixture
def cloud() -> MemoryCloud:
    return MemoryCloud(clock=SystemClock(), audit_lag_s=0.05, delivery_bound_s=0.2)


EPOCH = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def pool(cloud: MemoryCloud) -> Pool:
    return Pool(cloud)


@pytest.fixture
async def judging(
    cloud: MemoryCloud,
    pool: Pool,
    sqlite_db: Database,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[Judging]:
    await copy_migrated("proofwalk.reward_service", sqlite_db, tmp_path_factory)
    (tmp_path / "memory.yaml").write_text(TARGET)
    clock = SystemClock()
    async with Clouds(
        TargetCatalog(tmp_path, {}), clock=clock, adapters={"memory": cloud.adapter}
    ) as clouds:
        rules = Rules(reading=InPlace())
        yield Judging(
            database=sqlite_db,
            clouds=clouds,
            accounts=pool,
            rules=rules,
            settings=QUICK,
            clock=clock,
        )


def rescoring(judging: Judging) -> Rescoring:
    return Rescoring(database=judging.database, rules=judging.rules, clock=judging.clock)


def order(
    rule_yaml: str = STOPPED, request_id: str = "ep_1", seconds: float = 5, **outputs: str
) -> JudgeOrder:
    end = datetime.now(UTC)
    start = end - timedelta(seconds=seconds)
    given = outputs or {"id": "i-1"}
    return JudgeOrder(
        request_id=request_id, lease=LEASE, rule_yaml=rule_yaml, start=start, end=end, outputs=given
    )


def stopped(instance: str = "i-1", name: str = "StopInstance") -> AuditEvent:
    return event(
        name,
        time=datetime.now(UTC) - timedelta(seconds=1),
        request={"InstanceId": instance},
        raw={"x": 1},
        resources=("i-1",),
    )


async def test_the_tables_are_the_declared_ones(database: Database) -> None:
    await migrate(database, "proofwalk.reward_service")
    assert await difference(database, "proofwalk.reward_service", repository.METADATA) == []


async def test_an_event_confirms_and_the_answer_is_kept(
    judging: Judging, cloud: MemoryCloud
) -> None:
    done = stopped()
    cloud.record("1001", done)
    asked = order()
    judged = await judging.judge(asked)
    assert judged.decision == "confirmed"
    assert [item.event_id for item in judged.matched] == [done.id]
    assert judged.events == (done,)
    looks = cloud.calls.count("events:1001")
    assert await judging.judge(asked) == judged
    assert cloud.calls.count("events:1001") == looks, (
        "a decided reward is given again without another look"
    )


async def test_an_event_that_comes_late_within_the_bound_is_waited_for(
    judging: Judging, cloud: MemoryCloud
) -> None:
    cloud.record("1001", stopped(), visible_at=datetime.now(UTC) + timedelta(seconds=0.15))
    judged = await judging.judge(order())
    assert judged.decision == "confirmed"
    assert judged.polls > 1


async def test_a_near_miss_is_denied_once_the_log_is_complete(
    judging: Judging, cloud: MemoryCloud
) -> None:
    cloud.record("1001", stopped("i-2"))
    asked = order()
    judged = await judging.judge(asked)
    assert judged.decision == "denied"
    assert judged.judged_at >= asked.end + timedelta(seconds=cloud.delivery_bound_s)
    assert "i-2" in judged.missing[0]
    assert judged.complete


async def test_what_a_walk_did_by_another_clock_is_no_failure_of_its_agent(
    judging: Judging, cloud: MemoryCloud
) -> None:
    asked = replace(order(), clock_off_s=-600.0)
    patient = judging.settings.model_copy(update={"late_grace_s": 600})
    async with asyncio.timeout(30):
        judged = await replace(judging, settings=patient).judge(asked)
    assert judged.decision == "audit_late"
    assert "600 s behind ours" in judged.reason
    assert not judged.complete
    with pytest.raises(ProofwalkError, match="another question"):
        await judging.judge(replace(asked, clock_off_s=0.0))
    # What can be told without absence is told.
    cloud.record("1001", stopped())
    assert (await judging.judge(asked)).decision == "confirmed"


async def test_a_log_that_does_not_catch_up_is_late_and_never_a_zero(
    judging: Judging, cloud: MemoryCloud
) -> None:
    cloud.self_recording = True
    hours = timedelta(hours=1)
    cloud._lag = hours
    cloud.record("1001", stopped(), visible_at=datetime.now(UTC) + hours)
    asked = order()
    judged = await judging.judge(asked)
    assert judged.decision == "audit_late"
    cloud.record("1001", stopped(), visible_at=datetime.now(UTC))
    assert (await judging.judge(asked)).decision == "confirmed", (
        "late is no decision: asking again looks again"
    )


async def test_a_log_that_answers_again_before_the_deadline_decides(
    judging: Judging, cloud: MemoryCloud
) -> None:
    cloud.record("1001", stopped())
    cloud.fail("events")

    async def mend() -> None:
        while cloud.calls.count("events:1001") < 2:
            await asyncio.sleep(0.01)
        cloud.failures.clear()

    async with asyncio.timeout(10), asyncio.TaskGroup() as group:
        judged = group.create_task(judging.judge(order()))
        group.create_task(mend())
    assert judged.result().decision == "confirmed"


async def test_a_log_that_never_answers_is_unavailable(
    judging: Judging, cloud: MemoryCloud
) -> None:
    cloud.fail("events")
    with pytest.raises(ProofwalkError) as caught:
        await judging.judge(order())
    assert caught.value.code == "cloud.unavailable"


async def test_the_callers_deadline_bounds_the_polling(
    judging: Judging, cloud: MemoryCloud
) -> None:
    cloud.delivery_bound_s = 1000

    async def ask() -> str:
        deadlines.note(2.4)
        return (await judging.judge(order(STRICT, seconds=0))).decision

    async with asyncio.timeout(2.4):
        assert await asyncio.create_task(ask()) == "audit_late"


async def test_a_strict_rule_waits_and_sees_the_violation(
    judging: Judging, cloud: MemoryCloud
) -> None:
    cloud.record("1001", stopped())
    cloud.record(
        "1001",
        stopped(name="DeleteInstance"),
        visible_at=datetime.now(UTC) + timedelta(seconds=0.1),
    )
    judged = await judging.judge(order(STRICT))
    assert judged.decision == "denied"
    assert judged.violations[0].expectation.startswith("none: ")


async def test_what_the_platform_made_while_the_walk_stood_still_is_not_judged(
    judging: Judging, cloud: MemoryCloud
) -> None:
    own, clicked = replace(stopped(name="DeleteInstance"), kind=API_CALL), stopped()
    asked = order(STRICT, seconds=10)
    for one in (own, clicked):
        cloud.record("1001", one)
    pause = Pause(start=own.time - timedelta(seconds=1), end=asked.end)
    judged = await judging.judge(replace(asked, pauses=(pause,)))
    assert (judged.decision, judged.events) == ("confirmed", (clicked,))
    window = WalkWindow(start=asked.start, end=asked.end, pauses=(pause,))
    assert await judging.events(LEASE, window) == [clicked]
    assert (await rescoring(judging).rescore("ep_1", STRICT)).decision == "confirmed"
    with pytest.raises(ProofwalkError) as caught:
        await judging.judge(asked)
    assert caught.value.code == "reward.request_mismatch"
    before = replace(asked, request_id="ep_2", pauses=(Pause(start=asked.start, end=asked.start),))
    assert (await judging.judge(before)).decision == "denied"


async def test_a_target_without_a_log_says_so(judging: Judging, cloud: MemoryCloud) -> None:
    cloud.audited = False
    judged = await judging.judge(order())
    assert judged.decision == "no_audit_log"
    assert await judging.events(LEASE, WalkWindow(start=judged.start, end=judged.end)) == ()
    assert (await rescoring(judging).rescore("ep_1", STRICT)).decision == "no_audit_log"


ASKED = "{id: asked, version: 1, delta_s: 0, answer: {ip: {exact: $meta.id}}}"


async def test_an_answer_is_judged_kept_and_judged_again(
    judging: Judging, cloud: MemoryCloud
) -> None:
    asked = replace(order(ASKED), answer="i-1")
    judged = await judging.judge(asked)
    assert (judged.decision, judged.answer) == ("confirmed", "i-1")
    assert await judging.judge(asked) == judged
    other = await rescoring(judging).rescore("ep_1", ASKED.replace("$meta.id", "i-2"))
    assert other.decision == "answer_wrong"
    assert [one.verdict for one in other.answered] == ["wrong"]
    with pytest.raises(ProofwalkError) as caught:
        await judging.judge(replace(asked, answer="i-2"))
    assert caught.value.code == "reward.request_mismatch"


async def test_without_a_log_a_wrong_answer_is_wrong_and_a_right_one_proves_nothing(
    judging: Judging, cloud: MemoryCloud
) -> None:
    cloud.audited = False
    wrong = await judging.judge(replace(order(ASKED), answer="i-2"))
    right = await judging.judge(replace(order(ASKED, request_id="ep_2"), answer="i-1"))
    assert (wrong.decision, right.decision) == ("answer_wrong", "no_audit_log")


async def test_a_lease_that_ended_is_refused(judging: Judging, pool: Pool) -> None:
    pool.ended = True
    with pytest.raises(ProofwalkError) as caught:
        await judging.judge(order())
    assert caught.value.code == "lease.stale_epoch"


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        (order("{}"), "rule.invalid"),
        (order(vpc="v"), "rule.invalid"),
        (order(seconds=-1), "reward.bad_window"),
        (order(seconds=1e6), "reward.bad_window"),
        (replace(order(), pauses=(Pause(start=EPOCH, end=EPOCH),)), "reward.bad_window"),
        (order(request_id=""), "reward.no_request_id"),
    ],
)
async def test_a_bad_order_is_refused_before_any_look(
    judging: Judging, cloud: MemoryCloud, asked: JudgeOrder, code: str
) -> None:
    with pytest.raises(ProofwalkError) as caught:
        await judging.judge(asked)
    assert caught.value.code == code
    assert cloud.calls == []


async def test_one_request_has_one_question(judging: Judging, cloud: MemoryCloud) -> None:
    cloud.record("1001", stopped())
    await judging.judge(order())
    with pytest.raises(ProofwalkError) as caught:
        await judging.judge(order(STRICT))
    assert caught.value.code == "reward.request_mismatch"


async def test_rescoring_judges_what_was_seen(judging: Judging, cloud: MemoryCloud) -> None:
    cloud.record("1001", stopped())
    await judging.judge(order(STRICT, id="i-1"))
    looks = len(cloud.calls)
    assert (
        await rescoring(judging).rescore("ep_1", STOPPED.replace("version: 1", "version: 2"))
    ).rule == "stopped@2"
    started = await rescoring(judging).rescore(
        "ep_1", STOPPED.replace("StopInstance", "StartInstance")
    )
    assert started.decision == "denied"
    longer = await rescoring(judging).rescore(
        "ep_1",
        STOPPED.replace("StopInstance", "StartInstance").replace("delta_s: 0", "delta_s: 60"),
    )
    assert longer.decision == "audit_late", "nobody has looked at the longer window"
    assert len(cloud.calls) == looks
    with pytest.raises(ProofwalkError) as caught:
        await rescoring(judging).rescore("ep_2", STOPPED)
    assert caught.value.code == "reward.not_found"


async def test_old_judgements_are_forgotten(judging: Judging, cloud: MemoryCloud) -> None:
    cloud.record("1001", stopped())
    judged = await judging.judge(order())
    assert await judging.forget() == 0
    async with judging.database.transaction() as transaction:
        assert (
            await repository.drop_before(transaction, judged.judged_at + timedelta(seconds=1)) == 1
        )


async def test_listed_events_are_those_of_the_window(judging: Judging, cloud: MemoryCloud) -> None:
    done = stopped()
    cloud.record("1001", done, visible_at=datetime.now(UTC))
    asked = order()
    assert await judging.events(LEASE, WalkWindow(start=asked.start, end=asked.end)) == [done]
