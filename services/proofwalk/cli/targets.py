"""`proofwalk target`: the files by which a console of one's own is described, tested
and written."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Annotated

import typer

from proofwalk.cli import output
from proofwalk.cli.running import run, settings
from proofwalk.cli.target_answers import read_answers
from proofwalk.cli.target_browser import BrowserChoice
from proofwalk.cli.target_questions import Terminal
from proofwalk.cli.target_session import find_target
from proofwalk.cli.target_trial import try_target
from proofwalk.cli.target_writing import NewTarget
from proofwalk.kernel.clock import SystemClock

app = typer.Typer(help="Consoles of your own: targets tested and written.", no_args_is_help=True)


@app.command("test")
def try_command(
    target: Annotated[str, typer.Argument(help="A target's id, or its file.", show_default=False)],
    account: Annotated[
        str, typer.Option(help="External id of the account; default: the first of each role.")
    ] = "",
    role: Annotated[
        str, typer.Option(help="Role of the account; default: every role that has one.")
    ] = "",
    headed: Annotated[bool, typer.Option(help="Show the browser; needs a display.")] = False,
) -> None:
    """Sign in to a target, read its audit log once, and say what does not fit."""
    if account and role:
        raise typer.BadParameter("--account names an account, and --role another; give one")
    chosen = settings()

    async def work() -> None:
        await try_target(
            find_target(target, chosen.targets),
            account=account,
            role=role,
            clock=SystemClock(),
            say=_say,
            browser=BrowserChoice(chromium=chosen.sandbox_scheduler.chromium, headed=headed),
        )
        _say("the target works")

    run(work())


@app.command("new")
def new_command(
    url: Annotated[str, typer.Argument(help="Address of the console.", show_default=False)],
    target_id: Annotated[
        str, typer.Option("--id", help="What the target is called; default: it is asked.")
    ] = "",
    into: Annotated[
        Path | None, typer.Option(help="Folder of target files; default: PROOFWALK_TARGETS.")
    ] = None,
    answers: Annotated[
        Path | None, typer.Option(help="YAML file with the answers, by key.", show_default=False)
    ] = None,
    headed: Annotated[
        bool | None, typer.Option(help="Show the browser; default: where there is a display.")
    ] = None,
) -> None:
    """Ask about a console, sign in, find its log's fields, write a target, test it."""
    chosen = settings()
    display = bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    folder = into or chosen.targets

    async def work() -> None:
        new = NewTarget(
            url=url,
            folder=folder,
            answers=read_answers(answers) if answers is not None else Terminal(),
            browser=BrowserChoice(
                chromium=chosen.sandbox_scheduler.chromium,
                headed=display if headed is None else headed,
            ),
            clock=SystemClock(),
            pause=asyncio.sleep,
            say=_say,
        )
        path = await new.write(target_id)
        _say("the target works")
        elsewhere = folder.resolve() != chosen.targets.resolve()
        setting = f"PROOFWALK_TARGETS={folder} " if elsewhere else ""
        _say(f"next: {setting}proofwalk verify YOUR-DOCUMENT.md --target {path.stem}")

    run(work())


def _say(line: str) -> None:
    typer.echo(output.clean(line))
