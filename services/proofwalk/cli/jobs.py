"""`proofwalk jobs`: the verifications of a running installation."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from proofwalk.cli import output
from proofwalk.cli.running import run, settings
from proofwalk.platform.installation import connect

app = typer.Typer(help="Verifications of a running installation.", no_args_is_help=True)


@app.command("list")
def list_command(
    limit: Annotated[int, typer.Option(min=1, max=200)] = 20,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Verifications, newest first."""

    async def work() -> list[dict[str, Any]]:
        async with connect(settings(), start=False) as client:
            return await client.newest(limit=limit)

    rows = run(work())
    if as_json:
        output.print_data(rows)
        return
    table = Table("Verification", "State", "Outcome", "Document", "Created")
    for row in rows:
        outcome = (row.get("verdict") or {}).get("outcome", "")
        table.add_row(
            row["verification_id"],
            row["state"],
            outcome,
            output.clean(row["document"]),
            row["created_at"],
        )
    Console().print(table)


@app.command("show")
def show_command(
    verification_id: str, events: Annotated[bool, typer.Option(help="With its history.")] = False
) -> None:
    """One verification as JSON."""

    async def work() -> Mapping[str, object]:
        async with connect(settings(), start=False) as client:
            body = await client.get(verification_id)
            return {**body, "events": await client.events(verification_id)} if events else body

    output.print_data(run(work()))


@app.command("cancel")
def cancel_command(verification_id: str) -> None:
    """Ask for the end of a verification."""

    async def work() -> dict[str, Any]:
        async with connect(settings(), start=False) as client:
            return await client.cancel(verification_id)

    Console().print(f"{verification_id}: {run(work())['state']}")


def _save(verification_id: str, artefact: str, to: Path) -> None:
    async def work() -> bytes:
        async with connect(settings(), start=False) as client:
            return await client.artefact(verification_id, artefact)

    data = run(work())
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_bytes(data)
    Console(stderr=True).print(f"{to}: {len(data)} bytes", highlight=False)


@app.command("trajectory")
def trajectory_command(
    verification_id: str,
    to: Annotated[Path, typer.Option("--output", "-o", help="File to write.", show_default=False)],
    images: Annotated[bool, typer.Option(help="With the pictures, as a zip.")] = False,
) -> None:
    """Fetch a verification's steps as Parquet: seen, asked, answered and done."""
    _save(verification_id, "trajectory?images=true" if images else "trajectory", to)


@app.command("trace")
def trace_command(
    verification_id: str,
    to: Annotated[Path, typer.Option("--output", "-o", help="File to write.", show_default=False)],
) -> None:
    """Fetch the Playwright trace (`playwright show-trace FILE`), if one was ordered."""
    _save(verification_id, "trace", to)


@app.command("har")
def har_command(
    verification_id: str,
    to: Annotated[Path, typer.Option("--output", "-o", help="File to write.", show_default=False)],
) -> None:
    """Fetch the console's requests as HAR, if a trace was ordered."""
    _save(verification_id, "har", to)
