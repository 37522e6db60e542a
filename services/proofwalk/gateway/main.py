"""Wires the gateway: keys, idempotency rows, channels to the roles that it asks, the
HTTP server."""

from __future__ import annotations

from proofwalk.api.account_pool.v1.account_pool_pb2_grpc import AccountPoolStub
from proofwalk.api.inspection.v1.findings_pb2_grpc import FindingsStub
from proofwalk.api.inspection.v1.inspection_pb2_grpc import InspectionsStub
from proofwalk.api.inspection.v1.webhooks_pb2_grpc import WebhooksStub
from proofwalk.api.resource_provisioner.v1.resource_provisioner_pb2_grpc import (
    ResourceProvisionerStub,
)
from proofwalk.api.rollout.v1.rollout_pb2_grpc import RolloutStub
from proofwalk.api.sandbox_scheduler.v1.sandbox_scheduler_pb2_grpc import SandboxSchedulerStub
from proofwalk.api.trainer.v1.trainer_pb2_grpc import TrainerStub
from proofwalk.chassis.http import HttpServer
from proofwalk.chassis.role import Loop, Role, RoleContext, Running, every
from proofwalk.gateway import usecases
from proofwalk.gateway.http_api import build_app
from proofwalk.gateway.keys import KEY_FILE, URL_FILE, Keyring, local_key
from proofwalk.gateway.neighbours import Neighbours
from proofwalk.gateway.oidc.fetching import provider_client
from proofwalk.gateway.oidc.provider import Provider
from proofwalk.gateway.settings import ConsoleSettings, GatewaySettings
from proofwalk.gateway.web import sessions, sign_in_attempts
from proofwalk.gateway.web.visit import COME_BACK
from proofwalk.kernel.errors import ProofwalkError


def role(settings: GatewaySettings) -> Role:
    """The gateway role."""

    async def start(ctx: RoleContext) -> Running:
        home = ctx.settings.home.absolute()
        key = local_key(home / KEY_FILE)
        ctx.redaction.register(key)
        for secret in settings.api_keys.values():
            ctx.redaction.register(secret.get_secret_value())
        channel = ctx.channel("rollout")
        inspection = ctx.channel("inspection").grpc

        async def ready() -> bool:
            try:
                await channel.wait_until_ready(2)
            except ProofwalkError:
                return False
            return True

        app = build_app(
            rollout=RolloutStub(channel.grpc),
            inspections=InspectionsStub(inspection),
            findings=FindingsStub(inspection),
            webhooks=WebhooksStub(inspection),
            neighbours=_neighbours(ctx, patience_s=settings.console.patience_s),
            db=ctx.database,
            keys=Keyring(
                settings.api_keys,
                local=key,
                operators=settings.operators,
                reviewers=settings.reviewers,
                viewers=settings.viewers,
            ),
            settings=settings,
            clock=ctx.clock,
            ids=ctx.ids,
            tracing=ctx.tracing,
            ready=ready,
            provider=await _provider(ctx, settings.console),
        )
        server = await ctx.exits.enter_async_context(HttpServer(app, settings.address))
        url_file = home / "run" / URL_FILE
        url_file.write_text(server.url, encoding="ascii")
        ctx.exits.callback(url_file.unlink, missing_ok=True)

        async def forget() -> None:
            await usecases.forget(ctx.database, keep_s=settings.idempotency_keep_s, clock=ctx.clock)
            await sessions.sweep(ctx.database, settings.console, clock=ctx.clock)
            await sign_in_attempts.sweep(ctx.database, clock=ctx.clock)

        return Running(
            loops=[
                Loop(name="http", run=server.wait),
                every("forget idempotency keys and sessions", 3600, forget),
            ]
        )

    return Role(name="gateway", start=start, package="proofwalk.gateway")


def _neighbours(ctx: RoleContext, *, patience_s: float) -> Neighbours:
    return Neighbours(
        accounts=AccountPoolStub(ctx.channel("account_pool").grpc),
        sandboxes=SandboxSchedulerStub(ctx.channel("sandbox_scheduler").grpc),
        provisioner=ResourceProvisionerStub(ctx.channel("resource_provisioner").grpc),
        trainer=TrainerStub(ctx.channel("trainer").grpc),
        patience_s=patience_s,
    )


async def _provider(ctx: RoleContext, settings: ConsoleSettings) -> Provider | None:
    """The identity provider, where there is one. It is not asked at the start."""
    if not settings.oidc.enabled:
        return None
    ctx.redaction.register(settings.oidc.client_secret.get_secret_value())
    client = await ctx.exits.enter_async_context(provider_client(settings.oidc))
    return Provider(
        settings.oidc,
        redirect_url=settings.origin + COME_BACK,
        client=client,
        clock=ctx.clock,
    )
