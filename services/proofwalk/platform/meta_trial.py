"""A META record tried for real: an account is leased, what the record says is made,
verified and destroyed, and the account's inventory has to be as before.

Whatever happens, what was made is swept and the account released; on a target of
somebody's own the lease's end does so, should this process be killed.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from proofwalk.api.account_pool.v1 import account_pool_pb2 as accounts
from proofwalk.api.account_pool.v1.account_pool_pb2_grpc import AccountPoolStub
from proofwalk.api.common.v1 import common_pb2 as common
from proofwalk.api.resource_provisioner.v1 import resource_provisioner_pb2 as pb
from proofwalk.api.resource_provisioner.v1.resource_provisioner_pb2_grpc import (
    ResourceProvisionerStub,
)
from proofwalk.kernel.errors import ProofwalkError, conflict
from proofwalk.kernel.ids import IdSource
from proofwalk.platform.metas import Channels

LEASE = timedelta(minutes=30)
WORK_S = 600.0
POOL_S = 120.0


@dataclass(frozen=True, kw_only=True)
class Proof:
    """What a trial showed."""

    run: str
    """The provisioning's id."""
    provider_version: str
    resources: Sequence[str]
    """What was made: `product/type`, sorted."""
    seconds: float


async def prove(channels: Channels, yaml: str, *, target: str, region: str, ids: IdSource) -> Proof:
    """Make, verify and destroy what the record says in an account of the target, and
    see that nothing is left.

    Raises `meta.*`, `provision.*`, `account.*`, `target.*`; `meta.left_behind` where
    the account is not as before, `meta.no_inventory` where nobody can say.
    """
    began = time.monotonic()
    records = ResourceProvisionerStub(channels.channel("resource_provisioner").grpc)
    pool = AccountPoolStub(channels.channel("account_pool").grpc)
    record = pb.Meta(yaml=yaml)
    valid = await records.ValidateMeta(
        pb.ValidateMetaRequest(meta=record, target=target), timeout=60
    )
    run = ids.new("trial")
    acquired = await pool.AcquireLease(
        accounts.AcquireLeaseRequest(
            request_id=f"{run}:account", target=target, holder=run, ttl=LEASE, role=valid.role
        ),
        timeout=30,
    )
    lease = common.LeaseRef(
        lease_id=acquired.lease.lease_id, epoch=acquired.lease.epoch, target=target
    )
    try:
        made = await records.Provision(
            pb.ProvisionRequest(
                request_id=f"{run}:provision", lease=lease, meta=record, region=region
            ),
            timeout=WORK_S,
        )
        await records.Destroy(
            pb.DestroyRequest(provisioning_id=made.provisioning.provisioning_id, lease=lease),
            timeout=WORK_S,
        )
        await _must_be_clean(pool, lease)
    finally:
        with suppress(ProofwalkError):
            await records.Sweep(pb.SweepRequest(lease=lease), timeout=WORK_S)
        with suppress(ProofwalkError):
            await pool.ReleaseLease(
                accounts.ReleaseLeaseRequest(lease_id=lease.lease_id, epoch=lease.epoch),
                timeout=POOL_S,
            )
    return Proof(
        run=made.provisioning.provisioning_id,
        provider_version=made.provider_version,
        resources=sorted(f"{one.product}/{one.type}" for one in made.provisioning.resources),
        seconds=time.monotonic() - began,
    )


async def _must_be_clean(pool: AccountPoolStub, lease: common.LeaseRef) -> None:
    request = accounts.InspectAccountRequest(lease_id=lease.lease_id, epoch=lease.epoch)
    state = await pool.InspectAccount(request, timeout=60)
    if state.unproven:
        raise conflict(
            "meta.no_inventory",
            f"the target {lease.target!r} has no inventory, so that nothing shows what is left",
            hint="try the record on the embedded cloud: without --target",
        )
    if state.leftovers:
        names = ", ".join(f"{one.product}/{one.type} {one.id}" for one in state.leftovers[:10])
        raise conflict(
            "meta.left_behind",
            f"after the destruction the account still has {names}",
            hint="mend the record: what it makes has to go with it",
        )
