"""The command `proofwalk inspect`; what it does is in `inspecting`, which is imported
when it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from proofwalk.cli import output
from proofwalk.cli.collection_options import (
    AllProcedures,
    Bounds,
    Choices,
    Cost,
    Name,
    NeverReplay,
    Parallel,
    RefreshDays,
    Seconds,
    Walks,
    Weights,
    spec_of,
)
from proofwalk.cli.order_options import Given, takes_order
from proofwalk.cli.running import run, settings


@takes_order
def inspect_command(
    folder: Annotated[Path, typer.Argument(help="A folder of documents.", show_default=False)],
    given: Given,
    name: Name = "",
    everything: Annotated[bool, typer.Option("--everything", help="What is not due, too.")] = False,
    walks: Walks = 0,
    cost: Cost = 0,
    seconds: Seconds = 0,
    parallel: Parallel = 1,
    refresh_days: RefreshDays = 30,
    weight: Weights = None,
    all_procedures: AllProcedures = False,
    never_replay: NeverReplay = False,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Inspect a folder: walk what is new, changed or old in it, and tell what came of
    it."""
    from proofwalk.cli.inspecting import Inspected, exit_code, inspect, print_items
    from proofwalk.platform.inspections_client import InspectionsClient
    from proofwalk.platform.installation import connect

    bounds = Bounds(
        walks=walks, cost=cost, seconds=seconds, parallel=parallel, refresh_days=refresh_days
    )
    choices = Choices(
        name=name,
        weights=tuple(weight or ()),
        all_procedures=all_procedures,
        never_replay=never_replay,
    )

    async def work() -> Inspected:
        here = settings()
        # One that is started here may read this folder; one that runs has roots of its
        # own.
        roots = [*here.inspection.roots, folder.resolve()]
        inspection = here.inspection.model_copy(update={"roots": roots})
        spec = spec_of(folder, given, bounds, choices)
        here = here.model_copy(update={"inspection": inspection})
        async with connect(here, start=True) as client:
            return await inspect(
                InspectionsClient(client), spec, everything=everything, told=output.say
            )

    found = run(work())
    if as_json:
        output.print_data({**found.inspection, "items": found.items})
    else:
        print_items(found.items, Console())
    raise typer.Exit(exit_code(found.items))
