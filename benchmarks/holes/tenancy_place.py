"""A gateway, a rollout and an inspection role in one process, with verifications,
findings and collections of several owners."""

from __future__ import annotations

import asyncio
import io
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from pydantic import SecretStr

from benchmarks.holes.askers import SECRETS
from benchmarks.holes.tenancy_inspected import Inspected
from benchmarks.holes.tenancy_routes import OWNERS, PICTURE
from proofwalk.chassis.blobs import Blobs, blobs_of
from proofwalk.chassis.database import Database, Transaction
from proofwalk.chassis.role_process import Process
from proofwalk.chassis.settings import ProcessSettings
from proofwalk.gateway import main as gateway_main
from proofwalk.gateway.keys import URL_FILE
from proofwalk.gateway.limits import LimitSettings
from proofwalk.gateway.settings import ConsoleSettings, GatewaySettings
from proofwalk.inspection import main as inspection_main
from proofwalk.inspection.settings import InspectionSettings
from proofwalk.kernel.callers import ITSELF
from proofwalk.kernel.jobs import EpisodePhase, JobState
from proofwalk.kernel.outcomes import Outcome, OutcomeKind
from proofwalk.orders.order import Order
from proofwalk.rollout import episode_repository, repository, usecases
from proofwalk.rollout import main as rollout_main
from proofwalk.rollout.judgement import Judgement
from proofwalk.rollout.settings import RolloutSettings
from proofwalk.trajectories.schema import arrow_schema

DOCUMENT = b"# Stop an instance\n\n1. Click **Instances**.\n2. Click **Stop**.\n"


class Place:
    """A gateway with the rows that it is asked about."""

    def __init__(self, url: str, db: Database, blobs: Blobs, inspected: Inspected) -> None:
        self.url = url
        self.db = db
        self._inspected = inspected
        self._blobs = blobs
        self._moment = datetime.now(UTC)

    async def rows(self) -> None:
        """For each owner a finished verification with everything that can be fetched,
        and one that is worked on."""
        document = await self._blobs.put(DOCUMENT)
        trajectory = io.BytesIO()
        pq.write_table(arrow_schema().empty_table(), trajectory)
        artefacts = {"trajectory": await self._blobs.put(trajectory.getvalue())}
        for kind in ("trace", "har"):
            artefacts[kind] = await self._blobs.put(b"{}")
        for owner in OWNERS:
            await self._row(owner, "done", document, state=JobState.CANCELLING)
            held = {
                "claim_holder": "elsewhere",
                "claim_epoch": 1,
                "claim_expires_at": self._moment + timedelta(days=1),
            }
            await self._row(owner, "live", document, state=JobState.RUNNING, **held)
            await self._inspected.rows(owner, verification_id=id_of(owner, "done"))
        for owner in OWNERS:
            # The role's own worker ends those that are to be cancelled, and writes
            # their verdicts.
            async with asyncio.timeout(30):
                while (await self.state(owner, "done")) is not JobState.FINISHED:  # noqa: ASYNC110
                    await asyncio.sleep(0.05)
            await self.db.run(
                lambda tx, owner=owner: self._recordings(tx, owner, document, artefacts)  # type: ignore[misc]
            )

    async def standing(self, owner: str, kind: str) -> tuple[object, ...]:
        """All of an owner's that somebody could have changed."""
        return (await self.state(owner, kind), *await self._inspected.standing(owner))

    async def state(self, owner: str, kind: str) -> JobState:
        row, _ = await usecases.read_verification(self.db, id_of(owner, kind), caller=ITSELF)
        return row.state

    async def _row(self, owner: str, kind: str, document: str, **values: Any) -> None:
        row = repository.VerificationRow(
            id=id_of(owner, kind),
            request_digest="0" * 64,
            document_name="stop.md",
            document_digest=document,
            document_title="Stop an instance",
            media_type="text/markdown",
            procedure_id="",
            order=Order(target="devcloud", accept="page"),
            principal=owner,
            created_at=self._moment,
            **values,
        )
        await usecases.create_verification(self.db, row)

    async def _recordings(
        self, tx: Transaction, owner: str, document: str, artefacts: Mapping[str, str]
    ) -> None:
        name = id_of(owner, "done")
        outcome = Outcome(kind=OutcomeKind.CANCELLED, reason="")
        episode = episode_repository.EpisodeRow(
            id=f"ep_{owner}",
            verification_id=name,
            number=1,
            phase=EpisodePhase.DONE,
            facts={"artefacts": artefacts},
            judgement=Judgement(outcome=outcome),
            outcome=outcome.kind,
            started_at=self._moment,
            finished_at=self._moment,
        )
        await episode_repository.insert_episode(tx, episode)
        step = episode_repository.StepRow(
            episode_id=episode.id,
            number=1,
            substep="1",
            thought="",
            action="{}",
            result="",
            ok=True,
            url="",
            screenshot=await self._blobs.put(PICTURE),
            started_at=self._moment,
            ended_at=self._moment,
        )
        await episode_repository.insert_step(tx, step)
        script = repository.ScriptRow(
            principal=owner,
            target="devcloud",
            procedure_id="",
            document_digest=document,
            policy="literal",
            script="{}",
            verification_id=name,
            episode_id=episode.id,
            created_at=self._moment,
        )
        await repository.put_script(tx, script)


def tail_of(owner: str, kind: str) -> str:
    """How the ids of an owner's rows end."""
    return f"_{owner or 'nobody'}_{kind}"


def id_of(owner: str, kind: str) -> str:
    """Of an owner's verification."""
    return f"ver{tail_of(owner, kind)}"


@asynccontextmanager
async def serving() -> AsyncIterator[Place]:
    keys = {name: SecretStr(secret) for name, secret in SECRETS.items()}
    limits = LimitSettings(
        requests_per_s=0,
        watchers=0,
        requests_at_once=0,
        unfinished_jobs=0,
        sign_ins_per_minute=0,
        unknown_keys_per_minute=0,
    )
    gateway = GatewaySettings(
        address="127.0.0.1:0",
        api_keys=keys,
        operators=["ops"],
        limits=limits,
        # The roles that pages ask besides rollout are not here.
        console=ConsoleSettings(patience_s=0.1),
    )
    with tempfile.TemporaryDirectory(prefix="pw-") as home:
        settings = ProcessSettings(home=Path(home), drain_grace_s=2.0)
        roles = [
            rollout_main.role(RolloutSettings(reconcile_s=0.5), environment={}),
            # Its worker does not look while the rows are made.
            inspection_main.role(InspectionSettings(roots=[Path(home)], reconcile_s=60.0)),
            gateway_main.role(gateway),
        ]
        async with Process(settings, roles) as process:
            await process.channel("rollout").wait_until_ready(20)
            await process.channel("inspection").wait_until_ready(20)
            db = Database(settings.database_url_of("rollout"))
            inspected = Inspected(Database(settings.database_url_of("inspection")), Path(home))
            try:
                place = Place(
                    (Path(home) / "run" / URL_FILE).read_text(),
                    db,
                    blobs_of(settings),
                    inspected,
                )
                await place.rows()
                yield place
            finally:
                await db.close()
                await inspected.db.close()
