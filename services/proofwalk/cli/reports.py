"""`proofwalk report`: verifications of an installation as a folder of files that any
host of files serves (`bundle_pages`, `bundle_folder`)."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Protocol

import typer
from rich.console import Console

from proofwalk.cli import output
from proofwalk.cli.bundle_folder import BundleFolder, Manifest, Page
from proofwalk.cli.bundle_pages import parted, row_of
from proofwalk.cli.collections import find
from proofwalk.cli.running import run, settings
from proofwalk.kernel.clock import SystemClock, isoformat
from proofwalk.kernel.errors import conflict, invalid
from proofwalk.orders.verification import VerificationBody
from proofwalk.platform.client import Client
from proofwalk.platform.inspections_client import InspectionsClient
from proofwalk.platform.installation import connect

app = typer.Typer(help="Reports of a running installation.", no_args_is_help=True)
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_AGE = re.compile(r"(\d{1,5})([dhm])")
_UNITS = {"d": "days", "h": "hours", "m": "minutes"}


@app.callback()
def _reports() -> None:
    """Keeps `bundle` a command of its own beside those to come."""


@app.command("bundle")
def bundle_command(
    out: Annotated[Path, typer.Argument(help="The bundle's folder.", show_default=False)],
    verification: Annotated[
        list[str] | None,
        typer.Option(help="A verification; repeatable.", show_default=False),
    ] = None,
    collection: Annotated[
        str,
        typer.Option(
            help="Name or id of a collection: the last walk of each procedure.",
            show_default=False,
        ),
    ] = "",
    since: Annotated[
        str,
        typer.Option(
            help="Those asked for since then: 7d, 12h, 30m, or a date.", show_default=False
        ),
    ] = "",
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="The most to take.")] = 200,
) -> None:
    """Write finished verifications as static pages; a further run adds and replaces."""
    if sum(map(bool, (verification, collection, since))) > 1:
        raise typer.BadParameter("only one of --verification, --collection and --since")
    after = _moment(since) if since else None

    async def work() -> Manifest:
        async with connect(settings(), start=False) as client:
            if verification:
                ids = list(dict.fromkeys(verification))
            elif collection:
                ids = await _of_collection(client, collection)
            else:
                ids = [one async for one in _newest(client, after, limit)]
            return await write_bundle(client, ids[:limit], out, now=SystemClock().now())

    manifest = run(work())
    size = sum(facts.size for facts in manifest.files.values())
    pictures = sum(name.startswith("pictures/") for name in manifest.files)
    Console().print(
        f"{out / 'index.html'}: {len(manifest.verifications)} verifications, {pictures} pictures,"
        f" {size / 1_000_000:.1f} MB",
        highlight=False,
        soft_wrap=True,
    )


class Verifications(Protocol):
    """An installation, as far as a bundle asks it."""

    async def get(self, verification_id: str) -> VerificationBody: ...

    async def report(self, verification_id: str) -> bytes: ...


async def write_bundle(
    client: Verifications, ids: Sequence[str], out: Path, *, now: datetime
) -> Manifest:
    """Put these verifications into a folder. One that is not finished is left out and
    told. Raises `bundle.foreign_folder`, `bundle.empty`, and what the installation
    says."""
    folder = BundleFolder(out)
    before = await asyncio.to_thread(folder.open)
    added = []
    for identifier in ids:
        body = await client.get(_checked(identifier))
        if body.get("state") != "finished":
            output.say(f"{identifier}: left out, it is {body.get('state')}")
            continue
        parts = parted((await client.report(identifier)).decode())
        page = Page(row=row_of(body), html=parts.page, files=parts.files)
        added.append(await asyncio.to_thread(folder.add, page))
    if not added and not before.verifications:
        raise conflict(
            "bundle.empty",
            "no finished verification was chosen",
            hint="`proofwalk jobs list` shows what there is",
        )
    return await asyncio.to_thread(folder.close, before, added, made_at=isoformat(now))


def _checked(identifier: str) -> str:
    if not _ID.fullmatch(identifier):
        raise invalid("verification.bad_id", f"{identifier[:64]!r} is no verification's id")
    return identifier


async def _of_collection(client: Client, which: str) -> list[str]:
    """The last finished walk of each procedure of a collection."""
    inspections = InspectionsClient(client)
    collection_id = (await find(inspections, which))["collection_id"]
    last: dict[str, str] = {}
    for inspection in await inspections.inspections_of(collection_id, limit=200):
        for item in await inspections.items(inspection["inspection_id"]):
            if item["outcome"]:
                last.setdefault(item["procedure_id"], item["verification_id"])
    return list(last.values())


async def _newest(client: Client, after: datetime | None, limit: int) -> AsyncIterator[str]:
    """Finished verifications, newest first, as far back as `after`."""
    token, count = "", 0
    while count < limit:
        params = {"limit": "200", **({"page_token": token} if token else {})}
        answer = await client.call("GET", "/v1/verifications", params=params)
        for row in answer["verifications"]:
            if after is not None and datetime.fromisoformat(row["created_at"]) < after:
                return
            if row["state"] == "finished":
                count += 1
                yield row["verification_id"]
        token = answer["next_page_token"]
        if not token:
            return


def _moment(text: str) -> datetime:
    age = _AGE.fullmatch(text)
    if age is not None:
        return SystemClock().now() - timedelta(**{_UNITS[age[2]]: int(age[1])})
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter(
            f"{text!r} is neither 7d, 12h, 30m nor a date", param_hint="--since"
        ) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
