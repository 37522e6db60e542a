"""Wires the resource provisioner: rows, clouds, the account pool, Terraform with its
mirror, who meets needs."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import structlog
from prometheus_client import Gauge

from proofwalk.api.resource_provisioner.v1 import (
    resource_provisioner_pb2,
    resource_provisioner_pb2_grpc,
)
from proofwalk.chassis.child_environment import has_proxy
from proofwalk.chassis.egress import EgressDoors
from proofwalk.chassis.role import Loop, Role, RoleContext, Running, every
from proofwalk.chassis.rpc import RpcService
from proofwalk.cloud.adapters import Adapter, Clouds
from proofwalk.cloud.leased import LeasedAccounts
from proofwalk.cloud.target import TargetCatalog
from proofwalk.resource_provisioner import usecases, workspace
from proofwalk.resource_provisioner.account_leases import AccountLeases
from proofwalk.resource_provisioner.alicloud_mirror import ensure_mirror
from proofwalk.resource_provisioner.alicloud_warm import WarmProviders
from proofwalk.resource_provisioner.checking import PeriodicChecks
from proofwalk.resource_provisioner.confined import MetaReader
from proofwalk.resource_provisioner.grpc_api import RecordParts, ResourceProvisionerApi
from proofwalk.resource_provisioner.on_demand import CoderMakers, Coders, OnDemand
from proofwalk.resource_provisioner.planning import Planner
from proofwalk.resource_provisioner.provisioning import Provisioner
from proofwalk.resource_provisioner.runner import Runner, find_terraform
from proofwalk.resource_provisioner.runner_json import JsonRunner
from proofwalk.resource_provisioner.runner_python_terraform import PythonTerraformRunner
from proofwalk.resource_provisioner.settings import ResourceProvisionerSettings
from proofwalk.resource_provisioner.terraform_process import TerraformProcess
from proofwalk.resource_provisioner.terraform_runs import TerraformRuns
from proofwalk.resource_provisioner.trying import Trials
from proofwalk.resource_provisioner.works import Works

log = structlog.get_logger()


def make_runner(settings: ResourceProvisionerSettings, cache: Path) -> Runner:
    """The runner that the settings name, with the mirror of providers in `cache`;
    raises `terraform.missing`."""
    process = TerraformProcess(
        find_terraform(settings.terraform),
        timeout_s=settings.apply_s,
        executable=[cache],
        required=settings.confinement == "required",
    )
    return (
        PythonTerraformRunner(process)
        if settings.runner == "python-terraform"
        else JsonRunner(process)
    )


def role(
    settings: ResourceProvisionerSettings,
    *,
    environment: Mapping[str, str],
    adapters: Mapping[str, Adapter] | None = None,
    runner: Runner | None = None,
    coders: CoderMakers | None = None,
) -> Role:
    """The role. `environment` answers `${env:…}` in target files; `adapters` and
    `runner` replace the installed ones. `coders` compose records for the consoles of an
    adapter; without them the catalogue alone meets needs."""

    async def start(ctx: RoleContext) -> Running:
        catalog = TargetCatalog(settings.targets, environment)
        clouds = await ctx.exits.enter_async_context(
            Clouds(catalog, clock=ctx.clock, adapters=adapters)
        )
        _tell_unbounded(settings)
        works = Works()
        accounts = LeasedAccounts(
            ctx.channel("account_pool").grpc, register_secret=ctx.redaction.register
        )
        runs = await _runs(ctx, settings, runner)
        provisioner = _provisioner(ctx, settings, clouds, accounts, runs, works)
        leases = AccountLeases(ctx.channel("account_pool").grpc, accounts)
        planner = await _planner(ctx, clouds, leases, runs)
        on_demand = OnDemand(
            provisioner,
            Coders(catalog, coders or {}),
            db=ctx.database,
            clock=ctx.clock,
            rounds=settings.coder_rounds,
        )
        records = _records(ctx, catalog, provisioner, leases, planner)
        api = ResourceProvisionerApi(
            provisioner,
            on_demand,
            records=records,
            db=ctx.database,
            clock=ctx.clock,
        )
        checks = PeriodicChecks(
            planner=planner,
            leases=leases,
            targets=catalog,
            db=ctx.database,
            clock=ctx.clock,
            settings=settings,
        )
        loops = _loops(ctx, settings, works, provisioner, checks)
        trying = Loop(name="trials", run=records.trials.run)
        return Running(services=[_service(api)], loops=[*loops, trying])

    return Role(name="resource_provisioner", start=start, package="proofwalk.resource_provisioner")


def _tell_unbounded(settings: ResourceProvisionerSettings) -> None:
    unbounded = [
        name
        for name in ("max_price_per_hour", "max_price_at_once", "max_subscription_months")
        if not getattr(settings, name)
    ]
    if unbounded:
        log.warning("prices_without_bound", settings=unbounded)


async def _runs(
    ctx: RoleContext, settings: ResourceProvisionerSettings, runner: Runner | None
) -> TerraformRuns:
    """Without a `runner` of the caller's, Terraform with its mirror and its warm
    providers."""
    terraform_environment: Mapping[str, str] = {}
    warm: WarmProviders | None = None
    if runner is None and settings.warm_providers:
        warm = await ctx.exits.enter_async_context(WarmProviders(limit=settings.warm_providers))
    cache = settings.cache or ctx.settings.home.absolute() / "terraform"
    if runner is None:
        mirror = await asyncio.to_thread(ensure_mirror, cache)
        terraform_environment = {"TF_CLI_CONFIG_FILE": str(mirror.config)}
    return TerraformRuns(
        runner or make_runner(settings, cache),
        folder=ctx.folder / "work",
        environment=terraform_environment,
        warm=warm,
        doors=await _doors(ctx),
        concurrency=settings.concurrency,
    )


async def _doors(ctx: RoleContext) -> EgressDoors | None:
    """None where the network is reached through a proxy: who runs that says which hosts
    it leads to."""
    if has_proxy(os.environ):
        log.info("egress_by_proxy")
        return None
    return await ctx.exits.enter_async_context(EgressDoors())


def _provisioner(
    ctx: RoleContext,
    settings: ResourceProvisionerSettings,
    clouds: Clouds,
    accounts: LeasedAccounts,
    runs: TerraformRuns,
    works: Works,
) -> Provisioner:
    return Provisioner(
        db=ctx.database,
        clouds=clouds,
        accounts=accounts,
        runs=runs,
        works=works,
        settings=settings,
        clock=ctx.clock,
        ids=ctx.ids,
    )


def _loops(
    ctx: RoleContext,
    settings: ResourceProvisionerSettings,
    works: Works,
    provisioner: Provisioner,
    checks: PeriodicChecks,
) -> Sequence[Loop]:
    leaked = Gauge(
        "proofwalk_resource_provisioner_leaked_provisionings",
        "Provisionings that left something behind.",
        registry=ctx.metrics,
    )

    async def reconcile() -> None:
        await provisioner.resume()
        leaked.set(await usecases.leaked(ctx.database))

    loops = [
        Loop(name="works", run=works.run),
        every("reconcile", settings.reconcile_s, reconcile),
        every("expired", settings.reconcile_s, provisioner.expire),
        every("abandoned", settings.abandoned_s, provisioner.abandoned),
    ]
    if settings.check_s:
        loops.append(every("checks", settings.check_s, checks.look))
    return loops


async def _planner(
    ctx: RoleContext, clouds: Clouds, leases: AccountLeases, runs: TerraformRuns
) -> Planner:
    """The planner; what one that was killed left in its folder goes."""
    folder = ctx.folder / "plans"
    await workspace.remove(folder)
    return Planner(
        clouds=clouds,
        leases=leases,
        metas=MetaReader(reading=ctx.readers),
        runs=runs,
        folder=folder,
        ids=ctx.ids,
    )


def _records(
    ctx: RoleContext,
    catalog: TargetCatalog,
    provisioner: Provisioner,
    leases: AccountLeases,
    planner: Planner,
) -> RecordParts:
    reader = MetaReader(reading=ctx.readers)
    trials = Trials(
        provisioner=provisioner,
        leases=leases,
        metas=reader,
        targets=catalog,
        db=ctx.database,
        clock=ctx.clock,
        ids=ctx.ids,
    )
    return RecordParts(reader=reader, planner=planner, trials=trials)


def _service(api: ResourceProvisionerApi) -> RpcService:
    return RpcService(
        descriptor=resource_provisioner_pb2.DESCRIPTOR.services_by_name["ResourceProvisioner"],
        register=resource_provisioner_pb2_grpc.add_ResourceProvisionerServicer_to_server,
        servicer=api,
    )
