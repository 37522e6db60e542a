"""The command `proofwalk inspect`; what it does is in `inspecting`, which is imported
when it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from proofwalk.cli import output
from proofwalk.cli.collection_options import CollectionFlags, spec_of, takes_collection
from proofwalk.cli.order_options import Given, takes_order
from proofwalk.cli.running import run, settings


@takes_collection
@takes_order
def inspect_command(
    folder: Annotated[Path, typer.Argument(help="A folder of documents.", show_default=False)],
    given: Given,
    flags: CollectionFlags,
    everything: Annotated[bool, typer.Option("--everything", help="What is not due, too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Inspect a folder: walk what is new, changed or old in it."""
    from proofwalk.cli.inspecting import Inspected, exit_code, inspect, print_items
    from proofwalk.platform.inspections_client import InspectionsClient
    from proofwalk.platform.installation import connect

    async def work() -> Inspected:
        here = settings()
        # One that is started here may read this folder; one that runs has roots of its
        # own.
        roots = [*here.inspection.roots, folder.resolve()]
        inspection = here.inspection.model_copy(update={"roots": roots})
        spec = spec_of(folder, given, flags)
        here = here.model_copy(update={"inspection": inspection})
        async with connect(here, start=True) as client:
            return await inspect(
                InspectionsClient(client), spec, everything=everything, told=output.say
            )

    ended = run(work())
    if as_json:
        output.print_data({**ended.inspection, "items": ended.items})
    else:
        print_items(ended.items, Console())
    raise typer.Exit(exit_code(ended.items))
