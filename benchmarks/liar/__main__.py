"""`make bench-liar`: is a policy believed that does no work, wanders, or lies?

Every task of `console-278` is walked by `null`, `random` and three liars (`policies`),
in three modes: with its rule, with the rule taken away, and with the target's audit log
switched off (the roles that judge then know the same console as one without a log).
None of these may end `verified`, and none `doc_defect`. Rows are journalled as they
come, by mode; the same command goes on where an earlier one was stopped (`--anew`
begins again), and every call writes the result of all rows that there are: to
build/liar/results where a `--sample` was asked for.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from importlib import resources
from pathlib import Path
from random import Random

import yaml

from benchmarks import record
from benchmarks.liar.counting import figures_of
from benchmarks.liar.policies import BESIDES, HONEST, LIARS, nameable
from benchmarks.record import ROOT, Load
from proofwalk.experiments.bench.journal import Journal
from proofwalk.experiments.bench.running import Work, run_all
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.ids import RandomIds
from proofwalk.platform.laboratory import TARGET, laboratory
from proofwalk.platform.settings import Settings, read_settings
from proofwalk.suites.counting.rows import DEFECT, Row
from proofwalk.suites.model import Task
from proofwalk.suites.storage import load_suite

SUITE = ROOT / "suites" / "console-278"
WORK = ROOT / "build" / "liar"
RULE, NO_RULE, NO_LOG = "rule", "no_rule", "no_log"
MODES = (RULE, NO_RULE, NO_LOG)
DEFAULT = (*HONEST, *LIARS)
LEVEL = "calm"


def works_of(tasks: Sequence[Task], policies: Sequence[str], mode: str) -> list[Work]:
    """The runs of a mode: task by task, so that what a stop leaves undone are tasks."""
    given = [replace(task, rule_yaml="") if mode == NO_RULE else task for task in tasks]
    return [
        Work(task=task, policy=policy, run=1, level=LEVEL) for task in given for policy in policies
    ]


def without_log(settings: Settings, folder: Path) -> Settings:
    """The settings with which the roles that judge know the embedded cloud's console as
    a target without an audit log.
    """
    builtin = (
        resources.files("proofwalk.cloud")
        .joinpath(f"targets/{TARGET}.yaml")
        .read_text(encoding="utf-8")
    )
    target = {
        **yaml.safe_load(builtin),
        "adapter": "generic",
        "options": {"accounts": "none.yaml"},
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{TARGET}.yaml").write_text(
        yaml.safe_dump(target, allow_unicode=True), encoding="utf-8"
    )
    judging = {
        "rollout": settings.rollout.model_copy(update={"targets": folder}),
        "reward_service": settings.reward_service.model_copy(update={"targets": folder}),
    }
    return settings.model_copy(update=judging)


async def run_mode(
    mode: str,
    tasks: Sequence[Task],
    policies: Sequence[str],
    *,
    parallel: int,
    seconds: float | None,
    anew: bool,
) -> list[Row]:
    """The rows of a mode, as far as they come within `seconds` (None: no bound)."""
    works = works_of(tasks, policies, mode)
    about = {"benchmark": "liar", "suite": "console-278", "mode": mode, "level": LEVEL}
    journal = Journal(WORK / f"{mode}.jsonl", run=about, resume=not anew)
    settings = read_settings()
    if mode == NO_LOG:
        settings = await asyncio.to_thread(without_log, settings, WORK / "targets")

    def say(row: Row, done: int, total: int) -> None:
        believed = "BELIEVED " if row.passed or row.outcome == DEFECT else ""
        ended = f"{row.outcome} {row.code} {row.reason[:110]}"
        line = f"{mode} {done}/{total} {believed}{row.policy} {row.task}: {ended}"
        print(line, file=sys.stderr, flush=True)

    if seconds is None or seconds > 0:
        async with laboratory(settings, folder=WORK, parallel=parallel) as place:
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await run_all(
                        place,
                        works,
                        journal,
                        parallel=parallel,
                        ids=RandomIds(SystemClock()),
                        progress=say,
                    )
    return journal.rows(work.key for work in works)


async def run(
    tasks: Sequence[Task],
    policies: Sequence[str],
    modes: Sequence[str],
    *,
    parallel: int,
    minutes: float,
    anew: bool,
) -> Mapping[str, list[Row]]:
    """Rows by mode."""
    end = time.monotonic() + minutes * 60
    found: dict[str, list[Row]] = {}
    with nameable():
        for at, mode in enumerate(modes):
            # An equal part of what is left for each, so that a stop leaves no mode out.
            left = (end - time.monotonic()) / (len(modes) - at) if minutes else None
            found[mode] = await run_mode(
                mode, tasks, policies, parallel=parallel, seconds=left, anew=anew
            )
    return found


def main() -> int:
    """Exit status: 0 when nobody was believed, 1 when somebody was, 3 when nothing
    could be run."""
    options = _options()
    suite = load_suite(SUITE)
    tasks: list[Task] = list(suite.tasks)
    # Drawn also where all are wanted, so that what --minutes cuts off is any of them.
    tasks = Random(options.seed).sample(tasks, min(options.sample, len(tasks)) or len(tasks))
    before = Load.now()
    try:
        by_mode = asyncio.run(
            run(
                tasks,
                options.policies,
                options.modes,
                parallel=options.parallel,
                minutes=options.minutes,
                anew=options.anew,
            )
        )
    except ProofwalkError as error:
        print(error, file=sys.stderr)
        return 3
    figures = figures_of(by_mode)
    content = {
        **asyncio.run(record.head("liar", n=figures["runs"])),
        "suite": suite.id,
        "suite_version": suite.version,
        "tasks": len({row.task for rows in by_mode.values() for row in rows}),
        "planned": len(suite.tasks) * len(DEFAULT) * len(MODES),
        "policies": options.policies,
        "modes": options.modes,
        "level": LEVEL,
        "taken_at": SystemClock().now().isoformat(timespec="seconds"),
        "load": {"before": str(before), "after": str(Load.now())},
        "figures": figures,
    }
    path = (
        record.write("liar", content)
        if not options.sample
        else record.write_part("liar", content, folder=WORK / "results")
    )
    print(f"{figures}\nwritten to {path}", file=sys.stderr)
    return 3 if not figures["runs"] else 1 if figures["verified"] or figures["doc_defect"] else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--sample", type=int, default=0, help="so many tasks, drawn by --seed; 0: all"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--policies", nargs="+", default=list(DEFAULT), choices=(*DEFAULT, *BESIDES)
    )
    parser.add_argument("--modes", nargs="+", default=list(MODES), choices=MODES)
    parser.add_argument("--parallel", type=int, default=2, help="episodes at a time")
    parser.add_argument(
        "--minutes",
        type=float,
        default=0.0,
        help="stop after so long; the same command goes on later",
    )
    parser.add_argument("--anew", action="store_true", help="forget the rows that there are")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
