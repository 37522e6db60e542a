"""`proofwalk bench prove | run | compare`. Exit codes: 0 as it must be, 1 not so, 2
usage, 3 environment."""

from __future__ import annotations

import asyncio
import fnmatch
import json
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from random import Random
from typing import Annotated, Any

import typer
from rich.console import Console

from proofwalk.agent.choosing import MODEL_POLICIES, POLICIES, no_model
from proofwalk.cli import output
from proofwalk.cli.exit_codes import ExitCode
from proofwalk.cli.running import run, settings
from proofwalk.experiments.bench import page, proof, surroundings
from proofwalk.experiments.bench.journal import Journal
from proofwalk.experiments.bench.running import Work, run_all
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import invalid, not_found
from proofwalk.kernel.ids import RandomIds
from proofwalk.kernel.json_values import JsonObject, object_of
from proofwalk.platform.judging import judging
from proofwalk.platform.laboratory import WORK, laboratory
from proofwalk.platform.settings import Settings
from proofwalk.platform.suites import SUITES
from proofwalk.suites.counting import results
from proofwalk.suites.counting.comparison import compare as compare_rows
from proofwalk.suites.counting.rows import Row, row_json
from proofwalk.suites.model import Suite, Task
from proofwalk.suites.storage import load_suite, write_recording

LEVELS = ("calm", "real", "storm")
Level = Annotated[str, typer.Option(help="How much trouble the console makes: calm, real, storm.")]
RESULTS = Path("benchmarks/results")

app = typer.Typer(help="Suites of tasks: proven, run, compared.", no_args_is_help=True)


@app.command("prove")
def prove_command(
    suite: Annotated[str, typer.Argument(help="A suite under suites/, or its folder.")],
    sample: Annotated[int, typer.Option(min=0, help="So many tasks, drawn by --seed; 0: all.")] = 0,
    seed: Annotated[int, typer.Option(help="Decides the sample.")] = 0,
    only: Annotated[str, typer.Option(help="Tasks whose id fits: ecs-*")] = "*",
    oracle: Annotated[
        bool,
        typer.Option(
            "--oracle", help="The oracle and the near misses alone, without null and random."
        ),
    ] = False,
    wander: Annotated[
        int,
        typer.Option(
            min=0,
            help="So many of the tasks for the random policy, whose walks are the longest; 0: all.",
        ),
    ] = 0,
    record: Annotated[
        bool, typer.Option("--record", help="Keep the oracle's events beside the tasks.")
    ] = False,
    parallel: Annotated[int, typer.Option(min=1, max=32, help="Episodes at a time.")] = 4,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with what was begun.")] = False,
    out: Annotated[Path | None, typer.Option(help="Folder of the result file.")] = None,
) -> None:
    """Prove a suite: the oracle solves every task, and no rule passes a near miss."""
    code = run(
        _prove(
            settings(),
            suite,
            sample=sample,
            seed=seed,
            only=only,
            oracle=oracle,
            wander=wander,
            record=record,
            parallel=parallel,
            resume=resume,
            out=out,
        )
    )
    raise typer.Exit(code)


@app.command("run")
def run_command(
    suite: Annotated[str, typer.Argument(help="A suite under suites/, or its folder.")],
    policy: Annotated[str, typer.Option(help="Who decides each step.")] = "literal",
    runs: Annotated[int, typer.Option(min=1, max=100, help="Runs of each task.")] = 3,
    level: Level = "real",
    parallel: Annotated[int, typer.Option(min=1, max=32, help="Episodes at a time.")] = 4,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with what was begun.")] = False,
    only: Annotated[str, typer.Option(help="Tasks whose id fits: ecs-*")] = "*",
    out: Annotated[
        Path | None, typer.Option(help="Folder of the result file and its page.")
    ] = None,
) -> None:
    """Run a policy over a suite and write what came of it."""
    if policy not in POLICIES:
        raise typer.BadParameter(f"one of {', '.join(sorted(POLICIES))}", param_hint="--policy")
    if level not in LEVELS:
        raise typer.BadParameter(f"one of {', '.join(LEVELS)}", param_hint="--level")
    code = run(
        _run(
            settings(),
            suite,
            policy=policy,
            runs=runs,
            level=level,
            parallel=parallel,
            resume=resume,
            only=only,
            out=out,
        )
    )
    raise typer.Exit(code)


@app.command("compare")
def compare_command(
    a: Annotated[Path, typer.Argument(help="A result file of `bench run`.")],
    b: Annotated[
        Path, typer.Argument(help="Another one; the difference is what it has over the first.")
    ],
    resamples: Annotated[int, typer.Option(min=100, max=1_000_000)] = 10_000,
    seed: Annotated[int, typer.Option(help="Of the bootstrap.")] = 0,
) -> None:
    """Compare two results task by task with a paired bootstrap; JSON."""
    run(_compare(a, b, resamples=resamples, seed=seed))


async def _prove(
    settings: Settings,
    name: str,
    *,
    sample: int,
    seed: int,
    only: str,
    oracle: bool,
    wander: int,
    record: bool,
    parallel: int,
    resume: bool,
    out: Path | None,
) -> ExitCode:
    folder, suite = await asyncio.to_thread(_load, name)
    tasks = _chosen(suite, only)
    if 0 < sample < len(tasks):
        tasks = sorted(Random(f"{seed}/{suite.id}").sample(tasks, sample), key=lambda task: task.id)  # noqa: S311
    wandering = (
        tasks if not wander else Random(f"{seed}/wander").sample(tasks, min(wander, len(tasks)))  # noqa: S311
    )
    works = proof.works_of(tasks, oracle_alone=oracle, wandering=wandering)
    about = {"suite": suite.id, "version": suite.version, "prove": True}
    part = _part(only, sample, seed)
    journal = Journal(WORK / f"{suite.id}{part}.proof.jsonl", run=about, resume=resume)
    started = time.monotonic()
    async with laboratory(settings, folder=WORK, parallel=parallel) as place:
        examiner = proof.Examiner(
            place, judging=judging, keep=partial(write_recording, folder) if record else None
        )
        rows = await run_all(
            place,
            works,
            journal,
            parallel=parallel,
            ids=RandomIds(SystemClock()),
            progress=_Progress(started),
            examine=examiner,
        )
    failures = proof.failures_of(rows)
    whole = len(tasks) == len(suite.tasks) == len(wandering) and not oracle
    content = {
        **await _head(f"{suite.id}.proof", suite, n=len(tasks), started=started),
        "figures": proof.figures_of(rows, len(tasks)),
        "failures": failures,
    }
    path = await asyncio.to_thread(
        _write, _out(out, whole), f"{suite.id}{part}.proof.json", content
    )
    _print_failures(failures)
    figures = content["figures"]
    Console(stderr=True).print(
        f"oracle {figures['oracle']}/{len(tasks)}, null {figures['null']}/{figures['null_runs']},"
        f" random {figures['random']}/{figures['random_runs']}, near misses rejected"
        f" {figures['near_misses_rejected']}/{figures['near_misses']};"
        f" {time.monotonic() - started:.0f} s; written to {path}",
        highlight=False,
    )
    return ExitCode.FINDINGS if failures else ExitCode.VERIFIED


def _print_failures(failures: Sequence[Mapping[str, object]]) -> None:
    console = Console(stderr=True)
    for failure in failures:
        console.print(
            f"✘ {failure['task']}: {output.clean(str(failure['what']))[:600]}",
            highlight=False,
            markup=False,
        )


async def _run(
    settings: Settings,
    name: str,
    *,
    policy: str,
    runs: int,
    level: str,
    parallel: int,
    resume: bool,
    only: str,
    out: Path | None,
) -> ExitCode:
    model = settings.rollout.model
    if policy in MODEL_POLICIES and not model.endpoint and model.via != "inference":
        raise no_model(policy)
    _, suite = await asyncio.to_thread(_load, name)
    tasks = _chosen(suite, only)
    works = [
        Work(task=task, policy=policy, run=number, level=level)
        for number in range(1, runs + 1)
        for task in tasks
    ]
    about = {"suite": suite.id, "version": suite.version, "policy": policy, "level": level}
    part = _part(only, 0, 0)
    journal = Journal(WORK / f"{suite.id}{part}.{policy}.{level}.jsonl", run=about, resume=resume)
    started = time.monotonic()
    async with laboratory(settings, folder=WORK, parallel=parallel) as place:
        rows = await run_all(
            place,
            works,
            journal,
            parallel=parallel,
            ids=RandomIds(SystemClock()),
            progress=_Progress(started),
        )
    planted = any(task.expected is not None for task in tasks)
    by_id = {task.id: task for task in tasks}
    figures = results.drift_figures_of(rows, by_id) if planted else results.figures_of(rows, k=runs)
    content = {
        **await _head(f"{suite.id}.{policy}", suite, n=len(tasks), started=started),
        "policy": policy,
        "level": level,
        "runs": runs,
        "figures": figures,
        "rows": [row_json(row) for row in rows],
    }
    place_of = _out(out, len(tasks) == len(suite.tasks))
    path = await asyncio.to_thread(_write, place_of, f"{suite.id}{part}.{policy}.json", content)
    await asyncio.to_thread(
        path.with_suffix(".html").write_text, page.render(content, rows), "utf-8"
    )
    Console(stderr=True).print(
        f"{_summary(figures)}; written to {path} and {path.with_suffix('.html').name}",
        highlight=False,
    )
    return ExitCode.VERIFIED


async def _compare(a: Path, b: Path, *, resamples: int, seed: int) -> None:
    (left, rows_a), (right, rows_b) = [
        results.read_result(await asyncio.to_thread(_read, path), name=str(path)) for path in (a, b)
    ]
    if left.get("suite") != right.get("suite"):
        raise invalid(
            "bench.other_suite",
            f"{a} is of the suite {left.get('suite')!r}, {b} of {right.get('suite')!r}",
        )
    try:
        found = compare_rows(rows_a, rows_b, chance=Random(seed), resamples=resamples)  # noqa: S311  # repeatable on purpose
    except ValueError as error:
        raise invalid("bench.nothing_shared", f"{a} and {b}: {error}") from None
    told = {"a": str(a), "b": str(b), "resamples": resamples, **asdict(found)}
    print(json.dumps(told, ensure_ascii=False, indent=2))


def _load(name: str) -> tuple[Path, Suite]:
    folder = Path(name) if (Path(name) / "suite.yaml").is_file() else SUITES / name
    return folder, load_suite(folder)


def _chosen(suite: Suite, only: str) -> list[Task]:
    tasks = [task for task in suite.tasks if fnmatch.fnmatchcase(task.id, only)]
    if not tasks:
        raise not_found(
            "bench.no_task",
            f"no task of {suite.id} fits {only!r}",
            hint="ids are listed in the suite's suite.yaml",
        )
    return tasks


def _part(only: str, sample: int, seed: int) -> str:
    """What distinguishes the files of a part of a suite, so that parts may be run side
    by side."""
    drawn = f".sample-{sample}-{seed}" if sample else ""
    return (
        "" if only == "*" else f".{re.sub(r'[^a-z0-9-]+', '', only).strip('-') or 'part'}"
    ) + drawn


def _out(out: Path | None, whole: bool) -> Path:
    """A part of a suite is no result of the suite."""
    return out or (RESULTS if whole else WORK / "results")


async def _head(name: str, suite: Suite, *, n: int, started: float) -> dict[str, Any]:
    return {
        "name": name,
        "suite": suite.id,
        "suite_version": suite.version,
        "n": n,
        "commit": await asyncio.to_thread(surroundings.commit, Path.cwd()),
        "machine": await surroundings.machine(),
        "taken_at": SystemClock().now().isoformat(timespec="seconds"),
        "seconds": round(time.monotonic() - started),
        "load": surroundings.load(),
    }


def _write(folder: Path, name: str, content: JsonObject) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return path


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise invalid(
            "bench.bad_result", f"{path} cannot be read: {error}", hint="check the path"
        ) from error


def _summary(figures: JsonObject) -> str:
    if "precision" in figures:
        return ", ".join(
            f"{name} {object_of(figures[name])['value']}"
            for name in ("precision", "recall", "right_sentence")
        )
    return f"pass@1 {figures['pass1_mean']} ± {figures['pass1_std']}"


class _Progress:
    """One line for each row, with how much is left."""

    def __init__(self, started: float) -> None:
        self._started = started
        self._rows: list[Row] = []
        self._console = Console(stderr=True)

    def __call__(self, row: Row, done: int, total: int) -> None:
        self._rows.append(row)
        each = (time.monotonic() - self._started) / len(self._rows)
        passes = _by_policy(self._rows)
        ending = row.outcome if row.passed else f"{row.failure}: {row.reason}"
        self._console.print(
            f"[{done}/{total}] {row.policy} {row.task} {row.run}: {output.clean(ending)[:160]}"
            f" ({row.seconds:.0f} s) · {passes} · about {each * (total - done) / 60:.0f} min left",
            highlight=False,
            markup=False,
            soft_wrap=True,
        )


def _by_policy(rows: Sequence[Row]) -> str:
    policies = dict.fromkeys(row.policy for row in rows)
    return ", ".join(
        f"{name}"
        f" {sum(row.passed for row in rows if row.policy == name)}/{sum(row.policy == name for row in rows)}"
        for name in policies
    )
