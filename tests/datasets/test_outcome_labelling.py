"""Labels are the rule's over the walk's own events; tasks are split whole, and answers
are balanced."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from proofwalk.datasets.collection import Collection, Episode
from proofwalk.datasets.outcomes.answers import DONE
from proofwalk.datasets.outcomes.cases import GAVE_UP, Kind, case_of
from proofwalk.datasets.outcomes.labelling import Side, Split, is_held_out, labelled
from proofwalk.datasets.outcomes.questions import ROOM
from proofwalk.datasets.sample_files import read_samples, write_samples
from proofwalk.kernel.evidence import AuditEvent
from proofwalk.platform.judging import judging
from proofwalk.suites.recording import Recording
from tests.datasets.kit import collect, console, task_of

ALL_KINDS = Split(held_out=0.0, each=2)


async def episode_of(tmp_path: Path, name: str = "ecs-stop", *, stopped: str = "i-2") -> Episode:
    """A walk whose last click stops an instance, as the log has it."""
    task = task_of(name)
    episode = await collect(Collection(tmp_path / name), tmp_path, task, place=console())
    acted = next(one for one in reversed(episode.steps) if '"click"' in one.action)
    stop = AuditEvent(
        id="e-1",
        time=acted.started_at + timedelta(milliseconds=1),
        service="Ecs",
        name="StopInstance",
        kind="ConsoleOperation",
        write=True,
        ok=True,
        request={"InstanceId": stopped},
    )
    end = max(episode.steps[-1].ended_at, stop.time)
    recording = Recording(
        start=episode.about.started_at - timedelta(days=1), end=end, outputs={}, events=(stop,)
    )
    steps = tuple(
        replace(one, started_at=one.started_at + timedelta(seconds=one.step))
        if one.step > acted.step
        else one
        for one in episode.steps
    )
    return replace(episode, recording=recording, steps=steps)


def kinds_of(side: Side) -> Counter[str]:
    return Counter(one.outcome for one in side.samples)


async def test_a_walk_is_shown_without_thoughts_and_claims(tmp_path: Path) -> None:
    episode = await episode_of(tmp_path)
    case = case_of(episode, Kind.SUCCESS)
    assert case is not None
    assert [one.number for one in case.procedure] == ["1", "2", "3", "4"]
    assert case.prepared == {"the instance": "web-2"}
    assert case.ending == DONE
    told = "\n".join(f"{one.text} {one.result}" for one in case.acts)
    assert "click button “Stop” in row" in told
    assert "sub_step_complete" not in told
    assert "task_complete" not in told
    assert not [one for one in episode.steps if one.thought and one.thought in told]


async def test_a_walk_that_gave_up_says_so(tmp_path: Path) -> None:
    episode = await episode_of(tmp_path)
    given_up = replace(
        episode.steps[-1], action='{"type": "task_unachievable", "reason": "no\\n“Stop”"}'
    )
    case = case_of(replace(episode, steps=(*episode.steps[:-1], given_up)), Kind.DENIED)
    assert case is not None
    assert case.ending == f"{GAVE_UP}: no “Stop”"


async def test_what_nobody_judged_is_left_out_and_counted(tmp_path: Path) -> None:
    episode = replace(await episode_of(tmp_path), recording=None)
    train, held_out = labelled([episode], judging, ALL_KINDS)
    assert (train.samples, held_out.samples) == ((), ())
    assert train.left_out["unjudged"] == 1


async def test_the_verified_walk_is_yes_and_cut_before_its_operation_no(tmp_path: Path) -> None:
    train, _ = labelled([await episode_of(tmp_path)], judging, replace(ALL_KINDS, each=1))
    assert {one.outcome: one.answer for one in train.samples} == {
        "success": "YES",
        "cut_short": "NO",
    }
    whole, cut = sorted(train.samples, key=lambda one: -one.step)
    assert whole.step > cut.step, "it has fewer actions"
    assert all(DONE in one.messages[-1].text for one in (whole, cut)), "both claim to be done"
    assert not [one for one in train.samples if one.length > 4 * ROOM]


async def test_the_rule_decides_and_not_what_the_row_says(tmp_path: Path) -> None:
    right = await episode_of(tmp_path)
    wrong = await episode_of(tmp_path, "ecs-wrong", stopped="i-1")
    assert wrong.notes.row.outcome == "verified"
    train, _ = labelled([right, wrong], judging, ALL_KINDS)
    assert [one.answer for one in train.samples if one.task == "ecs-wrong"] == ["NO"]
    assert train.kinds[Kind.DENIED] == 1


async def test_a_rule_that_nobody_can_read_labels_nothing(tmp_path: Path) -> None:
    episode = await episode_of(tmp_path)
    broken = replace(episode, task=replace(episode.task, rule_yaml="id: 1"))
    train, _ = labelled([broken], judging, ALL_KINDS)
    assert (len(train.samples), train.left_out["unjudged"]) == (0, 1)


async def test_answers_are_balanced_and_the_surplus_counted(tmp_path: Path) -> None:
    wrong = [await episode_of(tmp_path, f"ecs-{n}", stopped="i-1") for n in range(3)]
    train, _ = labelled([await episode_of(tmp_path), *wrong], judging, ALL_KINDS)
    answers = Counter(one.answer for one in train.samples)
    assert answers["YES"] == answers["NO"] == 1
    assert train.left_out["unbalanced"] >= 2


async def test_a_task_is_on_one_side_and_the_same_seed_splits_alike(tmp_path: Path) -> None:
    split = Split(held_out=0.5, each=1)
    names = [f"ecs-{number}" for number in range(6)]
    episodes = [await episode_of(tmp_path, name) for name in names]
    sides = labelled(episodes, judging, split)
    tasks = [{one.task for one in side.samples} for side in sides]
    assert tasks[1] == {name for name in names if is_held_out(name, split)}
    assert tasks[0] == set(names) - tasks[1]
    assert all(tasks)
    assert sides == labelled(episodes, judging, split)


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_a_share_of_tasks_is_held_out(share: float) -> None:
    split = Split(held_out=share)
    assert {is_held_out(f"t-{number}", split) for number in range(50)} == {share == 1.0}


async def test_samples_are_those_that_sft_reads(tmp_path: Path) -> None:
    train, _ = labelled([await episode_of(tmp_path)], judging, ALL_KINDS)
    path = tmp_path / "train.parquet"
    write_samples(path, train.samples, about={})
    assert read_samples(path)[1] == list(train.samples)
    assert [one["role"] for one in train.samples[0].chat()] == ["system", "user", "assistant"]
