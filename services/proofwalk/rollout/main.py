"""Wires the rollout role: rows, peers over gRPC, the browser walker, the worker and its doorbell."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from proofwalk.agent.choosing import POLICIES
from proofwalk.api.rollout.v1 import rollout_pb2, rollout_pb2_grpc
from proofwalk.chassis.readers import Bounds
from proofwalk.chassis.role import Loop, Role, RoleContext, Running, every
from proofwalk.chassis.rpc import RpcService
from proofwalk.chassis.streams import Entry
from proofwalk.cloud.adapters import Clouds
from proofwalk.cloud.target import TargetCatalog
from proofwalk.models.asking import Model
from proofwalk.models.connection import connect
from proofwalk.models.inference import served_model
from proofwalk.models.settings import ModelSettings
from proofwalk.procedures.confined import DocumentReader
from proofwalk.procedures.fetch import FetchSettings, fetch_url
from proofwalk.rollout.browser_walker import BrowserWalker
from proofwalk.rollout.drivers import Drivers
from proofwalk.rollout.effects import EpisodeDeps
from proofwalk.rollout.groups import GroupMetrics, Groups
from proofwalk.rollout.grpc_api import RolloutApi
from proofwalk.rollout.grpc_clients import GrpcAccountPool, GrpcProvisioner, GrpcRewardService, GrpcSandboxScheduler
from proofwalk.rollout.intake import Fetched, Intake
from proofwalk.rollout.ports import Peers
from proofwalk.rollout.recordings import forget_blobs, forget_journals
from proofwalk.rollout.report.page import Report
from proofwalk.rollout.settings import RolloutSettings
from proofwalk.rollout.targets import list_targets
from proofwalk.rollout.worker import STREAM, Worker

_JOURNAL_LIFE_S = 7 * 86400.0


def role(settings: RolloutSettings, *, environment: Mapping[str, str]) -> Role:
    """The rollout role. `environment` answers the `${env:…}` references of target files."""

    async def start(ctx: RoleContext) -> Running:
        catalog = TargetCatalog(settings.targets, environment)
        clouds = await ctx.exits.enter_async_context(Clouds(catalog, clock=ctx.clock))
        targets = await list_targets(catalog, clouds)
        provisioner = GrpcProvisioner(ctx.channel("resource_provisioner").grpc)
        rewards = GrpcRewardService(ctx.channel("reward_service").grpc)
        drivers = await ctx.exits.enter_async_context(Drivers())

        @asynccontextmanager
        async def opened(chosen: ModelSettings) -> AsyncIterator[Model | None]:
            if chosen.via == "inference":
                yield await served_model(ctx.channel("inference").grpc, chosen, clock=ctx.clock)
                return
            async with connect(chosen, clock=ctx.clock) as found:
                yield found

        model = await ctx.exits.enter_async_context(opened(settings.model))
        walker = BrowserWalker(
            catalog,
            targets,
            drivers=drivers,
            clock=ctx.clock,
            redaction=ctx.redaction,
            model=model,
            models=lambda temperature: opened(settings.model.model_copy(update={"temperature": temperature})),
            cascade=settings.cascade,
        )
        peers = Peers(
            accounts=GrpcAccountPool(ctx.channel("account_pool").grpc),
            sandboxes=GrpcSandboxScheduler(ctx.channel("sandbox_scheduler").grpc),
            provisioner=provisioner,
            rewards=rewards,
            walker=walker,
        )
        bounds = Bounds(
            wall_s=1.5 * settings.document_seconds,
            cpu_s=settings.document_seconds,
            memory_bytes=settings.document_memory_mb << 20,
        )
        documents = DocumentReader(reading=ctx.readers, bounds=bounds)
        journals = ctx.folder / "journals"
        deps = EpisodeDeps(
            db=ctx.database,
            peers=peers,
            blobs=ctx.blobs,
            clock=ctx.clock,
            settings=settings,
            documents=documents,
            journals=journals if settings.trajectories else None,
        )
        metrics = GroupMetrics(ctx.metrics)
        worker = Worker(deps, ids=ctx.ids, holder=ctx.ids.new("worker"), finished=metrics.finished)

        async def ring(verification_id: str) -> None:
            await ctx.doorbell.try_ring(STREAM, {"verification_id": verification_id})

        async def rung(_: Entry) -> None:
            worker.wake()

        fetching = FetchSettings(allow_hosts=frozenset(settings.fetch_allow_hosts), max_bytes=settings.max_document_bytes)

        async def fetch(url: str) -> Fetched:
            found = await fetch_url(url, fetching)
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
            documents=documents,
            has_model=model is not None,
            max_document_bytes=settings.max_document_bytes,
            rung=ring,
        )
        api = RolloutApi(
            db=ctx.database,
            clock=ctx.clock,
            intake=intake,
            groups=Groups(db=ctx.database, clock=ctx.clock, intake=intake, rung=ring, metrics=metrics),
            report=Report(db=ctx.database, blobs=ctx.blobs),
            blobs=ctx.blobs,
            targets=lambda: list(targets.values()),
            sign_in=lambda target: catalog.get(target).console.sign_in,
            rung=ring,
        )
        consumer = ctx.consumer(STREAM, rung)
        service = RpcService(
            descriptor=rollout_pb2.DESCRIPTOR.services_by_name["Rollout"],
            register=rollout_pb2_grpc.add_RolloutServicer_to_server,
            servicer=api,
            watches=frozenset({"WatchEvents", "WatchGroup"}),
        )

        async def forget() -> None:
            await forget_journals(journals, older_than_s=_JOURNAL_LIFE_S)
            if settings.keep_days:
                await forget_blobs(ctx.database, ctx.blobs, older_than_s=settings.keep_days * 86400.0)

        loops = [
            Loop(name="worker", run=worker.run),
            Loop(name="doorbell", run=consumer.run),
            every("forget recordings", 3600, forget),
        ]
        return Running(services=[service], loops=loops, drain=consumer.drain)

    return Role(name="rollout", start=start, package="proofwalk.rollout")
