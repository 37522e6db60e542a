"""The table of a bench: what each method made of the common checkpoint. `methods.json`
and, beside it, `methods.html`.

A gain is taken run by run: a method's runs of a seed against the common checkpoint's
runs of the same numbers, which meet the same scenarios. Its interval is a bootstrap
over seeds and tasks, for other seeds and other tasks; of one seed it is one over tasks
alone, and says nothing of other seeds.
"""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from proofwalk.experiments.bench import surroundings
from proofwalk.experiments.bench.journal import read_rows
from proofwalk.experiments.methods import page
from proofwalk.experiments.methods.arm import Arm, Bench
from proofwalk.experiments.methods.phases import MEASURED, learned_in, used
from proofwalk.experiments.methods.recipe import START
from proofwalk.kernel.json_values import JsonObject, int_of
from proofwalk.rl.run_files import read_metrics
from proofwalk.suites.counting.rows import Row, row_json
from proofwalk.suites.counting.statistics import crossed_bootstrap, mean

LATEST = 5
"""Updates at a run's end whose entropy and KL are its own."""
Metrics = Sequence[Mapping[str, float]]
Chosen = Callable[[Row], bool]


@dataclass(frozen=True, kw_only=True)
class Ran:
    """What an arm left."""

    method: str
    paper: str
    seed: int
    rows: Sequence[Row]
    metrics: Metrics
    """Of all its phases, one behind the other."""
    environment_steps: int
    updates: int
    seconds: float
    """Of all attempts at all its stages, the evaluation's included."""
    cpu_seconds: float


def read(arm: Arm) -> Ran:
    """Blocks."""
    phases = () if arm.method is None else arm.method.phases
    stages = [learned_in(number) for number in range(1, len(phases) + 1)]
    paths = [path for stage in stages if (path := arm.metrics(stage)).is_file()]
    entries = arm.ledger.entries.values()
    return Ran(
        method=arm.name,
        paper="the common checkpoint" if arm.method is None else arm.method.paper,
        seed=arm.seed,
        rows=read_rows(arm.rows(MEASURED)),
        metrics=[row for path in paths for row in read_metrics(path)],
        environment_steps=used(arm, before=len(phases) + 1),
        updates=sum(int_of(arm.result(stage).get("steps")) for stage in stages),
        seconds=sum(entry.seconds for entry in entries),
        cpu_seconds=sum(entry.cpu_seconds for entry in entries),
    )


def table(
    arms: Sequence[Ran], *, seed: int, chosen: Chosen = lambda _: True
) -> dict[str, JsonObject]:
    """Figures by method, shares from 0 to 1, gains in points of 100 with their 95 %
    interval, over the rows that are chosen. A gain is None where the common checkpoint
    was not measured with any of the method's seeds."""
    start = {one.seed: _rates(one.rows, chosen) for one in arms if one.method == START}
    methods: dict[str, JsonObject] = {}
    for name in dict.fromkeys(one.method for one in arms):
        runs = [one for one in arms if one.method == name]
        rates = {one.seed: _rates(one.rows, chosen) for one in runs}
        told = {each: values for each, values in rates.items() if values}
        by_seed = {str(each): round(mean([*values.values()]), 4) for each, values in told.items()}
        methods[name] = {
            "paper": runs[0].paper,
            "runs": len(runs),
            "pass1": round(mean([*by_seed.values()]), 4) if by_seed else None,
            "by_seed": by_seed,
            **({} if name == START else _gained(start, told, seed=seed)),
            "entropy": _over(runs, lambda one: _latest(one.metrics, "entropy")),
            "kl": _over(runs, lambda one: _latest(one.metrics, "kl")),
            "staleness": _over(runs, lambda one: _whole(one.metrics, "staleness")),
            "environment_steps": _over(runs, lambda one: one.environment_steps),
            "updates": _over(runs, lambda one: one.updates),
            "seconds": _over(runs, lambda one: one.seconds),
            "cpu_seconds": _over(runs, lambda one: one.cpu_seconds),
        }
    return methods


Rates = Mapping[tuple[str, str], float]


def _rates(rows: Sequence[Row], chosen: Chosen) -> Rates:
    """Each task's share of runs that were verified, of those that say something."""
    passed: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row in rows:
        if row.told and chosen(row):
            passed[row.task, row.digest].append(float(row.passed))
    return {key: mean(values) for key, values in passed.items()}


def _gained(
    start: Mapping[int, Rates], rates: Mapping[int, Rates], *, seed: int
) -> dict[str, float | None]:
    """Over the tasks that every seed's runs, before and after, say something of."""
    seeds = sorted(start.keys() & rates.keys())
    sides = [one[each].keys() for one in (start, rates) for each in seeds]
    tasks = sorted(set.intersection(*map(set, sides))) if sides else []
    if not tasks:
        return {"gain": None, "low": None, "high": None, "p": None}
    differences = [[rates[each][task] - start[each][task] for task in tasks] for each in seeds]
    chance = Random(seed)  # noqa: S311  # repeatable on purpose
    found = crossed_bootstrap(differences, chance=chance)
    return {
        "gain": round(100 * found.value, 2),
        "low": round(100 * found.low, 2),
        "high": round(100 * found.high, 2),
        "p": round(found.p, 4),
    }


def _over(runs: Sequence[Ran], figure: Callable[[Ran], float | None]) -> float | None:
    """Mean over the runs that tell it."""
    told = [value for one in runs if (value := figure(one)) is not None]
    return round(mean(told), 4) if told else None


def _latest(metrics: Metrics, name: str) -> float | None:
    told = [row[name] for row in metrics if name in row][-LATEST:]
    return mean(told) if told else None


def _whole(metrics: Metrics, name: str) -> float | None:
    told = [row[name] for row in metrics if name in row]
    return mean(told) if told else None


async def write(bench: Bench, arms: Sequence[Arm]) -> None:
    """Write both files into the bench's folder."""
    recipe = bench.recipe
    ran = [await asyncio.to_thread(read, arm) for arm in arms]
    told = recipe.operations_told
    methods = table(ran, seed=recipe.seed)
    documents = table(ran, seed=recipe.seed, chosen=lambda row: row.task in told)
    operations = table(ran, seed=recipe.seed, chosen=lambda row: row.task not in told)
    content: JsonObject = {
        "name": "methods",
        "recipe": recipe.name,
        "about": recipe.about,
        "n": sum(len(one.rows) for one in ran),
        "seed": recipe.seed,
        "commit": await asyncio.to_thread(surroundings.commit, Path.cwd()),
        "machine": await surroundings.machine(),
        "taken_at": bench.clock.now().isoformat(timespec="seconds"),
        "load": surroundings.load(),
        "methods": methods,
        "figures": {
            "environment_steps": recipe.environment_steps,
            "seeds": len(recipe.seeds),
            "arms": len(ran),
            "arms_wanted": len(recipe.arms),
            "longest_run_minutes": round(max(one.seconds for one in ran) / 60, 1),
            "by_held_out": {"documents": documents, "operations": operations},
        },
        "settings": recipe.model_dump(mode="json"),
        "common": {
            name: {"seconds": entry.seconds, "cpu_seconds": entry.cpu_seconds}
            for name, entry in bench.ledger.entries.items()
        },
        "curves": {
            f"{one.method}:{one.seed}": [dict(row) for row in one.metrics]
            for one in ran
            if one.metrics
        },
        "rows": {f"{one.method}:{one.seed}": [row_json(row) for row in one.rows] for one in ran},
    }
    text = json.dumps(content, ensure_ascii=False, indent=1) + "\n"
    await asyncio.to_thread((bench.folder / "methods.json").write_text, text, "utf-8")
    html = await asyncio.to_thread(page.render, content)
    await asyncio.to_thread((bench.folder / "methods.html").write_text, html, "utf-8")
