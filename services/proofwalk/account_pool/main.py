"""Wires the account pool; the only place that does."""

from __future__ import annotations

import os
from collections.abc import Mapping

from proofwalk.account_pool import grpc_api
from proofwalk.account_pool.gauges import PoolMetrics
from proofwalk.account_pool.pool import Pool
from proofwalk.account_pool.settings import AccountPoolSettings
from proofwalk.account_pool.vault import Vault
from proofwalk.account_pool.worker import Worker
from proofwalk.chassis.role import Loop, Role, RoleContext, Running, every
from proofwalk.chassis.sealing import key_from
from proofwalk.cloud.adapters import Adapter, Clouds
from proofwalk.cloud.target import TargetCatalog


def role(
    settings: AccountPoolSettings,
    *,
    environment: Mapping[str, str] | None = None,
    adapters: Mapping[str, Adapter] | None = None,
) -> Role:
    """The account pool. `environment` is what target files refer to; `adapters` go
    before those that are installed."""
    catalog = TargetCatalog(settings.targets, os.environ if environment is None else environment)

    async def start(ctx: RoleContext) -> Running:
        key = settings.encryption_key.get_secret_value().encode() or key_from(ctx.folder)
        vault = Vault(key)
        await vault.renew(ctx.database)
        pool = Pool(
            database=ctx.database,
            clouds=await ctx.exits.enter_async_context(
                Clouds(catalog, clock=ctx.clock, adapters=adapters)
            ),
            vault=vault,
            settings=settings,
            clock=ctx.clock,
            ids=ctx.ids,
            metrics=PoolMetrics(ctx.metrics),
            redaction=ctx.redaction,
        )
        worker = Worker(pool)
        return Running(
            services=[grpc_api.service(pool)],
            loops=[
                every("reap", settings.reap_s, worker.reap),
                every("money", settings.billing_s, worker.look_at_money),
                every("rotation", settings.rotate_look_s, worker.rotate_old),
                Loop(name="sweep", run=worker.sweep_loop),
                Loop(name="sync", run=worker.sync_loop),
            ],
        )

    return Role(name="account_pool", start=start, package="proofwalk.account_pool")
