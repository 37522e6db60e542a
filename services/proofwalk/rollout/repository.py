"""SQL of verifications, their history and scripts. Each function takes a transaction
that its caller ends; none of them decides anything.

Writes of a worker are compare-and-swap on the claim: `holding` raises
`lease.stale_epoch` when the claim was taken over, and is called first in every
transaction of `usecases` that writes for a worker. Reads on somebody's behalf take the
caller, and find what it may see (`visible_to`): what belongs to another is not found,
in the same words as what does not exist. Episodes, their effects and steps:
`episode_repository`; groups: `group_repository`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    RowMapping,
    delete,
    func,
    insert,
    select,
    tuple_,
    update,
)

from proofwalk.chassis.database import Transaction
from proofwalk.kernel.account_pools import TRAINING, VERIFICATION, Demand
from proofwalk.kernel.callers import Caller
from proofwalk.kernel.errors import ProofwalkError, not_found
from proofwalk.kernel.jobs import JobState
from proofwalk.kernel.json_values import JsonObject
from proofwalk.kernel.leases import stale_epoch
from proofwalk.orders.order import Order
from proofwalk.orders.stored import from_stored, to_stored
from proofwalk.rollout.judgement import Verdict
from proofwalk.rollout.judgement_codec import decode_verdict, encode_verdict
from proofwalk.rollout.pulses import Beat
from proofwalk.rollout.role_choice import RoleChoice
from proofwalk.rollout.selections import Selection, chosen, visible_to
from proofwalk.rollout.tables import (
    METADATA,
    events,
    scripts,
    verifications,
)

__all__ = ["METADATA"]  # for the migrations; the rest is imported by name


@dataclass(frozen=True, kw_only=True)
class VerificationRow:
    """A verification as stored."""

    id: str
    state: JobState
    request_digest: str
    document_name: str
    document_digest: str
    document_title: str
    media_type: str
    procedure_id: str
    """The one that was chosen; `order` has the one that was asked for, if any."""
    order: Order
    """As it was asked for, with the evidence that its target accepts where it named
    none."""
    principal: str
    created_at: datetime
    finished_at: datetime | None = None
    cancel_requested_at: datetime | None = None
    claim_holder: str = ""
    claim_epoch: int = 0
    claim_expires_at: datetime | None = None
    done: int = 0
    total: int = 0
    message: str = ""
    event_count: int = 0
    verdict: Verdict | None = None
    group_id: str = ""
    """The group that it is a member of, for training; empty for one that was asked for
    by itself."""
    group_number: int = 0
    group_sequence: int | None = None
    """Which member of its group it was to finish, from 1."""
    temperature: float | None = None
    """At which its policy's model is asked; None: as the settings say."""
    signed_in_as: RoleChoice | None = None
    """Whose account every episode signs in with, and why; None until that is chosen, at
    the latest before the first lease."""
    kept_meta: str = ""
    """`ID@VERSION` of the record that was kept for the procedure and is the order's
    META; empty for META of the request's own, and for none."""

    def demand(self, role: str) -> Demand:
        """Which accounts its episodes are for, with the role that was chosen."""
        purpose = self.order.account_purpose or (TRAINING if self.group_id else VERIFICATION)
        return Demand(role=role, site=self.order.site, purpose=purpose)


@dataclass(frozen=True, kw_only=True)
class EventRow:
    """One entry of a verification's history."""

    verification_id: str
    sequence: int
    type: str
    time: datetime
    episode_id: str
    data: JsonObject


@dataclass(frozen=True, kw_only=True)
class ScriptRow:
    """A verified walk, compiled for replay."""

    principal: str
    target: str
    procedure_id: str
    document_digest: str
    policy: str
    script: str
    verification_id: str
    episode_id: str
    created_at: datetime


_COMPUTED = ("ordered", "outcome", "target")
"""Columns that a row has in another form: the order, and what is computed."""


def read_verification(row: RowMapping) -> VerificationRow:
    """A row as SQL gives it."""
    values = {name: value for name, value in row.items() if name not in _COMPUTED}
    verdict = None if row["verdict"] is None else decode_verdict(row["verdict"])
    changed = {
        "state": JobState(row["state"]),
        "order": from_stored(row["ordered"]),
        "verdict": verdict,
        "signed_in_as": (
            RoleChoice.from_stored(row["signed_in_as"]) if row["signed_in_as"] else None
        ),
    }
    return VerificationRow(**{**values, **changed})


def verification_values(row: VerificationRow) -> dict[str, Any]:
    """Inverse of `read_verification`."""
    values = {name: value for name, value in row.__dict__.items() if name != "order"}
    verdict = None if row.verdict is None else encode_verdict(row.verdict)
    return {
        **values,
        "state": row.state.value,
        "ordered": to_stored(row.order),
        "verdict": verdict,
        "signed_in_as": None if row.signed_in_as is None else row.signed_in_as.to_stored(),
    }


async def insert_verification(tx: Transaction, row: VerificationRow) -> None:
    await tx.execute(insert(verifications).values(verification_values(row)))


async def find_verification(tx: Transaction, verification_id: str) -> VerificationRow | None:
    row = (
        (await tx.execute(select(verifications).where(verifications.c.id == verification_id)))
        .mappings()
        .first()
    )
    return None if row is None else read_verification(row)


async def get_verification(
    tx: Transaction, verification_id: str, *, caller: Caller
) -> VerificationRow:
    """Raises `verification.not_found`, also for what is another's."""
    query = select(verifications).where(
        verifications.c.id == verification_id, visible_to(caller, verifications.c.principal)
    )
    row = (await tx.execute(query)).mappings().first()
    if row is None:
        raise _unknown(verification_id)
    return read_verification(row)


def _unknown(verification_id: str) -> ProofwalkError:
    return not_found(
        "verification.not_found",
        f"there is no verification {verification_id!r}",
        hint="`proofwalk jobs list` shows them",
    )


async def count_unfinished(tx: Transaction, principal: str) -> int:
    """Verifications of a principal that are not finished, members of groups left
    out."""
    query = select(func.count()).select_from(verifications)
    query = query.where(
        verifications.c.principal == principal,
        verifications.c.state.in_(
            [state.value for state in JobState if state is not JobState.FINISHED]
        ),
        verifications.c.group_id == "",
    )
    return int((await tx.execute(query)).scalar_one())


async def list_verifications(
    tx: Transaction,
    *,
    caller: Caller,
    limit: int,
    before: tuple[datetime, str] | None,
    selection: Selection,
) -> Sequence[VerificationRow]:
    """What the caller sees of a selection, newest first, from just behind `before`
    (creation time and id) on."""
    query = select(verifications).where(chosen(selection, caller))
    query = query.order_by(verifications.c.created_at.desc(), verifications.c.id.desc()).limit(
        limit
    )
    if before is not None:
        # One comparison of two columns, where an index begins; of two with "or" none
        # does.
        query = query.where(tuple_(verifications.c.created_at, verifications.c.id) < before)
    return [read_verification(row) for row in (await tx.execute(query)).mappings()]


async def update_verification(tx: Transaction, verification_id: str, **values: Any) -> None:
    await tx.execute(
        update(verifications).where(verifications.c.id == verification_id).values(**values)
    )


async def holding(tx: Transaction, verification_id: str, *, epoch: int) -> VerificationRow:
    """The verification, locked, if `epoch` still is its claim's; raises
    `lease.stale_epoch` otherwise."""
    query = select(verifications).where(verifications.c.id == verification_id).with_for_update()
    row = (await tx.execute(query)).mappings().first()
    if row is None:
        raise not_found("verification.not_found", f"there is no verification {verification_id!r}")
    if row["claim_epoch"] != epoch or not row["claim_holder"]:
        raise stale_epoch(epoch, row["claim_epoch"])
    return read_verification(row)


async def append_event(
    tx: Transaction,
    verification_id: str,
    *,
    type: str,
    time: datetime,
    episode_id: str = "",
    data: JsonObject | None = None,
) -> int:
    """Append to the history; returns the sequence number, which is one more than the
    last."""
    bump = (
        update(verifications)
        .where(verifications.c.id == verification_id)
        .values(event_count=verifications.c.event_count + 1)
        .returning(verifications.c.event_count)
    )
    sequence = int((await tx.execute(bump)).scalar_one())
    await tx.execute(
        insert(events).values(
            verification_id=verification_id,
            sequence=sequence,
            type=type,
            time=time,
            episode_id=episode_id,
            data=dict(data or {}),
        )
    )
    return sequence


async def list_events(
    tx: Transaction, verification_id: str, *, after: int, limit: int
) -> Sequence[EventRow]:
    query = (
        select(events)
        .where(events.c.verification_id == verification_id, events.c.sequence > after)
        .order_by(events.c.sequence)
        .limit(limit)
    )
    return [EventRow(**row) for row in (await tx.execute(query)).mappings()]


async def beat_of(tx: Transaction, verification_id: str) -> Beat:
    """Where a verification is. Raises `verification.not_found`."""
    query = select(verifications.c.event_count, verifications.c.state).where(
        verifications.c.id == verification_id
    )
    found = (await tx.execute(query)).one_or_none()
    if found is None:
        raise _unknown(verification_id)
    return Beat(newest=found.event_count, is_finished=found.state == JobState.FINISHED.value)


async def put_script(tx: Transaction, row: ScriptRow) -> None:
    """Store a compiled walk in the place of the one before it."""
    key = ("principal", "target", "procedure_id", "document_digest", "policy")
    await tx.execute(
        delete(scripts).where(*(scripts.c[name] == getattr(row, name) for name in key))
    )
    await tx.execute(insert(scripts).values(row.__dict__))


async def document_digests(tx: Transaction) -> frozenset[str]:
    """The documents of all verifications."""
    return frozenset(
        (await tx.execute(select(verifications.c.document_digest).distinct())).scalars()
    )


async def list_scripts(
    tx: Transaction, *, principal: str, target: str, procedure_id: str
) -> Sequence[ScriptRow]:
    """A principal's compiled walks of a procedure, newest first, whatever its
    document's text was."""
    query = (
        select(scripts)
        .where(
            scripts.c.principal == principal,
            scripts.c.target == target,
            scripts.c.procedure_id == procedure_id,
        )
        .order_by(scripts.c.created_at.desc(), scripts.c.episode_id.desc())
    )
    return [ScriptRow(**row) for row in (await tx.execute(query)).mappings()]


async def script_of(tx: Transaction, verification_id: str) -> ScriptRow | None:
    """The walk that was compiled from a verification."""
    query = (
        select(scripts)
        .where(scripts.c.verification_id == verification_id)
        .order_by(scripts.c.created_at.desc())
    )
    row = (await tx.execute(query)).mappings().first()
    return None if row is None else ScriptRow(**row)
