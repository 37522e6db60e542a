"""Whether a META record holds: it is made in a leased account, looked at, destroyed,
and the account is proven clean.

The calls are those of a walk (`account_pool`, `resource_provisioner`), so what is
proven here is what a walk will get. A record that fails leaves nothing: what was made
is destroyed with the lease at the latest.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
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
from proofwalk.experiments.platform import Channels
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.kernel.ids import IdSource

_LEASE = timedelta(minutes=20)
_MAKING_S = 600.0
_CALL_S = 60.0
_AWAY = frozenset({Status.UNAVAILABLE, Status.DEADLINE_EXCEEDED, Status.INTERNAL})
"""What says nothing of the record."""


@dataclass(frozen=True, kw_only=True)
class MetaProof:
    """What came of it. `code` is empty for a record that holds."""

    code: str = ""
    message: str = ""
    resources: int = 0
    """Resources that were there after creation."""
    left: tuple[str, ...] = ()
    """What was there after destruction, `product type id`."""
    seconds: float = 0.0
    outputs: Mapping[str, str] = field(default_factory=dict)

    @property
    def holds(self) -> bool:
        """Made, as it says, taken back, and nothing left."""
        return not self.code and not self.left


class MetaProver:
    """Proves records on one target, in its first region unless another one is named."""

    def __init__(self, channels: Channels, *, target: str, ids: IdSource, region: str = "") -> None:
        self._accounts = AccountPoolStub(channels.channel("account_pool").grpc)
        self._provisioner = ResourceProvisionerStub(channels.channel("resource_provisioner").grpc)
        self._target = target
        self._region = region
        self._ids = ids

    async def prove(self, meta_yaml: str) -> MetaProof:
        """Run the record once. Raises what has nothing to do with it: no account, a
        role that is away."""
        began = time.monotonic()
        request = self._ids.new("meta")
        lease = await self._lease(request)
        provisioning: provisioner_pb.Provisioning | None = None
        code = message = ""
        try:
            provisioning = await self._provisioned(request, lease, meta_yaml)
            await self._provisioner.Destroy(
                provisioner_pb.DestroyRequest(
                    provisioning_id=provisioning.provisioning_id, lease=lease
                ),
                timeout=_MAKING_S,
            )
        except ProofwalkError as error:
            if error.status in _AWAY:
                raise
            code, message = error.code, error.message
        finally:
            released = await self._accounts.ReleaseLease(
                accounts_pb.ReleaseLeaseRequest(lease_id=lease.lease_id, epoch=lease.epoch),
                timeout=_CALL_S,
            )
        if not code and released.unproven:
            code = "meta.no_inventory"
            message = f"the target {self._target!r} has no inventory: nothing shows what is left"
        return MetaProof(
            code=code,
            message=message,
            resources=len(provisioning.resources) if provisioning is not None else 0,
            left=tuple(f"{one.product} {one.type} {one.id}" for one in released.leftovers),
            seconds=round(time.monotonic() - began, 2),
            outputs=dict(provisioning.outputs) if provisioning is not None else {},
        )

    async def _lease(self, request: str) -> common_pb.LeaseRef:
        ttl = Duration()
        ttl.FromTimedelta(_LEASE)
        reply = await self._accounts.AcquireLease(
            accounts_pb.AcquireLeaseRequest(
                request_id=request, target=self._target, holder=request, ttl=ttl
            ),
            timeout=_CALL_S,
        )
        return common_pb.LeaseRef(
            lease_id=reply.lease.lease_id, epoch=reply.lease.epoch, target=self._target
        )

    async def _provisioned(
        self, request: str, lease: common_pb.LeaseRef, meta_yaml: str
    ) -> provisioner_pb.Provisioning:
        reply = await self._provisioner.Provision(
            provisioner_pb.ProvisionRequest(
                request_id=request,
                lease=lease,
                meta=provisioner_pb.Meta(yaml=meta_yaml),
                region=self._region,
            ),
            timeout=_MAKING_S,
        )
        provisioning: provisioner_pb.Provisioning = reply.provisioning
        return provisioning
