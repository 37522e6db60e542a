"""`proofwalk config`: the settings and what they mean."""

from __future__ import annotations

import sys
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from proofwalk.cli import output
from proofwalk.cli.running import settings

app = typer.Typer(help="Settings.", no_args_is_help=True)


@app.command("show")
def config_show(as_json: Annotated[bool, typer.Option("--json")] = False) -> None:
    """Every setting with the value in use; secrets are redacted."""
    from proofwalk.chassis.settings import describe

    rows = describe(settings())
    if as_json:
        output.print_data([row.__dict__ for row in rows])
        return
    table = Table("Variable", "Value", "Default", "Meaning")
    for row in rows:
        table.add_row(row.variable, row.value, row.default, row.description)
    Console().print(table)


@app.command("reference")
def config_reference() -> None:
    """The settings reference as Markdown."""
    from proofwalk.chassis.settings import reference
    from proofwalk.platform.settings import Settings

    sys.stdout.write(reference(Settings))
