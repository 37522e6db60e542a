"""How long the console's lists take on the server with very many rows, on a PostgreSQL
of its own: from the request to the last byte of the answer, over loopback.

Each list is asked for in every narrowing, and once from far behind its first page on.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import asyncpg
from pydantic import SecretStr

from benchmarks.console_ui.crowds import add_findings, add_verifications
from benchmarks.console_ui.visiting import Site
from benchmarks.holes.tenancy_browser import Browser
from proofwalk.chassis.database import Database
from proofwalk.chassis.migrations import migrate
from proofwalk.kernel.ids import SeededIds
from proofwalk.platform.client import Client
from proofwalk.platform.installation import client_key, embedded
from proofwalk.platform.settings import Settings
from tests.fixtures.servers import PostgresServer

_DATABASE = "console_ui"
_PAGES: Mapping[str, str] = {
    "overview": "/console",
    "verifications": "/console/verifications",
    "verifications, document wrong": "/console/verifications?status=doc_defect",
    "verifications, rare outcome": "/console/verifications?status=cancelled",
    "verifications, one target": "/console/verifications?target=staging",
    "verifications, rare outcome of one target": (
        "/console/verifications?status=judge_split&target=staging"
    ),
    "verifications, queued": "/console/verifications?status=queued",
    "verifications, no such target": "/console/verifications?target=nowhere",
}
_FINDINGS: Mapping[str, str] = {
    "findings": "/v1/findings",
    "findings, open": "/v1/findings?state=open",
    "findings, fixed": "/v1/findings?state=fixed",
    "findings, one product": "/v1/findings?product=oss",
    "findings, one folder": "/v1/findings?path=oss/",
    "findings, one target": "/v1/findings?target=staging",
    "findings, nobody's": "/v1/findings?assignee=nobody",
}
"""By REST, whose query the console's list has."""
_DEEP = 0.9
"""Share of the rows that a deep page has before it."""
_AT_ONCE = 200
_START_S = 60.0


@dataclass(frozen=True, kw_only=True)
class Timed:
    """Milliseconds of one list."""

    milliseconds: Sequence[float]

    def as_row(self) -> Mapping[str, float]:
        ordered = sorted(self.milliseconds)
        return {
            "p50": round(_quantile(ordered, 0.5), 2),
            "p95": round(_quantile(ordered, 0.95), 2),
            "max": round(ordered[-1], 2),
            "n": len(ordered),
        }


def _quantile(ordered: Sequence[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


async def measure(
    server: PostgresServer, home: Path, *, rows: int, requests: int
) -> Mapping[str, Timed]:
    """Every list with `rows` verifications and as many findings."""
    admin = await _connected(str(server.folder))
    try:
        await admin.execute(f"CREATE DATABASE {_DATABASE} TEMPLATE template0")
    finally:
        await admin.close()
    url = server.url(_DATABASE)
    await _fill(url, rows)
    settings = Settings(home=home, database_url=SecretStr(url))
    scheduler = settings.sandbox_scheduler.model_copy(update={"warm": 0})
    settings = settings.model_copy(update={"sandbox_scheduler": scheduler})
    async with embedded(settings) as here:
        return await _timed(Site(url=here.url, key=client_key(here.settings)), rows, requests)


async def _connected(folder: str) -> asyncpg.Connection:
    """The socket is there before the server takes sessions."""
    async with asyncio.timeout(_START_S):
        while True:
            try:
                return await asyncpg.connect(host=folder, user="postgres", database="postgres")
            except asyncpg.CannotConnectNowError:
                await asyncio.sleep(0.1)


async def _fill(url: str, rows: int) -> None:
    """The rows, and what PostgreSQL knows of them: a table that grew by and by has been
    analysed."""
    now, ids = datetime.now(UTC), SeededIds(7)
    database = Database(url)
    try:
        await migrate(database, "proofwalk.rollout")
        await migrate(database, "proofwalk.inspection")
        await add_verifications(database, rows, ids=ids, now=now)
        await add_findings(database, rows, ids=ids, now=now)
    finally:
        await database.close()
    connection = await asyncpg.connect(url)
    try:
        await connection.execute("VACUUM ANALYZE")
    finally:
        await connection.close()


async def _timed(site: Site, rows: int, requests: int) -> Mapping[str, Timed]:
    async with AsyncExitStack() as exits:
        console = Browser(site.url)
        await exits.enter_async_context(console.client)
        await console.sign_in(f"Bearer {site.key}")
        client = await exits.enter_async_context(Client(site.url, site.key))
        deep = await _deep_tokens(client, rows)
        asked = {
            **_PAGES,
            "verifications, deep": f"/console/verifications?page_token={deep['verifications']}",
            **_FINDINGS,
            "findings, deep": f"/v1/findings?page_token={deep['findings']}",
        }
        return {name: await _asked(console, client, path, requests) for name, path in asked.items()}


async def _asked(console: Browser, client: Client, path: str, requests: int) -> Timed:
    milliseconds = []
    # The first answer is not counted: it compiles statements and opens connections.
    for number in range(requests + 1):
        began = time.perf_counter()
        if path.startswith("/v1/"):
            await client.send("GET", path)
        else:
            answer = await console.client.get(path)
            if answer.status_code != 200:
                raise RuntimeError(f"{path} answered {answer.status_code}")
        if number:
            milliseconds.append((time.perf_counter() - began) * 1000)
    return Timed(milliseconds=milliseconds)


async def _deep_tokens(client: Client, rows: int) -> Mapping[str, str]:
    """Where the page begins that has most rows before it, by list."""
    tokens = {}
    for name in ("verifications", "findings"):
        token, behind = "", 0
        while behind < rows * _DEEP:
            query = {"limit": str(_AT_ONCE), "page_token": token}
            page = await client.call("GET", f"/v1/{name}", params=query)
            token, behind = page["next_page_token"], behind + _AT_ONCE
        tokens[name] = token
    return tokens
