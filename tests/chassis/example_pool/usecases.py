"""One function, one transaction."""

from __future__ import annotations

from proofwalk.chassis.database import Transaction
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import exhausted, not_found
from proofwalk.kernel.ids import IdSource
from proofwalk.kernel.leases import stale_epoch
from tests.chassis.example_pool import repository
from tests.chassis.example_pool.repository import LeaseRow
from tests.chassis.example_pool.settings import ExamplePoolSettings


async def acquire(
    transaction: Transaction,
    *,
    request_id: str,
    holder: str,
    settings: ExamplePoolSettings,
    clock: Clock,
    ids: IdSource,
) -> LeaseRow:
    """Idempotent by `request_id`."""
    existing = await repository.find(transaction, request_id)
    if existing is not None:
        return existing
    if await repository.count(transaction) >= settings.limit:
        raise exhausted("example.none_free", f"all {settings.limit} are taken", hint="wait for one")
    row = LeaseRow(
        lease_id=ids.new("lease"),
        request_id=request_id,
        holder=holder,
        epoch=1,
        granted_at=clock.now(),
        notes={"greeting": settings.greeting},
    )
    await repository.add(transaction, row)
    return row


async def renew(transaction: Transaction, *, request_id: str, epoch: int) -> LeaseRow:
    """Advance the epoch, if it is the caller's."""
    row = await repository.find(transaction, request_id)
    if row is None:
        raise not_found("lease.not_found", f"no lease {request_id}")
    if not await repository.bump(transaction, row.lease_id, epoch):
        raise stale_epoch(epoch, row.epoch)
    return row
