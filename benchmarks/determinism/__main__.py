"""`make bench-determinism`: what the world does to the success of a policy that makes
no mistakes.

It writes `benchmarks/results/determinism.json`. The same tasks of console-278, drawn by
`--seed`, are walked by the oracle, so that the world alone varies:

- `i`: in parallel, each on an empty account of its own, without META;
- `ii`: one after the other on one account, without META. Nobody sweeps it: a task finds
  what the earlier ones left, in the order in which they were drawn. `--shared N` deals
  the tasks out to N such accounts, which are walked side by side;
- `iii`: in parallel with META, as the platform has it: of every fourth task of the
  sample, by chance, it has no record (the gap), and these begin on an empty account;
- `iv`: the same, with the same gap, and what a task of the gap lacks is asked for in
  the walk (`ProvisionOnDemand`), kind by kind.

The suite's records were written for its tasks, so META lacks nothing; without the gap
`iii` and `iv` would be the same. `with_record` and `without_record` tell them apart.

Without META the script's and the rule's names are bound to what the account's inventory
has (`names`); of what it has not, the oracle looks for a name that nothing has, and
fails as `precondition`. Of a task of the gap in `iv` the episode's rule leaves out the
names, and the whole rule is asked of what the judge saw (`plans`): `rule` counts what
it does not confirm. `dirty` is what accounts hold at the end beyond what they held at
first, by their inventory, where accounts are swept two minutes later at the latest.
`tasks_per_hour` counts walks of any end. What the environment fails is tried again up
to three times, and told as `env_failure`.

A mode that is over is kept, and so are the walks of `ii` with their account; a run that
was stopped goes on with the next one. `--mode`
has some of them walked; whoever ends the last one writes the file. All four take hours:
`--also` takes modes from journals of other commits, and what is not walked stays as the
result has it, if that is of the same tasks; each mode tells its own commit.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import shutil
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from benchmarks import record
from benchmarks.determinism import counting
from benchmarks.determinism.names import names_of
from benchmarks.determinism.sayings import sayings_of
from benchmarks.determinism.turns import Turns
from benchmarks.determinism.walking import (
    Case,
    Done,
    Mode,
    Say,
    Share,
    walked,
    walked_in_turn,
)
from proofwalk.cli.author import world_of_devcloud
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.ids import IdSource, RandomIds
from proofwalk.kernel.json_values import JsonObject
from proofwalk.platform.laboratory import laboratory, shared_account
from proofwalk.platform.settings import Settings, read_settings
from proofwalk.suites.model import Suite
from proofwalk.suites.storage import load_suite

SUITE = record.ROOT / "suites" / "console-278"
_WORK = record.ROOT / "build" / "determinism"
_SEED = 24
_GAP = 4
"""Of one task in so many the platform has no record."""


def cases_of(suite: Suite, *, sample: int, seed: int) -> list[Case]:
    """The sample in the order in which it was drawn; 0 is all tasks."""
    chance = Random(seed)
    tasks = chance.sample(suite.tasks, sample or len(suite.tasks))
    gap = {task.id for task in chance.sample(tasks, len(tasks) // _GAP)}
    world = world_of_devcloud()
    kinds = {pair.type.name: kind for kind, pair in world.pairs.items()}
    return [
        Case(
            task=task,
            names=names,
            sayings=sayings_of(task, names, world.catalogue),
            gap=task.id in gap,
        )
        for task in tasks
        for names in [names_of(task, kinds)]
    ]


async def run(options: argparse.Namespace) -> None:
    head = await record.head("determinism", n=0)
    suite = await asyncio.to_thread(load_suite, SUITE)
    cases = await asyncio.to_thread(cases_of, suite, sample=options.sample, seed=options.seed)
    journal = _WORK / f"{head['commit']}.{options.seed}.{len(cases)}.{options.parallel}.jsonl"
    also: dict[Mode, Done] = {}
    for path in options.also:
        also |= await asyncio.to_thread(counting.read, path)
    here = await asyncio.to_thread(counting.read, journal)
    modes = also | here
    settings, ids = read_settings(), RandomIds(SystemClock())
    say = partial(print, flush=True)
    own = partial(laboratory, settings, folder=_WORK, parallel=options.parallel)
    for mode in options.mode or Mode:
        if mode in (modes if options.mode is None else here):
            continue
        if mode is Mode.SHARED:
            done = await _walked_in_turn(
                cases, journal, shares=options.shared, ids=ids, say=say, settings=settings
            )
        else:
            done = await walked(mode, cases, place=own, parallel=options.parallel, ids=ids, say=say)
        await asyncio.to_thread(counting.keep, journal, done)
        print(f"({mode})", json.dumps(counting.figures_of(done)), flush=True)
    modes = also | await asyncio.to_thread(counting.read, journal)
    sample = {
        "tasks": len(suite.tasks),
        "seed": options.seed,
        "gap": sum(case.gap for case in cases),
        "need_nothing": sum(not case.names for case in cases),
    }
    result = record.RESULTS / "determinism.json"
    told = await asyncio.to_thread(told_before, result, {**sample, "n": len(cases)})
    told |= {str(mode): counting.figures_of(done) for mode, done in modes.items()}
    if len(told) < len(Mode):
        print(f"Not walked yet: {', '.join(mode for mode in Mode if mode not in told)}")
        return
    figures = {**sample, **{str(mode): told[mode] for mode in Mode}}
    content = {**head, "n": len(cases), "figures": figures}
    print(f"Written: {record.write('determinism', content)}")


async def _walked_in_turn(
    cases: Sequence[Case],
    journal: Path,
    *,
    shares: int,
    ids: IdSource,
    say: Say,
    settings: Settings,
) -> Done:
    """Each share on its account, whose walks are rows beside the journal."""
    # Short, because sockets lie below it.
    homes = [
        _WORK / f"shared-{journal.name[:8]}-{len(cases)}-{number}of{shares}"
        for number in range(shares)
    ]
    done = await walked_in_turn(
        [
            Share(
                cases=cases[number::shares],
                turns=Turns(journal.with_suffix(f".{number}of{shares}.turns.jsonl")),
                place=partial(shared_account, settings, folder=_WORK, home=home),
            )
            for number, home in enumerate(homes)
        ],
        ids=ids,
        say=say,
    )
    for home in homes:
        await asyncio.to_thread(shutil.rmtree, home, ignore_errors=True)
    return done


def told_before(result: Path, sample: JsonObject) -> dict[str, Any]:
    """What a result tells of the modes, if it is of this sample."""
    if not result.is_file():
        return {}
    content = json.loads(result.read_text(encoding="utf-8"))
    known = {**content["figures"], "n": content["n"]}
    if any(known.get(name) != figure for name, figure in sample.items()):
        return {}
    return {str(mode): known[mode] for mode in Mode}


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.determinism",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--sample", type=int, default=0, help="so many tasks (0: all)")
    parser.add_argument("--seed", type=int, default=_SEED)
    parser.add_argument("--parallel", type=int, default=4)
    parser.add_argument("--mode", type=Mode, action="append", choices=list(Mode))
    parser.add_argument("--shared", type=int, default=1, help="accounts of ii")
    parser.add_argument(
        "--also",
        type=Path,
        action="append",
        default=[],
        help="a journal below build/determinism; several of a mode: the last",
    )
    asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
