"""META records as messages, and back."""

from __future__ import annotations

from datetime import datetime

from proofwalk.api.resource_provisioner.v1 import resource_provisioner_pb2 as pb
from proofwalk.chassis.rpc.vocabulary import moment_to_pb
from proofwalk.kernel.errors import ProofwalkError, invalid
from proofwalk.resource_provisioner.lineage import PERSON, Lineage, MetaState, Purpose
from proofwalk.resource_provisioner.meta import read_meta
from proofwalk.resource_provisioner.repository import MetaRow


def row_of(given: pb.Meta, *, origin: str, now: datetime) -> MetaRow:
    """The row that a record is to have. Raises `meta.invalid`, `meta.bad_state`."""
    record = read_meta(given.yaml)
    purpose = Purpose(
        target_kind=given.target_kind,
        product=given.product,
        document_digest=given.document_digest,
        intent=given.intent,
    )
    lineage = Lineage(
        writer=given.lineage.writer or PERSON,
        run=given.lineage.run,
        provider_version=given.lineage.provider_version,
    )
    by_person = lineage.writer == PERSON
    state = state_of(given.state or (MetaState.PROVEN if by_person else MetaState.PROPOSED))
    if state is MetaState.STALE:
        raise _bad_state(given.state, "it is stored as proposed or proven")
    return MetaRow(
        id=record.id,
        digest=record.digest,
        yaml=given.yaml,
        origin=origin,
        created_at=now,
        state=state,
        state_at=now,
        checked_at=now,
        **purpose.__dict__,
        **lineage.__dict__,
    )


def state_of(word: str) -> MetaState:
    """The state that a word names. Raises `meta.bad_state`."""
    try:
        return MetaState(word)
    except ValueError:
        raise _bad_state(word, f"it is one of {', '.join(MetaState)}") from None


def _bad_state(word: str, what: str) -> ProofwalkError:
    return invalid("meta.bad_state", f"a record cannot be {word[:40]!r}: {what}")


def meta_of(row: MetaRow) -> pb.Meta:
    """The record of a row."""
    return pb.Meta(
        id=row.id,
        yaml=row.yaml,
        digest=row.digest,
        origin=row.origin,
        version=row.version,
        state=row.state.value,
        product=row.product,
        document_digest=row.document_digest,
        intent=row.intent,
        lineage=pb.MetaLineage(
            writer=row.writer, run=row.run, provider_version=row.provider_version
        ),
        created_at=moment_to_pb(row.created_at),
        state_at=moment_to_pb(row.state_at),
        state_run=row.state_run,
        target_kind=row.target_kind,
        state_reason=row.state_reason,
        checked_at=moment_to_pb(row.checked_at),
    )
