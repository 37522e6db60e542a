"""`proofwalk inspect`, `collections` and `inspections` against a running gateway and
inspection role; rollout is made up, so nothing is walked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from proofwalk.api.common.v1 import common_pb2
from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.api.rollout.v1 import rollout_pb2_grpc
from proofwalk.chassis.role import Role, RoleContext, Running
from proofwalk.chassis.role_process import Process
from proofwalk.chassis.rpc import RpcService
from proofwalk.chassis.settings import ProcessSettings
from proofwalk.cli.main import app
from proofwalk.gateway import main as gateway
from proofwalk.gateway.settings import GatewaySettings
from proofwalk.inspection import main as inspection
from proofwalk.inspection.settings import GitSection, InspectionSettings
from proofwalk.kernel.errors import not_found
from tests.inspection.git_server import Repository

STOP = "# Stop an instance\n\n1. Click **Instances**.\n2. Click **Stop**.\n"
START = "# Start an instance\n\n1. Click **Instances**.\n2. Click **Start**.\n"


class Verdicts(rollout_pb2_grpc.RolloutServicer):
    """Every verification is finished at once: verified, but for pages named `wrong`."""

    def __init__(self) -> None:
        self.asked: dict[str, pb.CreateVerificationRequest] = {}

    async def CreateVerification(
        self, request: pb.CreateVerificationRequest, context: Any
    ) -> pb.CreateVerificationResponse:
        self.asked[request.verification_id] = request
        return pb.CreateVerificationResponse()

    async def GetVerification(
        self, request: pb.GetVerificationRequest, context: Any
    ) -> pb.GetVerificationResponse:
        if request.verification_id not in self.asked:
            raise not_found("verification.not_found", "there is none")
        wrong = "wrong" in self.asked[request.verification_id].document.name
        outcome = common_pb2.OUTCOME_DOC_DEFECT if wrong else common_pb2.OUTCOME_VERIFIED
        verdict = pb.Verdict(outcome=outcome, seconds=12.0)
        found = pb.Verification(
            verification_id=request.verification_id, state="finished", verdict=verdict
        )
        return pb.GetVerificationResponse(verification=found)

    async def ListVerifications(
        self, request: pb.ListVerificationsRequest, context: Any
    ) -> pb.ListVerificationsResponse:
        rows = [pb.Verification(verification_id=one, state="finished") for one in self.asked]
        for row in rows:
            row.created_at.GetCurrentTime()
        return pb.ListVerificationsResponse(verifications=rows)

    async def GetReport(
        self, request: pb.GetReportRequest, context: Any
    ) -> AsyncIterator[pb.ReportChunk]:
        yield pb.ReportChunk(data=b"<head></head><body>\n</body>")


def rollout_of(verdicts: Verdicts) -> Role:
    """The rollout role in appearance."""

    async def start(ctx: RoleContext) -> Running:
        service = RpcService(
            descriptor=pb.DESCRIPTOR.services_by_name["Rollout"],
            register=rollout_pb2_grpc.add_RolloutServicer_to_server,
            servicer=verdicts,
        )
        return Running(services=[service])

    return Role(name="rollout", start=start)


@dataclass(frozen=True, kw_only=True)
class Said:
    """What a command told its caller."""

    code: int
    out: str
    err: str


@dataclass(frozen=True, kw_only=True)
class Place:
    """A running installation with a folder of documents."""

    folder: Path
    verdicts: Verdicts

    async def say(self, *words: str) -> Said:
        """What a command answers. It runs beside the installation, whose log goes to
        the same output and is left out."""
        answer = await asyncio.to_thread(CliRunner().invoke, app, list(words))
        lines = answer.stdout.splitlines(keepends=True)
        out = "".join(line for line in lines if not line.startswith("level="))
        return Said(code=answer.exit_code, out=out, err=answer.stderr)


@pytest.fixture
async def place(
    process_settings: ProcessSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Place]:
    folder, verdicts = tmp_path / "docs", Verdicts()
    folder.mkdir()
    (folder / "stop.md").write_text(STOP, encoding="utf-8")
    (folder / "start.md").write_text(START, encoding="utf-8")
    monkeypatch.setenv("PROOFWALK_HOME", str(process_settings.home))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr("proofwalk.cli.inspecting.POLL_S", 0.05)
    roles = [
        rollout_of(verdicts),
        inspection.role(
            InspectionSettings(roots=[tmp_path], poll_s=0.02, git=GitSection(protocols=["file"]))
        ),
        gateway.role(GatewaySettings(address="127.0.0.1:0")),
    ]
    async with Process(process_settings, roles):
        yield Place(folder=folder, verdicts=verdicts)


async def test_a_folder_is_inspected_and_then_only_what_changed(place: Place) -> None:
    first = await place.say("inspect", str(place.folder), "--parallel", "2")
    assert first.code == 0, first
    assert first.out.count("verified") == 2
    assert "finished: 2/2 done, 0 not looked at; 24 s of walks" in first.err
    assert {one.document.name for one in place.verdicts.asked.values()} == {"stop.md", "start.md"}
    assert {one.max_unfinished for one in place.verdicts.asked.values()} == {500}, "as the gateway"
    assert {one.principal for one in place.verdicts.asked.values()} == {"local"}
    (place.folder / "stop.md").rename(place.folder / "wrong.md")
    second = await place.say("inspect", str(place.folder), "--json")
    assert second.code == 1, second
    items = {item["page"]: item for item in json.loads(second.out)["items"]}
    assert items["wrong.md"]["outcome"] == "doc_defect"
    assert (items["start.md"]["state"], items["start.md"]["due"]) == ("skipped", "not_due")
    listed = await place.say("inspections", "list")
    assert "1 doc_defect" in listed.out


async def test_a_collection_is_added_paused_resumed_and_removed(place: Place) -> None:
    added = await place.say(
        *("collections", "add", str(place.folder), "--name", "docs", "--cron", "0 3 * * 1"),
        *("--time-zone", "Europe/Berlin", "--weight", "st*.md=2", "--policy", "llm"),
    )
    assert added.code == 0, added
    shown = json.loads((await place.say("collections", "show", "docs")).out)
    assert shown["collection_id"] == added.out.strip()
    assert shown["spec"]["order"] == {"target": "devcloud", "policy": "llm", "attempts": 2}
    assert shown["spec"]["weights"] == [{"pattern": "st*.md", "weight": 2.0}]
    assert (await place.say("collections", "pause", "docs")).code == 0
    assert "paused" in (await place.say("collections", "list")).out
    refused = await place.say("inspections", "start", "docs")
    assert "collection.paused" in refused.err
    assert (await place.say("collections", "resume", "docs")).code == 0
    begun = await place.say("inspections", "start", "docs", "--wait")
    assert begun.out.strip().endswith(": finished")
    inspection_id = begun.out.partition(":")[0]
    assert "stop.md" in (await place.say("inspections", "show", inspection_id)).out
    # `inspect` of the same name keeps what was said of the schedule.
    again = await place.say("inspect", str(place.folder), "--name", "docs")
    assert again.code == 0, again
    kept = json.loads((await place.say("collections", "show", "docs")).out)
    assert kept["spec"]["schedule"] == shown["spec"]["schedule"]
    cancelled = await place.say("inspections", "cancel", inspection_id)
    assert cancelled.out.strip() == f"{inspection_id}: finished"
    assert (await place.say("collections", "remove", "docs")).code == 0
    missing = await place.say("collections", "show", "docs")
    assert (missing.code, "collection.not_found" in missing.err) == (2, True)


async def test_a_repository_is_inspected_by_its_path(place: Place) -> None:
    repository = Repository.make(place.folder.parent / "repository")
    repository.commit(docs__stop=STOP, other=START)
    words = ("inspect", str(repository.path), "--kind", "git", "--subfolder", "docs")
    first = await place.say(*words)
    assert first.code == 0, first
    (asked,) = place.verdicts.asked.values()
    assert asked.document.name == "docs/stop.md"
    repository.git("mv", "docs/stop.md", "docs/halt.md")
    repository.commit()
    second = await place.say(*words, "--json")
    assert second.code == 0, "what is gone is no failure"
    items = {item["page"]: item for item in json.loads(second.out)["items"]}
    assert items["docs/stop.md"]["code"] == "collection.document_gone"
    assert items["docs/halt.md"]["inputs"]["blob"] == repository.git(
        "rev-parse", "HEAD:docs/halt.md"
    )
    away = await place.say(*words, "--ref", "nowhere")
    assert (away.code, "source.ref_not_found" in away.err) == (3, True)
    history = json.loads((await place.say("inspections", "list", "--json")).out)
    assert [one["cause"] for one in history] == ["environment", "", ""]


async def test_walks_of_a_collection_become_a_bundle(place: Place, tmp_path: Path) -> None:
    await place.say("inspect", str(place.folder), "--name", "docs")
    for number, words in enumerate((("--collection", "docs"), ("--since", "1h"), ())):
        out = tmp_path / f"out{number}"
        told = await place.say("report", "bundle", str(out), *words)
        assert told.code == 0, told
        assert "2 verifications, 0 pictures" in told.out
        assert len(list((out / "verifications").iterdir())) == 2
    foreign = await place.say("report", "bundle", str(place.folder))
    assert (foreign.code, "bundle.foreign_folder" in foreign.err) == (3, True)
    both = await place.say("report", "bundle", str(out), "--since", "1h", "--collection", "docs")
    assert both.code == 2


async def test_webhooks_are_made_listed_and_deleted(place: Place) -> None:
    made = await place.say(
        *("webhooks", "create", "https://hooks.example.com/x", "finding.opened"),
        *("--description", "team"),
    )
    assert made.code == 0, made
    created = json.loads(made.out)
    assert created["secret"].startswith("whsec_")
    webhook_id = created["webhook"]["webhook_id"]
    listed = await place.say("webhooks", "list")
    assert "finding.opened" in listed.out
    assert created["secret"] not in listed.out
    assert json.loads((await place.say("webhooks", "deliveries", webhook_id, "--json")).out) == []
    assert (await place.say("webhooks", "enable", webhook_id)).code == 0
    missing = await place.say("webhooks", "replay", "nothing")
    assert (missing.code, "webhook.no_delivery" in missing.err) == (2, True)
    assert (await place.say("webhooks", "delete", webhook_id)).code == 0
    assert json.loads((await place.say("webhooks", "list", "--json")).out) == []


async def test_a_folder_that_the_server_may_not_read_is_refused(
    place: Place, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    refused = await place.say("inspect", str(elsewhere))
    assert (refused.code, "collection.outside_roots" in refused.err) == (2, True)
    empty = place.folder / "empty"
    empty.mkdir()
    nothing = await place.say("inspect", str(empty))
    assert (nothing.code, "tree.empty" in nothing.err) == (2, True)
