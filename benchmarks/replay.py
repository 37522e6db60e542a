"""`make bench-replay`: what a second inspection costs that replays the first one's
walk, and whether it finds the same.

For each pair of `drift-200`: the console as its document knows it is walked once
(`replay` without a script walks as `literal` does, and compiles what is verified); then
the pair's own console, with its planted revision, is inspected with `replay` and with
`literal`, each first in every other pair. Every role runs in this process on a home of
its own; one episode at a time, unless `--parallel` says otherwise.

    agreement = pairs with the same outcome and the same finding (kind and sentence) /
    pairs that both told something about ms_per_step = time of the walk without
    connecting and signing in / steps, over the pairs with a script that agree

A document that was changed, not its console, has no verified walk: its pair runs
without a script and is counted apart (`with_script`). `processor_s` is this process and
the browsers that it ended. Results of a sample go to build/bench/results; `--earlier`
goes on from there.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

from benchmarks import record
from benchmarks.record import ROOT, Load
from proofwalk.experiments.bench.running import Work, run_work
from proofwalk.kernel.callers import ITSELF
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.ids import RandomIds
from proofwalk.platform.laboratory import Laboratory, laboratory
from proofwalk.platform.settings import read_settings
from proofwalk.rollout import repository
from proofwalk.suites.counting.rows import Row, read_row, row_json
from proofwalk.suites.counting.statistics import wilson
from proofwalk.suites.model import Scenario, Task
from proofwalk.suites.storage import load_suite

SUITE = ROOT / "suites" / "drift-200"
WORK = ROOT / "build" / "bench"
POLICIES = ("replay", "literal")
IDS = RandomIds(SystemClock())


@dataclass(frozen=True, kw_only=True)
class Inspection:
    """One run, with what it took."""

    row: Row
    walk_ms: float
    processor_s: float
    wall_s: float
    replayed: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Pair:
    """A pair's inspections by policy, and whether there was a script."""

    task: str
    expected: str
    prepared: str
    """How the walk that is compiled ended."""
    inspections: Mapping[str, Inspection]

    @property
    def told(self) -> bool:
        return all(one.row.told for one in self.inspections.values())

    @property
    def scripted(self) -> bool:
        return bool(self.inspections["replay"].replayed.get("scripted"))

    @property
    def agrees(self) -> bool:
        return len({_said(one.row) for one in self.inspections.values()}) == 1


def _said(row: Row) -> tuple[str, str, str]:
    found = row.finding
    return row.outcome, found.kind if found else "", found.sentence if found else ""


async def inspect(place: Laboratory, task: Task, policy: str, *, level: str) -> Inspection:
    """One verification, its walk read from the rollout role's rows."""
    told: dict[str, Any] = {}

    async def look(_: Work, verification: Mapping[str, Any]) -> Mapping[str, Any]:
        told.update(await _walk_of(place, verification))
        return {}

    began, busy = time.monotonic(), _processor()
    row = await run_work(
        place, Work(task=task, policy=policy, run=1, level=level), ids=IDS, examine=look
    )
    return Inspection(
        row=row,
        walk_ms=told.get("walk_ms", 0.0),
        processor_s=round(_processor() - busy, 3),
        wall_s=round(time.monotonic() - began, 3),
        replayed=told.get("replayed", {}),
    )


async def _walk_of(place: Laboratory, verification: Mapping[str, Any]) -> dict[str, Any]:
    """How long the steps took, and what a replay counted."""
    if "verification_id" not in verification:
        return {}
    async with place.walked.read() as tx:
        row = await repository.get_verification(tx, verification["verification_id"], caller=ITSELF)
        events = await repository.list_events(tx, row.id, after=0, limit=5000)
    seconds = row.verdict.judgement.seconds if row.verdict is not None else {}
    replayed = next(
        (dict(event.data) for event in reversed(events) if event.type == "walk_replayed"), {}
    )
    return {
        "walk_ms": 1000 * (seconds.get("walk", 0.0) - seconds.get("sign_in", 0.0)),
        "replayed": replayed,
    }


def _processor() -> float:
    return sum(
        one.ru_utime + one.ru_stime
        for one in (
            resource.getrusage(resource.RUSAGE_SELF),
            resource.getrusage(resource.RUSAGE_CHILDREN),
        )
    )


async def pair_of(place: Laboratory, task: Task, number: int, *, level: str) -> Pair:
    """Walk the console that the document knows, then inspect the pair twice."""
    language = task.scenario.language if task.scenario is not None else task.language
    plain = replace(task, scenario=Scenario(language=language))
    prepared = await inspect(place, plain, "replay", level=level)
    order = POLICIES if number % 2 == 0 else POLICIES[::-1]
    inspections = {policy: await inspect(place, task, policy, level=level) for policy in order}
    expected = task.expected.kind if task.expected is not None else ""
    return Pair(
        task=task.id, expected=expected, prepared=prepared.row.outcome, inspections=inspections
    )


def figures_of(pairs: Sequence[Pair]) -> dict[str, Any]:
    """The figures over the pairs that both policies told something about."""
    told = [pair for pair in pairs if pair.told]
    scripted = [pair for pair in told if pair.scripted]
    by = {policy: [pair.inspections[policy] for pair in told] for policy in POLICIES}
    same = {
        policy: [pair.inspections[policy] for pair in scripted if pair.agrees]
        for policy in POLICIES
    }
    guards: dict[str, int] = {}
    for one in by["replay"]:
        for handover in one.replayed.get("handovers", ()):
            guards[handover["guard"]] = guards.get(handover["guard"], 0) + 1
    quiet = [pair for pair in scripted if not pair.expected]
    return {
        "n": len(told),
        "not_told": len(pairs) - len(told),
        "with_script": len(scripted),
        "model_calls": sum(one.replayed.get("model_calls", 0) for one in by["replay"]),
        "agreement": round(sum(pair.agrees for pair in told) / len(told), 4) if told else None,
        "agreement_interval": _share(told),
        "agreement_with_script": _share(scripted),
        "handovers": sum(len(one.replayed.get("handovers", ())) for one in by["replay"]),
        "handovers_by_guard": dict(sorted(guards.items())),
        "faithful_without_handover": sum(
            not pair.inspections["replay"].replayed.get("handovers") for pair in quiet
        ),
        "faithful_with_script": len(quiet),
        "steps_replayed": sum(one.replayed.get("steps_replayed", 0) for one in by["replay"]),
        "steps_fallback": sum(one.replayed.get("steps_fallback", 0) for one in by["replay"]),
        "ms_per_step": {policy: _per_step(found) for policy, found in same.items()},
        "steps": {policy: sum(one.row.steps for one in found) for policy, found in same.items()},
        "walk_s": {
            policy: round(sum(one.walk_ms for one in found) / 1000, 2)
            for policy, found in same.items()
        },
        "wall_s": {
            policy: round(sum(one.wall_s for one in found), 2) for policy, found in same.items()
        },
        "processor_s": {
            policy: round(sum(one.processor_s for one in found), 2)
            for policy, found in same.items()
        },
    }


def _share(pairs: Sequence[Pair]) -> dict[str, Any] | None:
    found = wilson(sum(pair.agrees for pair in pairs), len(pairs)) if pairs else None
    return None if found is None else asdict(found)


def _per_step(found: Sequence[Inspection]) -> float | None:
    steps = sum(one.row.steps for one in found)
    return round(sum(one.walk_ms for one in found) / steps, 1) if steps else None


def pairs_of(content: Mapping[str, Any]) -> list[Pair]:
    """The pairs of a result file that both policies told something about."""
    found = []
    for told in content["pairs"]:
        inspections = {
            policy: Inspection(**{**one, "row": read_row(one["row"])})
            for policy, one in told["inspections"].items()
        }
        found.append(
            Pair(
                task=told["task"],
                expected=told["expected"],
                prepared=told["prepared"],
                inspections=inspections,
            )
        )
    return [pair for pair in found if pair.told]


def _as_data(pair: Pair) -> dict[str, Any]:
    rows = {
        policy: {**asdict(one), "row": row_json(one.row)}
        for policy, one in pair.inspections.items()
    }
    return {
        "task": pair.task,
        "expected": pair.expected,
        "prepared": pair.prepared,
        "agrees": pair.agrees,
        "inspections": rows,
    }


async def run(
    tasks: Sequence[Task],
    *,
    level: str,
    parallel: int,
    minutes: float,
    say: Callable[[str], None],
    earlier: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Run every pair, `parallel` pairs side by side, and return the result's content.
    No pair begins after `minutes` (0: no bound).

    `earlier` is the content of a result file whose complete pairs are taken over
    instead of being run; `runs` says which commit each run was of.
    """
    known = pairs_of(earlier) if earlier is not None else []
    there = {pair.task for pair in known}
    tasks = [task for task in tasks if task.id not in there]
    load, end = Load.now(), time.monotonic() + minutes * 60
    pairs: dict[int, Pair] = {}
    left = asyncio.Queue[tuple[int, Task]]()
    for item in enumerate(tasks):
        left.put_nowait(item)

    async def work(place: Laboratory) -> None:
        while not left.empty() and (not minutes or time.monotonic() < end):
            number, task = left.get_nowait()
            pair = pairs[number] = await pair_of(place, task, number, level=level)
            say(f"{len(pairs)}/{len(tasks)} {task.id} {_progress(pair)}")

    async with (
        laboratory(read_settings(), folder=WORK, parallel=parallel) as place,
        asyncio.TaskGroup() as group,
    ):
        for number in range(min(parallel, len(tasks))):
            group.create_task(work(place), name=f"replay bench {number}")
    found = [pairs[number] for number in sorted(pairs)]
    taken_at, now = SystemClock().now().isoformat(timespec="seconds"), str(Load.now())
    this = {
        "n": len(found),
        "commit": record.commit(),
        "parallel": parallel,
        "taken_at": taken_at,
        "load": {"before": str(load), "after": now},
    }
    runs = [*(earlier.get("runs") or [_run_of(earlier)] if earlier is not None else ()), this]
    found = known + found
    return {
        "name": "replay",
        "suite": "drift-200",
        "n": len(found),
        "level": level,
        "commit": this["commit"],
        "machine": await record.machine(),
        "taken_at": taken_at,
        "runs": runs,
        "figures": figures_of(found),
        "pairs": [_as_data(pair) for pair in found],
    }


def _progress(pair: Pair) -> str:
    """Return a pair in a line: what was expected, how the inspections came out, and
    where the replay handed over."""
    handovers = [
        f"{one['substep']}.{one['step']} {one['guard']}"
        for one in pair.inspections["replay"].replayed.get("handovers", ())
    ]
    outcomes = {policy: _said(one.row)[:2] for policy, one in pair.inspections.items()}
    return f"[{pair.expected or 'faithful'}] {pair.prepared} {pair.agrees} {outcomes} {handovers}"


def _run_of(content: Mapping[str, Any]) -> dict[str, Any]:
    return {name: content[name] for name in ("n", "commit", "parallel", "taken_at", "load")}


def main() -> int:
    """Exit status: 0 when something was measured."""
    options = _options()
    suite = load_suite(SUITE)
    chosen = list(suite.tasks)
    if options.only:
        chosen = [task for task in chosen if task.id in options.only.split(",")]
    else:
        # Drawn also where all are measured: what --minutes cuts off is any of them.
        chosen = Random(options.seed).sample(
            chosen, min(options.sample, len(chosen)) or len(chosen)
        )

    def say(line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    earlier = json.loads(options.earlier.read_text(encoding="utf-8")) if options.earlier else None
    work = run(
        chosen,
        level=options.level,
        parallel=options.parallel,
        minutes=options.minutes,
        say=say,
        earlier=earlier,
    )
    try:
        content = asyncio.run(work)
    except ProofwalkError as error:
        print(error, file=sys.stderr)
        return 3
    if content["n"] == len(suite.tasks):
        path = record.write("replay", content)
    else:
        path = Path(WORK / "results" / "replay.json")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(content["figures"], indent=2))
    print(f"written to {path}", file=sys.stderr)
    return 0 if content["figures"]["n"] else 3


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--sample", type=int, default=0, help="so many pairs, drawn by --seed; 0: all"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="ids, separated by commas")
    parser.add_argument("--level", default="real", choices=("calm", "real", "storm"))
    parser.add_argument("--parallel", type=int, default=1, help="pairs at a time")
    parser.add_argument(
        "--minutes",
        type=float,
        default=0.0,
        help="begin no further pair after so long; what was measured until then is written",
    )
    parser.add_argument(
        "--earlier",
        type=Path,
        help="a result file: the pairs that it tells of are taken over and not run again",
    )
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
