"""What can be done to provisioning rows: one function, one transaction. The work itself
is `provisioning`'s."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from proofwalk.chassis.database import Database, Transaction
from proofwalk.cloud.steps.making import Progress
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, Status, conflict, invalid, not_found
from proofwalk.kernel.leases import LeaseRef
from proofwalk.kernel.outcomes import EnvCause
from proofwalk.resource_provisioner import repository
from proofwalk.resource_provisioner.domain import (
    AT_WORK,
    HOLDS_RESOURCES,
    MADE_FOR_A_WALK,
    Appraisal,
    ProvisioningState,
    advance,
)
from proofwalk.resource_provisioner.lineage import Mark, Purpose, judged
from proofwalk.resource_provisioner.meta import read_kept
from proofwalk.resource_provisioner.repository import MetaRow, ProvisioningRow

EXPIRED = "provision.expired"
MAX_FOUND = 20
"""Records that one question for a purpose is answered with."""


async def intend(db: Database, row: ProvisioningRow) -> ProvisioningRow:
    """The row of a request: the one that it has, or this one. It is there before
    anything is made. Raises `provision.footing_gone` where what it refers to is no
    longer there."""

    async def work(tx: Transaction) -> ProvisioningRow:
        known = await repository.find(tx, request_id=row.request_id)
        if known is not None:
            return known
        for footing in row.footings:
            earlier = await repository.find(tx, provisioning_id=footing.provisioning_id)
            if earlier is None or earlier.state is not ProvisioningState.READY:
                raise conflict(
                    "provision.footing_gone",
                    f"{footing.product} {footing.type} {footing.id} is being taken back",
                    hint="ask again: what is there by then is looked at anew",
                )
        await repository.add(tx, row)
        return row

    return await db.run(work)


async def get(db: Database, *, provisioning_id: str = "", request_id: str = "") -> ProvisioningRow:
    """Raises `provisioning.not_found`."""
    async with db.read() as tx:
        row = await repository.find(tx, provisioning_id=provisioning_id, request_id=request_id)
    if row is None:
        raise _no_provisioning(provisioning_id or request_id)
    return row


async def newest(
    db: Database, *, states: Sequence[ProvisioningState], provisioning_id: str = "", limit: int
) -> Sequence[ProvisioningRow]:
    """Provisionings in these states, or in any, the newest first."""
    async with db.read() as tx:
        return await repository.newest(
            tx, states=states, provisioning_id=provisioning_id, limit=limit
        )


async def of_request(db: Database, request_id: str) -> ProvisioningRow | None:
    """The provisioning of a request, if there is one."""
    async with db.read() as tx:
        return await repository.find(tx, request_id=request_id)


async def move(
    db: Database, provisioning_id: str, target: ProvisioningState, *, clock: Clock, **values: Any
) -> ProvisioningRow:
    """Take a provisioning to a state, with what is known now."""

    async def work(tx: Transaction) -> ProvisioningRow:
        row = await repository.find(tx, provisioning_id=provisioning_id)
        if row is None:
            raise _no_provisioning(provisioning_id)
        state = target if row.state is target else advance(row.state, target)
        now = clock.now()
        changes = {
            "state": state.value,
            "updated_at": now,
            "seconds": (now - row.created_at).total_seconds(),
            **values,
        }
        await repository.change(tx, provisioning_id, **changes)
        return replace(row, **{**changes, "state": state})

    return await db.run(work)


async def fail(
    db: Database,
    provisioning_id: str,
    target: ProvisioningState,
    error: ProofwalkError,
    *,
    clock: Clock,
) -> ProvisioningRow:
    """Take a provisioning to a state of failure, with its error."""
    await move(db, provisioning_id, target, clock=clock, **_error_members(error))
    return await get(db, provisioning_id=provisioning_id)


def _error_members(error: ProofwalkError) -> Mapping[str, object]:
    """An error as a row has it."""
    return {
        "error_code": error.code,
        "error_message": error.message,
        "error_status": error.status,
        "error_retryable": error.retryable,
        "error_cause": error.cause or "",
    }


async def keep_progress(
    db: Database, provisioning_id: str, progress: Progress, *, clock: Clock
) -> None:
    """Keep how far META's steps came."""
    values = {
        "steps_begun": progress.begun,
        "steps_ended": progress.ended,
        "outputs": dict(progress.outputs),
        "updated_at": clock.now(),
    }
    await db.run(lambda tx: repository.change(tx, provisioning_id, **values))


async def keep_price(db: Database, provisioning_id: str, price: Appraisal, *, clock: Clock) -> None:
    """Keep what the plan that is about to be applied costs."""
    values = {"price": price.stored(), "updated_at": clock.now()}
    await db.run(lambda tx: repository.change(tx, provisioning_id, **values))


async def prepared_since(db: Database, row: ProvisioningRow) -> Sequence[ProvisioningRow]:
    """Later provisionings of the target that have, or may have, resources."""
    async with db.read() as tx:
        rows = await repository.in_states(tx, HOLDS_RESOURCES - {ProvisioningState.LEAKED})
    return [
        other
        for other in rows
        if other.target == row.target and other.id != row.id and other.created_at >= row.created_at
    ]


async def begin_destroy(db: Database, provisioning_id: str, *, clock: Clock) -> ProvisioningRow:
    """Ask for the end of a provisioning; what is ended or ending stays as it is.
    Returns the row as it was: whoever sees `creating` or `verifying` has to stop that.
    Raises `provisioning.not_found`."""

    async def work(tx: Transaction) -> ProvisioningRow:
        row = await repository.find(tx, provisioning_id=provisioning_id)
        if row is None:
            raise _no_provisioning(provisioning_id)
        if row.state in MADE_FOR_A_WALK | {ProvisioningState.LEAKED}:
            await repository.change(tx, row.id, **_ending(row, clock))
        return row

    return await db.run(work)


async def expire(db: Database, provisioning_id: str, *, clock: Clock) -> ProvisioningRow | None:
    """Ask for the end of a provisioning whose time has passed, and keep that as its
    error. Returns the row as it was; None where its time has not passed, or where it is
    ended or ending already."""

    async def work(tx: Transaction) -> ProvisioningRow | None:
        row = await repository.find(tx, provisioning_id=provisioning_id)
        if row is None or row.expires_at is None or row.state not in MADE_FOR_A_WALK:
            return None
        if row.expires_at > clock.now():
            return None
        told = {**_error_members(_expired(row)), **_ending(row, clock)}
        await repository.change(tx, row.id, **told)
        return row

    return await db.run(work)


async def expired(db: Database, *, clock: Clock) -> Sequence[str]:
    """The ids of provisionings whose time has passed and that nobody has ended."""
    async with db.read() as tx:
        return await repository.expired(tx, MADE_FOR_A_WALK, now=clock.now())


def _ending(row: ProvisioningRow, clock: Clock) -> Mapping[str, object]:
    now = clock.now()
    return {
        "state": advance(row.state, ProvisioningState.DESTROYING).value,
        "updated_at": now,
        "seconds": (now - row.created_at).total_seconds(),
    }


def _expired(row: ProvisioningRow) -> ProofwalkError:
    stood = (row.expires_at or row.created_at) - row.created_at
    return ProofwalkError(
        EXPIRED,
        f"what was made may stand for {stood.total_seconds():g} s, and that time has passed",
        status=Status.FAILED_PRECONDITION,
        cause=EnvCause.PROVISION,
    )


def _no_provisioning(provisioning_id: str) -> ProofwalkError:
    return not_found("provisioning.not_found", f"there is no provisioning {provisioning_id!r}")


async def interrupted(db: Database) -> Sequence[ProvisioningRow]:
    """Provisionings that somebody has to go on with."""
    async with db.read() as tx:
        return await repository.in_states(tx, AT_WORK)


async def idle(db: Database) -> Sequence[ProvisioningRow]:
    """Provisionings that have, or may have, resources, and that nobody works on."""
    async with db.read() as tx:
        return await repository.in_states(tx, HOLDS_RESOURCES - AT_WORK)


async def leaked(db: Database) -> int:
    """How many provisionings left something behind."""
    async with db.read() as tx:
        return len(await repository.in_states(tx, {ProvisioningState.LEAKED}))


async def holding(db: Database, lease_id: str) -> Sequence[ProvisioningRow]:
    """Provisionings of a lease that have, or may have, resources; newest first."""
    async with db.read() as tx:
        rows = await repository.of_lease(tx, lease_id)
    return [row for row in reversed(rows) if row.state in HOLDS_RESOURCES]


async def ready(db: Database, lease: LeaseRef, *, region: str) -> Sequence[ProvisioningRow]:
    """Provisionings of a lease whose resources are there in a region; oldest first."""
    async with db.read() as tx:
        rows = await repository.of_lease(tx, lease.lease_id)
    return [
        row
        for row in rows
        if row.state is ProvisioningState.READY
        and (row.lease_epoch, row.region) == (lease.epoch, region)
    ]


async def standing_on(db: Database, row: ProvisioningRow) -> Sequence[ProvisioningRow]:
    """Provisionings that refer to what this one made, and that have, or may have,
    resources; newest first."""
    return [
        other
        for other in await holding(db, row.lease_id)
        if any(footing.provisioning_id == row.id for footing in other.footings)
    ]


async def put_meta(db: Database, row: MetaRow) -> MetaRow:
    """Keep a record; the same content twice is one row. The row as it is kept."""
    return await db.run(lambda tx: repository.put_meta(tx, row))


async def kept_as(db: Database, yaml: str) -> MetaRow | None:
    """The record with this content, if it is kept."""
    meta = read_kept(yaml)
    async with db.read() as tx:
        return await repository.meta_with(tx, meta.id, meta.digest)


async def mark_meta(
    db: Database, meta_id: str, version: int, mark: Mark, *, clock: Clock
) -> MetaRow:
    """Say how far a record is trusted from now on; the same twice is once. Raises
    `meta.not_found`, `meta.bad_transition`, `meta.other_kind`."""

    async def work(tx: Transaction) -> MetaRow:
        row = await repository.get_meta(tx, meta_id, version)
        if row is None:
            raise _no_meta(meta_id, version)
        marked = replace(
            row,
            state=judged(row.state, mark.state),
            target_kind=mark.tied(row.target_kind),
            state_run=mark.run,
            state_at=clock.now(),
            state_reason=mark.reason,
            checked_at=clock.now(),
            provider_version=mark.provider_version or row.provider_version,
        )
        await repository.change_meta(tx, marked)
        return marked

    return await db.run(work)


async def looked_at(db: Database, meta_id: str, version: int, *, clock: Clock) -> MetaRow:
    """Say that a record was seen to be as it is said to be. Raises `meta.not_found`."""

    async def work(tx: Transaction) -> MetaRow:
        row = await repository.get_meta(tx, meta_id, version)
        if row is None:
            raise _no_meta(meta_id, version)
        seen = replace(row, checked_at=clock.now())
        await repository.change_meta(tx, seen)
        return seen

    return await db.run(work)


async def due_metas(db: Database, before: datetime, *, limit: int) -> Sequence[MetaRow]:
    """Records for a kind of target that were last looked at before then, the longest
    ago first; no stale one."""
    async with db.read() as tx:
        return await repository.due_metas(tx, before, limit=limit)


async def get_meta(db: Database, meta_id: str, version: int = 0) -> MetaRow:
    """A version of a record; without one, the newest that an operator has stored under
    the id. Raises `meta.not_found`."""
    async with db.read() as tx:
        row = (
            await repository.get_meta(tx, meta_id, version)
            if version
            else await repository.newest_meta(tx, meta_id)
        )
    if row is None:
        raise _no_meta(meta_id, version)
    return row


def _no_meta(meta_id: str, version: int) -> ProofwalkError:
    numbered = f" of version {version}" if version else ""
    return not_found(
        "meta.not_found",
        f"there is no META record {meta_id!r}{numbered}",
        hint="store it first, or send it along",
    )


async def find_metas(db: Database, purpose: Purpose) -> Sequence[MetaRow]:
    """Records for a purpose, the best first, none that is stale, at most `MAX_FOUND`.
    Raises `meta.no_purpose` where nothing is asked for."""
    if replace(purpose, target_kind="") == Purpose():
        raise invalid(
            "meta.no_purpose",
            "there is no product, document or intent to find records by",
            hint="name one of them, or list all records",
        )
    async with db.read() as tx:
        return await repository.find_metas(tx, purpose, limit=MAX_FOUND)


async def list_metas(db: Database) -> Sequence[MetaRow]:
    """The newest record of every id."""
    async with db.read() as tx:
        return await repository.list_metas(tx)


def failure_of(row: ProvisioningRow) -> ProofwalkError:
    """The error that a provisioning's row holds."""
    if row.error_status is None:
        return conflict("provision.ended", f"the provisioning is {row.state}")
    return ProofwalkError(
        row.error_code,
        row.error_message,
        status=row.error_status,
        retryable=row.error_retryable,
        cause=row.error_cause,
    )
