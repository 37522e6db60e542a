"""`proofwalk map`: maps of a console made, united, and what differs between two.

Exit codes: 0 nothing differs, 1 something differs, 2 usage, 3 environment. What a map
is, how it is made, and the rule of a difference are `proofwalk.maps`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from proofwalk.chassis.readers import Readers
from proofwalk.cli import output
from proofwalk.cli.exit_codes import ExitCode
from proofwalk.cli.map_making import lines_of, make_map, write_map
from proofwalk.cli.map_options import MapFlags, takes_map_flags
from proofwalk.cli.running import run, settings
from proofwalk.cli.target_browser import BrowserChoice
from proofwalk.cli.target_session import find_target
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.json_values import JsonObject
from proofwalk.maps import storage
from proofwalk.maps.changes import Change
from proofwalk.maps.differing import difference
from proofwalk.maps.documents import Mention, mentions
from proofwalk.maps.graph import ConsoleMap, merged
from proofwalk.procedures.tree.confined import TreeReader

app = typer.Typer(help="Maps of a console: made, united, compared.", no_args_is_help=True)


@app.command("make")
@takes_map_flags
def make_command(
    target: Annotated[str, typer.Argument(help="A target's id, or its file.", show_default=False)],
    flags: MapFlags,
    out: Annotated[Path, typer.Option("--out", "-o", help="The map.")] = Path("map.json"),
) -> None:
    """Explore a console without changing anything, and write its map."""
    chosen = settings()

    async def work() -> None:
        done = await make_map(
            find_target(target, chosen.targets),
            flags.order(),
            clock=SystemClock(),
            browser=BrowserChoice(chromium=chosen.sandbox_scheduler.chromium, headed=flags.headed),
        )
        for line in (_summary(out, done.console), *lines_of(done)):
            _tell(line)
        write_map(done, out)

    run(work())


@app.command("diff")
def diff_command(
    old: Annotated[Path, typer.Argument(help="The older map.", show_default=False)],
    new: Annotated[Path, typer.Argument(help="The newer map.", show_default=False)],
    documents: Annotated[
        Path | None,
        typer.Option(help="Folder of documents: say which ones name what has changed."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Report what was added, is gone, was renamed or has moved; exit with 1 for any."""

    async def work() -> tuple[Sequence[Change], Sequence[Mention]]:
        changes = difference(storage.read(old), storage.read(new))
        if documents is None:
            return changes, ()
        async with Readers() as readers:
            tree = await TreeReader(reading=readers).tree(documents)
        procedures = [one for page in tree.pages for one in page.procedures()]
        return changes, tuple(mentions(procedures, changes))

    changes, named = run(work())
    if as_json:
        output.print_data(_report(changes, named))
    else:
        _print(changes, named, looked=documents is not None)
    raise typer.Exit(ExitCode.FINDINGS if changes else ExitCode.VERIFIED)


@app.command("merge")
def merge_command(
    maps: Annotated[list[Path], typer.Argument(help="Maps of one console.", show_default=False)],
    out: Annotated[Path, typer.Option("--out", "-o", help="The united map.", show_default=False)],
) -> None:
    """Unite what several walks saw of one console, as one role."""

    async def work() -> ConsoleMap:
        united = merged(map(storage.read, maps))
        storage.write(united, out)
        return united

    _tell(_summary(out, run(work())))


def _summary(path: Path, console: ConsoleMap) -> str:
    pages = len(console.pages)
    dialogs = len(console.surfaces) - pages
    return f"{path}: {pages} pages, {dialogs} dialogs, {console.count_controls()} controls"


def _report(changes: Sequence[Change], named: Sequence[Mention]) -> JsonObject:
    return {
        "changes": [change.as_data() for change in changes],
        "inspect": [
            {"procedure": one.procedure, "line": one.line, "name": one.name} for one in named
        ],
    }


def _print(changes: Sequence[Change], named: Sequence[Mention], *, looked: bool) -> None:
    if not changes:
        _tell("nothing differs")
        return
    for change in changes:
        _tell(str(change))
    if looked and not named:
        _tell("no procedure names any of it")
    for one in named:
        _tell(f"inspect  {one.procedure}, line {one.line}: names “{one.name}”")


def _tell(line: str) -> None:
    typer.echo(output.clean(line))
