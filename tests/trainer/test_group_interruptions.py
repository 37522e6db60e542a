"""What breaks off: late groups, roles that are away, a trainer that is killed, damaged
files."""

from __future__ import annotations

import asyncio
import itertools
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from proofwalk.chassis.tracing import Tracing
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import invalid, unavailable
from proofwalk.rl.grpo import run_grpo
from proofwalk.trainer.group_rollouts import GroupRollouts
from proofwalk.trainer.group_store import RolloutStore
from tests.rl.kit import tiny_model, tiny_tokenizer
from tests.trainer.group_fakes import (
    Ending,
    answer,
)
from tests.trainer.group_place import (
    BROKEN,
    FAILED,
    NEVER,
    SETTINGS,
    Killed,
    Place,
    code_of,
    placed,
    rewards,
)


async def test_what_is_late_is_cancelled_and_left_out(place: Place) -> None:
    place.config = {"deadline_s": 1.0}
    place.roles.rollout.ending = lambda group, number: NEVER if number == 0 else Ending()
    source = await place.source()
    (group,) = await place.roll(source, stop_1=3)
    assert rewards(group) == [None, 1.0, 1.0]
    assert source.excluded == {"late": 1}
    assert place.roles.rollout.cancelled == ["run_1.0.stop-1"]
    (again,) = await place.roll(await place.source(), stop_1=3)
    assert again == group, "for who comes later it is cancelled"


async def test_a_step_of_which_nothing_came_in_time_is_an_error(place: Place) -> None:
    place.config = {"deadline_s": 1.0}
    place.roles.rollout.ending = lambda group, number: NEVER
    assert await code_of(place.roll(await place.source(), stop_1=2)) == "trainer.rollouts_late"


@pytest.mark.parametrize("call", ["RunGroup", "WatchGroup", "GetArtefact"])
async def test_a_role_that_is_away_for_a_moment_is_asked_again(place: Place, call: str) -> None:
    place.roles.rollout.faults[call].extend(
        [unavailable("rpc.unavailable", "connection refused") for _ in range(2)]
    )
    (group,) = await place.roll(await place.source(), stop_1=3)
    assert rewards(group) == [1.0, 1.0, 1.0]
    assert sorted(set(place.roles.rollout.fetched)) == sorted(place.roles.rollout.fetched)


async def test_what_the_role_refuses_is_told_by_its_code(place: Place) -> None:
    place.roles.rollout.faults["WatchGroup"].append(invalid("group.strange", "no"))
    assert await code_of(place.roll(await place.source(), stop_1=2)) == "group.strange"
    place.roles.rollout.faults["RunGroup"].append(invalid("policy.unknown", "no"))
    assert await code_of(place.roll(await place.source(), stop_2=1)) == "policy.unknown"


@pytest.mark.parametrize("after", [False, True], ids=["before it is kept", "after it is kept"])
@pytest.mark.parametrize("dies", range(1, 7))
async def test_a_trainer_may_be_killed_around_any_episode(
    place: Place, monkeypatch: pytest.MonkeyPatch, dies: int, after: bool
) -> None:
    keep, calls = RolloutStore.keep, itertools.count(1)

    def killing(self: RolloutStore, part: str, group_id: str, one: Any) -> None:
        number = next(calls)
        if number != dies or after:
            keep(self, part, group_id, one)
        if number == dies:
            raise Killed

    place.roles.rollout.ending = lambda group, number: (
        BROKEN if number == 2 else FAILED if number else Ending()
    )
    monkeypatch.setattr(RolloutStore, "keep", killing)
    with pytest.raises(Killed):
        await place.roll(await place.source())
    monkeypatch.setattr(RolloutStore, "keep", keep)
    groups = await place.roll(await place.source())
    assert [rewards(group) for group in groups] == [[1.0, 0.0, None]] * 2
    assert [len(one.samples) for group in groups for one in group.rollouts] == [1, 1, 0] * 2
    fetched = place.roles.rollout.fetched
    assert len(set(fetched)) == 4
    # Two groups are fetched at the same time: in each, one that was fetched and not
    # kept yet is fetched again.
    assert len(fetched) <= 4 + 2
    assert all(len(members) == 3 for members in place.roles.rollout.members.values())
    assert await place.roll(await place.source()) == groups


async def test_kept_episodes_need_no_role(place: Place) -> None:
    groups = await place.roll(await place.source(), step=0)
    del place.roles.rollout.members[f"run_1.0.{groups[0].task}"]
    place.roles.rollout.asked.clear()
    assert await place.roll(await place.source(), step=0) == groups
    assert place.roles.rollout.asked == []


async def test_a_damaged_file_is_put_aside_and_fetched_anew(place: Place) -> None:
    groups = await place.roll(await place.source(), step=0)
    path = place.folder / "run" / "rollouts" / "00000000.sqlite3"
    path.write_bytes(b"SQLite format 3\0 and then something else" * 100)
    assert await place.roll(await place.source(), step=0) == groups
    (aside,) = path.parent.glob("*.damaged-*")
    with pytest.raises(sqlite3.DatabaseError):
        sqlite3.connect(aside).execute("SELECT * FROM episodes")


async def test_grpo_runs_on_it_stops_anywhere_and_ends_as_if_it_had_not(
    home: Path, tmp_path: Path, tracing: Tracing
) -> None:
    settings = SETTINGS.model_copy(
        update={"steps": 3, "learning_rate": 1e-2, "checkpoint_every": 1}
    )

    def ending(group: str, number: int) -> Ending:
        tokens = (10 + number, 1)
        outcome = "agent_failure" if number % 2 else "verified"
        return Ending(
            outcome=outcome, steps=((answer("", token_ids=tokens, logprobs=(-1.0, -2.0)),),)
        )

    finished: list[Any] = []
    for name, stops in (("whole", ()), ("broken", (1, 2))):
        (home / name).mkdir()
        async with placed(home / name, tmp_path / name, tracing, settings=settings) as place:
            place.config = {"ahead": 1}
            place.roles.rollout.ending = ending
            for stop in (*stops, 99):
                source = await place.source(version="")
                result = await asyncio.to_thread(_run, place, source, _after(stop))
            finished.append((result.status, result.step, [row["loss"] for row in result.metrics]))
            assert place.roles.inference.serving == "run_1@step-00000003"
            kept = sorted(path.name for path in (place.folder / "run" / "weights").iterdir())
            assert kept == ["step-00000001", "step-00000002", "step-00000003"]
    assert finished[0] == finished[1]
    assert finished[0][:2] == ("finished", 3)


def _after(stop: int) -> Callable[[], bool]:
    asked = iter(range(100))
    return lambda: next(asked) >= 1 and stop < 99


def _run(place: Place, source: GroupRollouts, should_stop: Callable[[], bool]) -> Any:
    return run_grpo(
        tiny_model(), tiny_tokenizer(), source, place.settings, place.folder / "run", lambda step, row: None, should_stop,
        clock=ManualClock(),
    )  # fmt: skip
