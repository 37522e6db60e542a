"""The table of an experiment: each version's pass rates, what training gained, and what
it cost. `learn.json` and, beside it, `learn.html`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from proofwalk.experiments.bench import surroundings
from proofwalk.experiments.bench.journal import read_rows
from proofwalk.experiments.learn import page
from proofwalk.kernel.json_values import JsonObject
from proofwalk.rl.run_files import read_metrics
from proofwalk.suites.counting.comparison import compare
from proofwalk.suites.counting.results import figures_of
from proofwalk.suites.counting.rows import Row, row_json

if TYPE_CHECKING:
    from proofwalk.experiments.learn.ledger import Ledger
    from proofwalk.experiments.learn.pipeline import Learning

NAMES: Mapping[str, str] = {"base": "base", "tuned": "sft", "reinforced": "grpo"}
"""Stage that evaluates -> what its version is called in the table."""
GAINS: Mapping[str, tuple[str, str]] = {
    "sft_gain": ("base", "tuned"),
    "grpo_gain": ("tuned", "reinforced"),
}
TRAINED = ("sft", "grpo")


def table(rows: Mapping[str, Sequence[Row]], *, runs: int, seed: int) -> dict[str, Any]:
    """Figures by version, shares from 0 to 1, and gains in points of 100 with their 95
    % interval (paired bootstrap over tasks).

    A version of which the environment lost every run of some task has fewer tasks:
    `tasks` says how many; a gain is over those that both have, and None where they have
    none in common.
    """
    found: dict[str, Any] = {}
    for stage, name in NAMES.items():
        figures = figures_of(rows[stage], k=runs)
        found[name] = {
            "pass1": figures["pass1_mean"],
            "std": figures["pass1_std"],
            f"pass{runs}": figures[f"pass{runs}"] if runs > 1 else figures["pass1_mean"],
            "tasks": figures["tasks"],
            "runs": figures["runs"],
            "runs_lost": figures["environment"]["runs_lost"],
            "by_product": {
                product: part["pass1"] for product, part in figures["by_product"].items()
            },
            "failures": figures["failures"],
            "steps": figures["steps"],
            "seconds": figures["seconds"],
        }
    return found | {
        gain: _gained(rows[before], rows[after], seed=seed)
        for gain, (before, after) in GAINS.items()
    }


def _gained(before: Sequence[Row], after: Sequence[Row], *, seed: int) -> dict[str, Any] | None:
    try:
        compared = compare(before, after, chance=Random(seed))  # noqa: S311  # repeatable on purpose
    except ValueError:
        return None
    difference = compared.difference
    return {
        "points": round(100 * difference.value, 2),
        "low": round(100 * difference.low, 2),
        "high": round(100 * difference.high, 2),
        "p": round(difference.p, 4),
        "tasks": compared.tasks,
        "better": list(compared.better),
        "worse": list(compared.worse),
    }


def by_held_out(
    rows: Mapping[str, Sequence[Row]], *, told: Set[str], runs: int, seed: int
) -> dict[str, Any]:
    """The same table of the tasks that are held out whole, `operations`, and of those
    whose documents are; a kind that has no task is not there. `told`: ids of the tasks
    whose operations training may tell."""
    found: dict[str, Any] = {}
    for kind in ("documents", "operations"):
        part = {
            stage: [row for row in some if (row.task in told) is (kind == "documents")]
            for stage, some in rows.items()
        }
        if any(part.values()):
            found[kind] = table(part, runs=runs, seed=seed)
    return found


def costs(ledger: Ledger) -> dict[str, Any]:
    """Wall and processor seconds of each stage, every attempt counted."""
    return {
        name: {
            "seconds": entry.seconds,
            "cpu_seconds": entry.cpu_seconds,
            "attempts": entry.attempts,
        }
        for name, entry in ledger.entries.items()
    }


async def write(experiment: Learning) -> dict[str, Any]:
    """Write `learn.json` and `learn.html` into the experiment's folder; the figures."""
    recipe, folder = experiment.recipe, experiment.folder
    rows = {stage: read_rows(experiment.rows(stage)) for stage in NAMES}
    cost = costs(experiment.ledger)
    seconds = sum(part["seconds"] for part in cost.values())
    figures = {
        **table(rows, runs=recipe.evaluate.runs, seed=recipe.seed),
        "by_held_out": by_held_out(
            rows, told=recipe.operations_told, runs=recipe.evaluate.runs, seed=recipe.seed
        ),
        "minutes": round(seconds / 60, 1),
        "cpu_minutes": round(sum(part["cpu_seconds"] for part in cost.values()) / 60, 1),
    }
    curves = {stage: read_metrics(experiment.metrics(stage)) for stage in TRAINED}
    content: JsonObject = {
        "name": "learn",
        "recipe": recipe.name,
        "about": recipe.about,
        "n": sum(len(one.ids) for one in recipe.evaluation),
        "seed": recipe.seed,
        "commit": await asyncio.to_thread(surroundings.commit, Path.cwd()),
        "machine": await surroundings.machine(),
        "taken_at": experiment.clock.now().isoformat(timespec="seconds"),
        "load": surroundings.load(),
        "figures": figures,
        "cost": cost,
        "stages": {name: entry.result for name, entry in experiment.ledger.entries.items()},
        "settings": recipe.model_dump(mode="json"),
        "curves": curves,
        "rows": {NAMES[stage]: [row_json(row) for row in some] for stage, some in rows.items()},
    }
    text = json.dumps(content, ensure_ascii=False, indent=1) + "\n"
    await asyncio.to_thread((folder / "learn.json").write_text, text, "utf-8")
    await asyncio.to_thread((folder / "learn.html").write_text, page.render(content), "utf-8")
    return {name: figures[name] for name in ("sft_gain", "grpo_gain", "minutes")} | {
        name: figures[name]["pass1"] for name in NAMES.values()
    }
