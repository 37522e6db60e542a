"""Rows of earlier releases: they are migrated and read, whatever they lack."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from proofwalk.api.common.v1 import common_pb2 as common
from proofwalk.chassis import migrations
from proofwalk.chassis.database import Database
from proofwalk.kernel.callers import ITSELF
from proofwalk.orders.order import Order
from proofwalk.rollout import repository, usecases
from proofwalk.rollout.conclusion import decisive
from proofwalk.rollout.messages import verification_message
from proofwalk.rollout.report.page import Report
from tests.fixtures.releases import insert, upgraded
from tests.rollout.setting import Setting

PACKAGE = "proofwalk.rollout"
OLD: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parent / "old_judgements.json").read_text(encoding="utf-8")
)
JUDGEMENT = OLD["the first release"]
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


async def test_a_verdict_of_before_the_ladder_is_migrated_read_and_shown(
    database: Database, tmp_path: Path
) -> None:
    await upgraded(database, PACKAGE, "0005")
    setting = Setting(db=database, folder=tmp_path)
    digest = await setting.blobs.put(b"# Stop\n\n## Procedure\n\n1. Click **Stop**.\n")
    await insert(database, "rollout_verifications", {**ROW, "document_digest": digest})
    await insert(database, "rollout_episodes", EPISODE)
    await migrations.migrate(database, PACKAGE)
    assert await migrations.difference(database, PACKAGE, repository.METADATA) == []
    row, episodes = await usecases.read_verification(database, "ver_1", caller=ITSELF)
    assert row.order == Order(target="devcloud", rule="rule: 1", accept="page")
    assert [(one.outcome, one.steps) for one in episodes] == [("verified", 2)]
    told = verification_message(row, episodes)
    assert told.verdict.outcome == common.OUTCOME_VERIFIED
    assert (told.verdict.evidence, told.accept) == (common.EVIDENCE_AUDIT, common.EVIDENCE_PAGE)
    assert not told.verdict.substeps[0].HasField("reading")
    page = await Report(db=database, blobs=setting.blobs).render(row, episodes)
    assert "the cloud&#39;s audit log" in page or "the cloud's audit log" in page
    assert "asked:" not in page


async def test_judgements_of_every_earlier_form_are_read_and_shown(
    database: Database, tmp_path: Path
) -> None:
    await upgraded(database, PACKAGE, "0008")
    setting = Setting(db=database, folder=tmp_path)
    digest = await setting.blobs.put(b"# Stop\n\n## Procedure\n\n1. Click **Stop**.\n")
    for number, judgement in enumerate(OLD.values()):
        name = f"ver_{number}"
        verdict = {
            **judgement,
            "phase_seconds": judgement["seconds"],
            "seconds": 2.0,
            "cost": 9.0,
            "episodes": 1,
        }
        row = {**ROW, "id": name, "document_digest": digest, "verdict": json.dumps(verdict)}
        await insert(database, "rollout_verifications", row)
        episode = {key: value for key, value in EPISODE.items() if key != "reward"}
        episode |= {
            "id": f"ep_{number}",
            "verification_id": name,
            "facts": json.dumps({"judgement": judgement}),
        }
        episode |= {key: judgement[key] for key in ("outcome", "cause", "code", "reason")}
        await insert(database, "rollout_episodes", episode)
    await migrations.migrate(database, PACKAGE)
    for number, judgement in enumerate(OLD.values()):
        name = f"ver_{number}"
        read, episodes = await usecases.read_verification(database, name, caller=ITSELF)
        assert read.verdict is not None
        assert replace(read.verdict.judgement, cost=judgement["cost"]) == episodes[0].judgement
        assert (read.verdict.cost, read.verdict.seconds) == (9.0, 2.0)
        assert decisive(episodes) is episodes[0]
        told = verification_message(read, episodes)
        assert len(told.verdict.substeps) == len(judgement["substeps"])
        page = await Report(db=database, blobs=setting.blobs).render(read, episodes)
        assert ("web-1 is stopped" in page) == bool(judgement.get("judges"))


async def test_a_row_with_a_column_for_each_option_keeps_what_was_asked_for(
    database: Database,
) -> None:
    await upgraded(database, PACKAGE, "0008")
    plain = {**ROW, "state": "queued", "finished_at": None}
    asked = {
        "policy": "scripted",
        "attempts": 3,
        "meta_yaml": "meta: 1",
        "script_yaml": "- [{press: 'Stop'}]",
        "scenario": "storm-1",
        "region": "cn-hangzhou",
        "accept": "audit",
        "trace": True,
    }
    rows = [
        {**plain, "id": "ver_1"},
        {**plain, **asked, "id": "ver_2"},
        {**plain, "meta_id": "m", "id": "ver_3"},
    ]
    for row in rows:
        held = {
            name: value for name, value in row.items() if name not in ("finished_at", "verdict")
        }
        await insert(database, "rollout_verifications", held)
    await migrations.migrate(database, PACKAGE)
    assert await migrations.difference(database, PACKAGE, repository.METADATA) == []
    read = [
        (await usecases.read_verification(database, row["id"], caller=ITSELF))[0] for row in rows
    ]
    common_part = {"target": "devcloud", "rule": "rule: 1"}
    assert [row.order for row in read] == [
        Order(**common_part, accept="page"),
        Order(
            **common_part,
            policy="scripted",
            attempts=3,
            meta="meta: 1",
            script="- [{press: 'Stop'}]",
            scenario="storm-1",
            region="cn-hangzhou",
            accept="audit",
            trace=True,
        ),
        Order(**common_part, meta_id="m", accept="page"),
    ]
    assert [row.procedure_id for row in read] == ["stop/procedure"] * 3
    message = verification_message(read[1], ())
    assert (message.policy, message.attempts, message.scenario) == ("scripted", 3, "storm-1")
    assert (message.procedure_id, message.accept) == ("stop/procedure", common.EVIDENCE_AUDIT)
