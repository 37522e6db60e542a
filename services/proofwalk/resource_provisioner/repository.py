"""All SQL over META records and provisionings; that over trials is in
`trial_repository`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, case, func, insert, select, update

from proofwalk.chassis.database import Transaction
from proofwalk.kernel.errors import Status
from proofwalk.kernel.outcomes import EnvCause
from proofwalk.resource_provisioner.domain import Appraisal, Footing, ProvisioningState
from proofwalk.resource_provisioner.lineage import MetaState, Purpose
from proofwalk.resource_provisioner.tables import METADATA, metas, provisionings, trials

__all__ = ["METADATA", "trials"]  # for the migrations; the rest is imported by name


@dataclass(frozen=True, kw_only=True)
class ProvisioningRow:
    """A provisioning as stored."""

    id: str
    request_id: str
    lease_id: str
    lease_epoch: int
    target: str
    region: str
    meta_yaml: str
    name_prefix: str
    state: ProvisioningState
    outputs: Mapping[str, str] = field(default_factory=dict)
    resources: Sequence[Mapping[str, str]] = ()
    error_code: str = ""
    error_message: str = ""
    error_status: Status | None = None
    """None while nothing has failed. With the next two, what the error said besides."""
    error_retryable: bool = False
    error_cause: EnvCause | None = None
    steps_begun: int = 0
    """How many of META's steps have begun, and how many of them have ended well. Their
    outputs so far are in `outputs`."""
    steps_ended: int = 0
    max_per_hour: float = 0.0
    """What the request lets its resources cost by the hour and at once, in the
    account's currency; 0 leaves it to the settings."""
    max_at_once: float = 0.0
    price: Appraisal | None = None
    """Of the last plan that was let through; None before."""
    expires_at: datetime | None = None
    """When it is taken back at the latest; None for one of an earlier release, which
    stands as long as its lease."""
    general_yaml: str = ""
    """The record as it is kept, where `meta_yaml` is that record placed in the lease's
    network; empty where it is the same."""
    footings: tuple[Footing, ...] = ()
    """What the record refers to of earlier provisionings of the lease."""
    created_at: datetime
    updated_at: datetime
    seconds: float = 0.0

    @property
    def record_yaml(self) -> str:
        """The record as it is kept."""
        return self.general_yaml or self.meta_yaml


@dataclass(frozen=True, kw_only=True)
class MetaRow:
    """A META record as stored."""

    id: str
    digest: str
    yaml: str
    origin: str
    created_at: datetime
    version: int = 0
    """1, 2, … of its id, in the order in which they came; given by `put_meta`."""
    target_kind: str = ""
    """Empty: for no kind of target in particular."""
    product: str = ""
    document_digest: str = ""
    intent: str = ""
    state: MetaState
    state_run: str = ""
    """The run that showed its state; empty where a person says it."""
    state_at: datetime
    state_reason: str = ""
    """Why it is stale; empty of any other, and where nobody said."""
    checked_at: datetime
    """When it was last seen to be in its state, by a plan at least."""
    writer: str
    run: str = ""
    provider_version: str = ""


def _row(row: Any) -> ProvisioningRow:
    return ProvisioningRow(
        **{
            **row,
            "state": ProvisioningState(row["state"]),
            "error_status": Status(row["error_status"]) if row["error_status"] else None,
            "error_cause": EnvCause(row["error_cause"]) if row["error_cause"] else None,
            "price": Appraisal.of_stored(row["price"]) if row["price"] else None,
            "footings": tuple(map(Footing.of_stored, row["footings"] or ())),
        }
    )


async def add(tx: Transaction, row: ProvisioningRow) -> None:
    values = {
        **row.__dict__,
        "state": row.state.value,
        "outputs": dict(row.outputs),
        "resources": list(row.resources),
    }
    values |= {"error_status": row.error_status or "", "error_cause": row.error_cause or ""}
    values["price"] = None if row.price is None else row.price.stored()
    values["footings"] = [one.stored() for one in row.footings] or None
    await tx.execute(insert(provisionings).values(values))


async def find(
    tx: Transaction, *, provisioning_id: str = "", request_id: str = ""
) -> ProvisioningRow | None:
    column, value = (
        (provisionings.c.id, provisioning_id)
        if provisioning_id
        else (provisionings.c.request_id, request_id)
    )
    row = (await tx.execute(select(provisionings).where(column == value))).mappings().first()
    return None if row is None else _row(row)


async def change(tx: Transaction, provisioning_id: str, **values: Any) -> None:
    await tx.execute(
        update(provisionings).where(provisionings.c.id == provisioning_id).values(**values)
    )


async def in_states(
    tx: Transaction, states: Collection[ProvisioningState]
) -> Sequence[ProvisioningRow]:
    query = (
        select(provisionings)
        .where(provisionings.c.state.in_([state.value for state in states]))
        .order_by(provisionings.c.id)
    )
    return [_row(row) for row in (await tx.execute(query)).mappings()]


async def newest(
    tx: Transaction, *, states: Collection[ProvisioningState], provisioning_id: str, limit: int
) -> Sequence[ProvisioningRow]:
    """The newest first. Without states those of every one, without an id all."""
    query = select(provisionings).order_by(provisionings.c.id.desc()).limit(limit)
    if states:
        query = query.where(provisionings.c.state.in_([state.value for state in states]))
    if provisioning_id:
        query = query.where(provisionings.c.id == provisioning_id)
    return [_row(row) for row in (await tx.execute(query)).mappings()]


async def expired(
    tx: Transaction, states: Collection[ProvisioningState], *, now: datetime
) -> Sequence[str]:
    """The ids of those whose time has passed, the oldest first."""
    query = (
        select(provisionings.c.id)
        .where(provisionings.c.expires_at <= now)
        .where(provisionings.c.state.in_([state.value for state in states]))
        .order_by(provisionings.c.expires_at, provisionings.c.id)
    )
    return list((await tx.execute(query)).scalars())


async def of_lease(tx: Transaction, lease_id: str) -> Sequence[ProvisioningRow]:
    query = (
        select(provisionings)
        .where(provisionings.c.lease_id == lease_id)
        .order_by(provisionings.c.created_at)
    )
    return [_row(row) for row in (await tx.execute(query)).mappings()]


async def put_meta(tx: Transaction, row: MetaRow) -> MetaRow:
    """Store a record as the next version of its id; the same content is stored once.

    What is stored of it already stays, but that a record of a runtime that is stored as
    a file's becomes that, that a proposal for which somebody vouches is proven, and
    that what it did not say yet is filled in.
    """
    same = (metas.c.id == row.id, metas.c.digest == row.digest)
    kept = await _one_meta(tx, *same)
    if kept is None:
        newest = select(func.coalesce(func.max(metas.c.version), 0)).where(metas.c.id == row.id)
        row = replace(row, version=(await tx.execute(newest)).scalar_one() + 1)
        await tx.execute(insert(metas).values(_meta_values(row)))
        return row
    merged = replace(
        kept,
        target_kind=kept.target_kind or row.target_kind,
        product=kept.product or row.product,
        document_digest=kept.document_digest or row.document_digest,
        intent=kept.intent or row.intent,
        run=kept.run or row.run,
        provider_version=kept.provider_version or row.provider_version,
    )
    if row.origin == "file" != kept.origin:
        merged = replace(merged, origin=row.origin, created_at=row.created_at)
    if kept.state is MetaState.PROPOSED and row.state is MetaState.PROVEN:
        merged = replace(merged, state=row.state, state_at=row.state_at, checked_at=row.checked_at)
    if merged != kept:
        await change_meta(tx, merged)
    return merged


async def change_meta(tx: Transaction, row: MetaRow) -> None:
    """Write what is known of a version of a record."""
    await tx.execute(
        update(metas)
        .where(metas.c.id == row.id, metas.c.version == row.version)
        .values(_meta_values(row))
    )


async def get_meta(tx: Transaction, meta_id: str, version: int) -> MetaRow | None:
    return await _one_meta(tx, metas.c.id == meta_id, metas.c.version == version)


async def meta_with(tx: Transaction, meta_id: str, digest: str) -> MetaRow | None:
    return await _one_meta(tx, metas.c.id == meta_id, metas.c.digest == digest)


async def newest_meta(tx: Transaction, meta_id: str) -> MetaRow | None:
    """The newest record that was stored under an id to be named by it; a stale one only
    where there is no other. What a job's need made at run time belongs to that job."""
    query = (
        select(metas)
        .where(metas.c.id == meta_id, metas.c.origin == "file")
        .order_by(
            case((metas.c.state == MetaState.STALE.value, 1), else_=0),
            metas.c.created_at.desc(),
            metas.c.digest,
        )
        .limit(1)
    )
    row = (await tx.execute(query)).mappings().first()
    return None if row is None else _meta_row(row)


async def find_metas(tx: Transaction, purpose: Purpose, *, limit: int) -> Sequence[MetaRow]:
    """Records for a purpose, whoever stored them: proven ones first, the newest of them
    first; no stale one. Empty members of the purpose are not looked at. A record that
    is for no kind of target in particular is found for each, after those that are."""
    kind = purpose.target_kind
    exact = replace(purpose, target_kind="").__dict__.items()
    wanted = [metas.c[name] == value for name, value in exact if value]
    if kind:
        wanted.append(metas.c.target_kind.in_(("", kind)))
    query = (
        select(metas)
        .where(*wanted, metas.c.state != MetaState.STALE.value)
        .order_by(
            case((metas.c.state == MetaState.PROVEN.value, 0), else_=1),
            case((metas.c.target_kind == kind, 0), else_=1),
            metas.c.created_at.desc(),
            metas.c.id,
            metas.c.version.desc(),
        )
        .limit(limit)
    )
    return [_meta_row(row) for row in (await tx.execute(query)).mappings()]


async def due_metas(tx: Transaction, before: datetime, *, limit: int) -> Sequence[MetaRow]:
    """Records for a kind of target that were last looked at before then, the longest
    ago first; no stale one."""
    query = (
        select(metas)
        .where(
            metas.c.checked_at < before,
            metas.c.target_kind != "",
            metas.c.state != MetaState.STALE.value,
        )
        .order_by(metas.c.checked_at, metas.c.id, metas.c.version)
        .limit(limit)
    )
    return [_meta_row(row) for row in (await tx.execute(query)).mappings()]


async def list_metas(tx: Transaction) -> Sequence[MetaRow]:
    newest: dict[str, MetaRow] = {}
    query = select(metas).order_by(metas.c.created_at, metas.c.version)
    for row in (await tx.execute(query)).mappings():
        newest[row["id"]] = _meta_row(row)
    return [newest[meta_id] for meta_id in sorted(newest)]


async def _one_meta(tx: Transaction, *where: ColumnElement[bool]) -> MetaRow | None:
    row = (await tx.execute(select(metas).where(*where))).mappings().first()
    return None if row is None else _meta_row(row)


def _meta_values(row: MetaRow) -> Mapping[str, object]:
    return {**row.__dict__, "state": row.state.value}


def _meta_row(row: Any) -> MetaRow:
    return MetaRow(**{**row, "state": MetaState(row["state"])})
