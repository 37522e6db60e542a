"""`proofwalk inspections`: the inspections of a running installation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from proofwalk.cli import output
from proofwalk.cli.collections import find
from proofwalk.cli.inspecting import follow, print_items, standing
from proofwalk.cli.running import run, settings
from proofwalk.orders.inspection import InspectionBody, ItemBody
from proofwalk.platform.inspections_client import InspectionsClient
from proofwalk.platform.installation import connect

app = typer.Typer(help="Inspections of a running installation.", no_args_is_help=True)
_Json = Annotated[bool, typer.Option("--json", help="As JSON.")]


@app.command("list")
def list_command(
    limit: Annotated[int, typer.Option(min=1, max=200)] = 20, as_json: _Json = False
) -> None:
    """Inspections, newest first."""

    async def work() -> Sequence[InspectionBody]:
        async with connect(settings(), start=False) as client:
            return await InspectionsClient(client).inspections(limit=limit)

    rows = run(work())
    if as_json:
        output.print_data(rows)
        return
    table = Table("Inspection", "Collection", "State", "Done", "Outcomes", "Created")
    for row in rows:
        progress = row["progress"]
        table.add_row(
            row["inspection_id"],
            row["collection_id"],
            row["state"],
            f"{progress['done']}/{progress['total']}",
            ", ".join(f"{count} {name}" for name, count in sorted(row["outcomes"].items())),
            row["created_at"],
        )
    Console().print(table)


@app.command("show")
def show_command(inspection_id: str, as_json: _Json = False) -> None:
    """One inspection, with what became of each procedure."""

    async def work() -> tuple[InspectionBody, Sequence[ItemBody]]:
        async with connect(settings(), start=False) as client:
            inspections = InspectionsClient(client)
            found = await inspections.inspection(inspection_id)
            return found, await inspections.items(inspection_id)

    found, items = run(work())
    if as_json:
        output.print_data({**found, "items": items})
        return
    print_items(items, Console())
    output.say(standing(found))


@app.command("start")
def start_command(
    collection: Annotated[
        str, typer.Argument(help="Name or id of a collection.", show_default=False)
    ],
    everything: Annotated[bool, typer.Option("--everything", help="What is not due, too.")] = False,
    wait: Annotated[bool, typer.Option("--wait", help="Until its end.")] = False,
) -> None:
    """Inspect a collection now."""

    async def work() -> InspectionBody:
        async with connect(settings(), start=False) as client:
            inspections = InspectionsClient(client)
            found = await find(inspections, collection)
            begun = await inspections.start(found["collection_id"], everything=everything)
            if wait:
                return await follow(inspections, begun["inspection_id"], told=output.say)
            return begun

    begun = run(work())
    Console().print(f"{begun['inspection_id']}: {begun['state']}")


@app.command("cancel")
def cancel_command(inspection_id: str) -> None:
    """Ask for the end of an inspection and of its verifications."""

    async def work() -> InspectionBody:
        async with connect(settings(), start=False) as client:
            return await InspectionsClient(client).cancel(inspection_id)

    Console().print(f"{inspection_id}: {run(work())['state']}")
