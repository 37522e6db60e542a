"""Findings and webhooks over REST, down to the rows: the gateway, the contract and the
use cases of the inspection role, with a rollout that has finished verifications."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest
from cryptography.fernet import Fernet
from prometheus_client import CollectorRegistry
from pydantic import SecretStr
from sqlalchemy import true

from benchmarks.holes import askers, finding_tenancy
from proofwalk.api.common.v1 import common_pb2
from proofwalk.api.inspection.v1.findings_pb2_grpc import FindingsStub
from proofwalk.api.inspection.v1.inspection_pb2_grpc import InspectionsStub
from proofwalk.api.inspection.v1.webhooks_pb2_grpc import WebhooksStub
from proofwalk.api.rollout.v1 import rollout_pb2
from proofwalk.api.rollout.v1.rollout_pb2_grpc import RolloutStub
from proofwalk.chassis.database import Database
from proofwalk.chassis.http import HttpServer
from proofwalk.chassis.logs import Redaction
from proofwalk.chassis.metrics import RpcMetrics
from proofwalk.chassis.rpc import RpcChannel, RpcServer
from proofwalk.chassis.rpc.vocabulary import moment_to_pb
from proofwalk.chassis.sealing import Seal
from proofwalk.chassis.tracing import Tracing
from proofwalk.chassis.trust import system_trust
from proofwalk.gateway.http_api import build_app
from proofwalk.gateway.keys import Keyring
from proofwalk.gateway.limits import LimitSettings
from proofwalk.gateway.settings import GatewaySettings
from proofwalk.inspection import finding_repository, webhook_repository
from proofwalk.inspection.finding_api import FindingsApi, findings_service
from proofwalk.inspection.finding_patches import Patches
from proofwalk.inspection.finding_usecases import Findings
from proofwalk.inspection.webhook_api import WebhooksApi, webhooks_service
from proofwalk.inspection.webhook_life import RetryPolicy
from proofwalk.inspection.webhook_sender import Sender
from proofwalk.inspection.webhook_usecases import Bounds, Means, Webhooks
from proofwalk.kernel.callers import Caller
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import not_found
from proofwalk.kernel.ids import SeededIds
from tests.fixtures.described import holding
from tests.fixtures.templates import copy_migrated
from tests.gateway.neighbour_fakes import neighbours

KEYS = {name: SecretStr(secret) for name, secret in askers.SECRETS.items()}
HOOK = {"url": "https://hooks.example.com/x", "events": ["finding.opened"]}


@dataclass(frozen=True, kw_only=True)
class Place:
    """A client without a key, and the verifications that rollout has."""

    http: httpx2.AsyncClient
    clock: ManualClock
    verifications: dict[str, rollout_pb2.Verification]
    webhooks: Webhooks

    async def ask(
        self, method: str, path: str, body: object = None, *, key: str = "web"
    ) -> httpx2.Response:
        headers = {"Authorization": f"Bearer {askers.SECRETS[key]}"} if key else {}
        if body is None and method == "POST":
            headers["Content-Length"] = "0"
        return await self.http.request(method, path, json=body, headers=headers)

    async def got(self, method: str, path: str, body: object = None, **more: Any) -> Any:
        answer = await self.ask(method, path, body, **more)
        assert answer.status_code < 300, answer.text
        return answer.json()

    def walked(self, name: str, *asked: str, principal: str = "web") -> None:
        """A finished verification that saw these words wrong, or none."""
        self.clock.advance(60)
        kind = common_pb2.FINDING_KIND_RENAMED
        told = [
            common_pb2.Finding(
                file="stop.md", line=3, sentence=f"Click {one}.", kind=kind, asked=one
            )
            for one in asked
        ]
        wrong, right = common_pb2.OUTCOME_DOC_DEFECT, common_pb2.OUTCOME_VERIFIED
        self.verifications[name] = rollout_pb2.Verification(
            verification_id=name,
            state="finished",
            document="docs/stop.md",
            procedure_id="stop",
            target="devcloud",
            policy="literal",
            principal=principal,
            created_at=moment_to_pb(self.clock.now()),
            verdict=rollout_pb2.Verdict(
                outcome=wrong if told else right,
                finding=told[0] if told else None,
                noted=told[1:],
            ),
        )

    async def found(self, name: str, *asked: str, **more: Any) -> list[dict[str, Any]]:
        """What a walk's recording gives."""
        self.walked(name, *asked, **more)
        body = {"verification_id": name, "product": "ECS"}
        key = more.get("principal", "web")
        rows: list[dict[str, Any]] = (await self.got("POST", "/v1/findings:record", body, key=key))[
            "findings"
        ]
        return rows


def hooked(db: Database, clock: ManualClock, ids: SeededIds) -> Webhooks:
    """Webhooks that reach nobody."""
    policy = RetryPolicy(
        tries=1, first_pause_s=1, longest_pause_s=1, disable_after=timedelta(days=1)
    )
    return Webhooks(
        db=db,
        clock=clock,
        ids=ids,
        means=Means(
            seal=Seal(Fernet.generate_key()),
            redaction=Redaction(),
            sender=Sender(allow_hosts=[], deadline_s=1),
        ),
        bounds=Bounds(policy=policy, deadline_s=1, keep=timedelta(days=1)),
    )


def _client(url: str) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(
        base_url=url, timeout=20, trust_env=False, verify=system_trust(), event_hooks=holding()
    )


@pytest.fixture
async def place(
    sqlite_db: Database,
    home: Path,
    tracing: Tracing,
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[Place]:
    await copy_migrated("proofwalk.inspection", sqlite_db, tmp_path_factory)
    clock, ids = ManualClock(), SeededIds(2)
    webhooks = hooked(sqlite_db, clock, ids)
    findings = Findings(db=sqlite_db, clock=clock, ids=ids, announce=webhooks.announce)
    verifications: dict[str, rollout_pb2.Verification] = {}

    async def verification(verification_id: str, caller: Caller) -> rollout_pb2.Verification:
        found = verifications.get(verification_id)
        if found is None or not caller.sees(found.principal):
            raise not_found("verification.not_found", f"there is no {verification_id!r}")
        return found

    async def no_document(verification_id: str, caller: Caller) -> None:
        return None

    nobody_reads: Any = None
    patches = Patches(findings=findings, document=no_document, reading=nobody_reads)
    metrics = RpcMetrics(CollectorRegistry())
    address = f"unix:{home}/inspection.sock"
    services = [
        findings_service(FindingsApi(findings, verification=verification, patches=patches)),
        webhooks_service(WebhooksApi(webhooks, wake=lambda: None)),
    ]
    server = RpcServer(address, services, tracing=tracing, metrics=metrics)
    await server.start()
    await server.ready(True)
    channel = RpcChannel(address, tracing=tracing, metrics=metrics)

    async def ready() -> bool:
        return True

    app = build_app(
        rollout=RolloutStub(channel.grpc),
        inspections=InspectionsStub(channel.grpc),
        findings=FindingsStub(channel.grpc),
        webhooks=WebhooksStub(channel.grpc),
        neighbours=neighbours(channel),
        db=sqlite_db,
        keys=Keyring(KEYS, local="pw_local", operators=["ops"]),
        settings=GatewaySettings(limits=LimitSettings(unknown_keys_per_minute=0)),
        clock=clock,
        ids=ids,
        tracing=tracing,
        ready=ready,
    )
    async with (
        HttpServer(app, "127.0.0.1:0", grace_s=1) as http,
        _client(http.url) as client,
    ):
        yield Place(http=client, clock=clock, verifications=verifications, webhooks=webhooks)
    await channel.close()
    await server.stop(0)


async def test_a_finding_from_the_walk_to_the_proof_that_it_is_gone(place: Place) -> None:
    [row] = await place.found("ver_1", "Stop")
    assert (row["state"], row["review"], row["version"]) == ("open", "none", 1)
    assert (row["finding"]["kind"], row["finding"]["asked"], row["product"]) == (
        "renamed",
        "Stop",
        "ECS",
    )
    path = f"/v1/findings/{row['finding_id']}"
    await place.got("POST", f"{path}:review", {"act": "comment", "words": "is it?"})
    accepted = await place.got("POST", f"{path}:review", {"act": "accept", "version": 2})
    assert (accepted["state"], accepted["version"]) == ("accepted", 3)
    [gone] = await place.found("ver_2")
    assert (gone["state"], gone["fixed_by"]) == ("fixed", "ver_2")
    history = await place.got("GET", path)
    told = [(one["act"], one["actor"], one["verification_id"]) for one in history["events"]]
    assert told == [
        ("found", "", "ver_1"),
        ("comment", "web", ""),
        ("accept", "web", ""),
        ("gone", "", "ver_2"),
    ]
    assert [one["verification_id"] for one in history["sightings"]] == ["ver_1"]


async def test_filters_and_pages(place: Place) -> None:
    await place.found("ver_1", "Stop", "Reboot", "Release")
    seen, token = [], ""
    while True:
        page = await place.got("GET", f"/v1/findings?limit=2&page_token={token}")
        seen += [row["finding"]["asked"] for row in page["findings"]]
        if not (token := page["next_page_token"]):
            break
    assert sorted(seen) == ["Reboot", "Release", "Stop"]
    asked = {
        "state=open&state=fixed": 3,
        "state=rejected": 0,
        "kind=renamed&kind=moved": 3,
        "kind=moved": 0,
        "path=docs/": 3,
        "path=other": 0,
        "product=ECS&target=devcloud": 3,
        "assignee=ann": 0,
    }
    for query, count in asked.items():
        found = await place.got("GET", f"/v1/findings?{query}")
        assert len(found["findings"]) == count, query


async def test_what_is_refused_and_how(place: Place) -> None:
    [row] = await place.found("ver_1", "Stop")
    path = f"/v1/findings/{row['finding_id']}:review"
    place.walked("ver_live")
    place.verifications["ver_live"].state = "running"
    refusals = [
        (path, {"act": "accept", "version": 7}, 409, "finding.stale_version"),
        (path, {"act": "reopen", "version": 1}, 409, "finding.bad_transition"),
        (path, {"act": "reject", "version": 1}, 422, "finding.no_reason"),
        (path, {"act": "delete", "version": 1}, 422, "request.malformed"),
        (path, {"act": "comment", "words": "a\0b"}, 422, "request.malformed"),
        (path, {"act": "accept", "version": 2**40}, 422, "request.malformed"),
        ("/v1/findings/fnd_none:review", {"act": "fix"}, 404, "finding.not_found"),
        ("/v1/findings:record", {"verification_id": "none"}, 404, "verification.not_found"),
        ("/v1/findings:record", {"verification_id": "ver_live"}, 409, "verification.not_finished"),
        ("/v1/findings:review", {"act": "fix", "versions": {}}, 422, "request.malformed"),
        ("/v1/webhooks", {**HOOK, "url": "https://127.0.0.1/"}, 422, "webhook.bad_url"),
        ("/v1/webhooks", {**HOOK, "events": ["finding.lost"]}, 422, "request.malformed"),
        ("/v1/webhooks/wh_none:enable", None, 404, "webhook.not_found"),
        ("/v1/deliveries/msg_none:replay", None, 404, "webhook.no_delivery"),
    ]
    for where, body, status, code in refusals:
        answer = await place.ask("POST", where, body)
        assert (answer.status_code, answer.json()["code"]) == (status, code), (where, body)
    for query in ("state=lost", "kind=lost", "page_token=x", "path=%00"):
        assert (await place.ask("GET", f"/v1/findings?{query}")).status_code == 422, query


async def test_many_are_decided_on(place: Place) -> None:
    one, other = await place.found("ver_1", "Stop", "Reboot")
    versions = {one["finding_id"]: 1, other["finding_id"]: 3}
    body = {"act": "reject", "words": "it is right", "versions": versions}
    rows = (await place.got("POST", "/v1/findings:review", body))["findings"]
    assert [(row["code"], row.get("finding", {}).get("state")) for row in rows] == [
        ("", "rejected"),
        ("finding.stale_version", None),
    ]
    [everything, *_] = (await place.got("GET", "/v1/findings:precision"))["precisions"]
    assert (everything["rejected"], everything["waiting"], everything["share"]) == (1, 1, 0.0)


async def with_rows(place: Place) -> dict[str, dict[str, str]]:
    """For each of two owners a finding, a webhook and a delivery, by their places in
    paths."""
    owners = {}
    for owner in ("web", "ci"):
        made = await place.got("POST", "/v1/webhooks", HOOK, key=owner)
        hook = made["webhook"]["webhook_id"]
        [row] = await place.found(f"ver_{owner}", "Stop", principal=owner)
        path = f"/v1/webhooks/{hook}/deliveries"
        [delivery] = (await place.got("GET", path, key=owner))["deliveries"]
        owners[owner] = {
            finding_tenancy.FINDING: row["finding_id"],
            finding_tenancy.WEBHOOK: hook,
            finding_tenancy.DELIVERY: delivery["delivery_id"],
            "{verification_id}": f"ver_{owner}",
        }
    return owners


async def test_nobody_gets_what_is_anothers_and_everybody_what_is_its_own(place: Place) -> None:
    cells = await finding_tenancy.matrix(place.http, await with_rows(place))
    assert [cell for cell in cells if cell.leak] == []
    asked = {tuple(cell.route.split(" ")) for cell in cells}
    assert asked == set(finding_tenancy.ROUTES)


async def test_the_matrix_sees_a_gap(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    owners = await with_rows(place)
    for module in (finding_repository, webhook_repository):
        monkeypatch.setattr(module, "visible_to", lambda caller, owner: true())
    leaks = {cell.route for cell in await finding_tenancy.matrix(place.http, owners) if cell.leak}
    kinds = {
        f"{method} {path}": kind for (method, path), (kind, _) in finding_tenancy.ROUTES.items()
    }
    seen = {route for route, kind in kinds.items() if kind in ("owned", "bulk", "listing")}
    # Rollout answers for verifications.
    assert leaks == seen - {"POST /v1/findings:record"}


async def test_who_has_no_key_learns_nothing_about_the_body(place: Place) -> None:
    answer = await place.http.post("/v1/webhooks", content=b"{")
    assert answer.status_code == 401
    answer = await place.http.post(
        "/v1/webhooks", content=b"{", headers={"Authorization": f"Bearer {askers.SECRETS['web']}"}
    )
    assert (answer.status_code, answer.json()["code"]) == (422, "request.malformed")


async def test_a_secret_is_shown_once(place: Place) -> None:
    answer = await place.ask("POST", "/v1/webhooks", HOOK)
    made = answer.json()
    assert (answer.status_code, answer.headers["Cache-Control"]) == (201, "no-store")
    assert made["secret"].startswith("whsec_")
    assert "secret" not in made["webhook"]
    assert made["secret"] not in (await place.ask("GET", "/v1/webhooks")).text


async def test_a_webhook_is_told_of_what_is_found(place: Place) -> None:
    made = await place.got("POST", "/v1/webhooks", HOOK)
    [row] = await place.found("ver_1", "Stop")
    path = f"/v1/webhooks/{made['webhook']['webhook_id']}"
    [delivery] = (await place.got("GET", f"{path}/deliveries"))["deliveries"]
    assert (delivery["event"], delivery["state"]) == ("finding.opened", "pending")
    assert row["finding_id"] in delivery["body"]
    refusal = await place.ask("POST", f"/v1/deliveries/{delivery['delivery_id']}:replay")
    assert refusal.json()["code"] == "webhook.delivery_pending"
    assert (await place.ask("DELETE", path)).status_code == 204
    assert (await place.got("GET", "/v1/webhooks"))["webhooks"] == []
