"""The benchmark of evolved tasks: which are walked, and what counts as feasible."""

from __future__ import annotations

from pathlib import Path

from benchmarks.curriculum import drawn, figures_of
from proofwalk.orders.order import SCRIPTED
from proofwalk.platform.curriculum import Curriculum, Walked
from proofwalk.suites.counting.rows import Row
from proofwalk.suites.evolution.evolving import Drop, Evolution
from proofwalk.suites.evolution.ways import Way
from proofwalk.suites.model import Origin, Suite, Task
from tests.datasets.kit import task_of


def evolved(name: str, way: Way) -> Task:
    origin = Origin(parent="ecs-stop", parent_digest="0" * 64, changes=("values", way.value))
    return task_of(name, origin=origin)


TASKS = tuple(
    evolved(f"ecs-evolved-{number:04d}", Way.AFTER if number % 2 else Way.VALUES)
    for number in range(10)
)


def row(task: Task, *, outcome: str = "verified", confirmed: bool = True) -> Row:
    return Row(
        task=task.id,
        digest=task.digest,
        run=1,
        policy=SCRIPTED,
        product=task.product,
        difficulty=str(task.difficulty),
        language="en",
        outcome=outcome,
        evidence="audit",
        seconds=2.0,
        extra={"confirmed": confirmed, "near_misses": 3, "accepted": []},
    )


def test_what_was_verified_and_confirmed_is_feasible() -> None:
    evolution = Evolution(
        tasks=TASKS,
        parents=("ecs-stop",),
        without_units=(),
        dropped={drop: 1 for drop in Drop},
        reasons={},
        filtered=False,
        values={},
    )
    curriculum = Curriculum(
        walked=Walked(source=Path("walked"), tasks=(), failures=()),
        evolution=evolution,
        suite=Suite(id="evolved", version=1, seed=1, tasks=TASKS),
    )
    rows = [row(task) for task in TASKS[:8]]
    rows += [row(TASKS[8], outcome="agent_failure"), row(TASKS[9], confirmed=False)]
    figures = figures_of(curriculum, rows)
    assert (figures["made"], figures["walked"], figures["feasible"]) == (10, 10, 8)
    assert figures["share"] == 0.8
    assert figures["by_way"] == {"values": 5, "shorter": 0, "sibling": 0, "before": 0, "after": 5}
    assert figures["feasible_by_way"] == {"values": 4, "after": 4}
    assert figures["failures"] == {"agent_failure": 1}


def test_a_sample_is_drawn_by_its_seed_and_none_is_all() -> None:
    assert drawn(TASKS, 0, 1) == drawn(TASKS, 99, 1) == list(TASKS)
    assert len(drawn(TASKS, 4, 1)) == 4
    assert drawn(TASKS, 4, 1) == drawn(TASKS, 4, 1)
