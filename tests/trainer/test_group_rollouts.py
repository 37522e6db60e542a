"""GRPO's rollouts over real gRPC: what is asked for, kept and left out."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from proofwalk.kernel.clock import ManualClock
from proofwalk.rl.rollouts import batch, gather, version_of
from proofwalk.trainer.configuration import RolloutsConfig
from proofwalk.trainer.group_store import RolloutStore
from proofwalk.trainer.group_tasks import part_of, tasks_of_groups
from proofwalk.trajectories.records import MessageRecord
from tests.trainer.group_fakes import (
    ANSWER,
    LOGPROBS,
    PROMPT,
    Ending,
    answer,
    trajectory,
)
from tests.trainer.group_place import BROKEN, FAILED, SETTINGS, TASKS, Place, code_of, rewards


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


async def test_what_a_step_keeps_is_found_again_by_who_reads_the_run_later(place: Place) -> None:
    groups = await place.roll(await place.source(), step=2)
    store = RolloutStore(place.folder / "run" / "rollouts", clock=ManualClock())
    part = part_of(2)
    config = RolloutsConfig(suite=place.folder / "suite")
    names = tasks_of_groups(config, run_id="run_1", part=part, tasks=[task.id for task in TASKS])
    assert [names[group] for group in store.groups(part)] == sorted(one.task for one in groups)


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
