"""Accounts that this role takes for itself, of those that serve authoring: leased, and
given back at the end. What callers lease, and have something made in, is
`cloud.leased`'s.

Should this process be killed, the lease's end frees the account.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

import grpc
import structlog
from google.protobuf.duration_pb2 import Duration

from proofwalk.api.account_pool.v1 import account_pool_pb2 as accounts_pb
from proofwalk.api.account_pool.v1.account_pool_pb2_grpc import AccountPoolStub
from proofwalk.cloud.leased import LeasedAccounts
from proofwalk.cloud.ports import CloudAccount
from proofwalk.kernel.account_pools import AUTHORING, Demand, dedicated
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.leases import LeaseRef

log = structlog.get_logger()
_LEASE = timedelta(minutes=10)
_ACQUIRE_S = 30.0
_RELEASE_S = 120.0
_LOOK_S = 10.0
_INSPECT_S = 60.0


class AccountLeases:
    """Leases of the account pool."""

    def __init__(self, channel: grpc.aio.Channel, accounts: LeasedAccounts) -> None:
        self._pool = AccountPoolStub(channel)
        self._accounts = accounts

    async def free(self, target: str) -> int:
        """How many of a target's accounts that serve authoring nobody has now."""
        request = accounts_pb.ListAccountsRequest(target=target)
        reply = await self._pool.ListAccounts(request, timeout=_LOOK_S)
        return sum(
            one.state == "free"
            and dedicated(site=one.site, purposes=one.purposes).serves(Demand(purpose=AUTHORING))
            for one in reply.accounts
        )

    @asynccontextmanager
    async def leased(self, holder: str, target: str, role: str) -> AsyncIterator[CloudAccount]:
        """An account to look at. Raises as `lease` does."""
        async with self.lease(holder, target, role) as held:
            yield await self._accounts.account(lease_id=held.lease_id, epoch=held.epoch)

    @asynccontextmanager
    async def lease(
        self, holder: str, target: str, role: str, *, ttl: timedelta = _LEASE
    ) -> AsyncIterator[LeaseRef]:
        """A lease. It is not waited for: walks come first. Raises `account.none_free`,
        `account.no_role`, `account.no_pool`, `target.unknown`."""
        life = Duration()
        life.FromTimedelta(ttl)
        request = accounts_pb.AcquireLeaseRequest(
            request_id=f"{holder}:account",
            target=target,
            holder=holder,
            ttl=life,
            role=role,
            purpose=AUTHORING,
        )
        lease = (await self._pool.AcquireLease(request, timeout=_ACQUIRE_S)).lease
        try:
            yield LeaseRef(lease_id=lease.lease_id, epoch=lease.epoch, target=target)
        finally:
            await asyncio.shield(self._released(lease))

    async def inspect(self, lease: LeaseRef) -> accounts_pb.InspectAccountResponse:
        """What is in the account beyond what was there at the grant. Raises
        `lease.*`."""
        request = accounts_pb.InspectAccountRequest(lease_id=lease.lease_id, epoch=lease.epoch)
        seen: accounts_pb.InspectAccountResponse = await self._pool.InspectAccount(
            request, timeout=_INSPECT_S
        )
        return seen

    async def _released(self, lease: accounts_pb.Lease) -> None:
        request = accounts_pb.ReleaseLeaseRequest(lease_id=lease.lease_id, epoch=lease.epoch)
        try:
            await self._pool.ReleaseLease(request, timeout=_RELEASE_S)
        except ProofwalkError as error:
            log.warning("lease_left_to_its_end", code=error.code, reason=error.message)
