"""PostgreSQL is restarted while a document is walked: every role goes on, and the
verdict is what it would have been."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import suppress

import pytest

from proofwalk.chassis.database import Database
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.orders.body import read_request
from tests.e2e.installation import DOCS, HANGS_S, home, rule_of, running
from tests.fixtures.servers import postgres_files

DOCUMENT = DOCS / "01-vpc-create-vpc.md"


async def answers(url: str) -> bool:
    database = Database(url)
    try:
        with suppress(ProofwalkError):
            async with database.read():
                return True
        return False
    finally:
        await database.close()


@pytest.mark.browser
@pytest.mark.postgres
@pytest.mark.slow
@pytest.mark.timeout(HANGS_S)
async def test_a_restart_of_postgresql_in_a_walk_ends_no_role_and_changes_no_verdict() -> None:
    with postgres_files() as files, home() as folder:
        url = files.server.url("postgres")
        server = files.running()
        await asyncio.to_thread(server.__enter__)
        try:
            async with asyncio.timeout(60):
                while not await answers(url):
                    await asyncio.sleep(0.1)
            settings = {"DATABASE_URL": url, "ROLLOUT__HOLD_TTL_S": "4", "ROLLOUT__UNDO_S": "60"}
            async with running(folder, settings) as here:
                body = {
                    "document": {"text": DOCUMENT.read_text(), "name": DOCUMENT.name},
                    "target": "devcloud",
                    "attempts": 3,
                    "meta": DOCUMENT.with_suffix(".meta.yaml").read_text(),
                    "rule": rule_of(DOCUMENT.stem),
                }
                made = (await here.client.create(read_request(body), key="k"))["verification_id"]
                async with asyncio.timeout(120):
                    while (
                        Counter(event["type"] for event in await here.client.events(made))[
                            "step_taken"
                        ]
                        < 2
                    ):
                        await asyncio.sleep(0.1)
                await asyncio.to_thread(server.__exit__, None, None, None)
                assert not await answers(url)
                server = files.running()
                await asyncio.to_thread(server.__enter__)
                finished = await here.finish(made)
                assert finished["verdict"]["outcome"] == "verified", finished["verdict"]
                ended = asyncio.ensure_future(here.process.wait())
                await asyncio.sleep(0)
                assert not ended.done(), "a loop ended"
                ended.cancel()
                with suppress(asyncio.CancelledError):
                    await ended
                # Nothing is left in the cloud, and its account is free again.
                async with asyncio.timeout(60):
                    while set(await here.account_states()) != {"free"}:
                        await asyncio.sleep(0.1)
        finally:
            await asyncio.to_thread(server.__exit__, None, None, None)
