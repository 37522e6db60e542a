"""The roles that pages ask besides rollout: in-process servicers with what they were
given. `errors` of a role are raised by its calls."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import grpc

from proofwalk.api.account_pool.v1 import account_pool_pb2 as pool
from proofwalk.api.account_pool.v1 import account_pool_pb2_grpc as pool_grpc
from proofwalk.api.resource_provisioner.v1 import resource_provisioner_pb2 as provisions
from proofwalk.api.resource_provisioner.v1 import resource_provisioner_pb2_grpc as provisions_grpc
from proofwalk.api.sandbox_scheduler.v1 import sandbox_scheduler_pb2 as scheduler
from proofwalk.api.sandbox_scheduler.v1 import sandbox_scheduler_pb2_grpc as scheduler_grpc
from proofwalk.api.trainer.v1 import trainer_pb2 as trainer
from proofwalk.api.trainer.v1 import trainer_pb2_grpc as trainer_grpc
from proofwalk.chassis.rpc import RpcChannel, RpcService
from proofwalk.gateway.neighbours import Neighbours
from proofwalk.kernel.errors import ProofwalkError, Status, not_found


class _Fake:
    """A role that can be away."""

    def __init__(self) -> None:
        self.error: ProofwalkError | None = None

    def leave(self) -> None:
        """From now on its calls fail, and are not worth repeating."""
        self.error = ProofwalkError(
            "role.is_away", "<b>it</b> restarts", status=Status.UNAVAILABLE, hint="wait"
        )

    def answers(self) -> None:
        if self.error is not None:
            raise self.error


class FakePool(_Fake, pool_grpc.AccountPoolServicer):
    """Accounts and their ledger."""

    def __init__(self) -> None:
        super().__init__()
        self.accounts: list[pool.Account] = []
        self.leases: list[pool.LedgerLine] = []

    async def ListAccounts(
        self, request: pool.ListAccountsRequest, context: Any
    ) -> pool.ListAccountsResponse:
        self.answers()
        return pool.ListAccountsResponse(accounts=self.accounts)

    async def ListLeases(
        self, request: pool.ListLeasesRequest, context: Any
    ) -> pool.ListLeasesResponse:
        self.answers()
        return pool.ListLeasesResponse(leases=self.leases[: request.limit])


class FakeScheduler(_Fake, scheduler_grpc.SandboxSchedulerServicer):
    """Sandboxes and tools."""

    def __init__(self) -> None:
        super().__init__()
        self.sandboxes: list[scheduler.Sandbox] = []
        self.tools: list[scheduler.Tool] = []

    async def ListSandboxes(
        self, request: scheduler.ListSandboxesRequest, context: Any
    ) -> scheduler.ListSandboxesResponse:
        self.answers()
        return scheduler.ListSandboxesResponse(sandboxes=self.sandboxes)

    async def ListTools(
        self, request: scheduler.ListToolsRequest, context: Any
    ) -> scheduler.ListToolsResponse:
        self.answers()
        return scheduler.ListToolsResponse(tools=self.tools)


class FakeProvisioner(_Fake, provisions_grpc.ResourceProvisionerServicer):
    """Provisionings, and versions of records in the order in which they were stored."""

    def __init__(self) -> None:
        super().__init__()
        self.provisionings: list[provisions.Provisioning] = []
        self.metas: list[provisions.Meta] = []
        self.trials: list[provisions.MetaTrial] = []
        self.refusal: ProofwalkError | None = None
        """What `TryMeta` ends with."""

    async def ListProvisionings(
        self, request: provisions.ListProvisioningsRequest, context: Any
    ) -> provisions.ListProvisioningsResponse:
        self.answers()
        asked = [
            one
            for one in self.provisionings
            if (not request.states or one.state in request.states)
            and request.provisioning_id in ("", one.provisioning_id)
        ]
        return provisions.ListProvisioningsResponse(provisionings=asked[: request.limit or None])

    async def ListMetas(
        self, request: provisions.ListMetasRequest, context: Any
    ) -> provisions.ListMetasResponse:
        self.answers()
        newest = {one.id: one for one in self.metas}
        return provisions.ListMetasResponse(metas=newest.values())

    async def GetMeta(
        self, request: provisions.GetMetaRequest, context: Any
    ) -> provisions.GetMetaResponse:
        self.answers()
        for one in self.metas:
            if (one.id, one.version) == (request.id, request.version):
                return provisions.GetMetaResponse(meta=one)
        raise not_found("meta.not_found", "there is no such record")

    async def TryMeta(
        self, request: provisions.TryMetaRequest, context: Any
    ) -> provisions.TryMetaResponse:
        self.answers()
        if self.refusal is not None:
            raise self.refusal
        trial = provisions.MetaTrial(
            trial_id=f"trial_{len(self.trials) + 1}",
            meta_id=request.id,
            version=request.version,
            target=request.target,
            asked_by=request.asked_by,
            stage="queued",
        )
        self.trials.insert(0, trial)
        return provisions.TryMetaResponse(trial=trial)

    async def ListTrials(
        self, request: provisions.ListTrialsRequest, context: Any
    ) -> provisions.ListTrialsResponse:
        self.answers()
        own = [one for one in self.trials if one.meta_id == request.id]
        return provisions.ListTrialsResponse(trials=own[: request.limit])


class FakeTrainer(_Fake, trainer_grpc.TrainerServicer):
    """Runs with their metrics; the stream of one that lives goes on."""

    def __init__(self) -> None:
        super().__init__()
        self.runs: list[trainer.Run] = []
        self.metrics: dict[str, Sequence[trainer.Metric]] = {}
        self.checkpoints: dict[str, Sequence[trainer.Checkpoint]] = {}

    async def ListRuns(
        self, request: trainer.ListRunsRequest, context: Any
    ) -> trainer.ListRunsResponse:
        self.answers()
        return trainer.ListRunsResponse(runs=self.runs[: request.limit])

    async def GetRun(self, request: trainer.GetRunRequest, context: Any) -> trainer.GetRunResponse:
        self.answers()
        return trainer.GetRunResponse(run=self._run(request.run_id))

    async def ListCheckpoints(
        self, request: trainer.ListCheckpointsRequest, context: Any
    ) -> trainer.ListCheckpointsResponse:
        self.answers()
        return trainer.ListCheckpointsResponse(checkpoints=self.checkpoints.get(request.run_id, ()))

    async def WatchRun(
        self, request: trainer.WatchRunRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> AsyncIterator[trainer.Metric]:
        self.answers()
        for metric in self.metrics.get(request.run_id, ()):
            if metric.step > request.after_step:
                yield metric
        if self._run(request.run_id).state == "running":
            raise ProofwalkError(
                "rpc.deadline_exceeded", "nothing more came", status=Status.DEADLINE_EXCEEDED
            )

    def _run(self, run_id: str) -> trainer.Run:
        for one in self.runs:
            if one.run_id == run_id:
                return one
        raise not_found("trainer.run_not_found", f"there is no run {run_id!r}")


@dataclass(frozen=True, kw_only=True)
class Fakes:
    """One of each."""

    pool: FakePool = field(default_factory=FakePool)
    scheduler: FakeScheduler = field(default_factory=FakeScheduler)
    provisioner: FakeProvisioner = field(default_factory=FakeProvisioner)
    trainer: FakeTrainer = field(default_factory=FakeTrainer)

    def leave(self) -> None:
        """All of them go away."""
        for one in (self.pool, self.scheduler, self.provisioner, self.trainer):
            one.leave()

    def services(self) -> list[RpcService]:
        """What one server needs to play them all."""
        return [
            RpcService(
                descriptor=pool.DESCRIPTOR.services_by_name["AccountPool"],
                register=pool_grpc.add_AccountPoolServicer_to_server,
                servicer=self.pool,
            ),
            RpcService(
                descriptor=scheduler.DESCRIPTOR.services_by_name["SandboxScheduler"],
                register=scheduler_grpc.add_SandboxSchedulerServicer_to_server,
                servicer=self.scheduler,
            ),
            RpcService(
                descriptor=provisions.DESCRIPTOR.services_by_name["ResourceProvisioner"],
                register=provisions_grpc.add_ResourceProvisionerServicer_to_server,
                servicer=self.provisioner,
            ),
            RpcService(
                descriptor=trainer.DESCRIPTOR.services_by_name["Trainer"],
                register=trainer_grpc.add_TrainerServicer_to_server,
                servicer=self.trainer,
            ),
        ]


def neighbours(channel: RpcChannel, *, patience_s: float = 3.0) -> Neighbours:
    """Stubs of all of them on one channel."""
    return Neighbours(
        accounts=pool_grpc.AccountPoolStub(channel.grpc),
        sandboxes=scheduler_grpc.SandboxSchedulerStub(channel.grpc),
        provisioner=provisions_grpc.ResourceProvisionerStub(channel.grpc),
        trainer=trainer_grpc.TrainerStub(channel.grpc),
        patience_s=patience_s,
    )
