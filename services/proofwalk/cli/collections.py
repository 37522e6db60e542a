"""`proofwalk collections`: documentations that a running installation inspects
periodically."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Annotated, TypeVar

import typer
from rich.console import Console
from rich.table import Table

from proofwalk.cli import output
from proofwalk.cli.collection_options import CollectionFlags, spec_of, takes_collection
from proofwalk.cli.order_options import Given, takes_order
from proofwalk.cli.running import run, settings
from proofwalk.kernel.errors import not_found
from proofwalk.orders.collection import CollectionSpec, Schedule
from proofwalk.orders.inspection import CollectionBody
from proofwalk.platform.inspections_client import InspectionsClient
from proofwalk.platform.installation import connect

app = typer.Typer(help="Documentations that are inspected periodically.", no_args_is_help=True)
T = TypeVar("T")
_Which = Annotated[str, typer.Argument(help="Name or id of a collection.", show_default=False)]
_Json = Annotated[bool, typer.Option("--json", help="As JSON.")]


@app.command("add")
@takes_collection
@takes_order
def add_command(
    address: Annotated[
        str,
        typer.Argument(
            help="A folder of the server, under one of its PROOFWALK_INSPECTION__ROOTS, or the"
            " URL that --kind says.",
            show_default=False,
        ),
    ],
    given: Given,
    flags: CollectionFlags,
    cron: Annotated[
        str,
        typer.Option(help="When to inspect: five fields of cron; default: never by itself."),
    ] = "",
    time_zone: Annotated[str, typer.Option(help="IANA name of the schedule's time zone.")] = "UTC",
) -> None:
    """Make a collection of a source, or change the one of that name."""
    schedule = Schedule(cron=cron, time_zone=time_zone)

    async def work() -> CollectionBody:
        async with _client() as client:
            return await client.keep(spec_of(address, given, flags, schedule))

    kept = run(work())
    Console().print(kept["collection_id"])


@app.command("list")
def list_command(as_json: _Json = False) -> None:
    """Collections with their schedules."""
    rows = _of_client(lambda client: client.collections())
    if as_json:
        output.print_data(rows)
        return
    table = Table("Collection", "Name", "Documents", "Schedule", "Next")
    for row in rows:
        spec = CollectionSpec.model_validate(row["spec"])
        schedule = f"{spec.schedule.cron} {spec.schedule.time_zone}" if spec.schedule.cron else "-"
        following = "paused" if spec.paused else row.get("next_run_at", "-")
        address = output.clean(spec.source.address)
        table.add_row(row["collection_id"], output.clean(spec.name), address, schedule, following)
    Console().print(table)


@app.command("show")
def show_command(collection: _Which) -> None:
    """One collection as JSON."""
    output.print_data(_of_client(lambda client: find(client, collection)))


@app.command("pause")
def pause_command(collection: _Which) -> None:
    """Schedule nothing, and ask for nothing more in an inspection under way."""
    _say(collection, paused=True)


@app.command("resume")
def resume_command(collection: _Which) -> None:
    """Let a paused collection go on."""
    _say(collection, paused=False)


@app.command("remove")
def remove_command(collection: _Which) -> None:
    """Delete a collection with its inspections and its history."""

    async def removed(client: InspectionsClient) -> str:
        found = await find(client, collection)
        await client.delete(found["collection_id"])
        return found["collection_id"]

    Console().print(f"{_of_client(removed)}: removed")


async def find(client: InspectionsClient, which: str) -> CollectionBody:
    """A collection by name or id. Raises `collection.not_found`."""
    for row in await client.collections():
        if which in (row["collection_id"], row["spec"]["name"]):
            return row
    raise not_found(
        "collection.not_found",
        f"there is no collection {which[:64]!r}",
        hint="`proofwalk collections list` shows them",
    )


def _say(collection: str, *, paused: bool) -> None:
    async def changed(client: InspectionsClient) -> CollectionBody:
        found = await find(client, collection)
        spec = CollectionSpec.model_validate(found["spec"])
        return await client.keep(spec.model_copy(update={"paused": paused}))

    kept = _of_client(changed)
    Console().print(f"{kept['collection_id']}: {'paused' if paused else 'goes on'}")


def _of_client(what: Callable[[InspectionsClient], Awaitable[T]]) -> T:
    async def work() -> T:
        async with _client() as client:
            return await what(client)

    return run(work())


@asynccontextmanager
async def _client() -> AsyncIterator[InspectionsClient]:
    async with connect(settings(), start=False) as client:
        yield InspectionsClient(client)
