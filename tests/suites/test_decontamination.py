"""Leaks between training and evaluation, and near-duplicates, are found when planted
and only then."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from proofwalk.kernel.errors import ProofwalkError
from proofwalk.suites.families.generation import generate, task_of
from proofwalk.suites.families.training import training_tasks
from proofwalk.suites.model import Suite, Task
from proofwalk.suites.rules.decontamination import (
    Match,
    duplicates,
    leaks,
    meaning,
    profile,
    refuse,
    similarity,
)
from proofwalk.suites.writing.composition import compose
from proofwalk.suites.writing.documents import write
from proofwalk.suites.writing.task_names import Setting


@pytest.fixture(scope="module")
def suite(library: Any, console: Any) -> Suite:
    return generate(library, console, suite_id="little", version=1, seed=1)


@pytest.fixture(scope="module")
def other_seed(library: Any, console: Any) -> Suite:
    return generate(library, console, suite_id="other", version=1, seed=2)


def named(suite: Suite, task_id: str) -> Task:
    task = suite.task(task_id)
    assert task is not None
    return task


def made(library: Any, console: Any, family_id: str, seed: int, media_type: str) -> Task:
    family = next(family for family in library.families if family.id == family_id)
    draft = compose(family, 0, Setting(library=library, console=console, seed=seed))
    return task_of(draft, write(draft, Random(seed), media_type=media_type), suite_id="s")


def test_meaning_has_no_labels_values_markup_or_addresses(library: Any, console: Any) -> None:
    for media_type in ("text/markdown", "text/x-rst", "text/html"):
        text = meaning(made(library, console, "ecs-stop", 3, media_type))
        assert "find the instance that you want to stop and click" in text
        for absent in ("elastic", "standard mode", "html", "guilabel", "strong", "doctype"):
            assert absent not in text


def test_the_same_document_in_another_format_means_the_same(library: Any, console: Any) -> None:
    pages = [
        profile(made(library, console, "vpc-delete", 3, kind))
        for kind in ("text/markdown", "text/x-rst", "text/html")
    ]
    assert min(similarity(pages[0], other) for other in pages[1:]) > 0.85


def test_a_task_of_the_evaluation_under_another_name_leaks(suite: Suite) -> None:
    for task in suite.tasks:
        found = leaks([replace(task, id="train-1")], suite.tasks)
        assert [match.first for match in found] == ["train-1"]


def test_another_wording_and_other_names_do_not_hide_a_leak(
    suite: Suite, other_seed: Suite
) -> None:
    """The same families from another seed: other wording, names and values, the same
    operations from the same configuration."""
    found = {match.first for match in leaks(other_seed.tasks, suite.tasks)}
    assert found == {task.id for task in other_seed.tasks}


def test_each_way_of_leaking_is_found_alone(suite: Suite) -> None:
    task = named(suite, "vpc-delete")
    far = named(suite, "ecs-attach")
    by_rule = replace(far, id="t", rule_yaml=task.rule_yaml)
    assert "the same rule" in leaks([by_rule], [task])[0].how
    by_configuration = replace(
        far, id="t", rule_yaml=task.rule_yaml.replace("delete", "x"), meta_yaml=task.meta_yaml
    )
    changed = replace(
        by_configuration, rule_yaml=task.rule_yaml.replace("[request.VpcId, eq", "[request.Id, eq")
    )
    assert "the same operations from the same configuration" in leaks([changed], [task])[0].how
    by_text = replace(
        far, id="t", document=task.document, media_type=task.media_type, language=task.language
    )
    assert "the same text" in leaks([by_text], [task])[0].how


def test_different_procedures_do_not_leak(suite: Suite) -> None:
    for task in suite.tasks:
        others = [
            other
            for other in suite.tasks
            if other.family != task.family and "create" not in other.id + task.id
        ]
        others = [
            other for other in others if not {"ecs-stop", "ecs-stop-moved"} >= {other.id, task.id}
        ]
        assert (
            leaks(
                [task],
                [
                    other
                    for other in others
                    if "both" not in other.id and "suitable" not in other.id
                ],
            )
            == []
        )


def test_near_duplicates_are_other_wording_of_the_same_task(
    library: Any, console: Any, suite: Suite
) -> None:
    assert duplicates(suite.tasks) == []
    twin = replace(made(library, console, "vpc-delete", 9, "text/html"), id="vpc-delete-again")
    found = duplicates([*suite.tasks, twin])
    assert [(match.first, match.second) for match in found] == [("vpc-delete", "vpc-delete-again")]
    with pytest.raises(ProofwalkError) as caught:
        refuse("the suite has near-duplicates", found)
    assert caught.value.code == "suite.contaminated"
    assert "vpc-delete and vpc-delete-again" in caught.value.message


def test_nothing_found_is_nothing_refused() -> None:
    refuse("nothing", [])
    assert str(Match(first="a", second="b", how="c")) == "a and b: c"


@settings(max_examples=20, deadline=None)
@given(st.data())
def test_a_planted_leak_is_found_wherever_it_stands(suite: Suite, data: Any) -> None:
    planted = data.draw(st.sampled_from(suite.tasks))
    innocent = [task for task in suite.tasks if task.product != planted.product]
    place = data.draw(st.integers(0, len(innocent)))
    training = [*innocent[:place], replace(planted, id="leak"), *innocent[place:]]
    evaluation = [task for task in suite.tasks if task.product == planted.product]
    assert [match.first for match in leaks(training, evaluation)] == ["leak"]


def test_training_tasks_chain_units_as_no_evaluation_task_does(
    library: Any, console: Any, suite: Suite
) -> None:
    tasks = list(training_tasks(library, console, suite.tasks, suite_id="train", seed=1, tries=200))
    again = list(training_tasks(library, console, suite.tasks, suite_id="train", seed=1, tries=200))
    assert [task.digest for task in tasks] == [task.digest for task in again]
    assert len(tasks) >= 10
    assert leaks(tasks, suite.tasks) == []
    assert duplicates(tasks) == []


def test_a_unit_that_begins_with_what_another_leaves_is_in_no_training_task_and_the_others_stay_as_they_are(
    library: Any, console: Any, suite: Suite
) -> None:
    deleting = library.units["vpc.delete_vpc"].model_copy(
        update={"after": {"vpc": ("vpc.create_vswitch",)}}
    )
    ordered = replace(library, units={**library.units, "vpc.delete_vpc": deleting})
    whole, left = (
        {
            task.id: task
            for task in training_tasks(
                one, console, suite.tasks, suite_id="train", seed=1, tries=200
            )
        }
        for one in (library, ordered)
    )
    asked = {
        name: {clause["event"] for clause in yaml.safe_load(task.rule_yaml)["all"]}
        for name, task in whole.items()
    }
    deletes = {name for name, events in asked.items() if "DeleteVpc" in events}
    assert deletes
    assert {name: task.digest for name, task in left.items()} == {
        name: task.digest for name, task in whole.items() if name not in deletes
    }
