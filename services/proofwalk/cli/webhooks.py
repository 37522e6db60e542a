"""`proofwalk webhooks`: where a running installation tells of findings and inspections,
and what became of each delivery."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, TypeVar

import typer
from rich.console import Console
from rich.table import Table

from proofwalk.cli import output
from proofwalk.cli.running import run, settings
from proofwalk.platform.installation import connect
from proofwalk.platform.webhooks_client import WebhooksClient

app = typer.Typer(help="Webhooks of a running installation.", no_args_is_help=True)
T = TypeVar("T")
_Id = Annotated[str, typer.Argument(help="The webhook's id.", show_default=False)]
_Json = Annotated[bool, typer.Option("--json", help="As JSON.")]


@app.command("list")
def list_command(as_json: _Json = False) -> None:
    """Webhooks, with why one is disabled."""
    rows = _of_client(lambda client: client.webhooks())
    if as_json:
        output.print_data(rows)
        return
    table = Table("Webhook", "URL", "Events", "Description", "State")
    for row in rows:
        state = f"disabled: {row['disabled_reason']}" if row.get("disabled_at") else "enabled"
        words = (row["webhook_id"], row["url"], ", ".join(row["events"]), row["description"], state)
        table.add_row(*(output.clean(word) for word in words))
    Console().print(table)


@app.command("create")
def create_command(
    url: Annotated[str, typer.Argument(help="An https address.", show_default=False)],
    events: Annotated[
        list[str],
        typer.Argument(
            help="finding.opened, finding.reopened, finding.fixed, inspection.finished.",
            show_default=False,
        ),
    ],
    description: Annotated[str, typer.Option(help="What it is for.")] = "",
) -> None:
    """Have events sent to an address; its secret is printed this once."""
    output.print_data(_of_client(lambda client: client.create(url, events, description)))


@app.command("delete")
def delete_command(webhook_id: _Id) -> None:
    """Delete a webhook with its deliveries."""
    _of_client(lambda client: client.delete(webhook_id))
    Console().print(f"{output.clean(webhook_id)}: deleted")


@app.command("enable")
def enable_command(webhook_id: _Id) -> None:
    """Enable one that was disabled; what waited goes out."""
    _of_client(lambda client: client.enable(webhook_id))
    Console().print(f"{output.clean(webhook_id)}: enabled")


@app.command("deliveries")
def deliveries_command(webhook_id: _Id, as_json: _Json = False) -> None:
    """What was sent to a webhook and what came of it, newest first."""
    rows = _of_client(lambda client: client.deliveries(webhook_id))
    if as_json:
        output.print_data(rows)
        return
    table = Table("Delivery", "Event", "State", "Tries", "Status", "Created", "Reason")
    for row in rows:
        status = str(row["status"] or "-")
        words = (row["delivery_id"], row["event"], row["state"], str(row["tries"]), status)
        table.add_row(*(output.clean(word) for word in (*words, row["created_at"], row["reason"])))
    Console().print(table)


@app.command("replay")
def replay_command(
    delivery_id: Annotated[str, typer.Argument(help="The delivery's id.", show_default=False)],
) -> None:
    """Send a delivery that has ended once more."""
    delivery = _of_client(lambda client: client.replay(delivery_id))
    Console().print(f"{output.clean(delivery['delivery_id'])}: {delivery['state']}")


def _of_client(what: Callable[[WebhooksClient], Awaitable[T]]) -> T:
    async def work() -> T:
        async with connect(settings(), start=False) as client:
            return await what(WebhooksClient(client))

    return run(work())
