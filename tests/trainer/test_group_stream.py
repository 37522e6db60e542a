"""Groups that follow one another without a barrier, over real gRPC."""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError, invalid
from proofwalk.rl.grpo import run_grpo
from proofwalk.rl.rollouts import batch, gather, version_of
from proofwalk.trainer.group_order import GroupOrder
from proofwalk.trainer.group_rollouts import GroupRollouts
from proofwalk.trainer.group_store import RolloutStore
from tests.rl.kit import tiny_model, tiny_tokenizer
from tests.trainer.group_fakes import Ending, answer
from tests.trainer.group_place import FAILED, NEVER, SETTINGS, Killed, Place, code_of, rewards


@pytest.fixture
def flowing(place: Place) -> Place:
    """A place where groups stream, one an update, and of two the second fails."""
    place.config = {"streamed": True, "tasks_per_step": 1}
    place.roles.rollout.ending = lambda group, number: FAILED if number else Ending()
    return place


def numbers(place: Place) -> list[str]:
    """The groups that were asked for, without their tasks, in order."""
    return [name.split(".")[1] for name, _ in place.roles.rollout.asked]


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not true():
            await asyncio.sleep(0.01)


async def taken(source: GroupRollouts, step: int) -> Any:
    return await asyncio.to_thread(source.tasks, step)


async def test_a_slow_group_holds_up_no_update_until_it_would_be_too_old(flowing: Place) -> None:
    rollout = flowing.roles.rollout
    rollout.ending = lambda group, number: NEVER if ".g0." in group else Ending()
    source = await flowing.source()
    (first,) = await taken(source, 0)
    slow = next(name for name in rollout.requests if ".g0." in name)
    assert not slow.endswith(first)
    groups = await flowing.roll(source, 0)
    assert [rewards(group) for group in groups] == [[1.0] * 3]
    # Its place is filled while the update is computed; there is no room for more.
    await until(lambda: "g2" in numbers(flowing))
    await asyncio.to_thread(source.publish, version_of(1), flowing.model)
    second = asyncio.create_task(taken(source, 1))
    await until(lambda: len(rollout.finished[rollout.asked[-1][0]]) == 3)
    assert not second.done(), "what was begun at 0 is waited for at 1"
    assert numbers(flowing) == ["g0", "g1", "g2"]
    rollout.release(slow)
    assert sorted(await second) == sorted(
        name.split(".")[2] for name in (slow, rollout.asked[2][0])
    )


async def test_who_resumes_is_given_the_same_and_begins_nothing_until_it_is_past_it(
    flowing: Place,
) -> None:
    source = await flowing.source()
    steps = []
    for step in range(3):
        steps.append(await asyncio.to_thread(gather, source, step, flowing.settings))
        await asyncio.to_thread(source.publish, version_of(step + 1), flowing.model)
    await asyncio.to_thread(source.close)
    flowing.sources.clear()
    asked = list(flowing.roles.rollout.asked)
    fetched = list(flowing.roles.rollout.fetched)
    resumed = await flowing.source(version=version_of(0))
    for step in range(3):
        assert await asyncio.to_thread(gather, resumed, step, flowing.settings) == steps[step]
    assert flowing.roles.rollout.asked == asked
    assert flowing.roles.rollout.fetched == fetched
    await asyncio.to_thread(resumed.publish, version_of(3), flowing.model)
    await taken(resumed, 3)
    order = GroupOrder(flowing.folder / "run" / "rollouts").read()
    assert [group.step for group in order if group.at < 3].count(None) == 0


async def test_the_run_ends_with_nothing_begun_that_nobody_will_learn_from(
    flowing: Place,
) -> None:
    flowing.settings = SETTINGS.model_copy(update={"steps": 4, "learning_rate": 1e-3})
    flowing.roles.rollout.ending = lambda group, number: Ending(
        outcome="agent_failure" if number % 2 else "verified",
        steps=((answer("", token_ids=(10 + number, 1), logprobs=(-1.0, -2.0)),),),
    )
    source = await flowing.source(version="")
    result = await asyncio.to_thread(_run, flowing, source)
    assert (result.status, result.step) == ("finished", 4)
    assert [row["stale"] for row in result.metrics] == [0.0] * 4
    assert max(row["staleness"] for row in result.metrics) <= 1
    order = GroupOrder(flowing.folder / "run" / "rollouts").read()
    assert {group.step for group in order} - {None} == {0, 1, 2, 3}
    await asyncio.to_thread(source.close, abandon=True)
    flowing.sources.clear()
    left = {f"g{group.number}" for group in order if group.step is None}
    assert {name.split(".")[1] for name in flowing.roles.rollout.cancelled} <= left
    times = Counter(group.task for group in order)
    assert max(times.values()) - min(times[task] for task in times) <= 1


@pytest.mark.parametrize(
    "after", [False, True], ids=["before it is written", "after it is written"]
)
@pytest.mark.parametrize(
    ("owner", "call", "dies"),
    [
        (GroupOrder, "begin", 1),
        (GroupOrder, "begin", 3),
        (GroupOrder, "take", 1),
        (GroupOrder, "take", 2),
        (RolloutStore, "keep", 1),
        (RolloutStore, "keep", 4),
        (RolloutStore, "keep", 8),
    ],
)
async def test_a_trainer_may_be_killed_around_anything_that_it_writes(
    flowing: Place,
    monkeypatch: pytest.MonkeyPatch,
    owner: type[GroupOrder] | type[RolloutStore],
    call: str,
    dies: int,
    after: bool,
) -> None:
    write, calls = getattr(owner, call), itertools.count(1)

    def killing(self: Any, *told: Any) -> None:
        number = next(calls)
        if number != dies or after:
            write(self, *told)
        if number == dies:
            raise Killed

    async def updates(source: GroupRollouts) -> list[Any]:
        found = []
        for step in range(3):
            found.append(await asyncio.to_thread(gather, source, step, flowing.settings))
            await asyncio.to_thread(source.publish, version_of(step + 1), flowing.model)
        return found

    monkeypatch.setattr(owner, call, killing)
    with pytest.raises(Killed):
        await updates(await flowing.source())
    monkeypatch.setattr(owner, call, write)
    # The process is gone, and with it its loop; whoever resumes begins at a checkpoint.
    await asyncio.to_thread(flowing.sources.pop().close)
    found = await updates(await flowing.source(version=version_of(0)))
    assert [rewards(group) for groups in found for group in groups] == [[1.0, 0.0, 0.0]] * sum(
        map(len, found)
    )
    assert all(len(members) == 3 for members in flowing.roles.rollout.members.values())
    order = GroupOrder(flowing.folder / "run" / "rollouts").read()
    assert [group.number for group in order] == list(range(len(order)))
    begun = {name.split(".")[1] for name in flowing.roles.rollout.members}
    assert begun <= {f"g{group.number}" for group in order}, "nothing is begun unwritten"
    assert {f"g{group.number}" for group in order if group.step is not None} <= begun


async def test_what_the_role_refuses_ends_the_wait(flowing: Place) -> None:
    flowing.roles.rollout.faults["RunGroup"].append(invalid("policy.unknown", "no"))
    source = await flowing.source()
    assert await code_of(taken(source, 0)) == "policy.unknown"
    assert await code_of(taken(source, 0)) == "policy.unknown"


async def test_a_late_group_is_cancelled_and_learned_from_as_far_as_it_came(
    flowing: Place,
) -> None:
    flowing.config["deadline_s"] = 1.0
    flowing.roles.rollout.ending = lambda group, number: (
        NEVER if number == 0 else FAILED if number == 1 else Ending()
    )
    source = await flowing.source()
    groups = await asyncio.to_thread(gather, source, 0, flowing.settings)
    assert [rewards(group)[:3] for group in groups] == [[None, 0.0, 1.0]] * len(groups)
    assert batch(groups, 0, flowing.settings).metrics["short_groups"] == 0


async def test_informativeness_draws_by_what_has_ended_so_far(flowing: Place) -> None:
    flowing.config["task_sampling"] = "informativeness"
    flowing.settings = SETTINGS.model_copy(update={"steps": 60, "group_size": 3})
    flowing.roles.rollout.ending = lambda group, number: (
        FAILED if "stop-1" in group and number == 1 else Ending()
    )
    source = await flowing.source()
    for step in range(20):
        await asyncio.to_thread(gather, source, step, flowing.settings)
        await asyncio.to_thread(source.publish, version_of(step + 1), flowing.model)
    order = GroupOrder(flowing.folder / "run" / "rollouts").read()
    times = Counter(group.task for group in order)
    assert times["stop-1"] == max(times.values()), times


@pytest.mark.parametrize(
    ("settings", "config", "code"),
    [
        ({}, {"tasks_per_step": 3}, "trainer.too_few_tasks"),
        ({"temperature": 0.7}, {}, "trainer.temperature_unserved"),
    ],
)
async def test_what_cannot_be_streamed_is_refused_at_the_start(
    flowing: Place, settings: dict[str, Any], config: dict[str, Any], code: str
) -> None:
    flowing.settings = SETTINGS.model_copy(update=settings)
    flowing.config.update(config)
    assert await code_of(flowing.source()) == code


def _run(place: Place, source: GroupRollouts) -> Any:
    return run_grpo(
        tiny_model(), tiny_tokenizer(), source, place.settings, place.folder / "run",
        lambda step, row: None, lambda: False, clock=ManualClock(),
    )  # fmt: skip


async def test_a_checkpoint_without_the_order_of_its_groups_is_refused(flowing: Place) -> None:
    source = await flowing.source(version=version_of(3))
    with pytest.raises(ProofwalkError) as refused:
        await taken(source, 3)
    assert refused.value.code == "trainer.order_damaged"
    assert "another run" in refused.value.hint
    assert numbers(flowing) == [], "no group was begun"
