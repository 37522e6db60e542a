"""The suites that this repository has, made of units and families for the embedded
cloud's console.

The work is `proofwalk.suites`; here is which suites there are, and the console that
their documents are written for: `console-278` (the evaluation), `drift-200` (documents
with planted defects), `train` and `singles` (indexes; `written` makes their tasks
again).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from proofwalk.kernel.errors import ProofwalkError, invalid
from proofwalk.platform.devcloud_console import DevcloudConsole
from proofwalk.suites.families.drift import generate_drift
from proofwalk.suites.families.generation import generate
from proofwalk.suites.families.singles import generate_singles
from proofwalk.suites.families.training import generate_training
from proofwalk.suites.model import Suite
from proofwalk.suites.rules.decontamination import duplicates, leaks, refuse
from proofwalk.suites.storage import load_index, load_suite, write_suite
from proofwalk.suites.writing import labels
from proofwalk.suites.writing.library import Library
from proofwalk.suites.writing.library_files import read_library

SEED = 20261121
"""Everything that is open in the committed suites is drawn from it."""

CONSOLE_SUITE, DRIFT_SUITE, TRAIN_SUITE, SINGLES_SUITE = (
    "console-278",
    "drift-200",
    "train",
    "singles",
)
SYNTHESISED = "synthesised"
"""A suite that is written from product files (`platform.synthesis`), and kept
nowhere."""
ON_DEMAND = (TRAIN_SUITE, SINGLES_SUITE)
"""Those that are kept as an index."""
VERSIONS = {CONSOLE_SUITE: 2, DRIFT_SUITE: 1, TRAIN_SUITE: 2, SINGLES_SUITE: 1}
"""suites/README.md tells what each version changed."""
SUITES, WRITTEN = Path("suites"), Path("build/suites")
"""Where suites lie, and where those are written to that are made on demand."""


def console_suite(
    library: Library, console: labels.Console, problems: list[ProofwalkError] | None = None
) -> Suite:
    """`console-278`, without near-duplicates. With `problems` given, what cannot be
    made is listed there."""
    suite = generate(
        library,
        console,
        suite_id=CONSOLE_SUITE,
        version=VERSIONS[CONSOLE_SUITE],
        seed=SEED,
        problems=problems,
    )
    collect(problems, lambda: refuse(f"{suite.id} has near-duplicates", duplicates(suite.tasks)))
    return suite


def drift_suite(library: Library, console: labels.Console) -> Suite:
    """`drift-200`."""
    return generate_drift(
        library, console, suite_id=DRIFT_SUITE, version=VERSIONS[DRIFT_SUITE], seed=SEED
    )


def train_suite(library: Library, console: labels.Console, *evaluation: Suite) -> Suite:
    """`train`; no task of it comes near one of the evaluation suites."""
    tasks = [task for suite in evaluation for task in suite.tasks]
    suite = generate_training(
        library, console, tasks, suite_id=TRAIN_SUITE, version=VERSIONS[TRAIN_SUITE], seed=SEED
    )
    refuse(f"{suite.id} leaks", leaks(suite.tasks, tasks))
    return suite


def singles_suite(library: Library, console: labels.Console) -> Suite:
    """`singles`."""
    return generate_singles(
        library, console, suite_id=SINGLES_SUITE, version=VERSIONS[SINGLES_SUITE], seed=SEED
    )


def collect(problems: list[ProofwalkError] | None, work: Callable[[], None]) -> None:
    """Do the work; what it raises is listed in `problems`, or passes through where
    there is no list."""
    try:
        work()
    except ProofwalkError as error:
        if problems is None:
            raise
        problems.append(error)


def written(name: str, folder: Path) -> Suite:
    """A suite that is kept as an index, made anew. Blocks for some seconds. Raises
    `suite.damaged` when it is not what the index was made for."""
    console, library = DevcloudConsole(), read_library(folder)
    if name == SINGLES_SUITE:
        made = singles_suite(library, console)
    else:
        made = train_suite(
            library, console, console_suite(library, console), drift_suite(library, console)
        )
    if {task.id: task.digest for task in made.tasks} != _digests(folder / name):
        raise invalid(
            "suite.damaged",
            f"{name}: the sources do not give the tasks of the index",
            hint="run: make suites",
        )
    return made


def suite_of(name: str, folder: Path = SUITES) -> Suite:
    """A suite by its folder, or by its name below `folder`. One that is made on demand
    is written below build/suites, and again when its index is another one since.
    Blocks. Raises `suite.*`."""
    place = next(
        (
            one
            for one in (Path(name), folder / name)
            if (one / "tasks").is_dir() and (one / "suite.yaml").is_file()
        ),
        None,
    )
    if place is None and name in ON_DEMAND:
        place = WRITTEN / name
        if not (place / "tasks").is_dir() or _digests(place) != _digests(folder / name):
            write_suite(written(name, folder), place)
    return load_suite(place or folder / name)


def _digests(folder: Path) -> dict[str, str]:
    return {entry.id: entry.digest for entry in load_index(folder)[3]}
