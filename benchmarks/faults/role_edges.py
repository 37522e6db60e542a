"""Calls between roles: each caller's own client of the contract, on the channel that
every role has, before the real role.

A call is made as while a call with `SERVED_S` left is served, so that deadlines are
seen to travel, and a cell takes no longer than that (`chassis.rpc.deadlines`); a
client's own deadline that is shorter holds. Tries are counted by the callee. Where the
real answer would cost a browser or a model, an id that nobody has is asked for, and the
callee's refusal is the answer.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta

import grpc
from prometheus_client import CollectorRegistry

from benchmarks.faults.edges import Call, Edge
from benchmarks.faults.place import Place, endpoint_of
from benchmarks.faults.proxy import FaultProxy
from proofwalk.api.account_pool.v1.account_pool_pb2 import ListLeasesRequest
from proofwalk.api.account_pool.v1.account_pool_pb2_grpc import AccountPoolStub
from proofwalk.api.inference.v1.inference_pb2 import LoadWeightsRequest
from proofwalk.api.inference.v1.inference_pb2_grpc import InferenceStub
from proofwalk.api.resource_provisioner.v1.resource_provisioner_pb2 import ListMetasRequest
from proofwalk.api.resource_provisioner.v1.resource_provisioner_pb2_grpc import (
    ResourceProvisionerStub,
)
from proofwalk.api.rollout.v1.rollout_pb2 import Caller, WatchGroupRequest
from proofwalk.api.rollout.v1.rollout_pb2_grpc import RolloutStub
from proofwalk.api.sandbox_scheduler.v1.sandbox_scheduler_pb2 import (
    ListSandboxesRequest,
    ListToolsRequest,
)
from proofwalk.api.sandbox_scheduler.v1.sandbox_scheduler_pb2_grpc import SandboxSchedulerStub
from proofwalk.api.trainer.v1.trainer_pb2 import ListRunsRequest
from proofwalk.api.trainer.v1.trainer_pb2_grpc import TrainerStub
from proofwalk.chassis.metrics import RpcMetrics
from proofwalk.chassis.rpc import RoleChannels, deadlines
from proofwalk.cloud.leased import LeasedAccounts
from proofwalk.gateway.neighbours import DIAGNOSIS_S, Neighbours
from proofwalk.gateway.web.page_parts import WAIT_S, PagePart
from proofwalk.inspection.grpc_rollout import GrpcRollout
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.models.client import Message
from proofwalk.models.inference import InferenceClient
from proofwalk.models.settings import ModelSettings
from proofwalk.resource_provisioner.account_leases import AccountLeases
from proofwalk.rollout.grpc_clients import (
    GrpcAccountPool,
    GrpcRewardService,
    GrpcSandboxScheduler,
)
from proofwalk.rollout.grpc_provisioner import FIND_S, GrpcProvisioner
from proofwalk.rollout.ports import Sandbox

SERVED_S = 5.0
NOBODY = "faults_nobody"
Client = Callable[[grpc.aio.Channel], Call]


def role_edges(place: Place) -> list[Edge]:
    """Every pair of roles of `chassis.rpc.callers`, but the gateway's calls that are
    behind REST (`gateway_edges`)."""
    return [
        _edge(place, "gateway", "account_pool", "ListLeases", _leases, within_s=_PAGE_S),
        _edge(place, "gateway", "sandbox_scheduler", "ListSandboxes", _sandboxes, within_s=_PAGE_S),
        _edge(place, "gateway", "resource_provisioner", "ListMetas", _metas, within_s=_PAGE_S),
        _edge(place, "gateway", "trainer", "ListRuns", _runs, within_s=_PAGE_S),
        _edge(place, "rollout", "account_pool", "ListRoles", _roles),
        _edge(place, "rollout", "sandbox_scheduler", "RenewSandbox", _renewed),
        _edge(place, "rollout", "resource_provisioner", "FindMeta", _record, within_s=FIND_S),
        _edge(place, "rollout", "reward_service", "ValidateRule", _validated),
        _edge(place, "rollout", "inference", "Generate", _generated),
        _edge(place, "resource_provisioner", "account_pool", "ListAccounts", _free),
        _edge(place, "reward_service", "account_pool", "InspectAccount", _live),
        _edge(place, "inspection", "rollout", "GetVerification", _looked),
        _edge(place, "trainer", "rollout", "WatchGroup", _watched),
        _edge(place, "trainer", "inference", "LoadWeights", _loaded),
        _edge(place, "devtools_gateway", "sandbox_scheduler", "ListTools", _tools),
    ]


_PAGE_S = WAIT_S + DIAGNOSIS_S
"""What a part of a page may take."""


def _edge(
    place: Place,
    caller: str,
    callee: str,
    method: str,
    client: Client,
    *,
    within_s: float = SERVED_S,
) -> Edge:
    @asynccontextmanager
    async def opened(proxy: FaultProxy) -> AsyncIterator[Call]:
        channels = RoleChannels(
            lambda _: proxy.target,
            tracing=place.process.tracing,
            metrics=RpcMetrics(CollectorRegistry()),
        )
        call = client(channels.channel(callee).grpc)

        async def served() -> None:
            deadlines.note(SERVED_S)
            await call()

        try:
            yield served
        finally:
            await channels.close()

    async def attempts(_: FaultProxy) -> int:
        return place.served(method)

    return Edge(
        caller=caller,
        callee=callee,
        operation=method,
        deadline_s=within_s,
        upstream=endpoint_of(place.settings.address_of(callee)),
        opened=opened,
        attempts=attempts,
    )


async def _answered(call: Awaitable[object], *, refusal: str = "") -> None:
    """Await a call to which `refusal` is an answer."""
    try:
        await call
    except ProofwalkError as error:
        if error.code != refusal:
            raise


async def _shown(part: Awaitable[PagePart[object]]) -> None:
    """A part of a page raises nothing: what the page shows in its place is raised
    here."""
    error = (await part).error
    if error is not None:
        raise error


def _neighbours(channel: grpc.aio.Channel) -> Neighbours:
    return Neighbours(
        accounts=AccountPoolStub(channel),
        sandboxes=SandboxSchedulerStub(channel),
        provisioner=ResourceProvisionerStub(channel),
        trainer=TrainerStub(channel),
    )


def _leases(channel: grpc.aio.Channel) -> Call:
    roles = _neighbours(channel)
    return lambda: _shown(roles.ask(roles.accounts.ListLeases, ListLeasesRequest()))


def _sandboxes(channel: grpc.aio.Channel) -> Call:
    roles = _neighbours(channel)
    return lambda: _shown(roles.ask(roles.sandboxes.ListSandboxes, ListSandboxesRequest()))


def _metas(channel: grpc.aio.Channel) -> Call:
    roles = _neighbours(channel)
    return lambda: _shown(roles.ask(roles.provisioner.ListMetas, ListMetasRequest()))


def _runs(channel: grpc.aio.Channel) -> Call:
    roles = _neighbours(channel)
    return lambda: _shown(roles.ask(roles.trainer.ListRuns, ListRunsRequest()))


def _roles(channel: grpc.aio.Channel) -> Call:
    pool = GrpcAccountPool(channel)
    return lambda: _answered(pool.roles("devcloud"))


def _renewed(channel: grpc.aio.Channel) -> Call:
    scheduler = GrpcSandboxScheduler(channel)
    sandbox = Sandbox(sandbox_id=NOBODY, epoch=1, cdp_endpoint="", warm=False)
    minute = timedelta(minutes=1)
    return lambda: _answered(scheduler.renew(sandbox, ttl=minute), refusal="sandbox.not_found")


def _record(channel: grpc.aio.Channel) -> Call:
    provisioner = GrpcProvisioner(channel)
    return lambda: _answered(
        provisioner.kept_record(document_digest=NOBODY, procedure_id="p1", target="devcloud")
    )


def _validated(channel: grpc.aio.Channel) -> Call:
    rewards = GrpcRewardService(channel)
    return lambda: _answered(rewards.validate("id: faults"), refusal="rule.invalid")


def _generated(channel: grpc.aio.Channel) -> Call:
    model = InferenceClient(channel, ModelSettings(via="inference"), clock=SystemClock())
    question = [Message(role="user", text="Are you there?")]
    # No engine is set.
    return lambda: _answered(
        model.generate(question, schema={}, max_tokens=16), refusal="model.refused_request"
    )


def _free(channel: grpc.aio.Channel) -> Call:
    leases = AccountLeases(channel, _leased(channel))
    return lambda: _answered(leases.free("devcloud"))


def _live(channel: grpc.aio.Channel) -> Call:
    accounts = _leased(channel)
    return lambda: _answered(accounts.is_live(lease_id=NOBODY, epoch=1))


def _leased(channel: grpc.aio.Channel) -> LeasedAccounts:
    return LeasedAccounts(channel, register_secret=lambda _: None)


def _looked(channel: grpc.aio.Channel) -> Call:
    rollout = GrpcRollout(channel, max_unfinished=0)
    return lambda: _answered(rollout.look(NOBODY, principal=NOBODY))


def _watched(channel: grpc.aio.Channel) -> Call:
    stub = RolloutStub(channel)
    request = WatchGroupRequest(group_id=NOBODY, caller=Caller(principal=NOBODY))

    async def watch() -> None:
        async for _ in stub.WatchGroup(request, timeout=300):
            pass

    return lambda: _answered(watch(), refusal="group.not_found")


def _loaded(channel: grpc.aio.Channel) -> Call:
    stub = InferenceStub(channel)
    request = LoadWeightsRequest(policy_version=f"{NOBODY}@1", uri="file:///nowhere")
    return lambda: _answered(stub.LoadWeights(request, timeout=600), refusal="inference.no_engine")


def _tools(channel: grpc.aio.Channel) -> Call:
    stub = SandboxSchedulerStub(channel)
    return lambda: _answered(stub.ListTools(ListToolsRequest(), timeout=SERVED_S))
