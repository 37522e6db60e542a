"""A phase's new tasks from what the phase before failed at, for the embedded cloud's
console: `proofwalk data curriculum`.

The work is `suites.evolution`; here is which library it draws from, which tasks are
held back, and which ones there are already. The units of a task of `train` or `singles`
are found by making those suites again, those of an evolved task stand in its suite.
Blocks for a minute.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from proofwalk.datasets.collection import Collection
from proofwalk.experiments.bench.journal import read_rows
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import invalid, not_found
from proofwalk.kernel.json_values import JsonObject
from proofwalk.platform.devcloud_console import DevcloudConsole
from proofwalk.platform.devcloud_controls import DevcloudMaterial
from proofwalk.platform.suites import CONSOLE_SUITE, DRIFT_SUITE, singles_suite, train_suite
from proofwalk.suites.evolution.evolving import Evolution, Evolver, require_failures
from proofwalk.suites.evolution.failures import Failure, failures_of, walks_of
from proofwalk.suites.evolution.feasibility import shortcoming
from proofwalk.suites.evolution.values import ValueFilter
from proofwalk.suites.model import Suite, Task
from proofwalk.suites.storage import load_suite, write_suite
from proofwalk.suites.writing.library_files import read_library
from proofwalk.trainer.failed_walks import walks_of_run

ROWS, RUN, REPORT = "rows.jsonl", "run.yaml", "curriculum.json"


@dataclass(frozen=True, kw_only=True)
class Walked:
    """What a phase walked, and what of it was failed at."""

    source: Path
    tasks: tuple[Task, ...]
    failures: tuple[Failure, ...]


@dataclass(frozen=True, kw_only=True)
class Curriculum:
    """The next phase's tasks, and how they came about."""

    walked: Walked
    evolution: Evolution
    suite: Suite


def walked_in(source: Path, clock: Clock) -> Walked:
    """What a collection or an ended run of training walked. Raises
    `curriculum.no_walks`, `data.damaged`, and what reading either raises."""
    if (source / RUN).is_file():
        tasks, walks = walks_of_run(source, clock)
    elif (source / ROWS).is_file():
        tasks = Collection(source).tasks
        try:
            walks = list(walks_of(tasks, read_rows(source / ROWS)))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise invalid(
                "data.damaged",
                f"{source / ROWS} cannot be read: {error}",
                hint="delete what is broken, or collect again",
            ) from error
    else:
        raise not_found(
            "curriculum.no_walks",
            f"{source} is neither a collection nor the folder of a run of training",
            hint="name a folder that `data collect` wrote, or <trainer home>/runs/<run id>",
        )
    return Walked(
        source=source,
        tasks=tuple(tasks.values()),
        failures=tuple(failures_of(tasks, walks)),
    )


def evolved(
    walked: Walked,
    count: int,
    *,
    suite_id: str,
    seed: int,
    folder: Path,
    critic: ValueFilter | None = None,
) -> Curriculum:
    """At most `count` tasks. `folder` holds units, families and the suites that
    measure. Raises what `Evolver.evolve` raises, and `suite.*`."""
    require_failures(walked.failures)
    console, library = DevcloudConsole(), read_library(folder)
    evaluation = [load_suite(folder / name) for name in (CONSOLE_SUITE, DRIFT_SUITE)]
    made = [train_suite(library, console, *evaluation), singles_suite(library, console)]
    known = [*walked.tasks, *(task for suite in made for task in suite.tasks)]
    evolver = Evolver(
        library=library,
        console=console,
        shortcoming=partial(shortcoming, material=DevcloudMaterial(console.shipped)),
        suite_id=suite_id,
        seed=seed,
    )
    evolution = evolver.evolve(
        with_units([failure.task for failure in walked.failures], known),
        count,
        evaluation=[task for suite in evaluation for task in suite.tasks],
        known=known,
        critic=critic,
    )
    suite = Suite(id=suite_id, version=1, seed=seed, tasks=evolution.tasks)
    return Curriculum(walked=walked, evolution=evolution, suite=suite)


def with_units(failed: Iterable[Task], known: Iterable[Task]) -> list[Task]:
    """The failed tasks with their chains, where the same task is known with it."""
    chains = {task.digest: task.chain for task in known if task.chain}
    return [replace(task, chain=task.chain or chains.get(task.digest, ())) for task in failed]


def without(curriculum: Curriculum, failed: frozenset[str]) -> Curriculum:
    """The curriculum without the tasks that the oracle has failed at."""
    tasks = tuple(task for task in curriculum.suite.tasks if task.id not in failed)
    return replace(
        curriculum,
        suite=replace(curriculum.suite, tasks=tasks),
        evolution=replace(curriculum.evolution, tasks=tasks),
    )


def write_curriculum(curriculum: Curriculum, out: Path, *, failed: Sequence[str] = ()) -> None:
    """Write the suite, and beside it the report."""
    write_suite(curriculum.suite, out)
    report = report_of(curriculum, failed=failed)
    text = json.dumps(report, ensure_ascii=False, indent=1) + "\n"
    (out / REPORT).write_text(text, encoding="utf-8")


def report_of(curriculum: Curriculum, *, failed: Sequence[str] = ()) -> JsonObject:
    """What came of it, as JSON; `failed` are tasks that the oracle failed at."""
    evolution, suite = curriculum.evolution, curriculum.suite
    parents: Mapping[str, JsonObject] = {
        failure.task.id: {"walks": failure.walks, "failed": failure.failed}
        for failure in curriculum.walked.failures
        if failure.task.id in evolution.parents
    }
    return {
        "source": str(curriculum.walked.source),
        "suite": suite.id,
        "seed": suite.seed,
        "made": len(suite.tasks),
        "parents": dict(parents),
        "without_units": list(evolution.without_units),
        "by_way": dict(evolution.by_way),
        "dropped": {drop.value: count for drop, count in evolution.dropped.items()},
        "not_feasible": dict(evolution.reasons),
        "oracle_failed": list(failed),
        "values": dict(evolution.values) if evolution.filtered else None,
    }
