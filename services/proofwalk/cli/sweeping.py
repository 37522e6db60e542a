"""`proofwalk sweep`: what runs left in any account, listed and deleted. Exit codes: 0
nothing is left that should go, 1 something is, 2 usage, 3 environment."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from proofwalk.cli import output
from proofwalk.cli.exit_codes import ExitCode
from proofwalk.cli.running import run, settings
from proofwalk.kernel.errors import invalid
from proofwalk.platform.settings import Settings

if TYPE_CHECKING:
    from proofwalk.api.account_pool.v1 import account_pool_pb2 as pb

LEFT = "left"
_CALL_S = 600.0
_AGE = re.compile(r"(\d{1,9})([smhd]?)")
_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}


def sweep_command(
    target: Annotated[str, typer.Option(help="Accounts of this target; of all by default.")] = "",
    older_than: Annotated[
        str, typer.Option("--older-than", help="Seconds, or 30m, 2h, 1d.")
    ] = "1h",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would go and why; change nothing.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Delete what runs left in the accounts of a running installation.

    What bears a run's tag (or its random name, where a type has no tags) and is old
    enough goes, dependents first. An account that somebody has leased is not touched.
    """
    rows = [row_of(one) for one in run(_swept(settings(), target, older_than, dry_run))]
    if as_json:
        output.print_data(rows)
    else:
        _show(rows)
    if any(row["fate"] == LEFT for row in rows):
        raise typer.Exit(ExitCode.FINDINGS)


def age_of(text: str) -> timedelta:
    """An age as it is written. Raises `sweep.bad_age`."""
    read = _AGE.fullmatch(text.strip())
    if read is None:
        raise invalid("sweep.bad_age", f"{text!r} is no age", hint="write seconds, or 30m, 2h, 1d")
    return timedelta(seconds=int(read[1]) * _UNITS[read[2]])


def row_of(orphan: pb.Orphan) -> dict[str, str]:
    """An orphan in words. One without an id stands for an account that could not be
    looked at."""
    item = orphan.resource
    return {
        "account": orphan.external_id,
        "target": orphan.target,
        "resource": f"{item.product}/{item.type} {item.id}" if item.id else "",
        "name": item.name,
        "region": item.region,
        "run": orphan.run,
        "fate": orphan.fate,
        "reason": orphan.reason,
    }


async def _swept(
    chosen: Settings, target: str, older_than: str, dry_run: bool
) -> Sequence[pb.Orphan]:
    # Brings gRPC along, which the start of other commands does not need.
    from google.protobuf.duration_pb2 import Duration

    from proofwalk.api.account_pool.v1 import account_pool_pb2 as pb
    from proofwalk.api.account_pool.v1.account_pool_pb2_grpc import AccountPoolStub
    from proofwalk.platform.role_channels import role_answers, role_channel

    older = Duration()
    older.FromTimedelta(age_of(older_than))
    if not await role_answers(chosen, "account_pool"):
        raise invalid(
            "client.no_server",
            f"no account pool runs on {chosen.home}",
            hint="start one with `proofwalk serve all`",
        )
    request = pb.SweepOrphansRequest(target=target, older_than=older, dry_run=dry_run)
    async with role_channel(chosen, "account_pool") as channel:
        answer = await AccountPoolStub(channel.grpc).SweepOrphans(request, timeout=_CALL_S)
    return list(answer.orphans)


def _show(rows: Sequence[dict[str, str]]) -> None:
    table = Table("Account", "Resource", "Name", "Run", "What", "Why")
    for row in rows:
        shown = (row["account"], row["resource"], row["name"], row["run"])
        table.add_row(*map(output.clean, (*shown, row["fate"].replace("_", " "), row["reason"])))
    Console().print(table)
    counts = Counter(row["fate"].replace("_", " ") for row in rows)
    told = ", ".join(f"{count} {fate}" for fate, count in sorted(counts.items()))
    output.say(told or "no run has left anything")
