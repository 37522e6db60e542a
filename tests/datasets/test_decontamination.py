"""A leak that is planted is found and named; training tasks that no evaluation task is
known from pass."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from proofwalk.datasets.chat_samples import ChatSample
from proofwalk.datasets.collection import Collection
from proofwalk.datasets.decontamination import Watch, guarded
from proofwalk.datasets.samples import Recipe, samples_of
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.models.settings import ModelSettings
from proofwalk.suites.model import Task
from tests.datasets.kit import DOCUMENT, RULE, collect, task_of

ELSEWHERE = """\
# Give a bucket another region

1. Whoever owns the storage opens its overview and looks for the region that it lies in.
2. Of the regions on offer take the one nearest to the readers, and confirm with **OK**.
"""
META = (
    "id: oss-move\ndescription: A bucket\nattributes: {region: cn-hangzhou, resources: []}\nbinds:"
    " {}\n"
)
OTHER_RULE = "id: move\nversion: 1\nall:\n- {service: Oss, event: PutBucketRegion}\n"
FAR = task_of("oss-move", document=ELSEWHERE, suite="measure", meta_yaml=META, rule_yaml=OTHER_RULE)
SAME_RULE = task_of("ecs-a", document=ELSEWHERE, suite="measure", meta_yaml=META)
SAME_TEXT = task_of(
    "ecs-b",
    document=DOCUMENT + "\nThat is all.\n",
    suite="measure",
    meta_yaml=META,
    rule_yaml=OTHER_RULE,
)
SAME_DOCUMENT = task_of("ecs-c", suite="measure", meta_yaml=META, rule_yaml=OTHER_RULE)
SAME_OPERATIONS = task_of(
    "ecs-d", document=ELSEWHERE, suite="measure", rule_yaml=RULE.replace("i-2", "i-77")
)


async def samples(folder: Path) -> tuple[ChatSample, ...]:
    episode = await collect(Collection(folder / "c"), folder, task_of())
    return samples_of(episode, Recipe(settings=ModelSettings(vision=False))).samples


@pytest.mark.parametrize(
    ("evaluation", "how"),
    [
        (SAME_RULE, "the same rule"),
        (SAME_TEXT, "the same text"),
        (SAME_DOCUMENT, "the same document"),
        (SAME_OPERATIONS, "the same operations from the same configuration"),
        (task_of(), "the evaluation task itself"),
    ],
)
async def test_a_planted_leak_is_named_with_its_samples(
    tmp_path: Path, evaluation: Task, how: str
) -> None:
    made = await samples(tmp_path)
    with pytest.raises(ProofwalkError) as refused:
        list(guarded("these samples", made, {"ecs-stop": task_of()}, [FAR, evaluation]))
    assert (refused.value.code, refused.value.status) == ("data.leak", Status.FAILED_PRECONDITION)
    assert f"ecs-stop and {evaluation.id}: " in refused.value.message
    assert how in refused.value.message
    assert f"({len(made)} samples)" in refused.value.message


@pytest.mark.parametrize("known", [SAME_RULE, SAME_OPERATIONS])
async def test_the_operations_of_a_document_that_is_held_out_may_be_told(
    tmp_path: Path, known: Task
) -> None:
    made = await samples(tmp_path)
    assert (
        tuple(guarded("these samples", made, {"ecs-stop": task_of()}, [FAR], documents=[known]))
        == made
    )


@pytest.mark.parametrize(
    ("known", "how"), [(SAME_TEXT, "the same text"), (SAME_DOCUMENT, "the same document")]
)
async def test_its_text_may_not(tmp_path: Path, known: Task, how: str) -> None:
    made = await samples(tmp_path)
    with pytest.raises(ProofwalkError, match=how):
        list(guarded("these samples", made, {"ecs-stop": task_of()}, [FAR], documents=[known]))


async def test_samples_of_other_tasks_pass_and_unknown_ones_do_not(tmp_path: Path) -> None:
    made = await samples(tmp_path)
    assert tuple(guarded("these samples", made, {"ecs-stop": task_of()}, [FAR])) == made
    changed = task_of(rule_yaml=OTHER_RULE)
    for known in ({}, {"ecs-stop": changed}):
        with pytest.raises(ProofwalkError) as refused:
            list(guarded("these samples", made, known, [FAR]))
        assert "cannot be checked" in refused.value.message


async def test_a_sample_that_names_an_evaluation_task_leaks_whatever_its_task_is(
    tmp_path: Path,
) -> None:
    first = (await samples(tmp_path))[0]
    match = Watch([FAR]).sample(
        replace(first, suite="measure", task="oss-move"), {"oss-move": task_of()}
    )
    assert match is not None
    assert match.second == "oss-move"
