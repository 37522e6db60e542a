"""Wires the example pool; the only place that does."""

from __future__ import annotations

from proofwalk.chassis.role import Loop, Role, RoleContext, Running
from tests.chassis.example_pool import grpc_api
from tests.chassis.example_pool.settings import ExamplePoolSettings
from tests.chassis.example_pool.worker import Welcome


def role(settings: ExamplePoolSettings) -> Role:
    """The example pool with these settings."""

    async def start(ctx: RoleContext) -> Running:
        consumer = ctx.consumer("example_pool.granted", Welcome(ctx).handle)
        return Running(
            services=[grpc_api.service(ctx, settings)],
            loops=[Loop(name="welcome", run=consumer.run)],
            drain=consumer.drain,
        )

    return Role(name="example_pool", start=start, package="tests.chassis.example_pool")
