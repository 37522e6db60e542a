"""`proofwalk suites`: make the suites under suites/ from their units and families.

The work is `proofwalk.suites`; here are the console that the documents are written for, files, and what people read.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from proofwalk.cli.devcloud_console import DevcloudConsole
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.suites.generation import generate, shortfall
from proofwalk.suites.storage import write_suite
from proofwalk.suites.units import read_library

SEED = 20261121
"""Everything that is open in the committed suites is drawn from it."""

CONSOLE_SUITE = "console-278"

app = typer.Typer(help="Suites of tasks: make them from units and families.", no_args_is_help=True)
_FOLDER = Annotated[Path, typer.Option("--folder", help="The folder that holds units/ and families/.", show_default=True)]


@app.callback()
def main() -> None:
    """Suites of tasks: make them from units and families."""


@app.command("generate")
def generate_command(
    folder: _FOLDER = Path("suites"),
    partial: Annotated[
        bool, typer.Option("--partial", help="Write what can be made although something is broken or missing.")
    ] = False,
) -> None:
    """Write the suites. Exit code 1 when something is broken or the numbers are not those of the plan."""
    out = Console(highlight=False, soft_wrap=True)
    problems: list[ProofwalkError] = []
    try:
        console = DevcloudConsole(problems=problems)
        library = read_library(folder, problems)
        suite = generate(library, console, suite_id=CONSOLE_SUITE, version=1, seed=SEED, problems=problems)
    except ProofwalkError as error:
        out.print(f"[red]{error.code}[/red]: {escape(error.message)}", markup=True)
        raise typer.Exit(2) from None
    for problem in problems:
        out.print(f"[red]{problem.code}[/red]: {escape(problem.message)}", markup=True)
    missing = shortfall(suite.tasks)
    for line in missing:
        out.print(line)
    if (problems or missing) and not partial:
        out.print("Nothing is written; --partial writes the rest.")
        raise typer.Exit(1)
    write_suite(suite, folder / suite.id)
    out.print(f"{suite.id}: {len(suite.tasks)} tasks of {len(library.families)} families")
    raise typer.Exit(1 if problems or missing else 0)


if __name__ == "__main__":
    app()
