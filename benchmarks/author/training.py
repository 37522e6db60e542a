"""`make bench-author-training`: META and rules written for training documents, beside
those that the suite has.

It writes `benchmarks/results/author-training.json`. Of `--sample` tasks of `train`,
with their own META and rules hidden:

- `meta`: the record that is written from the document alone, made in an account of its
  own and taken back;
- `schema`: of the first `--walk` of them, in the order in which they were drawn, the
  rule that the oracle's recording proposes. The suite has no recordings: the oracle
  walks first, on the suite's own META. `oracle` counts the walks that were verified; a
  task without one has no rule, and counts as one that is not equivalent.

None of the default sample was read while the writers were written; of the 700 other
tasks drafts were read and the writers mended by them. All sentences are of the units
that console-278 is made of, two or three to a document. Rows and recordings are kept as
they come, and a run that was stopped goes on.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from benchmarks import record
from benchmarks.author import comparison, metas
from benchmarks.author.metas import Workshop, author_metas
from proofwalk.cli.author import knowledge_of, world_of_devcloud
from proofwalk.experiments.bench.journal import Journal
from proofwalk.experiments.bench.proof import Examiner, works_of
from proofwalk.experiments.bench.running import run_all
from proofwalk.experiments.meta_authoring import MetaAuthor
from proofwalk.experiments.meta_judging import MetaJudge
from proofwalk.experiments.meta_proof import MetaProver
from proofwalk.experiments.platform import Platform
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.ids import IdSource, RandomIds
from proofwalk.platform.judging import judging
from proofwalk.platform.laboratory import TARGET, WORK, laboratory
from proofwalk.platform.settings import read_settings
from proofwalk.platform.suites import SUITES, TRAIN_SUITE, written
from proofwalk.suites.counting.rows import Row
from proofwalk.suites.model import Suite, Task
from proofwalk.suites.storage import load_suite, write_recording, write_suite

_JOURNALS = record.ROOT / "build" / "author-training"
_DELTA_S = 5.0
_SEED = 300


def _suite(folder: Path) -> Suite:
    """The suite with the recordings that are kept beside it."""
    if not (folder / "suite.yaml").is_file():
        write_suite(written(TRAIN_SUITE, record.ROOT / SUITES), folder)
    return load_suite(folder)


async def _walk(
    place: Platform,
    suite: Suite,
    tasks: Sequence[Task],
    folder: Path,
    *,
    parallel: int,
    ids: IdSource,
) -> list[Row]:
    """Have the oracle walk the tasks; what passes is kept beside the suite."""
    about = {"suite": suite.id, "version": suite.version}
    return await run_all(
        place,
        works_of(tasks, oracle_alone=True),
        Journal(folder.with_suffix(".walks.jsonl"), run=about, resume=True),
        parallel=parallel,
        ids=ids,
        progress=_told,
        examine=Examiner(place, judging=judging, keep=partial(write_recording, folder)),
    )


def _told(row: Row, done: int, total: int) -> None:
    end = "verified" if row.passed else f"{row.failure}: {row.reason}"
    print(f"[{done}/{total}] {row.task}: {end} ({row.seconds:.0f} s)", flush=True)


def rule_figures(tasks: Sequence[Task]) -> dict[str, Any]:
    """The proposed rules of tasks that have a recording, or `author.no_recording`."""
    known = knowledge_of(TARGET, _DELTA_S)
    rows = comparison.from_recordings([task for task in tasks if task.recording], known)
    rows += [
        comparison.refused(task, "author.no_recording") for task in tasks if not task.recording
    ]
    for row in rows:
        if not row.equivalent:
            print(f"{row.task}: {row.refused or '; '.join(row.accepted) or 'not confirmed'}")
    return comparison.figures_of(rows)


async def run(options: argparse.Namespace) -> None:
    head = await record.head("author-training", n=options.sample)
    journals = _JOURNALS / str(head["commit"])
    folder = journals / TRAIN_SUITE
    suite = await asyncio.to_thread(_suite, folder)
    drawn = Random(_SEED).sample(suite.tasks, options.sample)
    world = await asyncio.to_thread(world_of_devcloud)
    ids = RandomIds(SystemClock())
    async with laboratory(read_settings(), folder=WORK, parallel=options.parallel) as place:
        prover = MetaProver(place.process, target=TARGET, ids=ids)
        judge = MetaJudge(place.process, target=TARGET)
        shop = Workshop(
            place=place,
            metas=MetaAuthor(world, prover, judge=judge),
            ids=ids,
            journals=journals,
            parallel=options.parallel,
        )
        records = await author_metas(shop, drawn, judged=frozenset())
        walks = await _walk(
            place, suite, drawn[: options.walk], folder, parallel=options.parallel, ids=ids
        )
    recorded = await asyncio.to_thread(_suite, folder)
    walked = [task for row in walks if (task := recorded.task(row.task)) is not None]
    figures = {
        "documents": len(drawn),
        "meta": metas.figures_of(records),
        "oracle": record.share(sum(row.passed for row in walks), len(walks)),
        "schema": await asyncio.to_thread(rule_figures, walked),
    }
    print(json.dumps(figures, indent=1))
    print(f"Written: {record.write('author-training', {**head, 'figures': figures})}")


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.author.training",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--sample", type=int, default=300, help="documents that are authored")
    parser.add_argument("--walk", type=int, default=300, help="so many the oracle walks")
    parser.add_argument("--parallel", type=int, default=4)
    asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
