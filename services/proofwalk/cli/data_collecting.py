"""`proofwalk data collect`: teachers over a suite's tasks, into a collection."""

from __future__ import annotations

import asyncio
import fnmatch
import time
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from random import Random

from proofwalk.agent.choosing import MODEL_POLICIES, no_model
from proofwalk.cli import output
from proofwalk.datasets.budget import Spectrum
from proofwalk.datasets.collection import Collection
from proofwalk.datasets.strata import Stratum, strata_of
from proofwalk.experiments.bench.journal import Journal, read_rows
from proofwalk.experiments.bench.running import run_all
from proofwalk.experiments.collection import Collector, walked_within
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import not_found
from proofwalk.kernel.ids import RandomIds
from proofwalk.platform.laboratory import WORK, laboratory
from proofwalk.platform.settings import Settings
from proofwalk.platform.suites import suite_of
from proofwalk.suites.counting.rows import Row
from proofwalk.suites.model import Suite, Task

_ROWS = "rows.jsonl"


async def tasks_of(name: str, *, only: str, sample: int, seed: int) -> tuple[Suite, list[Task]]:
    suite = await asyncio.to_thread(suite_of, name)
    tasks = [task for task in suite.tasks if fnmatch.fnmatchcase(task.id, only)]
    if not tasks:
        raise not_found(
            "data.no_task",
            f"no task of {suite.id} fits {only!r}",
            hint="ids are listed in the suite's suite.yaml",
        )
    if 0 < sample < len(tasks):
        tasks = sorted(Random(f"{seed}/{suite.id}").sample(tasks, sample), key=lambda task: task.id)  # noqa: S311
    return suite, tasks


async def of_stratum(out: Path, tasks: Sequence[Task], stratum: Stratum) -> list[Task]:
    """The tasks that the walks of a collection so far have in a stratum. Raises
    `data.no_task`."""
    path = out / _ROWS
    walked = await asyncio.to_thread(path.is_file)
    rows = await asyncio.to_thread(read_rows, path) if walked else []
    strata = strata_of({task.id: task for task in tasks}, rows)
    chosen = [task for task in tasks if strata.get(task.id) is stratum]
    if not chosen:
        counts = Counter(one.value for one in strata.values())
        raise not_found(
            "data.no_task",
            f"no task is {stratum.value} after the {len(rows)} walks in {out}:"
            f" {dict(sorted(counts.items()))}",
            hint="walk the tasks first, without --stratum",
        )
    return chosen


async def collect(
    settings: Settings,
    suite: Suite,
    tasks: Sequence[Task],
    *,
    policies: Sequence[str],
    out: Path,
    budget: Spectrum,
    level: str,
    parallel: int,
) -> None:
    asking = next((name for name in policies if name in MODEL_POLICIES), "")
    if asking and not settings.rollout.model.endpoint:
        raise no_model(asking)
    collection = Collection(out)
    await asyncio.to_thread(collection.add_tasks, suite, tasks)
    about = {"suite": suite.id, "version": suite.version, "level": level, "data": True}
    journal = Journal(out / _ROWS, run=about, resume=(out / _ROWS).is_file())
    async with laboratory(settings, folder=WORK, parallel=parallel) as place:
        collector = await Collector.of(place, collection)
        walk = partial(
            run_all,
            place,
            journal=journal,
            parallel=parallel,
            ids=RandomIds(SystemClock()),
            progress=_Progress(),
            examine=collector,
        )
        rows = await walked_within(
            budget, [(task, name) for name in policies for task in tasks], walk, level=level
        )
    passed, told = sum(row.passed for row in rows), sum(row.told for row in rows)
    unrecorded = sum("unrecorded" in row.extra for row in rows)
    output.say(
        f"{len(rows)} episodes of {len(tasks)} tasks: {passed} verified, {told - passed} failed or"
        f" blamed the document, {sum(row.final and not row.told for row in rows)} unproven or"
        f" suspected, {sum(not row.final for row in rows)} lost to the environment, {unrecorded}"
        f" without a trajectory; in {out}"
    )


class _Progress:
    """One line for each episode, with how much is left."""

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._seen = 0

    def __call__(self, row: Row, done: int, total: int) -> None:
        self._seen += 1
        each = (time.monotonic() - self._started) / self._seen
        ending = row.outcome if row.passed else f"{row.failure}: {row.reason}"
        kept = "" if "episode" in row.extra else f" · not kept: {row.extra.get('unrecorded', '')}"
        output.say(
            f"[{done}/{total}] {row.policy} {row.task} {row.run}: {output.clean(ending)[:160]},"
            f" {row.steps} steps{kept} · about {each * (total - done) / 60:.0f} min left"
        )
