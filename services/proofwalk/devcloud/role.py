"""The embedded cloud as a role of a process: started with the others, drained with
them. `main.run` is the cloud itself."""

from __future__ import annotations

from proofwalk.chassis.role import Role, RoleContext, Running
from proofwalk.devcloud.main import run
from proofwalk.devcloud.settings import DevcloudSettings


def role(settings: DevcloudSettings) -> Role:
    """The devcloud role. It has no gRPC contract: it is a cloud, reached over its
    console and its OpenAPI."""

    async def start(ctx: RoleContext) -> Running:
        await ctx.exits.enter_async_context(
            run(settings, clock=ctx.clock, ids=ctx.ids, state_dir=ctx.folder)
        )
        return Running()

    return Role(name="devcloud", start=start)
