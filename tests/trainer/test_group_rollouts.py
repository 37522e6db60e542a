"""GRPO's rollouts over real gRPC: what is asked for, kept, left out; what dies is taken
up where it was."""

from __future__ import annotations

import asyncio
import itertools
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from proofwalk.chassis.tracing import Tracing
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError, invalid, unavailable
from proofwalk.rl.grpo import run_grpo
from proofwalk.rl.rollouts import RolloutGroup, batch, gather, version_of
from proofwalk.rl.settings import GrpoSettings
from proofwalk.suites.model import Suite
from proofwalk.suites.storage import write_suite
from proofwalk.trainer.configuration import RolloutsConfig, ValidationConfig
from proofwalk.trainer.group_rollouts import GroupRollouts, group_rollouts
from proofwalk.trainer.group_store import RolloutStore
from proofwalk.trajectories.records import MessageRecord
from tests.rl.kit import tiny_model, tiny_tokenizer
from tests.trainer.group_fakes import (
    ANSWER,
    LOGPROBS,
    PROMPT,
    Ending,
    Roles,
    answer,
    serving,
    trajectory,
)
from tests.trainer.test_group_tasks import TASK

TASKS = tuple(
    replace(TASK, id=f"stop-{number}", document_name=f"stop-{number}.md") for number in range(4)
)
SETTINGS = GrpoSettings(group_size=2, oversampling=1.5, steps=5, max_staleness=1)
FAILED = Ending(outcome="agent_failure")
BROKEN = Ending(outcome="env_failure", cause="sandbox")
NEVER = Ending(finishes=False)


class Killed(BaseException):
    """The trainer's process ended here."""


@dataclass
class Place:
    """A run's folder, the roles, and sources of rollouts on them."""

    roles: Roles
    folder: Path
    settings: GrpoSettings = SETTINGS
    config: dict[str, Any] = field(default_factory=dict)
    validation: ValidationConfig | None = None
    model: Any = field(default_factory=tiny_model)
    sources: list[GroupRollouts] = field(default_factory=list)

    async def source(self, *, version: str = version_of(0)) -> GroupRollouts:
        """A fresh trainer's, with weights published."""
        fields: dict[str, Any] = {
            "tasks_per_step": 2,
            "ahead": 0,
            "deadline_s": 20.0,
            **self.config,
        }
        source = await asyncio.to_thread(
            group_rollouts,
            RolloutsConfig(suite=self.folder / "suite", **fields),
            run_id="run_1",
            folder=self.folder / "run",
            rollout=self.roles.rollout_address,
            inference=self.roles.inference_address,
            tokenizer=tiny_tokenizer(),
            settings=self.settings,
            clock=ManualClock(),
            validation=self.validation,
        )
        self.sources.append(source)
        if version:
            await asyncio.to_thread(source.publish, version, self.model)
        return source

    async def roll(self, source: GroupRollouts, step: int = 0, **wanted: int) -> list[RolloutGroup]:
        """Groups of the step's own tasks, or of these, `stop_1` for stop-1."""
        asked = {task.replace("_", "-"): count for task, count in wanted.items()} or dict.fromkeys(
            source.tasks(step), 3
        )
        return list(await asyncio.to_thread(source.roll, asked, step))


@asynccontextmanager
async def placed(home: Path, folder: Path, tracing: Tracing, **more: Any) -> AsyncIterator[Place]:
    write_suite(Suite(id="train", version=1, seed=0, tasks=TASKS), folder / "suite")
    async with serving(home, tracing) as roles:
        place = Place(roles, folder, **more)
        try:
            yield place
        finally:
            for source in place.sources:
                await asyncio.to_thread(source.close)


@pytest.fixture
async def place(home: Path, tmp_path: Path, tracing: Tracing) -> AsyncIterator[Place]:
    async with placed(home, tmp_path, tracing) as place:
        yield place


async def code_of(call: Any) -> str:
    with pytest.raises(ProofwalkError) as caught:
        await call
    return caught.value.code


def rewards(group: RolloutGroup) -> list[float | None]:
    return [rollout.reward for rollout in group.rollouts]


async def test_a_step_is_groups_of_episodes_with_what_the_model_read_and_wrote(
    place: Place,
) -> None:
    place.roles.rollout.ending = lambda group, number: FAILED if number == 1 else Ending()
    source = await place.source()
    first, second = await place.roll(source)
    assert (first.task, second.task) == tuple(source.tasks(0))
    assert [name for name, _ in place.roles.rollout.asked] == [
        f"run_1.0.{task}" for task in source.tasks(0)
    ]
    assert rewards(first) == rewards(second) == [1.0, 0.0, 1.0]
    assert [rollout.episode for rollout in first.rollouts] == [
        f"run_1.0.{first.task}.{number}" for number in range(3)
    ]
    (sample,) = first.rollouts[0].samples
    assert (sample.prompt, sample.completion, sample.old_logprobs) == (PROMPT, ANSWER, LOGPROBS)
    assert (sample.policy_version, sample.episode) == ("step-00000000", first.rollouts[0].episode)
    request = place.roles.rollout.requests[f"run_1.0.{first.task}"]
    assert (request.temperature, request.task.policy, request.task.principal) == (
        1.0,
        "llm",
        "trainer:run_1",
    )
    assert place.roles.inference.loaded == ["run_1@step-00000000"]


async def test_what_says_nothing_about_the_policy_is_left_out_and_counted(place: Place) -> None:
    endings = [Ending(), BROKEN, Ending(outcome="judge_split"), Ending(outcome="cancelled"), FAILED]
    place.roles.rollout.ending = lambda group, number: endings[number]
    source = await place.source()
    (group,) = await place.roll(source, stop_1=5)
    assert rewards(group) == [1.0, None, None, None, 0.0]
    assert all(not rollout.samples for rollout in group.rollouts if rollout.reward is None)
    assert source.excluded == {"env_failure:sandbox": 1, "judge_split": 1, "cancelled": 1}
    assert len(place.roles.rollout.fetched) == 2, (
        "a trajectory that nothing is learned from is not fetched"
    )


UNFIT = {
    "absent": Ending(absent=True),
    "corrupt": Ending(trajectory=b"PAR1 and nothing else"),
    "empty": Ending(trajectory=b""),
    "another's": Ending(
        trajectory=trajectory("run_1.0.stop-1.9", [(answer("run_1@step-00000000"),)])
    ),
    "broken off": Ending(complete=False),
    "unasked": Ending(steps=((), ())),
    "no tokens": Ending(steps=((answer("", token_ids=()),),)),
    "no prompt": Ending(steps=((answer("", prompt_token_ids=()),),)),
    "logprobs short": Ending(steps=((answer("", logprobs=(-1.0,)),),)),
    "logprobs above 0": Ending(steps=((answer("", logprobs=(-1.0, 0.5, -1.0)),),)),
    "logprobs NaN": Ending(steps=((answer("", logprobs=(-1.0, float("nan"), -1.0)),),)),
    "constrained short": Ending(steps=((answer("", constrained_logprobs=(-1.0,)),),)),
    "constrained above 0": Ending(steps=((answer("", constrained_logprobs=(-1.0, 0.5, -1.0)),),)),
    "nothing chosen": Ending(
        steps=((answer("", logprobs=(-9.0, -7.0, -8.0), constrained_logprobs=(0.0, 0.0, -0.1)),),)
    ),
    "tokens unknown": Ending(steps=((answer("", token_ids=(8, 9, 4000)),),)),
    "tokens negative": Ending(steps=((answer("", token_ids=(8, 9, -1)),),)),
    "another run's": Ending(steps=((answer("run_2@step-00000000"),),)),
    "the base's": Ending(steps=((answer(""), answer("base@0123")),)),
    "of a step to come": Ending(steps=((answer("run_1@step-00000001"),),)),
}


@pytest.mark.parametrize("name", UNFIT)
async def test_a_trajectory_that_cannot_be_learned_from_is_left_out_and_is_no_reward_of_0(
    place: Place, name: str
) -> None:
    unfit = replace(UNFIT[name], outcome="agent_failure")
    place.roles.rollout.ending = lambda group, number: unfit if number == 1 else Ending()
    source = await place.source()
    (group,) = await place.roll(source, stop_1=3)
    assert rewards(group) == [1.0, None, 1.0]
    assert source.excluded.total() == 1
    (again,) = await place.roll(await place.source(), stop_1=3)
    assert again == group


async def test_answers_that_could_not_be_used_are_learned_from_in_their_order(place: Place) -> None:
    bad, worse = (
        answer("", token_ids=(token, 1), logprobs=(-1.0, -2.0), error="it is no JSON")
        for token in (20, 21)
    )
    good = answer("")
    steps = ((bad, good), (worse, worse, bad))
    place.roles.rollout.ending = lambda group, number: Ending(outcome="agent_failure", steps=steps)
    (group,) = await place.roll(await place.source(), stop_1=1)
    assert rewards(group) == [0.0]
    assert [sample.completion[0] for sample in group.rollouts[0].samples] == [20, 8, 21, 21, 20]


async def test_screenshots_are_said_to_be_unlearnable(place: Place) -> None:
    seen = replace(
        answer(""), messages=(MessageRecord(role="user", text="Look.", images=("a" * 64,)),)
    )
    place.roles.rollout.ending = lambda group, number: Ending(steps=((seen,),))
    assert await code_of(place.roll(await place.source(), stop_1=1)) == "trainer.images_unsupported"


async def test_a_policy_that_does_not_ask_the_run_s_weights_is_an_error(place: Place) -> None:
    place.roles.rollout.ending = lambda group, number: (
        BROKEN if number else Ending(steps=((answer("gpt@1"),),))
    )
    assert await code_of(place.roll(await place.source(), stop_1=2)) == "trainer.policy_not_served"


async def test_gathering_asks_again_for_what_the_environment_failed_and_gets_the_difference(
    place: Place,
) -> None:
    place.roles.rollout.ending = lambda group, number: (
        BROKEN if number < 2 else FAILED if number == 2 else Ending()
    )
    source = await place.source()
    groups = await asyncio.to_thread(gather, source, 0, place.settings)
    assert [rewards(group) for group in groups] == [[None, None, 0.0, 1.0, 1.0]] * 2
    names = [f"run_1.0.{group.task}" for group in groups]
    assert place.roles.rollout.asked == [(names[0], 3), (names[1], 3), (names[0], 5), (names[1], 5)]
    made = batch(groups, 0, place.settings)
    assert made.metrics["excluded"] == 4
    assert made.metrics["counted"] == 4
    # A trainer that was resumed asks for the same, and is given the same.
    fetched = list(place.roles.rollout.fetched)
    again = await asyncio.to_thread(gather, await place.source(), 0, place.settings)
    assert again == groups
    assert place.roles.rollout.fetched == fetched


async def test_the_next_steps_are_begun_before_this_one_is_waited_for(place: Place) -> None:
    place.config = {"ahead": 2}
    source = await place.source()
    await place.roll(source, step=2)
    names = [f"run_1.{step}.{task}" for step in (2, 3, 4) for task in source.tasks(step)]
    assert [name for name, _ in place.roles.rollout.asked] == names
    place.roles.rollout.asked.clear()
    await asyncio.to_thread(source.publish, version_of(3), place.model)
    groups = await place.roll(source, step=3)
    versions = {
        sample.policy_version
        for group in groups
        for one in group.rollouts
        for sample in one.samples
    }
    assert versions == {"step-00000000"}, "they were acted by what served when they were begun"
    assert {name.split(".")[1] for name, _ in place.roles.rollout.asked} == {
        "3",
        "4",
    }, "nothing is begun behind the last step"
    await asyncio.to_thread(source.close, abandon=True)
    place.sources.clear()
    assert place.roles.rollout.cancelled == [f"run_1.4.{task}" for task in source.tasks(4)]


async def test_tasks_sampled_by_informativeness_follow_from_what_was_kept_and_a_resumed_run_draws_the_same(
    place: Place,
) -> None:
    place.config = {"task_sampling": "informativeness", "tasks_per_step": 1}
    place.settings = SETTINGS.model_copy(update={"steps": 60, "group_size": 3, "oversampling": 1.0})
    place.roles.rollout.ending = lambda group, number: (
        FAILED if "stop-1" in group and number == 1 else Ending()
    )
    source = await place.source()
    drawn: list[str] = []
    for step in range(24):
        drawn += source.tasks(step)
        await place.roll(source, step)
    assert drawn.count("stop-1") > max(
        drawn.count(task) for task in ("stop-0", "stop-2", "stop-3")
    ), drawn
    resumed = await place.source(version="")
    assert [task for step in reversed(range(24)) for task in resumed.tasks(step)] == drawn[::-1]
    assert place.roles.rollout.asked, "and nothing was asked for to know it"


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


async def test_another_temperature_has_no_log_probabilities_and_nothing_ahead(place: Place) -> None:
    place.settings = SETTINGS.model_copy(update={"temperature": 0.7})
    (group,) = await place.roll(await place.source(), stop_1=1)
    assert group.rollouts[0].samples[0].old_logprobs == ()
    assert place.roles.rollout.requests["run_1.0.stop-1"].temperature == 0.7
    place.config = {"ahead": 1}
    assert await code_of(place.source()) == "trainer.temperature_unserved"


@pytest.mark.parametrize(
    ("settings", "config", "code"),
    [
        ({"group_size": 200}, {}, "trainer.group_too_large"),
        ({}, {"tasks_per_step": 5}, "trainer.too_few_tasks"),
        ({}, {"tasks": ("stop-9",)}, "trainer.task_unknown"),
    ],
)
async def test_what_cannot_be_rolled_out_is_refused_at_the_start(
    place: Place, settings: dict[str, Any], config: dict[str, Any], code: str
) -> None:
    place.settings, place.config = SETTINGS.model_copy(update=settings), config
    assert await code_of(place.source()) == code


async def test_validation_is_the_share_of_successes_among_what_is_told(place: Place) -> None:
    place.validation = ValidationConfig(tasks=("stop-1", "stop-3"), runs=3)
    endings = {
        "stop-1": [Ending(), FAILED, BROKEN],
        "stop-3": [BROKEN, BROKEN, BROKEN, FAILED, FAILED, FAILED],
    }
    place.roles.rollout.ending = lambda group, number: endings[group.rpartition(".")[2]][number]
    source = await place.source()
    assert await asyncio.to_thread(source.validate, 2, place.model) == pytest.approx(1 / 5)
    assert place.roles.inference.serving == "run_1@step-00000002"
    assert place.roles.rollout.asked == [
        ("run_1.v2.stop-1", 3),
        ("run_1.v2.stop-3", 3),
        ("run_1.v2.stop-3", 6),
    ]
    assert not place.roles.rollout.requests["run_1.v2.stop-1"].HasField("temperature")
    assert place.roles.rollout.fetched == []


async def test_a_validation_that_says_nothing_is_an_error_and_no_score(place: Place) -> None:
    place.validation = ValidationConfig(tasks=("stop-1",), runs=2)
    place.roles.rollout.ending = lambda group, number: BROKEN
    source = await place.source()
    assert (
        await code_of(asyncio.to_thread(source.validate, 0, place.model))
        == "trainer.validation_untold"
    )


async def test_what_other_weights_did_is_no_validation(place: Place) -> None:
    place.validation = ValidationConfig(tasks=("stop-1",), runs=2)
    source = await place.source()
    await asyncio.to_thread(source.validate, 3, place.model)
    place.roles.rollout.members["run_1.v3.stop-1"][0].version = "run_1@step-00000002"
    place.roles.rollout.members["run_1.v3.stop-1"][1].ending = FAILED
    (place.folder / "run" / "rollouts" / "v00000003.sqlite3").unlink()
    assert await asyncio.to_thread((await place.source()).validate, 3, place.model) == 0.0


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
