"""Whether a META record holds: it is made in a leased account, looked at, destroyed,
and the account's inventory has to be as before.

The calls are those of a walk (`account_pool`, `resource_provisioner`), so what is
proven here is what a walk will get. Whatever happens, what was made is swept and the
account released; should this process be killed, the lease's end does so.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta

from google.protobuf.duration_pb2 import Duration

from proofwalk.api.account_pool.v1 import account_pool_pb2 as accounts_pb
from proofwalk.api.account_pool.v1.account_pool_pb2_grpc import AccountPoolStub
from proofwalk.api.common.v1 import common_pb2 as common_pb
from proofwalk.api.resource_provisioner.v1 import resource_provisioner_pb2 as provisioner_pb
from proofwalk.api.resource_provisioner.v1.resource_provisioner_pb2_grpc import (
    ResourceProvisionerStub,
)
from proofwalk.chassis.rpc import Channels
from proofwalk.cloud.leftovers import refuse_leftovers
from proofwalk.kernel.account_pools import AUTHORING
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.kernel.ids import IdSource

_LEASE = timedelta(minutes=30)
_MAKING_S = 600.0
_RELEASE_S = 120.0
_CALL_S = 60.0
OF_THE_RECORD = frozenset(
    {
        Status.INVALID_ARGUMENT,
        Status.FAILED_PRECONDITION,
        Status.NOT_FOUND,
        Status.RESOURCE_EXHAUSTED,
    }
)
"""What a failure says about a record; all else is the environment's."""


@dataclass(frozen=True, kw_only=True)
class MetaProof:
    """What came of it."""

    error: ProofwalkError | None = None
    """What is wrong with the record; None for one that holds."""
    run: str = ""
    """The provisioning's id; empty where nothing was made."""
    provider_version: str = ""
    resources: tuple[str, ...] = ()
    """What was there after creation: `product/type`, sorted."""
    outputs: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def holds(self) -> bool:
        """Made, as it says, taken back, and nothing left."""
        return self.error is None


class MetaProver:
    """Proves records on one target, in its first region unless another one is named."""

    def __init__(self, channels: Channels, *, target: str, ids: IdSource, region: str = "") -> None:
        self._accounts = AccountPoolStub(channels.channel("account_pool").grpc)
        self._provisioner = ResourceProvisionerStub(channels.channel("resource_provisioner").grpc)
        self._target = target
        self._region = region
        self._ids = ids

    async def prove(self, meta_yaml: str) -> MetaProof:
        """Run the record once.

        The proof's error is `meta.*` or `provision.*`; `meta.left_behind` where the
        account is not as before, `meta.no_inventory` where nobody can say. Raises what
        has nothing to do with the record: no account, a role that is away.
        """
        began = time.monotonic()
        run = self._ids.new("proof")
        record = provisioner_pb.Meta(yaml=meta_yaml)
        made = provisioner_pb.ProvisionResponse()
        error: ProofwalkError | None = None
        try:
            valid = await self._provisioner.ValidateMeta(
                provisioner_pb.ValidateMetaRequest(meta=record, target=self._target),
                timeout=_CALL_S,
            )
        except ProofwalkError as refusal:
            return MetaProof(error=_of_the_record(refusal), seconds=_since(began))
        lease = await self._lease(run, valid.role)
        try:
            made = await self._made(run, lease, record)
            await self._provisioner.Destroy(
                provisioner_pb.DestroyRequest(
                    provisioning_id=made.provisioning.provisioning_id, lease=lease
                ),
                timeout=_MAKING_S,
            )
            await self._must_be_clean(lease)
        except ProofwalkError as refusal:
            error = _of_the_record(refusal)
        finally:
            await self._released(lease)
        return MetaProof(
            error=error,
            run=made.provisioning.provisioning_id,
            provider_version=made.provider_version,
            resources=tuple(sorted(f"{o.product}/{o.type}" for o in made.provisioning.resources)),
            outputs=dict(made.provisioning.outputs),
            seconds=_since(began),
        )

    async def _lease(self, run: str, role: str) -> common_pb.LeaseRef:
        ttl = Duration()
        ttl.FromTimedelta(_LEASE)
        reply = await self._accounts.AcquireLease(
            accounts_pb.AcquireLeaseRequest(
                request_id=f"{run}:account",
                target=self._target,
                holder=run,
                ttl=ttl,
                role=role,
                purpose=AUTHORING,
            ),
            timeout=_CALL_S,
        )
        return common_pb.LeaseRef(
            lease_id=reply.lease.lease_id, epoch=reply.lease.epoch, target=self._target
        )

    async def _made(
        self, run: str, lease: common_pb.LeaseRef, record: provisioner_pb.Meta
    ) -> provisioner_pb.ProvisionResponse:
        reply: provisioner_pb.ProvisionResponse = await self._provisioner.Provision(
            provisioner_pb.ProvisionRequest(
                request_id=f"{run}:provision", lease=lease, meta=record, region=self._region
            ),
            timeout=_MAKING_S,
        )
        return reply

    async def _must_be_clean(self, lease: common_pb.LeaseRef) -> None:
        state = await self._accounts.InspectAccount(
            accounts_pb.InspectAccountRequest(lease_id=lease.lease_id, epoch=lease.epoch),
            timeout=_CALL_S,
        )
        refuse_leftovers(state, target=self._target)

    async def _released(self, lease: common_pb.LeaseRef) -> None:
        with suppress(ProofwalkError):
            await self._provisioner.Sweep(
                provisioner_pb.SweepRequest(lease=lease), timeout=_MAKING_S
            )
        with suppress(ProofwalkError):
            await self._accounts.ReleaseLease(
                accounts_pb.ReleaseLeaseRequest(lease_id=lease.lease_id, epoch=lease.epoch),
                timeout=_RELEASE_S,
            )


def _of_the_record(error: ProofwalkError) -> ProofwalkError:
    """The error, if it says something of the record; else it is raised again."""
    if error.status not in OF_THE_RECORD:
        raise error
    return error


def _since(began: float) -> float:
    return round(time.monotonic() - began, 2)
