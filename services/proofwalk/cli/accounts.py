"""`proofwalk accounts`: the accounts of a running installation and what their leases
cost. Reads only."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC
from typing import Annotated

import typer
from google.protobuf.message import Message
from rich.console import Console
from rich.table import Table

from proofwalk.api.account_pool.v1 import account_pool_pb2 as pb
from proofwalk.api.account_pool.v1.account_pool_pb2_grpc import AccountPoolStub
from proofwalk.cli import output
from proofwalk.cli.running import run, settings
from proofwalk.cloud.money import Money
from proofwalk.kernel.clock import isoformat
from proofwalk.kernel.errors import invalid
from proofwalk.platform.role_channels import role_answers, role_channel

app = typer.Typer(help="Accounts of a running installation.", no_args_is_help=True)
_CALL_S = 10.0
Row = Mapping[str, str | int | None]
_Json = Annotated[bool, typer.Option("--json", help="As JSON.")]
_Target = Annotated[str, typer.Option(help="Of this target alone.", show_default=False)]


@app.command("list")
def list_command(target: _Target = "", as_json: _Json = False) -> None:
    """Accounts with what they serve, their states and balances."""

    async def work() -> list[Row]:
        async with _pool() as pool:
            reply = await pool.ListAccounts(pb.ListAccountsRequest(target=target), timeout=_CALL_S)
        return [_account(account) for account in reply.accounts]

    rows = run(work())
    if as_json:
        output.print_data(rows)
        return
    columns = ["target", "account", "role", "site", "purposes", "state", "holder", "balance"]
    _print(rows, [*columns, "reason"])


@app.command("ledger")
def ledger_command(
    target: _Target = "",
    account: Annotated[
        str, typer.Option(help="Of this account alone, by its id.", show_default=False)
    ] = "",
    limit: Annotated[int, typer.Option(min=1, max=1000)] = 100,
    as_json: _Json = False,
) -> None:
    """Who held which account, for what, and what it cost, newest first."""

    async def work() -> list[Row]:
        request = pb.ListLeasesRequest(target=target, account_id=account, limit=limit)
        async with _pool() as pool:
            reply = await pool.ListLeases(request, timeout=_CALL_S)
        return [_lease(line) for line in reply.leases]

    rows = run(work())
    if as_json:
        output.print_data(rows)
        return
    columns = ["granted", "ended", "account_id", "holder", "purpose", "site", "cost", "max_cost"]
    _print(rows, [*columns, "proof", "ending"])
    for currency in sorted({str(row["currency"]) for row in rows if row["cost"] is not None}):
        total = sum(int(row["micros"] or 0) for row in rows if row["currency"] == currency)
        output.say(f"{Money(micros=total, currency=currency)} in all")


@asynccontextmanager
async def _pool() -> AsyncIterator[AccountPoolStub]:
    here = settings()
    if not await role_answers(here, "account_pool"):
        raise invalid(
            "client.no_server",
            f"no account pool runs on {here.home}",
            hint="start one with `proofwalk serve all` or `proofwalk serve account-pool`",
        )
    async with role_channel(here, "account_pool") as channel:
        yield AccountPoolStub(channel.grpc)


def _print(rows: list[Row], columns: list[str]) -> None:
    table = Table(*(name.replace("_", " ").capitalize() for name in columns))
    for row in rows:
        table.add_row(*(output.clean(str(row[name] or "")) for name in columns))
    Console().print(table)


def _account(account: pb.Account) -> Row:
    return {
        "account_id": account.account_id,
        "account": account.external_id,
        "target": account.target,
        "role": account.role,
        "site": account.site,
        "purposes": ", ".join(account.purposes),
        "state": account.state,
        "holder": account.holder,
        "expires": _moment(account, "expires_at"),
        "balance": _money(account, "balance"),
        "reason": account.reason,
    }


def _lease(line: pb.LedgerLine) -> Row:
    return {
        "lease_id": line.lease_id,
        "account_id": line.account_id,
        "target": line.target,
        "epoch": line.epoch,
        "holder": line.holder,
        "request_id": line.request_id,
        "granted": _moment(line, "granted_at"),
        "ended": _moment(line, "ended_at"),
        "cost": _money(line, "cost"),
        "micros": line.cost.micros,
        "currency": line.cost.currency,
        "costed": _moment(line, "costed_at"),
        "max_cost": _money(line, "max_cost"),
        "purpose": line.purpose,
        "site": line.site,
        "proof": line.proof,
        "ending": line.ending,
    }


def _moment(message: Message, name: str) -> str | None:
    if not message.HasField(name):
        return None
    return isoformat(getattr(message, name).ToDatetime(tzinfo=UTC))


def _money(message: Message, name: str) -> str | None:
    """None where nothing tells it, which is not 0."""
    if not message.HasField(name):
        return None
    amount = getattr(message, name)
    return str(Money(micros=amount.micros, currency=amount.currency))
