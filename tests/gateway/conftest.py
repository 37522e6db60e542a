"""The gateway's application behind a real HTTP server, before a scripted rollout
service on a real gRPC socket."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from prometheus_client import CollectorRegistry
from pydantic import SecretStr

from proofwalk.api.inspection.v1.findings_pb2_grpc import FindingsStub
from proofwalk.api.inspection.v1.inspection_pb2_grpc import InspectionsStub
from proofwalk.api.inspection.v1.webhooks_pb2_grpc import WebhooksStub
from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.api.rollout.v1 import rollout_pb2_grpc
from proofwalk.chassis.database import Database
from proofwalk.chassis.http import HttpServer
from proofwalk.chassis.metrics import RpcMetrics
from proofwalk.chassis.rpc import RpcChannel, RpcServer, RpcService
from proofwalk.chassis.tracing import Tracing
from proofwalk.chassis.trust import system_trust
from proofwalk.gateway.http_api import build_app
from proofwalk.gateway.keys import Keyring
from proofwalk.gateway.limits import LimitSettings
from proofwalk.gateway.settings import GatewaySettings
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import not_found
from proofwalk.kernel.ids import SeededIds
from tests.fixtures.described import holding
from tests.fixtures.templates import copy_migrated
from tests.gateway.inspection_fakes import FakeFindings, FakeInspections, services
from tests.gateway.neighbour_fakes import Fakes, neighbours

KEY = "pw_local"


@dataclass
class FakeWalk:
    """What is told of a verification's walk, whichever episode is asked for."""

    steps: list[pb.Step] = field(default_factory=list)
    pictures: dict[str, bytes] = field(default_factory=dict)
    episode: int = 1
    is_open: bool = False
    document: pb.GetDocumentResponse = field(default_factory=pb.GetDocumentResponse)
    evidence: pb.GetEvidenceResponse = field(default_factory=pb.GetEvidenceResponse)
    at_once: int = 200


class FakeRollout(rollout_pb2_grpc.RolloutServicer):
    """Keeps what it was asked; `errors` are raised by the next calls of a method, and a
    closed gate holds `CreateVerification`."""

    def __init__(self) -> None:
        self.created: dict[str, pb.CreateVerificationRequest] = {}
        self.create_calls = 0
        self.verifications: dict[str, pb.Verification] = {}
        self.events: list[pb.Event] = []
        self.finished = asyncio.Event()
        self.more = asyncio.Event()
        self.watchers = 0
        self.errors: dict[str, deque[Exception]] = {}
        self.gate = asyncio.Event()
        self.gate.set()
        self.pages: list[tuple[int, str]] = []
        self.listed: list[pb.ListVerificationsRequest] = []
        self.summary = pb.SummariseVerificationsResponse()
        self.targets = [pb.Target(id="devcloud", title="Devcloud")]
        self.walks: dict[str, FakeWalk] = {}

    def _fail(self, method: str) -> None:
        if self.errors.get(method):
            raise self.errors[method].popleft()

    async def CreateVerification(
        self, request: pb.CreateVerificationRequest, context: Any
    ) -> pb.CreateVerificationResponse:
        self.create_calls += 1
        self._fail("CreateVerification")
        self.created[request.verification_id] = request
        made = pb.Verification(
            verification_id=request.verification_id, state="queued", target=request.target
        )
        self.verifications.setdefault(request.verification_id, made)
        await self.gate.wait()
        return pb.CreateVerificationResponse(verification=made)

    async def GetVerification(
        self, request: pb.GetVerificationRequest, context: Any
    ) -> pb.GetVerificationResponse:
        self._fail("GetVerification")
        return pb.GetVerificationResponse(verification=self._find(request.verification_id))

    async def ListVerifications(
        self, request: pb.ListVerificationsRequest, context: Any
    ) -> pb.ListVerificationsResponse:
        self._fail("ListVerifications")
        self.pages.append((request.limit, request.page_token))
        self.listed.append(request)
        return pb.ListVerificationsResponse(
            verifications=list(self.verifications.values()), next_page_token="more"
        )

    async def SummariseVerifications(
        self, request: pb.SummariseVerificationsRequest, context: Any
    ) -> pb.SummariseVerificationsResponse:
        self._fail("SummariseVerifications")
        return self.summary

    async def CancelVerification(
        self, request: pb.CancelVerificationRequest, context: Any
    ) -> pb.CancelVerificationResponse:
        found = self._find(request.verification_id)
        found.state = "cancelling"
        return pb.CancelVerificationResponse(verification=found)

    async def WatchEvents(
        self, request: pb.WatchEventsRequest, context: Any
    ) -> AsyncIterator[pb.Event]:
        self.watchers += 1
        try:
            self._find(request.verification_id)
            after = request.after
            while True:
                self.more.clear()
                for event in self.events:
                    if event.sequence > after:
                        yield event
                        after = event.sequence
                self._fail("WatchEvents")
                if request.stored_only or self.finished.is_set():
                    break
                await self._more_or_finished()
        finally:
            self.watchers -= 1

    async def GetReport(
        self, request: pb.GetReportRequest, context: Any
    ) -> AsyncIterator[pb.ReportChunk]:
        self._find(request.verification_id)
        await self.gate.wait()
        self._fail("GetReport")
        for part in (b"<!doctype html>", b"<p>report</p>"):
            yield pb.ReportChunk(data=part)

    async def GetArtefact(
        self, request: pb.GetArtefactRequest, context: Any
    ) -> AsyncIterator[pb.ReportChunk]:
        self._find(request.verification_id)
        self._fail("GetArtefact")
        for part in (request.kind.encode(), b" of episode ", str(request.episode).encode()):
            yield pb.ReportChunk(data=part)

    async def ListSteps(self, request: pb.ListStepsRequest, context: Any) -> pb.ListStepsResponse:
        self._fail("ListSteps")
        walk = self._walk(request.verification_id)
        behind = [one for one in walk.steps if one.number > request.after]
        return pb.ListStepsResponse(
            episode=request.episode or (walk.episode if walk.steps else 0),
            steps=behind[: walk.at_once],
            more=len(behind) > walk.at_once,
            open=walk.is_open,
        )

    async def GetPicture(
        self, request: pb.GetPictureRequest, context: Any
    ) -> AsyncIterator[pb.ReportChunk]:
        pictures = self._walk(request.verification_id).pictures
        if request.address not in pictures:
            raise not_found("picture.not_found", "no step names it", hint="look at its steps")
        for byte in pictures[request.address]:
            yield pb.ReportChunk(data=bytes([byte]))

    async def GetDocument(
        self, request: pb.GetDocumentRequest, context: Any
    ) -> pb.GetDocumentResponse:
        self._fail("GetDocument")
        return self._walk(request.verification_id).document

    async def GetEvidence(
        self, request: pb.GetEvidenceRequest, context: Any
    ) -> pb.GetEvidenceResponse:
        return self._walk(request.verification_id).evidence

    def _walk(self, verification_id: str) -> FakeWalk:
        self._find(verification_id)
        return self.walks.setdefault(verification_id, FakeWalk())

    async def ListTargets(
        self, request: pb.ListTargetsRequest, context: Any
    ) -> pb.ListTargetsResponse:
        return pb.ListTargetsResponse(targets=self.targets)

    async def _more_or_finished(self) -> None:
        waits = [asyncio.ensure_future(one.wait()) for one in (self.finished, self.more)]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for one in waits:
                one.cancel()

    def tell(self, type: str, **facts: Any) -> None:
        """Let an event happen."""
        event = pb.Event(
            sequence=len(self.events) + 1, type=type, data_json=json.dumps(facts), episode_id="ep_1"
        )
        event.time.FromSeconds(1_767_225_600 + event.sequence)
        self.events.append(event)
        self.more.set()

    def _find(self, verification_id: str) -> pb.Verification:
        if verification_id not in self.verifications:
            raise not_found(
                "verification.not_found",
                f"there is no verification {verification_id!r}",
                hint="list them",
            )
        return self.verifications[verification_id]


@dataclass
class Gateway:
    """A client with a good key, and what is behind it."""

    url: str
    app: FastAPI
    client: httpx2.AsyncClient
    rollout: FakeRollout
    findings: FakeFindings
    inspections: FakeInspections
    fakes: Fakes
    db: Database
    clock: ManualClock
    body: dict[str, Any] = field(
        default_factory=lambda: {
            "document": {"text": "1. Click **Stop**.", "name": "a.md"},
            "target": "devcloud",
        }
    )

    async def create(self, key: str | None = None, **values: Any) -> httpx2.Response:
        headers = {} if key is None else {"Idempotency-Key": key}
        return await self.client.post(
            "/v1/verifications", json={**self.body, **values}, headers=headers
        )

    def has(self, verification_id: str = "ver_1", **values: Any) -> pb.Verification:
        made = pb.Verification(verification_id=verification_id, **{"state": "running", **values})
        self.rollout.verifications[verification_id] = made
        return made


def _keyring() -> Keyring:
    return Keyring(
        {name: SecretStr(f"pw_{name}") for name in ("ci", "reader", "critic")},
        local=KEY,
        viewers=["reader"],
        reviewers=["critic"],
    )


def _service(rollout: FakeRollout) -> RpcService:
    return RpcService(
        descriptor=pb.DESCRIPTOR.services_by_name["Rollout"],
        register=rollout_pb2_grpc.add_RolloutServicer_to_server,
        servicer=rollout,
    )


@pytest.fixture
async def gateway(
    request: pytest.FixtureRequest,
    sqlite_db: Database,
    home: Path,
    tracing: Tracing,
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[Gateway]:
    """The parameter, where there is one, is the limits of each key."""
    limits = getattr(request, "param", LimitSettings())
    await copy_migrated("proofwalk.gateway", sqlite_db, tmp_path_factory)
    rollout, fakes, clock = FakeRollout(), Fakes(), ManualClock()
    metrics = RpcMetrics(CollectorRegistry())
    service = _service(rollout)
    address = f"unix:{home}/rollout.sock"
    findings, inspections = FakeFindings(), FakeInspections()
    behind = [service, *services(findings, inspections), *fakes.services()]
    server = RpcServer(address, behind, tracing=tracing, metrics=metrics)
    await server.start()
    await server.ready(True)
    channel = RpcChannel(address, tracing=tracing, metrics=metrics)

    async def ready() -> bool:
        return not rollout.errors.get("ready")

    app = build_app(
        rollout=rollout_pb2_grpc.RolloutStub(channel.grpc),
        inspections=InspectionsStub(channel.grpc),
        findings=FindingsStub(channel.grpc),
        webhooks=WebhooksStub(channel.grpc),
        neighbours=neighbours(channel),
        db=sqlite_db,
        keys=_keyring(),
        settings=GatewaySettings(max_body_bytes=10_000, stream_life_s=5).model_copy(
            update={"stream_life_s": 2.0, "limits": limits}
        ),
        clock=clock,
        ids=SeededIds(5),
        tracing=tracing,
        ready=ready,
    )
    async with HttpServer(app, "127.0.0.1:0", grace_s=1) as http:
        headers = {"Authorization": f"Bearer {KEY}"}
        hooks = holding()
        async with httpx2.AsyncClient(
            base_url=http.url,
            headers=headers,
            timeout=20,
            trust_env=False,
            verify=system_trust(),
            event_hooks=hooks,
        ) as client:
            yield Gateway(
                http.url, app, client, rollout, findings, inspections, fakes, sqlite_db, clock
            )
        rollout.gate.set()
        rollout.finished.set()
    await channel.close()
    await server.stop(0)
