"""One place where verifications are made, run and looked at."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from proofwalk.chassis.database import Database
from proofwalk.chassis.local_blobs import LocalBlobs
from proofwalk.chassis.tracing import Tracing
from proofwalk.kernel.callers import ITSELF
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.ids import SeededIds
from proofwalk.kernel.jobs import JobState
from proofwalk.orders.order import DocumentSource, Order, VerificationRequest
from proofwalk.procedures.confined import DocumentReader
from proofwalk.rollout import episode_repository, usecases
from proofwalk.rollout.claimed_episode import EpisodeDeps
from proofwalk.rollout.episode_repository import EpisodeRow, IntentRow
from proofwalk.rollout.intake import Submission
from proofwalk.rollout.judgement import Verdict
from proofwalk.rollout.repository import EventRow, VerificationRow
from proofwalk.rollout.settings import RolloutSettings
from proofwalk.rollout.worker import Worker
from tests.fixtures.reading import InPlace
from tests.rollout.fakes import World

DOCUMENT = b"""# Stop an instance

## Procedure

1. In the left-side navigation pane, click **Instances**.
2. Find the instance and click **Stop**.
3. Click **OK**.
"""
SUBSTEPS = 3


def settings(**values: Any) -> RolloutSettings:
    """Settings that do not wait for anything by the clock of the wall."""
    defaults = {
        "hold_ttl_s": 600.0,
        "account_wait_s": 0.0,
        "sandbox_wait_s": 0.0,
        "reconcile_s": 0.1,
    }
    # Past validation: real holds live for seconds, which a test has not got.
    return RolloutSettings().model_copy(update={**defaults, **values})


def verification(verification_id: str = "ver_1", **values: Any) -> VerificationRow:
    """A request as stored."""
    fields: dict[str, Any] = {
        "id": verification_id,
        "state": JobState.QUEUED,
        "request_digest": "d" * 64,
        "document_name": "stop.md",
        "document_digest": "0" * 64,
        "document_title": "Stop an instance",
        "media_type": "text/markdown",
        "procedure_id": "",
        "principal": "local",
        "created_at": ManualClock().now(),
        "total": SUBSTEPS,
        "message": "queued",
    }
    options: dict[str, Any] = {
        "target": "devcloud",
        "meta": "meta: 1",
        "rule": "rule: 1",
        "region": "cn-hangzhou",
        "accept": "page",
    }
    asked = {
        name: values.pop(name)
        for name in Order.model_fields
        if name in values and name != "procedure_id"
    }
    return VerificationRow(**{**fields, "order": Order(**{**options, **asked}), **values})


def asking(
    document: DocumentSource | None = None, verification_id: str = "", **options: Any
) -> Submission:
    """What each member walks."""
    given = document or DocumentSource(text=DOCUMENT.decode(), name="stop.md")
    request = VerificationRequest(
        **{"document": given, "target": "devcloud", "rule": "rule: 1", **options}
    )
    return Submission(verification_id=verification_id, request=request, principal="trainer")


@dataclass
class Setting:
    """A database, a world, blobs and a clock."""

    db: Database
    folder: Path
    clock: ManualClock = field(default_factory=ManualClock)
    settings: RolloutSettings = field(default_factory=settings)

    def __post_init__(self) -> None:
        self.world = World(self.clock)
        self.blobs = LocalBlobs(self.folder / "blobs")
        self.ids = SeededIds(1)
        self.documents = DocumentReader(reading=InPlace())
        self.tracing = Tracing("rollout")

    async def create(self, verification_id: str = "ver_1", **values: Any) -> VerificationRow:
        """A queued verification of the document."""
        digest = await self.blobs.put(DOCUMENT)
        row = verification(
            verification_id, **{"document_digest": digest, "created_at": self.clock.now(), **values}
        )
        return await usecases.create_verification(self.db, row)

    def deps(self, db: Database | None = None) -> EpisodeDeps:
        return EpisodeDeps(
            db=db or self.db,
            peers=self.world.peers,
            blobs=self.blobs,
            clock=self.clock,
            settings=self.settings,
            documents=self.documents,
            tracing=self.tracing,
            journals=self.folder / "journals",
        )

    def worker(self, holder: str = "worker_1", *, db: Database | None = None) -> Worker:
        return Worker(self.deps(db), ids=self.ids, holder=holder)

    async def finish(
        self, verification_id: str = "ver_1", holder: str = "worker_1"
    ) -> VerificationRow:
        """Work a verification off and read it."""
        await self.worker(holder).attend(verification_id)
        return await self.row(verification_id)

    async def until_finished(self, verification_id: str = "ver_1") -> None:
        """Wait for the verdict, boundedly."""
        async with asyncio.timeout(20):
            while (await self.row(verification_id)).state is not JobState.FINISHED:
                await asyncio.sleep(0.01)

    async def row(self, verification_id: str = "ver_1") -> VerificationRow:
        return (await usecases.read_verification(self.db, verification_id, caller=ITSELF))[0]

    async def episodes(self, verification_id: str = "ver_1") -> Sequence[EpisodeRow]:
        return (await usecases.read_verification(self.db, verification_id, caller=ITSELF))[1]

    async def events(self, verification_id: str = "ver_1") -> Sequence[EventRow]:
        return (
            await usecases.read_events(
                self.db, verification_id, caller=ITSELF, after=0, limit=10_000
            )
        )[1]

    async def intents(self, verification_id: str = "ver_1") -> Sequence[IntentRow]:
        async with self.db.read() as tx:
            found = [
                await episode_repository.list_intents(tx, episode.id)
                for episode in await episode_repository.list_episodes(tx, verification_id)
            ]
        return [intent for rows in found for intent in rows]

    async def check_all_is_well(self, verification_id: str = "ver_1") -> VerificationRow:
        """The promises that hold whatever happened on the way: one verdict, nothing
        open, nothing left in the world."""
        row = await self.row(verification_id)
        assert row.state is JobState.FINISHED
        assert row.verdict is not None
        assert row.claim_holder == ""
        events = await self.events(verification_id)
        assert [event.sequence for event in events] == list(range(1, len(events) + 1))
        assert [event.type for event in events].count("verification_finished") == 1
        assert events[-1].type == "verification_finished"
        episodes = await self.episodes(verification_id)
        assert all(episode.finished_at is not None and episode.outcome for episode in episodes)
        finished = [event.episode_id for event in events if event.type == "episode_finished"]
        assert finished == [episode.id for episode in episodes]
        assert [
            intent for intent in await self.intents(verification_id) if intent.state != "undone"
        ] == []
        assert self.world.held == []
        return row

    async def verdict(self, verification_id: str = "ver_1") -> Verdict:
        """The verdict of a verification where all is well."""
        found = (await self.check_all_is_well(verification_id)).verdict
        assert found is not None
        return found


async def until(condition: Callable[[], bool], *, seconds: float = 10) -> None:
    """Wait for a condition, boundedly."""
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.005)
