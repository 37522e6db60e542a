"""Wires the rollout role: rows, peers over gRPC, the browser walker, the worker and its
doorbell."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from proofwalk.agent.choosing import POLICIES
from proofwalk.api.rollout.v1 import rollout_pb2, rollout_pb2_grpc
from proofwalk.apis.model import ApiFunction
from proofwalk.apis.storage import CatalogueFolder
from proofwalk.apis.surfaces import DesktopSurface
from proofwalk.chassis.readers import Bounds
from proofwalk.chassis.role import Loop, Role, RoleContext, Running, every
from proofwalk.chassis.rpc import RpcService
from proofwalk.chassis.streams import Entry
from proofwalk.cloud.adapters import Clouds
from proofwalk.cloud.target import TargetCatalog, Tool
from proofwalk.models.asking import Model
from proofwalk.models.connection import connect
from proofwalk.models.inference import served_model
from proofwalk.models.settings import ModelSettings
from proofwalk.procedures.confined import DocumentReader
from proofwalk.procedures.fetch import FetchSettings, fetch_url
from proofwalk.rollout.browser_walker import BrowserWalker
from proofwalk.rollout.claimed_episode import EpisodeDeps
from proofwalk.rollout.drivers import Drivers
from proofwalk.rollout.groups import GroupMetrics, Groups
from proofwalk.rollout.grpc_api import RolloutApi
from proofwalk.rollout.grpc_clients import (
    GrpcAccountPool,
    GrpcRewardService,
    GrpcSandboxScheduler,
)
from proofwalk.rollout.grpc_provisioner import GrpcProvisioner
from proofwalk.rollout.intake import Fetched, Intake
from proofwalk.rollout.ports import Peers, Walker
from proofwalk.rollout.recordings import forget_blobs, forget_journals
from proofwalk.rollout.report.page import Report
from proofwalk.rollout.settings import RolloutSettings
from proofwalk.rollout.targets import TargetInfo, list_targets
from proofwalk.rollout.walk_policies import WalkPolicies
from proofwalk.rollout.walkers import Walkers
from proofwalk.rollout.worker import STREAM, Worker

_JOURNALS = "journals"
_JOURNAL_LIFE_S = 7 * 86400.0


Ring = Callable[[str], Awaitable[None]]


def role(settings: RolloutSettings, *, environment: Mapping[str, str]) -> Role:
    """The rollout role. `environment` answers the `${env:…}` references of target
    files."""

    async def start(ctx: RoleContext) -> Running:
        catalog = TargetCatalog(settings.targets, environment)
        clouds = await ctx.exits.enter_async_context(Clouds(catalog, clock=ctx.clock))
        targets = await list_targets(catalog, clouds)
        model = await ctx.exits.enter_async_context(_opened(ctx, settings.model))
        peers = _peers(ctx, await _walker(ctx, settings, catalog, targets, model))
        deps = _deps(ctx, settings, peers)
        metrics = GroupMetrics(ctx.metrics)
        worker = Worker(deps, ids=ctx.ids, holder=ctx.ids.new("worker"), finished=metrics.finished)

        async def ring(verification_id: str) -> None:
            await ctx.doorbell.try_ring(STREAM, {"verification_id": verification_id})

        async def rung(_: Entry) -> None:
            worker.wake()

        intake = _intake(deps, targets, has_model=model is not None, rung=ring)
        groups = Groups(db=ctx.database, clock=ctx.clock, intake=intake, rung=ring, metrics=metrics)
        api = RolloutApi(
            db=ctx.database,
            clock=ctx.clock,
            intake=intake,
            groups=groups,
            report=Report(db=ctx.database, blobs=ctx.blobs),
            blobs=ctx.blobs,
            targets=lambda: list(targets.values()),
            sign_in=lambda target: catalog.get(target).console.sign_in,
            rung=ring,
        )
        consumer = ctx.consumer(STREAM, rung)
        loops = [
            Loop(name="worker", run=worker.run),
            Loop(name="doorbell", run=consumer.run),
            every("forget recordings", 3600, partial(_forget, deps, ctx.folder / _JOURNALS)),
        ]
        return Running(services=[_service(api)], loops=loops, drain=consumer.drain)

    return Role(name="rollout", start=start, package="proofwalk.rollout")


@asynccontextmanager
async def _opened(ctx: RoleContext, chosen: ModelSettings) -> AsyncIterator[Model | None]:
    """The model that these settings name, of the inference role or of an endpoint."""
    if chosen.via == "inference":
        yield await served_model(ctx.channel("inference").grpc, chosen, clock=ctx.clock)
        return
    async with connect(chosen, clock=ctx.clock) as found:
        yield found


async def _walker(
    ctx: RoleContext,
    settings: RolloutSettings,
    catalog: TargetCatalog,
    targets: Mapping[str, TargetInfo],
    model: Model | None,
) -> Walker:
    policies = WalkPolicies(
        clock=ctx.clock,
        redaction=ctx.redaction,
        model=model,
        models=lambda temperature: _opened(
            ctx, settings.model.model_copy(update={"temperature": temperature})
        ),
        cascade=settings.cascade,
    )
    drivers = await ctx.exits.enter_async_context(Drivers())
    walkers: dict[Tool, Walker] = {
        "chromium": BrowserWalker(catalog, targets, drivers=drivers, policies=policies)
    }
    if any(target.tool == "desktop" for target in targets.values()):
        # Its client of QEMU is in no image but those that have desktops.
        from proofwalk.rollout.desktop_walker import DesktopWalker

        functions: Collection[ApiFunction] = ()
        if settings.apis is not None:
            catalogue = await asyncio.to_thread(CatalogueFolder(settings.apis).read)
            catalogue.refuse_other(DesktopSurface.application)
            functions = catalogue.functions.values()
        walkers["desktop"] = DesktopWalker(catalog, policies=policies, functions=tuple(functions))
    return Walkers(catalog, walkers)


def _peers(ctx: RoleContext, walker: Walker) -> Peers:
    return Peers(
        accounts=GrpcAccountPool(ctx.channel("account_pool").grpc),
        sandboxes=GrpcSandboxScheduler(ctx.channel("sandbox_scheduler").grpc),
        provisioner=GrpcProvisioner(ctx.channel("resource_provisioner").grpc),
        rewards=GrpcRewardService(ctx.channel("reward_service").grpc),
        walker=walker,
    )


def _deps(ctx: RoleContext, settings: RolloutSettings, peers: Peers) -> EpisodeDeps:
    bounds = Bounds(
        wall_s=1.5 * settings.document_seconds,
        cpu_s=settings.document_seconds,
        memory_bytes=settings.document_memory_mb << 20,
    )
    return EpisodeDeps(
        db=ctx.database,
        peers=peers,
        blobs=ctx.blobs,
        clock=ctx.clock,
        settings=settings,
        documents=DocumentReader(reading=ctx.readers, bounds=bounds),
        tracing=ctx.tracing,
        journals=ctx.folder / _JOURNALS if settings.trajectories else None,
    )


def _intake(
    deps: EpisodeDeps, targets: Mapping[str, TargetInfo], *, has_model: bool, rung: Ring
) -> Intake:
    settings = deps.settings
    fetching = FetchSettings(
        allow_hosts=frozenset(settings.fetch_allow_hosts), max_bytes=settings.max_document_bytes
    )

    async def fetch(url: str) -> Fetched:
        found = await fetch_url(url, fetching)
        return Fetched(name=found.name, content=found.content, media_type=found.media_type)

    return Intake(
        db=deps.db,
        blobs=deps.blobs,
        clock=deps.clock,
        fetch=fetch,
        accounts=deps.peers.accounts,
        provisioner=deps.peers.provisioner,
        rewards=deps.peers.rewards,
        targets=lambda: targets,
        policies=POLICIES,
        documents=deps.documents,
        has_model=has_model,
        max_document_bytes=settings.max_document_bytes,
        rung=rung,
    )


def _service(api: RolloutApi) -> RpcService:
    return RpcService(
        descriptor=rollout_pb2.DESCRIPTOR.services_by_name["Rollout"],
        register=rollout_pb2_grpc.add_RolloutServicer_to_server,
        servicer=api,
        watches=frozenset({"WatchEvents", "WatchGroup"}),
    )


async def _forget(deps: EpisodeDeps, journals: Path) -> None:
    await forget_journals(journals, older_than_s=_JOURNAL_LIFE_S)
    if deps.settings.keep_days:
        await forget_blobs(deps.db, deps.blobs, older_than_s=deps.settings.keep_days * 86400.0)
