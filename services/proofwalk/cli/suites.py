"""`proofwalk suites`: make the suites under suites/ from their units and families.

The work is `proofwalk.suites`; here are the console that the documents are written for, files, and what people read. `make_suites` is all
that is made: `console-278` (the evaluation), `drift-200` (documents with planted defects), `train` and `singles` (indexes; `write` makes their
files).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from proofwalk.cli.devcloud_console import DevcloudConsole
from proofwalk.cli.devcloud_constants import DevcloudConstants
from proofwalk.kernel.errors import ProofwalkError, invalid
from proofwalk.suites import labels
from proofwalk.suites.constants import refuse_unfounded
from proofwalk.suites.decontamination import duplicates, leaks, refuse
from proofwalk.suites.drift import generate_drift
from proofwalk.suites.generation import generate, shortfall
from proofwalk.suites.model import Suite
from proofwalk.suites.singles import generate_singles
from proofwalk.suites.storage import load_index, load_suite, write_suite
from proofwalk.suites.training import generate_training
from proofwalk.suites.units import Library, read_library

SEED = 20261121
"""Everything that is open in the committed suites is drawn from it."""

CONSOLE_SUITE, DRIFT_SUITE, TRAIN_SUITE, SINGLES_SUITE = "console-278", "drift-200", "train", "singles"
ON_DEMAND = (TRAIN_SUITE, SINGLES_SUITE)
"""Those that are kept as an index."""
VERSIONS = {CONSOLE_SUITE: 2, DRIFT_SUITE: 1, TRAIN_SUITE: 1, SINGLES_SUITE: 1}
"""suites/README.md tells what each version changed."""
SUITES, WRITTEN = Path("suites"), Path("build/suites")
"""Where suites lie, and where those are written to that are made on demand."""

app = typer.Typer(help="Suites of tasks: make them from units and families.", no_args_is_help=True)
_FOLDER = Annotated[Path, typer.Option("--folder", help="The folder that holds units/ and families/.", show_default=True)]


def console_suite(library: Library, console: labels.Console, problems: list[ProofwalkError] | None = None) -> Suite:
    """`console-278`, without near-duplicates. With `problems` given, what cannot be made is listed there."""
    suite = generate(library, console, suite_id=CONSOLE_SUITE, version=VERSIONS[CONSOLE_SUITE], seed=SEED, problems=problems)
    _collect(problems, lambda: refuse(f"{suite.id} has near-duplicates", duplicates(suite.tasks)))
    return suite


def drift_suite(library: Library, console: labels.Console) -> Suite:
    """`drift-200`."""
    return generate_drift(library, console, suite_id=DRIFT_SUITE, version=VERSIONS[DRIFT_SUITE], seed=SEED)


def train_suite(library: Library, console: labels.Console, *evaluation: Suite) -> Suite:
    """`train`; no task of it comes near one of the evaluation suites."""
    tasks = [task for suite in evaluation for task in suite.tasks]
    suite = generate_training(library, console, tasks, suite_id=TRAIN_SUITE, version=VERSIONS[TRAIN_SUITE], seed=SEED)
    refuse(f"{suite.id} leaks", leaks(suite.tasks, tasks))
    return suite


def singles_suite(library: Library, console: labels.Console) -> Suite:
    """`singles`."""
    return generate_singles(library, console, suite_id=SINGLES_SUITE, version=VERSIONS[SINGLES_SUITE], seed=SEED)


def _collect(problems: list[ProofwalkError] | None, work: Callable[[], None]) -> None:
    try:
        work()
    except ProofwalkError as error:
        if problems is None:
            raise
        problems.append(error)


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
        bool, typer.Option("--partial", help="Write what can be made although something is broken or missing.")
    ] = False,
    only_console: Annotated[bool, typer.Option("--only-console", help="Make console-278 alone.")] = False,
) -> None:
    """Write the suites. Exit code 1 when something is broken, leaks, or the numbers are not those of the plan."""
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
        _collect(problems, lambda: made.append(drift_suite(library, console)))
        if len(made) == 2:
            _collect(problems, lambda: made.append(train_suite(library, console, *made)))
            _collect(problems, lambda: made.append(singles_suite(library, console)))
    for suite in made:
        _collect(problems, functools.partial(refuse_unfounded, suite.tasks, known))
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


def written(name: str, folder: Path) -> Suite:
    """A suite that is kept as an index, made anew. Blocks for some seconds. Raises `suite.damaged` when it is not what the index was made for."""
    console, library = DevcloudConsole(), read_library(folder)
    if name == SINGLES_SUITE:
        made = singles_suite(library, console)
    else:
        made = train_suite(library, console, console_suite(library, console), drift_suite(library, console))
    if {task.id: task.digest for task in made.tasks} != _digests(folder / name):
        raise invalid("suite.damaged", f"{name}: the sources do not give the tasks of the index", hint="run: make suites")
    return made


def suite_of(name: str, folder: Path = SUITES) -> Suite:
    """A suite by its folder, or by its name below `folder`. One that is made on demand is written below build/suites, and again when its
    index is another one since. Blocks. Raises `suite.*`."""
    place = next(
        (one for one in (Path(name), folder / name) if (one / "tasks").is_dir() and (one / "suite.yaml").is_file()), None
    )
    if place is None and name in ON_DEMAND:
        place = WRITTEN / name
        if not (place / "tasks").is_dir() or _digests(place) != _digests(folder / name):
            write_suite(written(name, folder), place)
    return load_suite(place or folder / name)


def _digests(folder: Path) -> dict[str, str]:
    return {entry.id: entry.digest for entry in load_index(folder)[3]}


@app.command("write")
def write_command(
    suite: Annotated[str, typer.Argument(help="The suite whose files are made on demand: train, singles.")],
    folder: _FOLDER = SUITES,
    out: Annotated[Path | None, typer.Option("--out", help="Where to; build/suites/SUITE unless said.")] = None,
) -> None:
    """Write the files of a suite that is kept as an index. They must be those that the index was made for."""
    said = Console(highlight=False, soft_wrap=True)
    with _told(said):
        if suite not in ON_DEMAND:
            raise invalid("suite.not_on_demand", f"{suite} is not made on demand", hint=f"write {' or '.join(ON_DEMAND)}")
        made = written(suite, folder)
        target = out or WRITTEN / suite
        write_suite(made, target)
        said.print(f"{target}: {len(made.tasks)} tasks")


if __name__ == "__main__":
    app()
