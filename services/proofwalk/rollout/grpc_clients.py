"""The other roles over gRPC, behind the protocols of `ports`: mapping only.

Deadlines are the contract's; retries of what is merely away are the channel's
(`chassis.rpc.channel`).
"""

from __future__ import annotations

from collections.abc import Awaitable, Collection, Mapping, Sequence
from datetime import timedelta

import grpc
from pydantic import SecretStr

from proofwalk.api.account_pool.v1 import account_pool_pb2 as accounts_pb
from proofwalk.api.account_pool.v1.account_pool_pb2_grpc import AccountPoolStub
from proofwalk.api.common.v1 import common_pb2 as common_pb
from proofwalk.api.reward_service.v1 import reward_service_pb2 as rewards_pb
from proofwalk.api.reward_service.v1.reward_service_pb2_grpc import RewardServiceStub
from proofwalk.api.sandbox_scheduler.v1 import sandbox_scheduler_pb2 as sandboxes_pb
from proofwalk.api.sandbox_scheduler.v1.sandbox_scheduler_pb2_grpc import SandboxSchedulerStub
from proofwalk.chassis.rpc.vocabulary import (
    DECISIONS,
    answered_from_pb,
    citation_from_pb,
    event_from_pb,
    lease_to_pb,
    moment_to_pb,
)
from proofwalk.cloud.roles import AccountRole, AccountRoles
from proofwalk.kernel.account_pools import Dedication, Demand, dedicated
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.kernel.evidence import AuditEvent, CitedEvent, WalkWindow
from proofwalk.rollout.judgement import JudgeAnswer
from proofwalk.rollout.ports import (
    AccountLease,
    Inspection,
    JudgedWalk,
    LeftBehind,
    Released,
    Reward,
    Sandbox,
)


class GrpcAccountPool:
    """The account_pool role."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub = AccountPoolStub(channel)

    async def roles(self, target: str) -> AccountRoles:
        try:
            reply = await self._stub.ListRoles(
                accounts_pb.ListRolesRequest(target=target), timeout=30
            )
        except ProofwalkError as error:
            if error.status is not Status.UNIMPLEMENTED:
                raise
            # A pool of an earlier release, amid an upgrade: it has no roles.
            return AccountRoles()
        return AccountRoles(
            roles=tuple(
                AccountRole(name=one.name, aliases=tuple(one.aliases), has_account=one.has_account)
                for one in reply.roles
            ),
            default=reply.default_role,
            documents_choose=reply.documents_choose,
        )

    async def dedications(self, target: str) -> Collection[Dedication]:
        request = accounts_pb.ListAccountsRequest(target=target)
        reply = await self._stub.ListAccounts(request, timeout=10)
        return {dedicated(site=one.site, purposes=one.purposes) for one in reply.accounts}

    async def acquire(
        self,
        *,
        request_id: str,
        target: str,
        demand: Demand,
        holder: str,
        ttl: timedelta,
        wait: timedelta,
    ) -> AccountLease:
        request = accounts_pb.AcquireLeaseRequest(
            request_id=request_id,
            target=target,
            role=demand.role,
            site=demand.site,
            purpose=demand.purpose,
            holder=holder,
            ttl=ttl,
            wait=wait,
        )
        lease = (await self._stub.AcquireLease(request, timeout=30)).lease
        return AccountLease(
            lease_id=lease.lease_id,
            account_id=lease.account_id,
            external_id=lease.external_id,
            target=lease.target,
            epoch=lease.epoch,
        )

    async def renew(self, lease: AccountLease, *, ttl: timedelta) -> None:
        await self._stub.RenewLease(
            accounts_pb.RenewLeaseRequest(lease_id=lease.lease_id, epoch=lease.epoch, ttl=ttl),
            timeout=5,
        )

    async def console_login(self, lease: AccountLease) -> Mapping[str, SecretStr]:
        request = accounts_pb.GetCredentialRequest(
            lease_id=lease.lease_id,
            epoch=lease.epoch,
            kind=accounts_pb.CREDENTIAL_KIND_CONSOLE_LOGIN,
        )
        reply = await self._stub.GetCredential(request, timeout=10)
        return {name: SecretStr(value) for name, value in reply.fields.items()}

    async def inspect(self, lease: AccountLease) -> Inspection:
        request = accounts_pb.InspectAccountRequest(lease_id=lease.lease_id, epoch=lease.epoch)
        reply = await self._stub.InspectAccount(request, timeout=60)
        return Inspection(leftovers=_leftovers(reply.leftovers), unproven=reply.unproven)

    async def release(self, lease: AccountLease) -> Released:
        request = accounts_pb.ReleaseLeaseRequest(lease_id=lease.lease_id, epoch=lease.epoch)
        reply = await self._stub.ReleaseLease(request, timeout=120)
        return Released(
            clean=reply.clean, unproven=reply.unproven, leftovers=_leftovers(reply.leftovers)
        )


def _leftovers(rows: Sequence[accounts_pb.Leftover]) -> list[LeftBehind]:
    return [
        LeftBehind(product=row.product, type=row.type, id=row.id, region=row.region, name=row.name)
        for row in rows
    ]


class GrpcSandboxScheduler:
    """The sandbox_scheduler role."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub = SandboxSchedulerStub(channel)

    async def acquire(
        self,
        *,
        request_id: str,
        tool: str,
        holder: str,
        ttl: timedelta,
        allowed_hosts: Sequence[str],
    ) -> Sandbox:
        request = sandboxes_pb.AcquireSandboxRequest(
            request_id=request_id, tool=tool, holder=holder, ttl=ttl, allowed_hosts=allowed_hosts
        )
        sandbox = (await self._stub.AcquireSandbox(request, timeout=60)).sandbox
        return Sandbox(
            sandbox_id=sandbox.sandbox_id,
            epoch=sandbox.epoch,
            cdp_endpoint=sandbox.cdp_endpoint,
            warm=sandbox.warm,
        )

    async def renew(self, sandbox: Sandbox, *, ttl: timedelta) -> None:
        request = sandboxes_pb.RenewSandboxRequest(
            sandbox_id=sandbox.sandbox_id, epoch=sandbox.epoch, ttl=ttl
        )
        await self._stub.RenewSandbox(request, timeout=5)

    async def release(self, sandbox: Sandbox) -> Mapping[str, int]:
        request = sandboxes_pb.ReleaseSandboxRequest(
            sandbox_id=sandbox.sandbox_id, epoch=sandbox.epoch
        )
        return dict((await self._stub.ReleaseSandbox(request, timeout=30)).refused_hosts)


class GrpcRewardService:
    """The reward_service role."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub = RewardServiceStub(channel)

    async def validate(self, rule_yaml: str) -> str:
        reply = await self._stub.ValidateRule(
            rewards_pb.ValidateRuleRequest(rule_yaml=rule_yaml), timeout=60
        )
        return str(reply.rule)

    async def judge(
        self,
        *,
        request_id: str,
        lease: AccountLease,
        rule_yaml: str,
        window: WalkWindow,
        outputs: Mapping[str, str],
        answer: str = "",
    ) -> Reward:
        request = rewards_pb.JudgeRequest(
            request_id=request_id,
            lease=lease_to_pb(lease.ref),
            rule_yaml=rule_yaml,
            start=moment_to_pb(window.start),
            end=moment_to_pb(window.end),
            pauses=_pauses(window),
            clock_off_s=window.clock_off_s,
            outputs=outputs,
            answer=answer,
        )
        return _reward(await self._stub.Judge(request, timeout=600))

    async def judge_by_models(
        self,
        *,
        request_id: str,
        lease: AccountLease,
        window: WalkWindow,
        walk: JudgedWalk,
    ) -> Reward | None:
        request = rewards_pb.JudgeByModelsRequest(
            request_id=request_id,
            lease=lease_to_pb(lease.ref),
            start=moment_to_pb(window.start),
            end=moment_to_pb(window.end),
            pauses=_pauses(window),
            clock_off_s=window.clock_off_s,
            walk=_walked(walk),
        )
        return await _if_set(self._stub.JudgeByModels(request, timeout=600))

    async def judge_free_text(self, *, request_id: str, walk: JudgedWalk) -> Reward | None:
        request = rewards_pb.JudgeFreeTextRequest(request_id=request_id, walk=_walked(walk))
        return await _if_set(self._stub.JudgeFreeText(request, timeout=600))

    async def events(self, lease: AccountLease, window: WalkWindow) -> Sequence[AuditEvent]:
        request = rewards_pb.ListEventsRequest(
            lease=lease_to_pb(lease.ref),
            start=moment_to_pb(window.start),
            end=moment_to_pb(window.end),
            pauses=_pauses(window),
        )
        return [
            event_from_pb(row) for row in (await self._stub.ListEvents(request, timeout=30)).events
        ]


async def _if_set(judging: Awaitable[rewards_pb.JudgeResponse]) -> Reward | None:
    """What judges say; None where none are set."""
    try:
        return _reward(await judging)
    except ProofwalkError as error:
        if error.code == "judges.not_set":
            return None
        raise


def _pauses(window: WalkWindow) -> list[rewards_pb.Pause]:
    return [
        rewards_pb.Pause(start=moment_to_pb(one.start), end=moment_to_pb(one.end))
        for one in window.pauses
    ]


def _walked(walk: JudgedWalk) -> rewards_pb.Walked:
    width, height = walk.viewport
    return rewards_pb.Walked(
        title=walk.title,
        console=walk.console,
        prepared=walk.prepared,
        binds=walk.binds,
        substeps=[
            rewards_pb.WalkedSubStep(number=one.number, text=one.text, optional=one.optional)
            for one in walk.substeps
        ],
        steps=[
            rewards_pb.WalkedStep(
                number=one.number,
                substep=one.substep,
                action=one.action,
                element=one.element,
                result=one.result,
                ok=one.ok,
            )
            for one in walk.steps
        ],
        page=rewards_pb.FinalPage(
            text=walk.page, screenshot=walk.screenshot, width=width, height=height
        ),
    )


def _reward(reply: rewards_pb.JudgeResponse) -> Reward:
    return Reward(
        decision=DECISIONS.require(reply.decision),
        reason=reply.reason,
        rule=reply.rule,
        matched=_cited(reply.matched),
        missing=list(reply.missing),
        violations=_cited(reply.violations),
        observed=[event_from_pb(row) for row in reply.observed],
        polls=reply.polls,
        judges=[
            JudgeAnswer(
                judge=one.judge,
                family=one.family,
                model=one.model,
                verdict=one.verdict,
                reason=one.reason,
                evidence=tuple(map(citation_from_pb, one.evidence)),
                tokens_in=one.tokens_in,
                tokens_out=one.tokens_out,
                cost=one.cost,
                currency=one.currency,
            )
            for one in reply.answers
        ],
        answered=tuple(map(answered_from_pb, reply.answered)),
    )


def _cited(rows: Sequence[common_pb.AuditEvent]) -> list[CitedEvent]:
    return [CitedEvent(event=event_from_pb(row), expectation=row.expectation) for row in rows]
