"""`proofwalk apis`: functions that an agent may call beside acting by hand, built out
of exemplar tasks (`proofwalk.apis`). Exit codes: 0, 1 a function stays out or fails,
2 usage, 3 environment.

`build` has the model that is set write functions and their tests, and tests them on an
embedded cloud of its own, or on a desktop; a construction that was ended goes on.
`test` runs a catalogue's tests again. `list` says what is in one.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, TypedDict

import typer

from proofwalk.apis.asking import Author
from proofwalk.apis.construction import ROUNDS, Bounds, Built, Construction
from proofwalk.apis.model import ApiFunction, holds
from proofwalk.apis.prompts import failures, signature
from proofwalk.apis.requirements import MOST_FUNCTIONS, MOST_TASKS
from proofwalk.apis.running import Runner
from proofwalk.apis.storage import CatalogueFolder
from proofwalk.apis.surfaces import CloudSurface, DesktopSurface, Surface
from proofwalk.apis.testing import Examiner
from proofwalk.chassis.logs import Redaction
from proofwalk.chassis.settings import secret_values
from proofwalk.cli import output
from proofwalk.cli.exit_codes import ExitCode
from proofwalk.cli.running import failed, run, settings
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError, Status, invalid
from proofwalk.models.connection import connect
from proofwalk.models.settings import ModelSettings
from proofwalk.platform.api_surfaces import cloud_surface, desktop_surface
from proofwalk.platform.settings import Settings

app = typer.Typer(help="Functions that agents call: built, tested, listed.", no_args_is_help=True)
_LINES = ".txt"
_Folder = Annotated[Path, typer.Argument(help="A catalogue's folder.", show_default=False)]
_Desktop = Annotated[
    Path | None,
    typer.Option(
        "--desktop",
        help="Folder of a desktop's image: functions for desktops; left out, for the cloud.",
    ),
]


class Listed(TypedDict):
    """A function as `list` prints it."""

    name: str
    application: str
    digest: str
    description: str
    tests: int
    model: str
    rounds: int


@app.command("build")
def build_command(
    tasks: Annotated[
        list[Path],
        typer.Option(
            "--tasks",
            help="A file of exemplar tasks: of .txt each line is one, of others the whole."
            " Repeatable.",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", help="Folder of the catalogue.")],
    endpoint: Annotated[
        str,
        typer.Option("--endpoint", help="OpenAI-compatible URL; by default the rollout's model."),
    ] = "",
    model: Annotated[str, typer.Option("--model", help="The model's name at the endpoint.")] = "",
    functions: Annotated[
        int, typer.Option(min=1, max=MOST_FUNCTIONS, help="New functions at most.")
    ] = MOST_FUNCTIONS,
    rounds: Annotated[
        int, typer.Option(min=1, max=20, help="Implementations of one function at most.")
    ] = ROUNDS,
    desktop: _Desktop = None,
) -> None:
    """Build the functions that tasks need and the catalogue has not."""
    here = settings()
    changes = {key: text for key, text in {"endpoint": endpoint, "name": model}.items() if text}
    asked = here.rollout.model.model_copy(update=changes)
    bounds = Bounds(functions=functions, rounds=rounds)
    ends = run(build(here, asked, tasks_of(tasks), out, bounds=bounds, desktop=desktop))
    stays_out = any(one.function is None for one in ends)
    raise typer.Exit(ExitCode.FINDINGS if stays_out else ExitCode.VERIFIED)


@app.command("test")
def retest_command(folder: _Folder, desktop: _Desktop = None) -> None:
    """Run the tests of a catalogue's functions again."""
    broken = run(check(settings(), folder, desktop=desktop))
    raise typer.Exit(ExitCode.FINDINGS if broken else ExitCode.VERIFIED)


@app.command("list")
def list_command(
    folder: _Folder,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Say which functions a catalogue has, and where they come from."""
    try:
        functions = CatalogueFolder(folder).read().functions.values()
    except ProofwalkError as error:
        raise failed(error) from None
    if as_json:
        output.print_data([_listed(one) for one in functions])
        return
    for one in functions:
        typer.echo(output.clean(signature(one.interface)))
        typer.echo(
            f"  for {one.application}, {len(one.tests)} tests, by {one.provenance.model} in"
            f" {one.provenance.rounds} rounds, {one.digest[:12]}"
        )


def tasks_of(files: Sequence[Path]) -> list[str]:
    """The exemplar tasks of files."""
    tasks: list[str] = []
    for file in files:
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise typer.BadParameter(f"{file}: {error}", param_hint="--tasks") from None
        tasks += text.splitlines() if file.suffix == _LINES else [text]
    tasks = [one.strip() for one in tasks if one.strip()]
    if len(tasks) > MOST_TASKS:
        raise typer.BadParameter(
            f"{len(tasks)} tasks; at most {MOST_TASKS} are told to a model at once",
            param_hint="--tasks",
        )
    return tasks


async def build(
    here: Settings,
    asked: ModelSettings,
    tasks: Sequence[str],
    out: Path,
    *,
    bounds: Bounds,
    desktop: Path | None = None,
) -> tuple[Built, ...]:
    """Build functions into `out`. Raises `apis.no_model`, and what `Construction.build`
    raises."""
    redaction = Redaction(secret_values(here))
    clock = SystemClock()
    async with connect(asked, clock=clock) as model:
        if model is None:
            raise ProofwalkError(
                "apis.no_model",
                "no model is named that could write functions",
                status=Status.FAILED_PRECONDITION,
                hint="give --endpoint URL --model NAME, or set PROOFWALK_ROLLOUT__MODEL__ENDPOINT",
            )
        async with _surface(redaction, desktop) as surface:
            author = Author(model, code=lambda: secrets.token_hex(8), mask=redaction.text)
            construction = Construction(
                author, _examiner(surface), CatalogueFolder(out), bounds=bounds, progress=_tell
            )
            ends = await construction.build(tasks)
            spent = author.spent
    kept = sum(one.function is not None for one in ends)
    output.say(
        f"{out}: {kept} of {len(ends)} functions; {spent.calls} questions,"
        f" {spent.tokens_in + spent.tokens_out} tokens"
    )
    return ends


async def check(here: Settings, folder: Path, *, desktop: Path | None = None) -> int:
    """How many functions fail tests that they have passed. Raises
    `apis.nothing_to_test`, `apis.other_application`, and what `Examiner.test`
    raises."""
    catalogue = CatalogueFolder(folder).read()
    if not catalogue.functions:
        raise invalid(
            "apis.nothing_to_test",
            f"{folder} has no function",
            hint="name a catalogue that `proofwalk apis build` wrote",
        )
    catalogue.refuse_other((CloudSurface if desktop is None else DesktopSurface).application)
    broken = 0
    async with _surface(Redaction(secret_values(here)), desktop) as surface:
        examiner = _examiner(surface)
        for one in catalogue.functions.values():
            trials = await examiner.test(one.interface, one.code, one.tests)
            right = holds(trials, one.tests)
            broken += not right
            output.say(f"{one.name}: passes" if right else f"{one.name}: fails\n{failures(trials)}")
    return broken


@asynccontextmanager
async def _surface(redaction: Redaction, desktop: Path | None) -> AsyncIterator[Surface]:
    if desktop is not None:
        async with desktop_surface(desktop) as on_desktop:
            yield on_desktop
        return
    async with cloud_surface(
        clock=SystemClock(), register_secret=redaction.register
    ) as in_the_cloud:
        yield in_the_cloud


def _examiner(surface: Surface) -> Examiner:
    return Examiner(Runner(surface), unique=lambda: f"x{secrets.token_hex(3)}")


def _tell(built: Built) -> None:
    if built.function is not None:
        output.say(f"{built.interface.name}: passes its tests after {built.rounds} rounds")
    else:
        output.say(f"{built.interface.name}: stays out: {built.reason[:600]}")


def _listed(function: ApiFunction) -> Listed:
    return Listed(
        name=function.name,
        application=function.application,
        digest=function.digest,
        description=function.interface.description,
        tests=len(function.tests),
        model=function.provenance.model,
        rounds=function.provenance.rounds,
    )
