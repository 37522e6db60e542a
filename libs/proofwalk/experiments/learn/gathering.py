"""From a recipe's tasks to samples: the tasks checked and laid out, teachers walked
over them, what is worth learning written down.

The tasks are looked at before anything is spent on them: every training task, those
that GRPO acts on included, must be one from which neither the recipe's evaluation nor
any suite that measures is known (`datasets.decontamination`); a leak ends the run. Of
evaluation tasks whose documents alone are held out (`recipe.MeasuredSet`) the
operations may be told, by other documents. Samples of some tasks are held out from SFT
by the recipe's seed, whole tasks at a time.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from proofwalk.datasets.chat_samples import ChatSample
from proofwalk.datasets.collection import Collection
from proofwalk.datasets.decontamination import LEAK, Watch, Watched, guarded
from proofwalk.datasets.sample_files import write_samples
from proofwalk.datasets.samples import Recipe as SampleRecipe
from proofwalk.datasets.samples import samples_of
from proofwalk.datasets.statistics import Census
from proofwalk.experiments.bench.journal import Journal
from proofwalk.experiments.bench.running import Progress, Work, run_all
from proofwalk.experiments.collection import EVALUATION, ORACLE, Collector
from proofwalk.experiments.learn.recipe import Beginning, TaskSet
from proofwalk.experiments.platform import Installations, SuiteOf
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError, Status, not_found
from proofwalk.kernel.ids import RandomIds
from proofwalk.kernel.json_values import JsonObject
from proofwalk.models.client import AnswerForm
from proofwalk.orders.order import SCRIPTED
from proofwalk.suites.model import Suite, Task
from proofwalk.suites.storage import load_suite, write_suite

TRAINING, EVALUATED = "training", "evaluation"
_ROWS = "rows.jsonl"


def chosen(sets: Sequence[TaskSet], suite_of: SuiteOf) -> list[Task]:
    """The tasks of sets. Blocks. Raises `learn.no_task`, `suite.*`."""
    found: list[Task] = []
    for part in sets:
        suite = suite_of(part.suite)
        if strange := [name for name in part.ids if suite.task(name) is None]:
            raise not_found(
                "learn.no_task",
                f"{suite.id} has no task {', '.join(strange)}",
                hint="its suite.yaml lists them",
            )
        found += suite.only(part.ids).tasks
    return found


def lay_out(recipe: Beginning, folder: Path, suite_of: SuiteOf) -> dict[str, Any]:
    """Check the tasks and write them below `folder`, where every later stage takes them
    from. Blocks. Raises `data.leak`."""
    training, evaluation = chosen(recipe.training, suite_of), chosen(recipe.evaluation, suite_of)
    whole, documents = parted(recipe, evaluation)
    measuring = {task.digest: task for task in whole}
    measuring |= {task.digest: task for name in EVALUATION for task in suite_of(name).tasks}
    refuse_leaks(training, list(measuring.values()), documents=documents)
    for name, tasks in ((TRAINING, training), (EVALUATED, evaluation)):
        suite_id = f"{recipe.name}-{name}"
        bare = (replace(task, suite=suite_id, recording=None) for task in tasks)
        ordered = tuple(sorted(bare, key=lambda task: task.id))
        write_suite(Suite(id=suite_id, version=1, seed=recipe.seed, tasks=ordered), folder / name)
    return {
        "training": len(training),
        "evaluation": len(evaluation),
        "held_against": len(measuring) + len(documents),
        "products": sorted({task.product for task in evaluation}),
    }


def parted(recipe: Beginning, evaluation: Sequence[Task]) -> tuple[list[Task], list[Task]]:
    """The evaluation's tasks that are held out whole, and those of which the documents
    are."""
    told = recipe.operations_told
    return [task for task in evaluation if task.id not in told], [
        task for task in evaluation if task.id in told
    ]


def refuse_leaks(
    training: Sequence[Task], evaluation: Sequence[Task], *, documents: Sequence[Task] = ()
) -> None:
    """Raises `data.leak`, naming every training task from which an evaluation task is
    known, or the text of one of `documents`."""
    watch = Watch(evaluation, documents=documents)
    leaks = [match for task in training if (match := watch.task(task)) is not None]
    if leaks:
        raise ProofwalkError(
            LEAK,
            f"training tasks leak: {'; '.join(map(str, leaks[:20]))}",
            status=Status.FAILED_PRECONDITION,
            hint="leave these tasks out; what counts as the same is said in docs/adr/0005",
        )


async def collect(
    recipe: Beginning,
    installations: Installations,
    *,
    tasks: Path,
    out: Path,
    say: Callable[[str], None],
    progress: Progress,
) -> dict[str, Any]:
    """Walk the teachers until all have had their turn or the minutes are over; what was
    walked before is not walked again."""
    suite = await asyncio.to_thread(load_suite, tasks)
    collection = Collection(out)
    await asyncio.to_thread(collection.add_tasks, suite, suite.tasks)
    part = recipe.collect
    about = {"suite": suite.id, "version": suite.version, "level": part.level, "data": True}
    journal = Journal(out / _ROWS, run=about, resume=(out / _ROWS).is_file())
    left, ids = list(suite.tasks), RandomIds(SystemClock())
    verified: dict[str, int] = {}
    over = False
    try:
        async with (
            asyncio.timeout(part.minutes * 60),
            installations.walking(parallel=recipe.parallel) as place,
        ):
            collector = await Collector.of(place, collection)
            for teacher in part.teachers:
                policy = SCRIPTED if teacher == ORACLE else teacher
                works = [Work(task=task, policy=policy, run=1, level=part.level) for task in left]
                rows = await run_all(
                    place,
                    works,
                    journal,
                    parallel=recipe.parallel,
                    ids=ids,
                    progress=progress,
                    examine=collector,
                )
                passed = {row.task for row in rows if row.passed}
                verified[teacher] = len(passed)
                left = [task for task in left if task.id not in passed]
    except TimeoutError:
        over = True
        say(
            f"collection stops at its {part.minutes:g} minutes; {len(left)} tasks have no verified"
            " walk"
        )
    return {
        "verified": verified,
        "without": [task.id for task in left],
        "stopped": over,
        "episodes": len(collection.names()),
    }


def held_out_tasks(recipe: Beginning) -> frozenset[str]:
    """Training tasks whose samples are not learned by SFT."""
    count = round(recipe.sft.held_out * len(recipe.trained_on))
    draw = random.Random(f"{recipe.seed}/held-out")  # noqa: S311  # repeatable on purpose
    return frozenset(draw.sample(sorted(recipe.trained_on), count))


def as_samples(recipe: Beginning) -> SampleRecipe:
    """How a step is written as a sample: as the model is asked."""
    return SampleRecipe(settings=recipe.asking.settings(), form=AnswerForm(recipe.asking.answers))


def provenance(recipe: Beginning, collected: Path) -> JsonObject:
    """What a file of samples says of where it is from."""
    return {
        "collection": str(collected),
        "layout": recipe.asking.layout,
        "form": recipe.asking.answers,
        "prompt": "normal",
        "context_tokens": recipe.asking.context_tokens,
        "against": [one.suite for one in recipe.evaluation],
    }


def watched_for(
    recipe: Beginning, collection: Collection, evaluation: Path, found: Iterable[Watched]
) -> Iterator[Watched]:
    """Samples of a collection one by one, as `datasets.decontamination.guarded` has
    them; `evaluation` is the folder of the suite that measures. Blocks."""
    whole, documents = parted(recipe, load_suite(evaluation).tasks)
    what = f"{collection.folder} leaks"
    return guarded(what, found, collection.tasks, whole, documents=documents)


def write(
    recipe: Beginning, *, collected: Path, evaluation: Path, samples: Path, held_out: Path
) -> dict[str, Any]:
    """Filter what was collected and write it as samples. Blocks. Raises
    `data.no_samples`, `data.leak`."""
    collection, census = Collection(collected), Census()
    asked = as_samples(recipe)
    apart = held_out_tasks(recipe)
    made: list[ChatSample] = []
    for episode in collection:
        one = samples_of(episode, asked)
        census.add(one)
        made += one.samples

    def of(wanted: bool) -> Iterator[ChatSample]:
        return (one for one in made if (one.task in apart) is wanted)

    def watched(found: Iterator[ChatSample]) -> Iterator[ChatSample]:
        return watched_for(recipe, collection, evaluation, found)

    about = provenance(recipe, collected)
    learned = write_samples(samples, watched(of(False)), about=about)
    kept = 0
    held_out.unlink(missing_ok=True)
    if any(one.task in apart for one in made):
        kept = write_samples(held_out, watched(of(True)), about=about)
    figures = census.figures()
    return {
        "samples": learned,
        "held_out": kept,
        "episodes": figures["episodes"],
        "dropped": figures["steps"]["dropped"],
    }
