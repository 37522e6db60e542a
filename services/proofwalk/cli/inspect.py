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
from proofwalk.inspection.settings import InspectionSettings
from proofwalk.orders.collection import CollectionSpec


@takes_collection
@takes_order
def inspect_command(
    address: Annotated[
        str,
        typer.Argument(
            help="A folder of documents, or the URL that --kind says.", show_default=False
        ),
    ],
    given: Given,
    flags: CollectionFlags,
    everything: Annotated[bool, typer.Option("--everything", help="What is not due, too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Inspect documents: walk what is new, changed or old in them."""
    from proofwalk.cli.inspecting import Inspected, exit_code, inspect, print_items
    from proofwalk.platform.inspections_client import InspectionsClient
    from proofwalk.platform.installation import connect

    async def work() -> Inspected:
        here = settings()
        spec = spec_of(address, given, flags)
        here = here.model_copy(update={"inspection": _reading(here.inspection, spec)})
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


def _reading(settings: InspectionSettings, spec: CollectionSpec) -> InspectionSettings:
    """The settings of an installation that is started here: it may read this folder or
    repository. One that runs has settings of its own."""
    if "://" in spec.source.address:
        return settings
    git = settings.git.model_copy(update={"protocols": [*settings.git.protocols, "file"]})
    roots = [*settings.roots, Path(spec.source.address)]
    return settings.model_copy(update={"roots": roots, "git": git})
