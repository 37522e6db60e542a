"""Wires the rollout role: rows, peers over gRPC, the browser walker, the worker and its doorbell."""

from __future__ import annotations

from collections.abc import Mapping

from proofwalk.agent.choosing import POLICIES
from proofwalk.api.rollout.v1 import rollout_pb2, rollout_pb2_grpc
from proofwalk.chassis.role import Loop, Role, RoleContext, Running
from proofwalk.chassis.rpc import RpcService
from proofwalk.chassis.streams import Entry
from proofwalk.cloud.adapters import Clouds
from proofwalk.cloud.target import TargetCatalog
from proofwalk.procedures.fetch import FetchSettings, fetch_url
from proofwalk.rollout.browser_walker import BrowserWalker
from proofwalk.rollout.drivers import Drivers
from proofwalk.rollout.effects import EpisodeDeps
from proofwalk.rollout.grpc_api import RolloutApi
from proofwalk.rollout.grpc_clients import GrpcAccountPool, GrpcProvisioner, GrpcRewardService, GrpcSandboxScheduler
from proofwalk.rollout.intake import Fetched, Intake
from proofwalk.rollout.ports import Peers
from proofwalk.rollout.report.page import Report
from proofwalk.rollout.settings import RolloutSettings
from proofwalk.rollout.targets import list_targets
from proofwalk.rollout.worker import STREAM, Worker


def role(settings: RolloutSettings, *, environment: Mapping[str, str]) -> Role:
    """The rollout role. `environment` answers the `${env:…}` references of target files."""

    async def start(ctx: RoleContext) -> Running:
        catalog = TargetCatalog(settings.targets, environment)
        clouds = await ctx.exits.enter_async_context(Clouds(catalog, clock=ctx.clock))
        targets = await list_targets(catalog, clouds)
        provisioner = GrpcProvisioner(ctx.channel("resource_provisioner").grpc)
        rewards = GrpcRewardService(ctx.channel("reward_service").grpc)
        drivers = await ctx.exits.enter_async_context(Drivers())
        walker = BrowserWalker(catalog, targets, drivers=drivers, clock=ctx.clock, redaction=ctx.redaction)
        peers = Peers(
            accounts=GrpcAccountPool(ctx.channel("account_pool").grpc),
            sandboxes=GrpcSandboxScheduler(ctx.channel("sandbox_scheduler").grpc),
            provisioner=provisioner,
            rewards=rewards,
            walker=walker,
        )
        deps = EpisodeDeps(db=ctx.database, peers=peers, blobs=ctx.blobs, clock=ctx.clock, settings=settings)
        worker = Worker(deps, ids=ctx.ids, holder=ctx.ids.new("worker"))

        async def ring(verification_id: str) -> None:
            await ctx.doorbell.try_ring(STREAM, {"verification_id": verification_id})

        async def rung(_: Entry) -> None:
            worker.wake()

        bounds = FetchSettings(allow_hosts=frozenset(settings.fetch_allow_hosts), max_bytes=settings.max_document_bytes)

        async def fetch(url: str) -> Fetched:
            found = await fetch_url(url, bounds)
            return Fetched(name=found.name, content=found.content, media_type=found.media_type)

        intake = Intake(
            db=ctx.database,
            blobs=ctx.blobs,
            clock=ctx.clock,
            fetch=fetch,
            provisioner=provisioner,
            rewards=rewards,
            targets=lambda: targets,
            policies=POLICIES,
            max_document_bytes=settings.max_document_bytes,
            rung=ring,
        )
        api = RolloutApi(
            db=ctx.database,
            clock=ctx.clock,
            intake=intake,
            report=Report(db=ctx.database, blobs=ctx.blobs),
            targets=lambda: list(targets.values()),
            rung=ring,
        )
        consumer = ctx.consumer(STREAM, rung)
        service = RpcService(
            descriptor=rollout_pb2.DESCRIPTOR.services_by_name["Rollout"],
            register=rollout_pb2_grpc.add_RolloutServicer_to_server,
            servicer=api,
        )
        loops = [Loop(name="worker", run=worker.run), Loop(name="doorbell", run=consumer.run)]
        return Running(services=[service], loops=loops, drain=consumer.drain)

    return Role(name="rollout", start=start, package="proofwalk.rollout")
