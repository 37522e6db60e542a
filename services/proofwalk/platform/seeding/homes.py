"""Gives a home folder its history, before roles start on it.

`history.json` in the home says that this was begun and that it is done, so that a
second start finds everything there, and a home whose seeding was interrupted is made
anew. A home that has rows of an installation and no such file is somebody's, and is
left as it is.
"""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from proofwalk.chassis.blobs import Blobs, blobs_of
from proofwalk.chassis.database import Database
from proofwalk.chassis.migrations import migrate
from proofwalk.chassis.private_files import private_folder
from proofwalk.kernel.clock import isoformat
from proofwalk.kernel.ids import SeededIds
from proofwalk.platform.seeding.documents import sample_documents
from proofwalk.platform.seeding.findings import FindingWriter
from proofwalk.platform.seeding.fleet import fleet, write_fleet
from proofwalk.platform.seeding.history import Moment, PlannedDecision, PlannedWalk, planned
from proofwalk.platform.seeding.inspections import InspectedWalk, write_inspections
from proofwalk.platform.seeding.training import write_run
from proofwalk.platform.seeding.verifications import replay
from proofwalk.platform.seeding.walks import rows_of
from proofwalk.platform.settings import Settings

_MARK = "history.json"
DOCUMENTS = "documents"
"""Below the home: the texts that the history is about."""


@dataclass(frozen=True, kw_only=True)
class Seeded:
    """How much was written."""

    verifications: int
    findings: int
    inspections: int
    accounts: int
    provisionings: int


async def seed_home(settings: Settings, *, seed: int, now: datetime) -> Seeded | None:
    """Write the history into a home that has none. None where there is one already, or
    an installation of somebody's."""
    home = settings.home.absolute()
    mark = home / _MARK
    if not await asyncio.to_thread(_make_room, mark):
        return None
    async with _stores(settings) as stores:
        seeded = await _Seeding(settings, stores, seed=seed, now=now).write()
    await asyncio.to_thread(_note, mark, {"seed": seed, "before": isoformat(now), "done": True})
    return seeded


def _make_room(mark: Path) -> bool:
    """Begin the history of a home; False where it is not to have one."""
    home = mark.parent
    if mark.is_file():
        if json.loads(mark.read_text(encoding="utf-8"))["done"]:
            return False
        shutil.rmtree(home)
    elif (home / "state").exists():
        return False
    private_folder(home)
    _note(mark, {"done": False})
    return True


def _note(mark: Path, content: dict[str, object]) -> None:
    mark.write_text(json.dumps(content) + "\n", encoding="utf-8")


@dataclass(frozen=True, kw_only=True)
class _Stores:
    rollout: Database
    inspection: Database
    trainer: Database
    account_pool: Database
    resource_provisioner: Database
    blobs: Blobs


@asynccontextmanager
async def _stores(settings: Settings) -> AsyncIterator[_Stores]:
    async with AsyncExitStack() as exits:

        async def opened(role: str) -> Database:
            await asyncio.to_thread(private_folder, settings.state_path(role))
            database = Database(settings.database_url_of(role))
            exits.push_async_callback(database.close)
            await migrate(database, f"proofwalk.{role}")
            return database

        await asyncio.to_thread(private_folder, settings.blob_path())
        yield _Stores(
            rollout=await opened("rollout"),
            inspection=await opened("inspection"),
            trainer=await opened("trainer"),
            account_pool=await opened("account_pool"),
            resource_provisioner=await opened("resource_provisioner"),
            blobs=blobs_of(settings),
        )


class _Seeding:
    def __init__(self, settings: Settings, stores: _Stores, *, seed: int, now: datetime) -> None:
        self._settings = settings
        self._stores = stores
        self._seed = seed
        self._now = now
        self._ids = SeededIds(seed)

    async def write(self) -> Seeded:
        folder = self._settings.home.absolute() / DOCUMENTS
        moments = planned(seed=self._seed, now=self._now)
        await asyncio.to_thread(_write_documents, folder, moments)
        walks = await self._write_walks(moments)
        inspections = await write_inspections(
            self._stores.inspection, self._ids, walks, documents=folder
        )
        await write_run(
            self._stores.trainer,
            folder=self._settings.state_path("trainer"),
            seed=self._seed,
            now=self._now,
        )
        made = fleet(self._ids, now=self._now)
        await write_fleet(self._stores.account_pool, self._stores.resource_provisioner, made)
        return Seeded(
            verifications=len(walks),
            findings=len(sample_documents()),
            inspections=inspections,
            accounts=len(made.accounts),
            provisionings=len(made.provisionings),
        )

    async def _write_walks(self, moments: Sequence[Moment]) -> Sequence[InspectedWalk]:
        findings = FindingWriter(self._stores.inspection, self._ids)
        walks = []
        for moment in moments:
            if isinstance(moment, PlannedDecision):
                await findings.decide(moment)
                continue
            digest = await self._stores.blobs.put(moment.text.encode())
            rows = rows_of(moment, self._ids, document_digest=digest)
            await replay(self._stores.rollout, rows)
            await findings.record(rows.verification, product=moment.document.product)
            walks.append(InspectedWalk(planned=moment, row=rows.verification))
        return walks


def _write_documents(folder: Path, moments: Sequence[Moment]) -> None:
    """The documents as the newest walk of each read them."""
    texts = {one.page: one.text for one in sample_documents()}
    texts |= {one.document.page: one.text for one in moments if isinstance(one, PlannedWalk)}
    for page, text in texts.items():
        path = folder / page
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
