"""`proofwalk suites`: make the suites under suites/ from their units and families.

What is made is `platform.suites`; here is what people read and write.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from proofwalk.kernel.errors import ProofwalkError, invalid
from proofwalk.platform.devcloud_console import DevcloudConsole
from proofwalk.platform.devcloud_constants import DevcloudConstants
from proofwalk.platform.suites import (
    ON_DEMAND,
    SEED,
    SUITES,
    SYNTHESISED,
    WRITTEN,
    collect,
    console_suite,
    drift_suite,
    singles_suite,
    train_suite,
    written,
)
from proofwalk.platform.synthesis import synthesised
from proofwalk.suites.families.generation import shortfall
from proofwalk.suites.model import Suite
from proofwalk.suites.rules.constants import refuse_unfounded
from proofwalk.suites.storage import write_suite
from proofwalk.suites.synthesis.operations import Form
from proofwalk.suites.writing.library_files import read_library

app = typer.Typer(help="Suites of tasks: make them from units and families.", no_args_is_help=True)
_FOLDER = Annotated[
    Path,
    typer.Option("--folder", help="The folder that holds units/ and families/.", show_default=True),
]


@contextmanager
def _told(out: Console) -> Iterator[None]:
    """Print an error and end with the code for usage."""
    try:
        yield
    except ProofwalkError as error:
        out.print(f"[red]{error.code}[/red]: {escape(error.message)}")
        if error.hint:
            out.print(f"  → {escape(error.hint)}")
        raise typer.Exit(2) from None


@app.command("generate")
def generate_command(
    folder: _FOLDER = SUITES,
    partial: Annotated[
        bool,
        typer.Option(
            "--partial", help="Write what can be made although something is broken or missing."
        ),
    ] = False,
    only_console: Annotated[
        bool, typer.Option("--only-console", help="Make console-278 alone.")
    ] = False,
) -> None:
    """Write the suites; exit with 1 for what is broken, leaks or is not as planned."""
    out = Console(highlight=False, soft_wrap=True)
    problems: list[ProofwalkError] = []
    made: list[Suite] = []
    with _told(out):
        console = DevcloudConsole(problems=problems)
        library = read_library(folder, problems)
        evaluation = console_suite(library, console, problems)
        made.append(evaluation)
        known = DevcloudConstants(console.shipped)
    missing = shortfall(evaluation.tasks)
    if not only_console and (partial or not (problems or missing)):
        collect(problems, lambda: made.append(drift_suite(library, console)))
        if len(made) == 2:
            collect(problems, lambda: made.append(train_suite(library, console, *made)))
            collect(problems, lambda: made.append(singles_suite(library, console)))
    for suite in made:
        collect(problems, functools.partial(refuse_unfounded, suite.tasks, known))
    for problem in problems:
        out.print(f"[red]{problem.code}[/red]: {escape(problem.message)}")
    for line in missing:
        out.print(line)
    if (problems or missing) and not partial:
        out.print("Nothing is written; --partial writes the rest.")
        raise typer.Exit(1)
    for suite in made:
        write_suite(suite, folder / suite.id, index_only=suite.id in ON_DEMAND)
        out.print(f"{suite.id}: {len(suite.tasks)} tasks")
    raise typer.Exit(1 if problems or missing else 0)


@app.command("write")
def write_command(
    suite: Annotated[
        str, typer.Argument(help="The suite whose files are made on demand: train, singles.")
    ],
    folder: _FOLDER = SUITES,
    out: Annotated[
        Path | None, typer.Option("--out", help="Where to; build/suites/SUITE unless said.")
    ] = None,
) -> None:
    """Write the files of a suite that is kept as an index, and compare them with it."""
    said = Console(highlight=False, soft_wrap=True)
    with _told(said):
        if suite not in ON_DEMAND:
            raise invalid(
                "suite.not_on_demand",
                f"{suite} is not made on demand",
                hint=f"write {' or '.join(ON_DEMAND)}",
            )
        made = written(suite, folder)
        target = out or WRITTEN / suite
        write_suite(made, target)
        said.print(f"{target}: {len(made.tasks)} tasks")


@app.command("synthesise")
def synthesise_command(
    form: Annotated[
        Form, typer.Option(help="What documents tell: the steps, or the goal alone.")
    ] = Form.STEPS,
    seed: Annotated[int, typer.Option(help="Draws what is open.")] = SEED,
    without: Annotated[
        Path | None,
        typer.Option(help="A result of `bench prove`: the tasks that failed there are left out."),
    ] = None,
    folder: _FOLDER = SUITES,
    out: Annotated[
        Path | None, typer.Option("--out", help="Where to; build/suites/synthesised unless said.")
    ] = None,
) -> None:
    """Write tasks for what the console can do with its resources, with META and rules.

    Nobody has written or tried them: prove them, and leave out what fails.
    """
    said = Console(highlight=False, soft_wrap=True)
    with _told(said):
        failed = failed_in(without)
        made = synthesised(folder, seed=seed, form=form)
        tasks = tuple(task for task in made.suite.tasks if task.id not in failed)
        target = out or WRITTEN / SYNTHESISED
        write_suite(replace(made.suite, tasks=tasks), target)
    said.print(f"{target}: {len(tasks)} tasks of {made.operations} operations")
    for why, number in sorted(made.left_out.items(), key=lambda one: (-one[1], one[0])):
        said.print(f"  {number} left out: {escape(why)}")
    if failed:
        said.print(f"  {len(failed)} left out: they failed in {without}")


def failed_in(result: Path | None) -> frozenset[str]:
    """The tasks that a proof lists as failures. Raises `suite.no_proof`."""
    if result is None:
        return frozenset()
    try:
        content = json.loads(result.read_text(encoding="utf-8"))
        return frozenset(str(one["task"]) for one in content["failures"])
    except (OSError, ValueError, KeyError, TypeError):
        raise invalid(
            "suite.no_proof",
            f"{result} is not a result of `bench prove`",
            hint="prove the suite first: proofwalk bench prove SUITE --oracle",
        ) from None


if __name__ == "__main__":
    app()
