"""`proofwalk blobs`: documents, pictures and trajectories at rest, sealed and under
which key. Exit codes: 0 all are sealed with the newest key, 1 some cannot be read, 2
usage, 3 environment."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from proofwalk.chassis.blob_forms import Sealing
from proofwalk.chassis.blobs import blobs_of
from proofwalk.cli import output
from proofwalk.cli.exit_codes import ExitCode
from proofwalk.cli.running import run, settings
from proofwalk.platform.settings import Settings

app = typer.Typer(help="Documents, pictures and trajectories at rest.", no_args_is_help=True)


@app.callback()
def blobs_command() -> None:
    """Keep `seal` a command of its own."""


@app.command("seal")
def seal_command(as_json: Annotated[bool, typer.Option("--json")] = False) -> None:
    """Seal what lies open, and seal anew what an earlier key sealed.

    The first key of PROOFWALK_BLOB_KEYS seals. An earlier one may be left out once this
    has ended with 0; roles go on meanwhile. Run it where the store's folder is; a
    bucket is reached from anywhere.
    """
    done = run(_sealed(settings()))
    if as_json:
        output.print_data(asdict(done))
    else:
        output.say(
            f"{done.sealed} lay open and are sealed, {done.renewed} were under an earlier key,"
            f" {done.current} under this one, {done.unreadable} cannot be read and were left"
        )
    if done.unreadable:
        raise typer.Exit(ExitCode.FINDINGS)


async def _sealed(of: Settings) -> Sealing:
    return await blobs_of(of).seal_all()
