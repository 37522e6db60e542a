"""`make bench-author`: rules that are written from walks, beside those of persons.

It writes `benchmarks/results/author.json`. Of all tasks of console-278, with their own
rules hidden:

- `schema`: the rule that the oracle's recording proposes where the console's operations
  are described (seconds, no browser); `log_alone`: where nothing is known but the log;
- `field`: of each field console whose person's walks `make field-prove` has recorded,
  the rules that these propose, from the log alone;
- `walked`: of a sample, the rule that `proofwalk author` writes from the literal
  policy's walks, held beside the person's on the oracle's recording. `--walk 0` walks
  none, and writes nothing.

Every third task was not looked at while the code was written (`held_out`).
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
from benchmarks.author.comparison import from_recordings, halves_of
from benchmarks.author.field import field_figures
from benchmarks.author.walked import walk_all, walked_figures
from benchmarks.field.suite import consoles
from proofwalk.cli.author import knowledge_of
from proofwalk.experiments.authoring import Knowledge
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


async def walked(
    suite: Suite, known: Knowledge, *, count: int, parallel: int, journal: Path
) -> dict[str, Any]:
    """The figures of a sample's walks."""
    read = {task.id for task in Random(_LOOKED_AT).sample(suite.tasks, 40)}
    left = [task for task in suite.tasks if task.id not in read]
    tasks = sorted(Random(_SEED).sample(left, count), key=lambda task: task.id)
    async with laboratory(read_settings(), folder=WORK, parallel=parallel) as place:
        rows = await walk_all(
            place,
            tasks,
            known,
            ids=RandomIds(SystemClock()),
            journal=journal,
            parallel=parallel,
        )
    return walked_figures(rows)


async def run(options: argparse.Namespace) -> None:
    suite = load_suite(SUITE)
    began = time.monotonic()
    known = knowledge_of(TARGET, _DELTA_S)
    blind = knowledge_of("unknown", _DELTA_S)
    figures: dict[str, Any] = {
        "schema": halves_of(from_recordings(suite.tasks, known)),
        "log_alone": halves_of(from_recordings(suite.tasks, blind)),
        "field": {name: part for name in consoles() if (part := field_figures(name))["n"]},
        "seconds_each": round((time.monotonic() - began) / len(suite.tasks) / 2, 3),
    }
    print(json.dumps(figures, indent=1))
    if not options.walk:
        return
    head = await record.head("author", n=len(suite.tasks))
    figures["walked"] = await walked(
        suite,
        known,
        count=options.walk,
        parallel=options.parallel,
        journal=JOURNALS / f"{head['commit']}.jsonl",
    )
    figures["meta_converged"] = "UNIMPLEMENTED: META is not written yet"
    print(json.dumps(figures["walked"], indent=1))
    print(f"Written: {record.write('author', {**head, 'figures': figures})}")


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.author",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--walk", type=int, default=40, help="so many tasks are walked")
    parser.add_argument("--parallel", type=int, default=4)
    asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
