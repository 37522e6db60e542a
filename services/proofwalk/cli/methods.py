"""`proofwalk methods`: what each method makes of one checkpoint. Exit codes: 0 done,
1 a leak was found, 2 usage, 3 environment."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from proofwalk.cli import output
from proofwalk.cli.exit_codes import ExitCode
from proofwalk.cli.running import run, settings
from proofwalk.experiments.learn.recipe import read_as
from proofwalk.experiments.methods.recipe import MethodsRecipe
from proofwalk.kernel.clock import SystemClock, isoformat
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.platform.settings import Settings

_RESULTS = ("methods.json", "methods.html")
_SHOWN = (0, 2, 3, 4, 5, 9, 11)
"""Columns of the page's table that fit a terminal."""


def methods_command(
    recipe: Annotated[
        Path, typer.Argument(help="A recipe, recipes/methods.yaml.", show_default=False)
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Folder of the bench; build/methods/NAME unless said."),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", help="METHOD:SEED, a single run; repeatable. By default all."),
    ] = None,
    common: Annotated[
        bool, typer.Option("--common", help="Make the common checkpoint and no run.")
    ] = False,
    results: Annotated[
        Path | None,
        typer.Option(
            "--results",
            help="Folder to which methods.json and .html are copied when all runs are done.",
        ),
    ] = None,
) -> None:
    """Train the same checkpoint by each method, at equal steps, and compare."""
    found = read_as(MethodsRecipe, recipe)
    chosen = [] if common else [_arm(text, found) for text in only or ()] or list(found.arms)
    raise typer.Exit(run(_methods(settings(), found, out=out, arms=chosen, results=results)))


def _arm(text: str, recipe: MethodsRecipe) -> tuple[str, int]:
    known = {f"{name}:{seed}": (name, seed) for name, seed in recipe.arms}
    if text not in known:
        raise typer.BadParameter(f"one of {', '.join(known)}", param_hint="--only")
    return known[text]


async def _methods(
    settings: Settings,
    recipe: MethodsRecipe,
    *,
    out: Path | None,
    arms: list[tuple[str, int]],
    results: Path | None,
) -> ExitCode:
    from proofwalk.datasets.decontamination import LEAK
    from proofwalk.experiments.learn.experiment import Experiment
    from proofwalk.experiments.methods.pipeline import bench
    from proofwalk.platform.laboratories import Laboratories

    clock = SystemClock()
    folder = out or Path("build/methods") / recipe.name

    def say(text: str) -> None:
        output.say(f"{isoformat(clock.now())[11:19]} {text}")

    experiment = Experiment(recipe, Laboratories(settings), folder=folder, clock=clock, say=say)
    try:
        whole = await bench(experiment, arms)
    except ProofwalkError as error:
        if error.code != LEAK:
            raise
        say(f"{error.code}: {error.message}\n  → {error.hint}")
        return ExitCode.FINDINGS
    if (folder / _RESULTS[0]).is_file():
        _print(folder / _RESULTS[0])
    if whole and results is not None:
        await asyncio.to_thread(_copy, folder, results)
    say(f"written to {results if whole and results is not None else folder}")
    return ExitCode.VERIFIED


def _copy(folder: Path, results: Path) -> None:
    results.mkdir(parents=True, exist_ok=True)
    for name in _RESULTS:
        shutil.copyfile(folder / name, results / name)


def _print(path: Path) -> None:
    from proofwalk.experiments.learn.page import read
    from proofwalk.experiments.methods.page import cells

    head, *lines = ([line[at] for at in _SHOWN] for line in cells(read(path)["methods"]))
    shown = Table(*head)
    for line in lines:
        shown.add_row(*line)
    Console().print(shown)
