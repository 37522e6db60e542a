"""Wires the inspection role; the only place that does."""

from __future__ import annotations

from datetime import timedelta
from functools import partial

from proofwalk.api.inspection.v1 import inspection_pb2, inspection_pb2_grpc
from proofwalk.api.rollout.v1.rollout_pb2_grpc import RolloutStub
from proofwalk.chassis.claims import ClaimLoop
from proofwalk.chassis.role import Loop, Role, RoleContext, Running, every
from proofwalk.chassis.rpc import RpcService
from proofwalk.chassis.sealing import Seal, key_from
from proofwalk.inspection.documents import Sources
from proofwalk.inspection.finding_api import FindingsApi, findings_service
from proofwalk.inspection.finding_patches import Patches
from proofwalk.inspection.finding_reports import documents_of, verifications_of
from proofwalk.inspection.finding_usecases import Findings
from proofwalk.inspection.finding_witness import FindingWitness
from proofwalk.inspection.grpc_api import InspectionsApi
from proofwalk.inspection.grpc_rollout import GrpcRollout
from proofwalk.inspection.scheduling import take_turns
from proofwalk.inspection.settings import InspectionSettings
from proofwalk.inspection.sources.git_program import GitMeans
from proofwalk.inspection.sources.polite import WebSettings
from proofwalk.inspection.sources.repositories import GitSettings, Repositories
from proofwalk.inspection.sources.web import Web
from proofwalk.inspection.webhook_api import WebhooksApi, webhooks_service
from proofwalk.inspection.webhook_life import RetryPolicy
from proofwalk.inspection.webhook_sender import Sender
from proofwalk.inspection.webhook_usecases import Bounds, Means, Webhooks
from proofwalk.inspection.worker import Surroundings, Worker


def role(settings: InspectionSettings) -> Role:
    """The inspection role."""

    async def start(ctx: RoleContext) -> Running:
        rollout = ctx.channel("rollout").grpc
        webhooks = _webhooks(ctx, settings)
        await webhooks.renew_secrets()
        findings = Findings(
            db=ctx.database, clock=ctx.clock, ids=ctx.ids, announce=webhooks.announce
        )
        sources = _sources(ctx, settings)
        around = Surroundings(
            db=ctx.database,
            clock=ctx.clock,
            settings=settings,
            rollout=GrpcRollout(rollout, max_unfinished=settings.unfinished_jobs),
            witness=FindingWitness(findings, announce=webhooks.announce),
            sources=sources,
        )
        worker = Worker(around, holder=ctx.ids.new("inspector"))
        api = InspectionsApi(
            db=ctx.database, clock=ctx.clock, allowed=sources.check, wake=worker.wake
        )
        turns = partial(take_turns, ctx.database, clock=ctx.clock, ids=ctx.ids, wake=worker.wake)
        telling = ClaimLoop(
            waiting=webhooks.due,
            attend=webhooks.attend,
            concurrency=settings.webhooks.concurrency,
            period_s=settings.webhooks.look_s,
            named="delivery_id",
        )
        verification = verifications_of(RolloutStub(rollout))
        patches = Patches(
            findings=findings, document=documents_of(RolloutStub(rollout)), reading=ctx.readers
        )
        return Running(
            services=[
                _service(api),
                findings_service(FindingsApi(findings, verification=verification, patches=patches)),
                webhooks_service(WebhooksApi(webhooks, wake=telling.wake)),
            ],
            loops=[
                Loop(name="webhooks", run=telling.run),
                every("forget deliveries", 3600, webhooks.forget),
                Loop(name="worker", run=worker.run),
                every("schedule", settings.schedule_s, turns),
            ],
        )

    return Role(name="inspection", start=start, package="proofwalk.inspection")


def _sources(ctx: RoleContext, settings: InspectionSettings) -> Sources:
    folder, hosts = ctx.folder / "sources", frozenset(settings.fetch_allow_hosts)
    git, web = settings.git, settings.web
    means = GitMeans(
        ca_file=git.ca_file,
        ssh_key_file=git.ssh_key_file,
        known_hosts_file=git.known_hosts_file,
        timeout_s=git.timeout_s,
        max_bytes=git.max_bytes,
    )
    return Sources(
        reading=ctx.readers,
        roots=settings.roots,
        max_procedures=settings.max_procedures,
        repositories=Repositories(
            folder / "git",
            GitSettings(
                protocols=frozenset(git.protocols),
                roots=settings.roots,
                tokens=git.tokens,
                allow_hosts=hosts,
                means=means,
            ),
        ),
        web=Web(
            folder / "web",
            WebSettings(
                allow_hosts=hosts,
                max_page_bytes=settings.max_document_bytes,
                **web.model_dump(),
            ),
            reading=ctx.readers,
            clock=ctx.clock,
        ),
    )


def _webhooks(ctx: RoleContext, settings: InspectionSettings) -> Webhooks:
    chosen = settings.webhooks
    policy = RetryPolicy(
        tries=chosen.tries,
        first_pause_s=chosen.first_pause_s,
        longest_pause_s=chosen.longest_pause_s,
        disable_after=timedelta(seconds=chosen.disable_after_s),
    )
    keep = timedelta(days=chosen.keep_days)
    return Webhooks(
        db=ctx.database,
        clock=ctx.clock,
        ids=ctx.ids,
        means=Means(
            seal=Seal(chosen.encryption_key.get_secret_value().encode() or key_from(ctx.folder)),
            redaction=ctx.redaction,
            sender=Sender(allow_hosts=settings.fetch_allow_hosts, deadline_s=chosen.deadline_s),
        ),
        bounds=Bounds(policy=policy, deadline_s=chosen.deadline_s, keep=keep),
    )


def _service(api: InspectionsApi) -> RpcService:
    return RpcService(
        descriptor=inspection_pb2.DESCRIPTOR.services_by_name["Inspections"],
        register=inspection_pb2_grpc.add_InspectionsServicer_to_server,
        servicer=api,
    )
