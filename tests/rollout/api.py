"""The rollout role's API over the wire, with a stub to call it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import CollectorRegistry

from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.api.rollout.v1 import rollout_pb2_grpc
from proofwalk.chassis.metrics import RpcMetrics
from proofwalk.chassis.rpc import RpcChannel, RpcServer, RpcService
from proofwalk.chassis.tracing import Tracing
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.rollout.groups import GroupMetrics, Groups
from proofwalk.rollout.grpc_api import RolloutApi
from proofwalk.rollout.intake import Fetched, Intake
from proofwalk.rollout.report.page import Report
from proofwalk.rollout.targets import TargetInfo
from tests.rollout.setting import DOCUMENT, Setting

TARGET = TargetInfo(
    id="devcloud",
    title="Devcloud",
    console_url="http://127.0.0.1:1",
    adapter="devcloud",
    has_audit_log=True,
    has_provisioning=True,
    has_scenarios=True,
)


OPERATOR = pb.Caller(principal="local", operator=True)


PLAIN = replace(TARGET, id="plain", has_scenarios=False)


@dataclass
class Api:
    """A stub, and what is behind it."""

    setting: Setting
    stub: rollout_pb2_grpc.RolloutStub
    fetched: list[str] = field(default_factory=list)
    rung: list[str] = field(default_factory=list)
    fetch_error: ProofwalkError | None = None

    async def create(self, verification_id: str = "ver_1", **values: Any) -> pb.Verification:
        fields = {
            "target": "devcloud",
            "principal": "local",
            "document": pb.DocumentSource(content=DOCUMENT, name="stop.md"),
            **values,
        }
        request = pb.CreateVerificationRequest(verification_id=verification_id, **fields)
        reply: pb.CreateVerificationResponse = await self.stub.CreateVerification(
            request, timeout=10
        )
        return reply.verification

    async def watch(
        self, verification_id: str, *, after: int = 0, stored_only: bool = True
    ) -> list[pb.Event]:
        request = pb.WatchEventsRequest(
            caller=OPERATOR, verification_id=verification_id, after=after, stored_only=stored_only
        )
        return [event async for event in self.stub.WatchEvents(request, timeout=20)]

    async def report(self, verification_id: str) -> str:
        chunks = self.stub.GetReport(
            pb.GetReportRequest(caller=OPERATOR, verification_id=verification_id), timeout=10
        )
        return b"".join([chunk.data async for chunk in chunks]).decode()


@asynccontextmanager
async def serving(setting: Setting, home: Path, tracing: Tracing) -> AsyncIterator[Api]:
    """The API on a socket in `home`."""
    metrics = RpcMetrics(CollectorRegistry())
    address = f"unix:{home}/rollout.sock"
    channel = RpcChannel(address, tracing=tracing, metrics=metrics)
    api = Api(setting, rollout_pb2_grpc.RolloutStub(channel.grpc))

    async def fetch(url: str) -> Fetched:
        api.fetched.append(url)
        if api.fetch_error is not None:
            raise api.fetch_error
        return Fetched(name=url, content=DOCUMENT, media_type="text/markdown")

    async def ring(verification_id: str) -> None:
        api.rung.append(verification_id)

    intake = Intake(
        db=setting.db,
        blobs=setting.blobs,
        clock=setting.clock,
        fetch=fetch,
        accounts=setting.world.accounts,
        provisioner=setting.world.provisioner,
        rewards=setting.world.rewards,
        targets=lambda: {"devcloud": TARGET, "plain": PLAIN},
        policies=["literal", "scripted", "llm", "cascade"],
        documents=setting.documents,
        max_document_bytes=10_000,
        rung=ring,
    )
    servicer = RolloutApi(
        db=setting.db,
        clock=setting.clock,
        intake=intake,
        groups=Groups(
            db=setting.db,
            clock=setting.clock,
            intake=intake,
            rung=ring,
            metrics=GroupMetrics(CollectorRegistry()),
        ),
        report=Report(db=setting.db, blobs=setting.blobs),
        blobs=setting.blobs,
        targets=lambda: [TARGET],
        sign_in=lambda target: (),
        rung=ring,
    )
    service = RpcService(
        descriptor=pb.DESCRIPTOR.services_by_name["Rollout"],
        register=rollout_pb2_grpc.add_RolloutServicer_to_server,
        servicer=servicer,
    )
    server = RpcServer(address, [service], tracing=tracing, metrics=metrics)
    await server.start()
    await server.ready(True)
    yield api
    await channel.close()
    await server.stop(0)


async def code_of(call: object) -> str:
    with pytest.raises(ProofwalkError) as caught:
        await call  # type: ignore[misc]
    return caught.value.code
