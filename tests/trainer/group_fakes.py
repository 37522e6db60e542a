"""A rollout role and an inference role in memory, over real gRPC: groups whose members
end as the test says, weights that are loaded."""

from __future__ import annotations

import asyncio
import hashlib
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from prometheus_client import CollectorRegistry

from proofwalk.api.common.v1 import common_pb2 as common
from proofwalk.api.inference.v1 import inference_pb2, inference_pb2_grpc
from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.api.rollout.v1 import rollout_pb2_grpc
from proofwalk.chassis.metrics import RpcMetrics
from proofwalk.chassis.rpc import RpcServer, RpcService
from proofwalk.chassis.rpc.vocabulary import CAUSES, OUTCOMES
from proofwalk.chassis.tracing import Tracing
from proofwalk.kernel.errors import ProofwalkError, Status, not_found
from proofwalk.kernel.outcomes import EnvCause, OutcomeKind
from proofwalk.trajectories import schema
from proofwalk.trajectories.records import EndingRecord, EpisodeRecord, ExchangeRecord, StepRecord
from proofwalk.trajectories.trajectory import bundle

MOMENT = datetime(2026, 1, 1, tzinfo=UTC)
PROMPT, ANSWER, LOGPROBS = (5, 6, 7), (8, 9, 1), (-0.25, -1.5, -0.125)


@dataclass(frozen=True, kw_only=True)
class Ending:
    """How a member ends. Its trajectory has a step for each inner tuple of
    exchanges."""

    outcome: str = "verified"
    cause: str = ""
    finding: common.Finding | None = None
    steps: tuple[tuple[ExchangeRecord, ...], ...] | None = None
    """None: one step with one answer."""
    trajectory: bytes | None = None
    """Instead of a real one."""
    absent: bool = False
    images: Mapping[str, bytes] = field(default_factory=dict)
    """Pictures of its bundle, by address."""
    complete: bool = True
    finishes: bool = True


def answer(model: str, **more: Any) -> ExchangeRecord:
    """An answer with tokens."""
    told = {"prompt_token_ids": PROMPT, "token_ids": ANSWER, "logprobs": LOGPROBS, **more}
    return ExchangeRecord(
        messages=(), form="schema", text="{}", finish_reason="stop", model=model, **told
    )


@dataclass
class Inference(inference_pb2_grpc.InferenceServicer):
    """Takes weights; a version's name is its weights' for ever."""

    serving: str = "base@0123"
    loaded: list[str] = field(default_factory=list)
    digests: dict[str, str] = field(default_factory=dict)
    fault: BaseException | None = None

    async def LoadWeights(
        self, request: inference_pb2.LoadWeightsRequest, context: Any
    ) -> inference_pb2.LoadWeightsResponse:
        fault, self.fault = self.fault, None
        if fault is not None:
            raise fault
        folder = Path(unquote(request.uri.removeprefix("file://")))
        files = sorted(path for path in folder.iterdir() if path.is_file())
        digest = hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()
        if self.digests.setdefault(request.policy_version, digest) != digest:
            raise ProofwalkError(
                "inference.version_taken", "other weights", status=Status.ALREADY_EXISTS
            )
        self.serving = request.policy_version
        self.loaded.append(request.policy_version)
        return inference_pb2.LoadWeightsResponse(
            policy_version=request.policy_version, digest=digest
        )


@dataclass
class _Member:
    ending: Ending
    version: str
    """What served when it was begun."""


class Rollouts(rollout_pb2_grpc.RolloutServicer):
    """Members end at once, as `ending` says of their group and number, unless they do
    not finish."""

    def __init__(self, inference: Inference) -> None:
        self._inference = inference
        self.ending: Callable[[str, int], Ending] = lambda group, number: Ending()
        self.requests: dict[str, pb.RunGroupRequest] = {}
        self.asked: list[tuple[str, int]] = []
        self.members: dict[str, list[_Member]] = defaultdict(list)
        self.finished: defaultdict[str, list[int]] = defaultdict(list)
        """Numbers of members in the order of finishing."""
        self.fetched: list[str] = []
        self.cancelled: list[str] = []
        self.faults: defaultdict[str, deque[BaseException]] = defaultdict(deque)

    async def RunGroup(self, request: pb.RunGroupRequest, context: Any) -> pb.RunGroupResponse:
        name = request.group_id
        self._meet("RunGroup")
        self.asked.append((name, request.episodes))
        known = self.requests.setdefault(name, request)
        if known.task != request.task or known.temperature != request.temperature:
            raise ProofwalkError("group.exists", "another request", status=Status.ALREADY_EXISTS)
        members = self.members[name]
        for number in range(len(members), request.episodes):
            members.append(_Member(self.ending(name, number), self._inference.serving))
            if members[number].ending.finishes:
                self.finished[name].append(number)
        return pb.RunGroupResponse(group=pb.Group(group_id=name, episodes=len(members)))

    async def WatchGroup(
        self, request: pb.WatchGroupRequest, context: Any
    ) -> AsyncIterator[pb.GroupMember]:
        name, sequence = request.group_id, request.after
        if name not in self.members:
            raise not_found("group.not_found", f"there is no group {name}")
        while True:
            for number in self.finished[name][sequence:]:
                sequence += 1
                yield self._told(name, number, sequence)
                self._meet("WatchGroup")
            if sequence == len(self.members[name]):
                return
            await asyncio.sleep(0.01)

    async def GetArtefact(
        self, request: pb.GetArtefactRequest, context: Any
    ) -> AsyncIterator[pb.ReportChunk]:
        self._meet("GetArtefact")
        assert request.kind in ("trajectory", "bundle")
        assert request.episode == 1
        self.fetched.append(request.verification_id)
        name, _, number = request.verification_id.rpartition(".")
        member = self.members[name][int(number)]
        data = self._trajectory(request.verification_id, member)
        if request.kind == "bundle":
            data = bundle(data, member.ending.images.items())
        for start in range(0, len(data), 1000):
            yield pb.ReportChunk(data=data[start : start + 1000])

    async def CancelGroup(
        self, request: pb.CancelGroupRequest, context: Any
    ) -> pb.CancelGroupResponse:
        self.cancelled.append(request.group_id)
        self.release(request.group_id, Ending(outcome="cancelled"))
        return pb.CancelGroupResponse()

    def release(self, name: str, ending: Ending | None = None) -> None:
        """Let the members of a group end that had not."""
        for number, member in enumerate(self.members[name]):
            if not member.ending.finishes:
                member.ending = ending or Ending()
                self.finished[name].append(number)

    def _meet(self, call: str) -> None:
        if self.faults[call]:
            raise self.faults[call].popleft()

    def _told(self, name: str, number: int, sequence: int) -> pb.GroupMember:
        member = self.members[name][number]
        asks = self.requests[name].task.policy == "llm"
        return pb.GroupMember(
            sequence=sequence,
            verification_id=f"{name}.{number}",
            number=number,
            outcome=OUTCOMES.to_pb(OutcomeKind(member.ending.outcome)),
            cause=CAUSES.to_pb(EnvCause(member.ending.cause) if member.ending.cause else None),
            reason="because",
            finding=member.ending.finding,
            policy_versions=[member.version] if asks else [],
            episode=1,
        )

    def _trajectory(self, verification_id: str, member: _Member) -> bytes:
        ending = member.ending
        if ending.absent:
            raise not_found("artefact.not_recorded", "there is no trajectory")
        if ending.trajectory is not None:
            return ending.trajectory
        exchanges = ending.steps if ending.steps is not None else ((answer(member.version),),)
        # A record that names no model is of what served.
        named = [
            tuple(replace(one, model=one.model or member.version) for one in step)
            for step in exchanges
        ]
        return trajectory(verification_id, named, complete=ending.complete)


def trajectory(verification_id: str, exchanges: Any, *, complete: bool = True) -> bytes:
    """A file as the rollout role keeps it."""
    about = EpisodeRecord(episode_id="ep_1", verification_id=verification_id, started_at=MOMENT)
    steps = [
        StepRecord(
            step=number, substep="1", substep_index=0, thought="", action="{}", result="", ok=True, url="", title="",
            started_at=MOMENT, ended_at=MOMENT, exchanges=asked,
        )
        for number, asked in enumerate(exchanges, start=1)
    ]  # fmt: skip
    return schema.write(
        schema.plain_of(about),
        [schema.plain_of(step) for step in steps],
        EndingRecord(complete=complete),
    )


@dataclass
class Roles:
    """Both, and where they are."""

    rollout: Rollouts
    inference: Inference
    rollout_address: str
    inference_address: str


@asynccontextmanager
async def serving(
    home: Path, tracing: Tracing, *, rollouts: Callable[[Inference], Rollouts] | None = None
) -> AsyncIterator[Roles]:
    """Both roles on sockets of their own."""
    inference = Inference()
    rollout = (rollouts or Rollouts)(inference)
    metrics = RpcMetrics(CollectorRegistry())
    servers = [
        RpcServer(
            f"unix:{home}/{name}.sock",
            [
                RpcService(
                    descriptor=descriptor.services_by_name[service],
                    register=register,
                    servicer=servicer,
                )
            ],
            tracing=tracing,
            metrics=metrics,
        )
        for name, service, descriptor, register, servicer in (
            (
                "rollout",
                "Rollout",
                pb.DESCRIPTOR,
                rollout_pb2_grpc.add_RolloutServicer_to_server,
                rollout,
            ),
            (
                "inference",
                "Inference",
                inference_pb2.DESCRIPTOR,
                inference_pb2_grpc.add_InferenceServicer_to_server,
                inference,
            ),
        )
    ]
    for server in servers:
        await server.start()
        await server.ready(True)
    try:
        yield Roles(rollout, inference, servers[0].address, servers[1].address)
    finally:
        for server in servers:
            await server.stop(0)
