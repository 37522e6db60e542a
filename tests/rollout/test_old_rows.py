"""Rows of earlier releases: they are migrated and read, whatever they lack."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from alembic.script import ScriptDirectory
from sqlalchemy import text

from proofwalk.chassis import migrations
from proofwalk.chassis.database import Database
from proofwalk.kernel.callers import ITSELF
from proofwalk.kernel.outcomes import Evidence
from proofwalk.rollout import repository, usecases
from proofwalk.rollout.grpc_api import verification_message
from proofwalk.rollout.report.page import Report
from tests.rollout.setting import Setting

PACKAGE = "proofwalk.rollout"
JUDGEMENT = {
    "outcome": "verified",
    "cause": "",
    "code": "",
    "reason": "the log confirms it",
    "blame": "nobody",
    "evidence": "audit",
    "finding": None,
    "audit_events": ["evt-1"],
    "substeps": [
        {
            "number": "1",
            "text": "Click Stop.",
            "line": 5,
            "status": "verified",
            "reason": "",
            "steps": 2,
            "audit_events": [],
            "unplaced": [],
        }
    ],
    "events": [],
    "missing": [],
    "rule": "stop@1",
    "judges": [],
    "seconds": {"walk": 1.0},
    "cost": 0.0,
}
VERDICT = {**JUDGEMENT, "phase_seconds": {"walk": 1.0}, "seconds": 2.0, "episodes": 1}
ROW: dict[str, Any] = {
    "id": "ver_1",
    "state": "finished",
    "request_digest": "d",
    "document_name": "stop.md",
    "document_digest": "",
    "document_title": "Stop",
    "media_type": "text/markdown",
    "procedure_id": "stop/procedure",
    "target": "devcloud",
    "policy": "literal",
    "attempts": 1,
    "meta_yaml": "",
    "meta_id": "",
    "rule_yaml": "rule: 1",
    "region": "",
    "principal": "local",
    "created_at": "2026-11-01 10:00:00",
    "finished_at": "2026-11-01 10:01:00",
    "claim_holder": "",
    "claim_epoch": 1,
    "done": 1,
    "total": 1,
    "message": "",
    "event_count": 0,
    "verdict": json.dumps(VERDICT),
}
EPISODE: dict[str, Any] = {
    "id": "ep_1",
    "verification_id": "ver_1",
    "number": 1,
    "phase": "done",
    "facts": json.dumps({"judgement": JUDGEMENT}),
    "outcome": "verified",
    "cause": "",
    "code": "",
    "reason": "the log confirms it",
    "reward": 1.0,
    "lost": False,
    "steps": 2,
    "started_at": "2026-11-01 10:00:00",
    "finished_at": "2026-11-01 10:01:00",
}


async def _upgraded(database: Database, revision: str) -> None:
    """The tables as the release with this revision made them."""

    def upgrade(scripts: ScriptDirectory) -> Any:
        return lambda now, _context: scripts._upgrade_revs(revision, now)

    async with database.transaction() as transaction:
        await transaction.run_sync(migrations._environment, PACKAGE, None, upgrade)


async def _insert(database: Database, table: str, row: dict[str, Any]) -> None:
    def quoted(value: Any) -> str:
        return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else f"'{value}'"

    values = ", ".join("false" if value is False else quoted(value) for value in row.values())
    async with database.transaction() as transaction:
        await transaction.execute(
            text(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({values.replace(':', chr(92) + ':')})")
        )  # ours


async def test_a_verdict_of_before_the_ladder_is_migrated_read_and_shown(database: Database, tmp_path: Path) -> None:
    await _upgraded(database, "0005")
    setting = Setting(db=database, folder=tmp_path)
    digest = await setting.blobs.put(b"# Stop\n\n## Procedure\n\n1. Click **Stop**.\n")
    await _insert(database, "rollout_verifications", {**ROW, "document_digest": digest})
    await _insert(database, "rollout_episodes", EPISODE)
    await migrations.migrate(database, PACKAGE)
    assert await migrations.difference(database, PACKAGE, repository.METADATA) == []
    row, episodes = await usecases.read_verification(database, "ver_1", caller=ITSELF)
    assert row.accept is Evidence.PAGE
    assert [(one.outcome, one.steps) for one in episodes] == [("verified", 2)]
    told = verification_message(row, episodes)
    assert (told.verdict.outcome, told.verdict.evidence, told.accept) == ("verified", "audit", "page")
    assert not told.verdict.substeps[0].HasField("reading")
    page = await Report(db=database, blobs=setting.blobs).render(row, episodes)
    assert "the cloud&#39;s audit log" in page or "the cloud's audit log" in page
    assert "asked:" not in page
