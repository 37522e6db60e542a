"""`make bench-author`: META and rules that are written for documents, beside those of
persons.

It writes `benchmarks/results/author.json`. Of all tasks of console-278, with their own
META and rules hidden:

- `meta`: the record that is written from the document alone, made and taken back; on a
  sample of them the person's oracle walks (`--oracle`);
- `schema`: the rule that the oracle's recording proposes where the console's operations
  are described (seconds, no browser); `log_alone`: where nothing is known but the log;
- `field`: of each field console whose person's walks `make field-prove` has recorded,
  the rules that these propose, from the log alone. A console without recordings on this
  machine stays as the result has it, with the commit that it was measured at;
- `walked`: of a sample, both files from nothing: META, and the rule that `proofwalk
  author` writes from the literal policy's walks on it, held beside the person's on the
  oracle's recording. `--walk 0` makes and walks nothing, and writes no file.

All but `field` are told of all tasks and of the parts of `parts`: the third that
was not looked at while the code was written, and the tasks whose document says all that
the person's rule asks for.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from pathlib import Path
from random import Random
from typing import Any

from benchmarks import record
from benchmarks.author.comparison import from_recordings, parts_of
from benchmarks.author.field import told
from benchmarks.author.metas import Workshop, author_metas, meta_figures
from benchmarks.author.walked import walk_all, walked_figures
from proofwalk.cli.author import knowledge_of, world_of_devcloud
from proofwalk.experiments.authoring import Knowledge
from proofwalk.experiments.meta_authoring import MetaAuthor
from proofwalk.experiments.meta_judging import MetaJudge
from proofwalk.experiments.meta_proof import MetaProver
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.ids import RandomIds
from proofwalk.platform.laboratory import TARGET, WORK, laboratory
from proofwalk.platform.settings import read_settings
from proofwalk.suites.model import Suite
from proofwalk.suites.storage import load_suite

SUITE = record.ROOT / "suites" / "console-278"
JOURNALS = record.ROOT / "build" / "author"
_DELTA_S = 5.0
_SEED = 279
_LOOKED_AT = 278
"""The seed of 40 tasks whose walks were read while the code was written: they are not
drawn again."""


async def made_and_walked(
    suite: Suite, known: Knowledge, options: argparse.Namespace, *, journals: Path
) -> dict[str, Any]:
    """The figures of all records, and of a sample's walks."""
    read = {task.id for task in Random(_LOOKED_AT).sample(suite.tasks, 40)}
    fresh = [task for task in suite.tasks if task.id not in read]
    tasks = sorted(Random(_SEED).sample(fresh, options.walk), key=lambda task: task.id)
    judged = {task.id for task in Random(_SEED).sample(suite.tasks, options.oracle)}
    world = await asyncio.to_thread(world_of_devcloud)
    ids = RandomIds(SystemClock())
    async with laboratory(read_settings(), folder=WORK, parallel=options.parallel) as place:
        shop = Workshop(
            place=place,
            metas=MetaAuthor(
                world,
                MetaProver(place.process, target=TARGET, ids=ids),
                judge=MetaJudge(place.process, target=TARGET),
            ),
            ids=ids,
            journals=journals,
            parallel=options.parallel,
        )
        records = await author_metas(shop, suite.tasks, judged=judged)
        rows = await walk_all(shop, tasks, known)
    return {"meta": meta_figures(records), "walked": walked_figures(rows)}


async def run(options: argparse.Namespace) -> None:
    suite = load_suite(SUITE)
    began = time.monotonic()
    known = knowledge_of(TARGET, _DELTA_S)
    blind = knowledge_of("unknown", _DELTA_S)
    figures: dict[str, Any] = {
        "schema": parts_of(from_recordings(suite.tasks, known)),
        "log_alone": parts_of(from_recordings(suite.tasks, blind)),
        "field": told(record.commit(), result=record.RESULTS / "author.json"),
        "seconds_each": round((time.monotonic() - began) / len(suite.tasks) / 2, 3),
    }
    print(json.dumps(figures, indent=1))
    if not options.walk:
        return
    head = await record.head("author", n=len(suite.tasks))
    journals = JOURNALS / str(head["commit"])
    figures |= await made_and_walked(suite, known, options, journals=journals)
    print(json.dumps({name: figures[name] for name in ("meta", "walked")}, indent=1))
    print(f"Written: {record.write('author', {**head, 'figures': figures})}")


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.author",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--walk", type=int, default=40, help="so many tasks are walked")
    parser.add_argument("--oracle", type=int, default=80, help="the oracle walks so many")
    parser.add_argument("--parallel", type=int, default=4)
    asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
