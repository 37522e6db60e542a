"""`proofwalk findings`: what walks have found in a running installation, and what
reviewers say of it."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from proofwalk.cli import output
from proofwalk.cli.running import run, settings
from proofwalk.platform.findings_client import (
    FindingBody,
    FindingsClient,
    HistoryBody,
    PrecisionBody,
)
from proofwalk.platform.installation import connect

app = typer.Typer(help="Findings of a running installation.", no_args_is_help=True)
_Id = Annotated[str, typer.Argument(help="The finding's id.", show_default=False)]
_Json = Annotated[bool, typer.Option("--json", help="As JSON.")]
_Version = Annotated[
    int,
    typer.Option(
        min=0,
        help="Version that the decision is about; 0 takes the present one.",
        show_default=False,
    ),
]


@app.command("list")
def list_command(
    filters: Annotated[
        list[str] | None,
        typer.Argument(
            help="NAME=VALUE: state, kind, product, path (how it begins), target, assignee;"
            " of one name any will do.",
            show_default=False,
        ),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=200)] = 50,
    as_json: _Json = False,
) -> None:
    """Findings, newest first."""

    async def work() -> list[FindingBody]:
        async with connect(settings(), start=False) as client:
            return await FindingsClient(client).newest(filters or [], limit=limit)

    rows = run(work())
    if as_json:
        output.print_data(rows)
        return
    table = Table("Finding", "State", "Kind", "Seen", "Assignee", "Document", "Message")
    for row in rows:
        words = (
            row["finding_id"],
            row["state"],
            row["finding"]["kind"],
            str(row["sightings"]),
            row["assignee"],
            f"{row['document']}:{row['finding']['line']}",
            row["finding"]["message"],
        )
        table.add_row(*(output.clean(word) for word in words))
    Console().print(table)


@app.command("show")
def show_command(finding_id: _Id) -> None:
    """One finding with its events and sightings, as JSON."""

    async def work() -> HistoryBody:
        async with connect(settings(), start=False) as client:
            return await FindingsClient(client).get(finding_id)

    output.print_data(run(work()))


@app.command("accept")
def accept_command(finding_id: _Id, version: _Version = 0) -> None:
    """Say that the document is wrong."""
    _decide(finding_id, "accept", version=version)


@app.command("reject")
def reject_command(
    finding_id: _Id,
    reason: Annotated[
        str, typer.Option("--reason", "-r", help="Why it is no defect.", show_default=False)
    ],
    version: _Version = 0,
) -> None:
    """Say that the document is right, or that it does not matter."""
    _decide(finding_id, "reject", version=version, words=reason)


@app.command("fix")
def fix_command(finding_id: _Id, version: _Version = 0) -> None:
    """Say that the document was mended; the next walk shows whether it was."""
    _decide(finding_id, "fix", version=version)


@app.command("reopen")
def reopen_command(finding_id: _Id, version: _Version = 0) -> None:
    """Take back what was said of a finding."""
    _decide(finding_id, "reopen", version=version)


@app.command("assign")
def assign_command(
    finding_id: _Id,
    assignee: Annotated[
        str, typer.Argument(help="Whom; nobody if left out.", show_default=False)
    ] = "",
    version: _Version = 0,
) -> None:
    """Say who works on it."""
    _decide(finding_id, "assign", version=version, words=assignee)


@app.command("comment")
def comment_command(
    finding_id: _Id, words: Annotated[str, typer.Argument(show_default=False)]
) -> None:
    """Add to its history."""
    _decide(finding_id, "comment", version=0, words=words)


@app.command("record")
def record_command(
    verification_id: Annotated[str, typer.Argument(show_default=False)],
    product: Annotated[str, typer.Option(help="Of new findings.", show_default=False)] = "",
    as_json: _Json = False,
) -> None:
    """Take in what a finished verification says; inspections do so by themselves."""

    async def work() -> list[FindingBody]:
        async with connect(settings(), start=False) as client:
            return await FindingsClient(client).record(verification_id, product=product)

    rows = run(work())
    if as_json:
        output.print_data(rows)
        return
    for row in rows:
        output.say(f"{row['finding_id']}: {row['state']}")
    if not rows:
        output.say("it says nothing of any finding")


@app.command("precision")
def precision_command(as_json: _Json = False) -> None:
    """How often reviewers accept what walks find, with 95 % intervals."""

    async def work() -> list[PrecisionBody]:
        async with connect(settings(), start=False) as client:
            return await FindingsClient(client).precision()

    rows = run(work())
    if as_json:
        output.print_data(rows)
        return
    table = Table("Of", "Name", "Accepted", "Rejected", "Waiting", "Precision")
    for row in rows:
        share = (
            f"{row['share']:.2f} ({row['low']:.2f} to {row['high']:.2f})" if "share" in row else ""
        )
        table.add_row(
            row["facet"] or "all",
            output.clean(row["name"]),
            str(row["accepted"]),
            str(row["rejected"]),
            str(row["waiting"]),
            share,
        )
    Console().print(table)


def _decide(finding_id: str, act: str, *, version: int, words: str = "") -> None:
    async def work() -> FindingBody:
        async with connect(settings(), start=False) as client:
            findings = FindingsClient(client)
            about = version
            if not about and act != "comment":
                about = (await findings.get(finding_id))["finding"]["version"]
            return await findings.review(finding_id, act, version=about, words=words)

    row = run(work())
    output.say(f"{finding_id}: {row['state']}, version {row['version']}")
