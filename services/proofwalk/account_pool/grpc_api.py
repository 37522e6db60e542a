"""Mapping between the contract and the pool; nothing else."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp

from proofwalk.account_pool.domain import Account, Grant, Terms
from proofwalk.account_pool.orphans import Orphan, OrphanSweep
from proofwalk.account_pool.pool import Pool
from proofwalk.account_pool.usecases import CredentialKind
from proofwalk.api.account_pool.v1 import account_pool_pb2 as pb
from proofwalk.api.account_pool.v1 import account_pool_pb2_grpc as pb_grpc
from proofwalk.chassis.rpc import RpcService
from proofwalk.chassis.rpc.identity import caller
from proofwalk.chassis.rpc.vocabulary import span_from_pb
from proofwalk.cloud.money import Money
from proofwalk.cloud.ports import ResourceRef
from proofwalk.kernel.account_pools import (
    ACCOUNT_PURPOSES,
    SITE_PATTERN,
    VERIFICATION,
    AccountPurpose,
    Demand,
)
from proofwalk.kernel.errors import invalid

_KINDS: Mapping[int, CredentialKind] = {
    pb.CREDENTIAL_KIND_CONSOLE_LOGIN: CredentialKind.CONSOLE_LOGIN,
    pb.CREDENTIAL_KIND_ACCESS_KEY: CredentialKind.ACCESS_KEY,
}

_SIGNS_IN = "proofwalk.api.account_pool.v1.AccountPool/GetCredential#CREDENTIAL_KIND_CONSOLE_LOGIN"
"""The row of callers who sign in to consoles: passwords are for them, access keys for
whoever works in the account."""
MAX_LEASES = 1000
USUAL_LEASES = 100


class AccountPoolServicer(pb_grpc.AccountPoolServicer):
    """The nine calls."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def AcquireLease(
        self, request: pb.AcquireLeaseRequest, context: Any
    ) -> pb.AcquireLeaseResponse:
        account = await self._pool.acquire(
            request_id=request.request_id,
            target=request.target,
            holder=request.holder,
            ttl_s=span_from_pb(request.ttl).total_seconds(),
            demand=Demand(
                role=request.role, site=_site(request.site), purpose=_purpose(request.purpose)
            ),
            terms=Terms(
                max_cost=request.max_cost if request.HasField("max_cost") else None,
                wait_s=span_from_pb(request.wait).total_seconds(),
            ),
        )
        return pb.AcquireLeaseResponse(lease=_lease(account))

    async def ListRoles(self, request: pb.ListRolesRequest, context: Any) -> pb.ListRolesResponse:
        found = await self._pool.roles(request.target)
        return pb.ListRolesResponse(
            roles=[
                pb.AccountRole(name=one.name, aliases=one.aliases, has_account=one.has_account)
                for one in found.roles
            ],
            default_role=found.default,
            documents_choose=found.documents_choose,
        )

    async def RenewLease(
        self, request: pb.RenewLeaseRequest, context: Any
    ) -> pb.RenewLeaseResponse:
        seconds = span_from_pb(request.ttl).total_seconds()
        account = await self._pool.renew(
            lease_id=request.lease_id, epoch=request.epoch, ttl_s=seconds
        )
        return pb.RenewLeaseResponse(lease=_lease(account))

    async def ReleaseLease(
        self, request: pb.ReleaseLeaseRequest, context: Any
    ) -> pb.ReleaseLeaseResponse:
        proof = await self._pool.release(lease_id=request.lease_id, epoch=request.epoch)
        return pb.ReleaseLeaseResponse(
            clean=proof.clean, leftovers=_leftovers(proof.leftovers), unproven=proof.unproven
        )

    async def GetCredential(
        self, request: pb.GetCredentialRequest, context: Any
    ) -> pb.GetCredentialResponse:
        kind = _KINDS.get(request.kind)
        if kind is None:
            raise invalid(
                "account.no_kind",
                "say which kind of credential",
                hint="CONSOLE_LOGIN or ACCESS_KEY",
            )
        if kind is CredentialKind.CONSOLE_LOGIN:
            caller().require(_SIGNS_IN)
        account, fields = await self._pool.credential(
            lease_id=request.lease_id, epoch=request.epoch, kind=kind
        )
        return pb.GetCredentialResponse(fields=dict(fields), external_id=account.external_id)

    async def InspectAccount(
        self, request: pb.InspectAccountRequest, context: Any
    ) -> pb.InspectAccountResponse:
        proof = await self._pool.inspect(lease_id=request.lease_id, epoch=request.epoch)
        return pb.InspectAccountResponse(
            leftovers=_leftovers(proof.leftovers), unproven=proof.unproven
        )

    async def ListAccounts(
        self, request: pb.ListAccountsRequest, context: Any
    ) -> pb.ListAccountsResponse:
        return pb.ListAccountsResponse(
            accounts=[_account(account) for account in await self._pool.accounts(request.target)]
        )

    async def ListLeases(
        self, request: pb.ListLeasesRequest, context: Any
    ) -> pb.ListLeasesResponse:
        if not 0 <= request.limit <= MAX_LEASES:
            raise invalid("account.bad_limit", f"limit is 1 to {MAX_LEASES}, not {request.limit}")
        lines = await self._pool.spending.ledger(
            target=request.target,
            account_id=request.account_id,
            limit=request.limit or USUAL_LEASES,
        )
        return pb.ListLeasesResponse(leases=[_line(grant) for grant in lines])

    async def RestoreAccount(
        self, request: pb.RestoreAccountRequest, context: Any
    ) -> pb.RestoreAccountResponse:
        return pb.RestoreAccountResponse(
            account=_account(await self._pool.restore(request.account_id))
        )

    async def SweepOrphans(
        self, request: pb.SweepOrphansRequest, context: Any
    ) -> pb.SweepOrphansResponse:
        found = await OrphanSweep(pool=self._pool).sweep(
            target=request.target,
            older_than_s=span_from_pb(request.older_than).total_seconds(),
            dry_run=request.dry_run,
        )
        return pb.SweepOrphansResponse(orphans=[_orphan(one) for one in found])


def service(pool: Pool) -> RpcService:
    """The service of this role."""
    return RpcService(
        descriptor=pb.DESCRIPTOR.services_by_name["AccountPool"],
        register=pb_grpc.add_AccountPoolServicer_to_server,
        servicer=AccountPoolServicer(pool),
    )


def _purpose(word: str) -> AccountPurpose:
    """What an account is asked for; verification where the caller, of an earlier
    release, says nothing. Raises `account.bad_purpose`."""
    for purpose in ACCOUNT_PURPOSES:
        if word == purpose:
            return purpose
    if not word:
        return VERIFICATION
    raise invalid(
        "account.bad_purpose",
        f"no account is leased for {word[:64]!r}",
        hint=f"ask for one of {', '.join(ACCOUNT_PURPOSES)}",
    )


def _site(name: str) -> str:
    """Raises `account.bad_site` for what no account can be of."""
    if not re.fullmatch(SITE_PATTERN, name):
        raise invalid(
            "account.bad_site",
            f"{name[:64]!r} is no name of a site",
            hint="a site is up to 64 lower-case letters, digits, '.', '_' and '-'",
        )
    return name


def _stamp(moment: datetime | None) -> Timestamp | None:
    if moment is None:
        return None
    stamp = Timestamp()
    stamp.FromDatetime(moment)
    return stamp


def _lease(account: Account) -> pb.Lease:
    return pb.Lease(
        lease_id=account.lease_id,
        account_id=account.account_id,
        external_id=account.external_id,
        target=account.target,
        epoch=account.epoch,
        expires_at=_stamp(account.expires_at),
    )


def _money(amount: Money | None) -> pb.Money | None:
    return None if amount is None else pb.Money(micros=amount.micros, currency=amount.currency)


def _line(grant: Grant) -> pb.LedgerLine:
    return pb.LedgerLine(
        lease_id=grant.lease_id,
        account_id=grant.account_id,
        target=grant.target,
        epoch=grant.epoch,
        holder=grant.holder,
        request_id=grant.request_id,
        granted_at=_stamp(grant.granted_at),
        ended_at=_stamp(grant.ended_at),
        cost=_money(grant.cost),
        costed_at=_stamp(grant.costed_at),
        max_cost=_money(grant.max_cost),
        ending=grant.ending,
        proof="" if grant.proof is None else grant.proof.verdict,
        site=grant.site,
        purpose=grant.purpose,
    )


def _account(account: Account) -> pb.Account:
    return pb.Account(
        account_id=account.account_id,
        external_id=account.external_id,
        target=account.target,
        state=account.state.value,
        epoch=account.epoch,
        holder=account.holder,
        role=account.role,
        site=account.dedication.site,
        purposes=sorted(account.dedication.purposes),
        balance=_money(account.balance),
        expires_at=_stamp(account.expires_at),
        reason=(
            account.reason
            if account.offered
            else f"no longer offered by its target; {account.reason}".rstrip("; ")
        ),
    )


def _orphan(orphan: Orphan) -> pb.Orphan:
    return pb.Orphan(
        target=orphan.account.target,
        external_id=orphan.account.external_id,
        resource=_leftovers([orphan.resource])[0],
        run=orphan.run,
        fate=orphan.fate.value,
        reason=orphan.reason,
    )


def _leftovers(resources: Sequence[ResourceRef]) -> list[pb.Leftover]:
    return [
        pb.Leftover(
            product=item.product, type=item.type, id=item.id, region=item.region, name=item.name
        )
        for item in resources
    ]
