"""New tasks from tasks that were failed at: they are tasks like any other, come near
none that measures, double none that there is, and tell where they come from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

import pytest

from proofwalk.agent.policies.scripted.script import parse_script
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.platform.devcloud_console import DevcloudConsole
from proofwalk.platform.devcloud_controls import DevcloudMaterial
from proofwalk.resource_provisioner.meta import read_meta
from proofwalk.reward_service.rules import parse_rule
from proofwalk.suites.evolution.evolving import Drop, Evolution, Evolver
from proofwalk.suites.evolution.feasibility import shortcoming
from proofwalk.suites.evolution.values import ValueFilter
from proofwalk.suites.evolution.ways import LONGEST, Way
from proofwalk.suites.families.training import training_tasks
from proofwalk.suites.model import Suite, Task
from proofwalk.suites.rules.decontamination import Profile, duplicates, leaks, profile
from proofwalk.suites.storage import load_suite, write_suite
from proofwalk.suites.writing.library import Library
from proofwalk.suites.writing.library_files import read_library

ROOT = Path(__file__).parents[2] / "suites"
COUNT = 40


@dataclass(frozen=True, kw_only=True)
class Place:
    """The shipped library, and tasks of it that a policy may have failed at."""

    evolver: Evolver
    evaluation: Sequence[Task]
    measured: Sequence[Profile]
    """What the tasks of `evaluation` are known by, worked out once for all tests."""
    failed: Sequence[Task]

    def evolve(self, count: int = COUNT, *, critic: ValueFilter | None = None) -> Evolution:
        return self.evolver.evolve(
            self.failed, count, evaluation=self.measured, known=self.failed, critic=critic
        )


@pytest.fixture(scope="module")
def shipped() -> Library:
    return read_library(ROOT)


@pytest.fixture(scope="module")
def place(console: DevcloudConsole, shipped: Library) -> Place:
    evaluation = [
        task for name in ("console-278", "drift-200") for task in load_suite(ROOT / name).tasks
    ]
    measured = [profile(task) for task in evaluation]
    drawn: Iterator[Task] = training_tasks(
        shipped, console, measured, suite_id="toy", seed=5, tries=100
    )
    return Place(
        evolver=Evolver(
            library=shipped,
            console=console,
            shortcoming=partial(shortcoming, material=DevcloudMaterial(console.shipped)),
            suite_id="evolved",
            seed=1,
        ),
        evaluation=evaluation,
        measured=measured,
        failed=list(islice((task for task in drawn if task.language == "en"), 3)),
    )


@pytest.fixture(scope="module")
def evolution(place: Place) -> Evolution:
    return place.evolve()


def test_as_many_as_are_wanted_are_made_in_every_way(evolution: Evolution) -> None:
    assert len(evolution.tasks) == COUNT
    assert sum(evolution.by_way.values()) == COUNT
    assert min(evolution.by_way.values()) > 0
    assert len({task.id for task in evolution.tasks}) == COUNT


def test_each_tells_which_task_it_comes_from_and_how(place: Place, evolution: Evolution) -> None:
    digests = {task.id: task.digest for task in place.failed}
    for task in evolution.tasks:
        assert task.origin is not None
        assert task.origin.parent_digest == digests[task.origin.parent]
        assert set(task.origin.changes) <= {way.value for way in Way}
        assert 1 <= len(task.chain) <= LONGEST


def test_none_leaks_and_none_doubles_another(place: Place, evolution: Evolution) -> None:
    assert leaks(evolution.tasks, place.measured) == []
    assert duplicates([*place.failed, *evolution.tasks]) == []
    assert evolution.dropped[Drop.LEAK] > 0, "nothing was held against the suites that measure"


def test_each_is_read_by_the_roles_that_it_is_for_and_its_script_proves_its_rule(
    console: DevcloudConsole, evolution: Evolution
) -> None:
    material = DevcloudMaterial(console.shipped)
    for task in evolution.tasks:
        assert shortcoming(task, material) == ""
        assert parse_script(task.script_yaml).entries
        assert parse_rule(task.rule_yaml).id == task.id
        assert read_meta(task.meta_yaml).id == task.id


def test_the_seed_decides_all_of_it(place: Place, evolution: Evolution) -> None:
    again = place.evolve()
    assert [task.digest for task in again.tasks] == [task.digest for task in evolution.tasks]
    other = Evolver(**{**vars(place.evolver), "seed": 2}).evolve(
        place.failed, 5, evaluation=place.measured, known=place.failed
    )
    assert not {task.digest for task in other.tasks} & {task.digest for task in evolution.tasks}


def test_a_suite_of_them_keeps_where_they_come_from(tmp_path: Path, evolution: Evolution) -> None:
    write_suite(Suite(id="evolved", version=1, seed=1, tasks=evolution.tasks), tmp_path)
    read = load_suite(tmp_path).tasks
    assert read == evolution.tasks
    assert [task.origin for task in read] == [task.origin for task in evolution.tasks]
    assert [task.chain for task in read] == [task.chain for task in evolution.tasks]


def test_what_was_made_can_be_evolved_from(place: Place, evolution: Evolution) -> None:
    further = place.evolver.evolve(
        evolution.tasks[:2], 5, evaluation=place.measured, known=evolution.tasks
    )
    assert set(further.parents) <= {task.id for task in evolution.tasks[:2]}
    assert duplicates([*evolution.tasks, *further.tasks]) == []


def test_values_out_of_bounds_are_dropped_and_change_nothing_else(
    place: Place, evolution: Evolution
) -> None:
    values = [0.04, 0.05, 0.4, 0.75, 0.76]

    def value(task: Task) -> float:
        return values[int(task.id.rpartition("-")[2]) % len(values)]

    kept = place.evolve(12, critic=ValueFilter(value=value))
    assert kept.filtered
    assert {kept.values[task.id] for task in kept.tasks} == {0.05, 0.4, 0.75}
    assert kept.dropped[Drop.VALUE_LOW] > 0
    assert kept.dropped[Drop.VALUE_HIGH] > 0
    known = {task.id: task.digest for task in evolution.tasks}
    assert all(known[task.id] == task.digest for task in kept.tasks)


def test_without_a_critic_it_is_said_that_nothing_was_filtered(evolution: Evolution) -> None:
    assert not evolution.filtered
    assert evolution.values == {}
    assert evolution.dropped[Drop.VALUE_LOW] == evolution.dropped[Drop.VALUE_HIGH] == 0


def test_bounds_that_are_none_are_refused() -> None:
    with pytest.raises(ProofwalkError) as caught:
        ValueFilter(value=lambda _: 0.5, low=0.8, high=0.2)
    assert caught.value.code == "curriculum.bad_bounds"


def test_where_nothing_was_failed_at_it_is_said_what_to_do(place: Place) -> None:
    with pytest.raises(ProofwalkError) as caught:
        place.evolver.evolve([], 5, evaluation=(), known=())
    assert caught.value.code == "curriculum.no_failures"
    assert "data collect" in caught.value.hint


def test_tasks_of_unknown_units_are_no_parents(place: Place) -> None:
    with pytest.raises(ProofwalkError) as caught:
        place.evolver.evolve(place.evaluation[:2], 5, evaluation=(), known=())
    assert caught.value.code == "curriculum.no_units"
