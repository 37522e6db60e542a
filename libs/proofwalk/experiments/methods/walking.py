"""Walks of a checkpoint over the training tasks, within a budget of steps, and what is
learned of them.

A task is walked as often as its spectrum says (`datasets.budget`), until the walks
that say something about the policy have come to the steps that are left. Walks under
way are finished, so that a little more than the budget may be used, and what was used
is counted. Walks that are there are not walked again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from proofwalk.datasets.chat_samples import ChatSample
from proofwalk.datasets.collection import Collection
from proofwalk.datasets.forks import pairs_in
from proofwalk.datasets.sample_files import write_preferences, write_samples
from proofwalk.datasets.samples import Recipe as SampleRecipe
from proofwalk.datasets.samples import samples_of
from proofwalk.experiments.bench.journal import Journal, read_rows
from proofwalk.experiments.bench.running import Progress, run_all
from proofwalk.experiments.collection import Collector, walked_within
from proofwalk.experiments.learn import evaluation, gathering
from proofwalk.experiments.learn.lines import EpisodeLines
from proofwalk.experiments.methods.arm import Arm
from proofwalk.experiments.methods.recipe import WalksPhase
from proofwalk.experiments.platform import Platform
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.ids import RandomIds
from proofwalk.rl.settings import DpoSettings
from proofwalk.suites.counting.rows import Row
from proofwalk.suites.storage import load_suite

_ROWS = "rows.jsonl"
_SEEDS_APART = 1000
"""Runs of a task are fewer (`datasets.budget.MOST`)."""


class Purse:
    """Counts steps of walks, and says when there are enough."""

    def __init__(self, bound: int, rows: Sequence[Row], then: Progress) -> None:
        self.used = sum(map(steps_of, rows))
        self._bound = bound
        self._then = then

    def __call__(self, row: Row, done: int, total: int) -> None:
        self.used += steps_of(row)
        self._then(row, done, total)

    def empty(self) -> bool:
        return self.used >= self._bound


def steps_of(row: Row) -> int:
    """What a walk takes of the budget: nothing where the environment failed it."""
    return row.steps if row.told else 0


async def walk(arm: Arm, phase: WalksPhase, place: Platform, *, out: Path, bound: int) -> int:
    """Walk with the version that serves; the steps that were used."""
    suite = await asyncio.to_thread(load_suite, arm.suite(gathering.TRAINING))
    tasks = [task for task in suite.tasks if task.id in arm.recipe.walked]
    collection = Collection(out)
    await asyncio.to_thread(collection.add_tasks, suite, tasks)
    path, level = out / _ROWS, arm.recipe.evaluate.level
    begun = await asyncio.to_thread(path.is_file)
    purse = Purse(
        bound, await asyncio.to_thread(read_rows, path) if begun else (), EpisodeLines(arm.say)
    )
    walked = partial(
        run_all,
        place,
        journal=Journal(path, run={"suite": suite.id, "level": level}, resume=begun),
        parallel=arm.recipe.parallel,
        ids=RandomIds(SystemClock()),
        progress=purse,
        examine=await Collector.of(place, collection),
        enough=purse.empty,
    )
    await walked_within(
        phase.budget,
        [(task, evaluation.POLICY) for task in tasks],
        walked,
        level=level,
        first=arm.seed * _SEEDS_APART + 1,
    )
    return purse.used


def write(arm: Arm, phase: WalksPhase, *, walked: Path, out: Path) -> int:
    """Write what is learned of the walks: pairs for DPO, else samples; how many. 0:
    nothing was verified, or nothing failed on a page that a verified walk has seen.
    Blocks. Raises `data.leak`."""
    recipe, collection = arm.recipe, Collection(walked)
    asked, about = gathering.as_samples(recipe), gathering.provenance(recipe, walked)
    evaluation = arm.suite(gathering.EVALUATED)
    try:
        if isinstance(phase.read(recipe.every_phase, seed=arm.seed), DpoSettings):
            pairs = pairs_in(collection, asked)
            watched = gathering.watched_for(recipe, collection, evaluation, pairs)
            return write_preferences(out, watched, about=about)
        samples = _samples(collection, asked)
        return write_samples(
            out, gathering.watched_for(recipe, collection, evaluation, samples), about=about
        )
    except ProofwalkError as error:
        if error.code != "data.no_samples":
            raise
        return 0


def _samples(collection: Collection, asked: SampleRecipe) -> Iterator[ChatSample]:
    for episode in collection:
        yield from samples_of(episode, asked).samples
