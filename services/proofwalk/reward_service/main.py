"""Wires the reward service; the only place that does."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping

from proofwalk.chassis.readers import Bounds
from proofwalk.chassis.role import Role, RoleContext, Running, every
from proofwalk.cloud.adapters import Adapter, Clouds
from proofwalk.cloud.leased import LeasedAccounts
from proofwalk.cloud.target import TargetCatalog
from proofwalk.reward_service import grpc_api
from proofwalk.reward_service.confined import Rules
from proofwalk.reward_service.gauges import JudgeMetrics
from proofwalk.reward_service.judges.judge import open_judges
from proofwalk.reward_service.judges.panel import Panel
from proofwalk.reward_service.settings import RewardServiceSettings
from proofwalk.reward_service.usecases import Judging

_HOUR = 3600.0


def role(
    settings: RewardServiceSettings,
    *,
    environment: Mapping[str, str] | None = None,
    adapters: Mapping[str, Adapter] | None = None,
) -> Role:
    """The reward service. `environment` is what target files refer to; `adapters` go
    before those that are installed."""
    catalog = TargetCatalog(settings.targets, os.environ if environment is None else environment)

    async def start(ctx: RoleContext) -> Running:
        clouds = await ctx.exits.enter_async_context(
            Clouds(catalog, clock=ctx.clock, adapters=adapters)
        )
        accounts = LeasedAccounts(
            ctx.channel("account_pool").grpc, register_secret=ctx.redaction.register
        )
        bounds = Bounds(
            wall_s=1.5 * settings.rule_seconds,
            cpu_s=settings.rule_seconds,
            memory_bytes=settings.rule_memory_mb << 20,
        )
        judging = Judging(
            database=ctx.database,
            clouds=clouds,
            accounts=accounts,
            rules=Rules(reading=ctx.readers, bounds=bounds),
            settings=settings,
            clock=ctx.clock,
        )
        metrics = JudgeMetrics(ctx.metrics)
        judges = await ctx.exits.enter_async_context(
            open_judges(
                settings.judges,
                clock=ctx.clock,
                metrics=metrics,
                register_secret=ctx.redaction.register,
            )
        )
        panel = Panel(
            judges=judges,
            database=ctx.database,
            clouds=clouds,
            accounts=accounts,
            settings=settings,
            clock=ctx.clock,
            metrics=metrics,
            mask=ctx.redaction.text,
            new_code=lambda: secrets.token_hex(8),
        )
        return Running(
            services=[grpc_api.service(judging, panel)],
            loops=[every("forget", _HOUR, judging.forget)],
        )

    return Role(name="reward_service", start=start, package="proofwalk.reward_service")
