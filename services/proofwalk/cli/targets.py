"""`proofwalk target`: the files by which a console of one's own is described, tested
and written."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from proofwalk.cli import output
from proofwalk.cli.running import run, settings
from proofwalk.cli.target_browser import BrowserChoice
from proofwalk.cli.target_trial import try_target
from proofwalk.cloud.target import Target, TargetCatalog, load_target
from proofwalk.kernel.clock import SystemClock

app = typer.Typer(help="Consoles of your own: targets tested and written.", no_args_is_help=True)


@app.command("test")
def try_command(
    target: Annotated[str, typer.Argument(help="A target's id, or its file.", show_default=False)],
    account: Annotated[
        str, typer.Option(help="External id of the account; default: the first.")
    ] = "",
    headed: Annotated[bool, typer.Option(help="Show the browser; needs a display.")] = False,
) -> None:
    """Sign in to a target, read its audit log once, and say what does not fit."""
    chosen = settings()

    async def work() -> None:
        await try_target(
            _target(target, chosen.targets),
            account=account,
            clock=SystemClock(),
            say=_say,
            browser=BrowserChoice(chromium=chosen.sandbox_scheduler.chromium, headed=headed),
        )
        _say("the target works")

    run(work())


def _target(name: str, folder: Path) -> Target:
    """Return the target in a file, or of an id."""
    if name.endswith((".yaml", ".yml")):
        return load_target(Path(name), os.environ)
    return TargetCatalog(folder, os.environ).get(name)


def _say(line: str) -> None:
    typer.echo(output.clean(line))
