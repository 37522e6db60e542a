"""Whether kept META records still work, and what becomes of those that do not.

A record is planned, which makes nothing; a share of those whose plan is fine is made,
looked at and taken back (`meta_proof`), as a plan does not see what is out of stock or
retired at the moment of buying. What the cloud refuses is marked `stale` with the
reason, for its kind of target; what holds is `proven` anew. A stale record whose
document is at hand is written again (`meta_authoring`), and what is accepted is kept as
its next version. The environment's failures mark nothing (`kernel.staleness`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Protocol

from proofwalk.api.resource_provisioner.v1 import resource_provisioner_pb2 as pb
from proofwalk.api.resource_provisioner.v1.resource_provisioner_pb2_grpc import (
    ResourceProvisionerStub,
)
from proofwalk.chassis.rpc import Channels
from proofwalk.experiments.meta_authoring import MetaAuthor, Prover
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.staleness import blames_the_record, reason_of
from proofwalk.orders.order import VerificationRequest

_PLAN_S = 600.0
_OTHER_KIND = "meta.other_kind"
STALE = "stale"
PROVEN = "proven"


class End(StrEnum):
    """What a check of a record says."""

    PLANNED = "planned"
    """It would be made."""
    PROVEN = PROVEN
    """It was made, looked at and taken back."""
    MENDED = "mended"
    """It was stale, and its next version is proven."""
    STALE = STALE
    """The cloud refuses it."""
    REFUSED = "refused"
    """The same, of a record that is for no kind of target in particular: it may be
    right for another one, and is not marked."""
    OTHER = "other"
    """It is for another kind of target: nothing is said of it."""
    UNCHECKED = "unchecked"
    """The environment's failure: nothing is said of it."""


@dataclass(frozen=True, kw_only=True)
class Check:
    """What came of one record."""

    record: pb.Meta
    """As it is kept now; of a mended one, the new version."""
    end: End
    makes: int = 0
    """Resources that its plan makes."""
    error: ProofwalkError | None = None
    """Why it does not work, cannot be mended, or could not be looked at."""


class Records(Protocol):
    """Where records are kept. Every call raises `meta.*`, `rpc.*`."""

    async def put(self, record: pb.Meta) -> pb.Meta: ...

    async def confirm(self, record: pb.Meta) -> pb.Meta:
        """Say that a record was seen to be in its state."""
        ...

    async def mark_proven(
        self, record: pb.Meta, *, target: str, run: str, provider_version: str
    ) -> pb.Meta: ...

    async def mark_stale(
        self, record: pb.Meta, *, target: str, run: str, reason: str
    ) -> pb.Meta: ...


class Planner(Protocol):
    """Plans records on one target."""

    async def plan(self, record: pb.Meta) -> pb.PlanMetaResponse:
        """Raises `meta.*`, `provision.*`, and what has nothing to do with the
        record."""
        ...


class MetaPlanner:
    """The role's plans, on one target."""

    def __init__(self, channels: Channels, *, target: str, region: str = "") -> None:
        self._stub = ResourceProvisionerStub(channels.channel("resource_provisioner").grpc)
        self._target = target
        self._region = region

    async def plan(self, record: pb.Meta) -> pb.PlanMetaResponse:
        request = pb.PlanMetaRequest(
            meta=pb.Meta(yaml=record.yaml, target_kind=record.target_kind),
            target=self._target,
            region=self._region,
        )
        planned: pb.PlanMetaResponse = await self._stub.PlanMeta(request, timeout=_PLAN_S)
        return planned


class MetaChecks:
    """Checks the records of one installation on one target."""

    def __init__(self, records: Records, planner: Planner, prover: Prover, *, target: str) -> None:
        self._records = records
        self._planner = planner
        self._prover = prover
        self._target = target

    async def plan(self, record: pb.Meta) -> Check:
        """Plan a record, and mark it by what that shows."""
        try:
            planned = await self._planner.plan(record)
        except ProofwalkError as error:
            return await self._failed(record, error, run="")
        seen = record if record.state == STALE else await self._records.confirm(record)
        return Check(record=seen, end=End.PLANNED, makes=planned.makes)

    async def prove(self, check: Check) -> Check:
        """Make a record whose plan is fine, look, take it back, and mark it."""
        try:
            proof = await self._prover.prove(check.record.yaml)
        except ProofwalkError as error:
            return replace(check, end=End.UNCHECKED, error=error)
        if proof.error is not None:
            failed = await self._failed(check.record, proof.error, run=proof.run)
            return replace(failed, makes=check.makes)
        proven = await self._records.mark_proven(
            check.record,
            target=self._target,
            run=proof.run,
            provider_version=proof.provider_version,
        )
        return replace(check, record=proven, end=End.PROVEN)

    async def mend(
        self, check: Check, author: MetaAuthor, request: VerificationRequest, *, writer: str
    ) -> Check:
        """Have a stale record written anew for its document; what is accepted is kept
        as its next version, proven by the run that made it."""
        stale = check.record
        try:
            made = await author.record_for(request, meta_id=stale.id)
        except ProofwalkError as error:
            return replace(check, error=error)
        stored = await self._records.put(
            pb.Meta(
                yaml=made.yaml,
                state=PROVEN,
                target_kind=stale.target_kind,
                product=stale.product,
                document_digest=stale.document_digest,
                intent=stale.intent,
                lineage=pb.MetaLineage(
                    writer=writer, run=made.run, provider_version=made.provider_version
                ),
            )
        )
        if stored.state == STALE:  # what was refused then is made now
            stored = await self._records.mark_proven(
                stored,
                target=self._target,
                run=made.run,
                provider_version=made.provider_version,
            )
        return Check(record=stored, end=End.MENDED, makes=check.makes)

    async def _failed(self, record: pb.Meta, error: ProofwalkError, *, run: str) -> Check:
        if error.code == _OTHER_KIND:
            return Check(record=record, end=End.OTHER)
        if not blames_the_record(error):
            return Check(record=record, end=End.UNCHECKED, error=error)
        if not record.target_kind:
            return Check(record=record, end=End.REFUSED, error=error)
        marked = await self._records.mark_stale(
            record, target=self._target, run=run, reason=reason_of(error)
        )
        return Check(record=marked, end=End.STALE, error=error)


def to_prove(checks: Sequence[Check], share: float, *, now: datetime) -> Sequence[Check]:
    """Which of the planned records are made: the share of them, rounded up, those first
    whose state was shown the longest ago for what they make. A record that makes three
    things comes as late as one that makes one thing and was shown three times as
    recently."""
    planned = [one for one in checks if one.end is End.PLANNED]

    def urgency(check: Check) -> float:
        shown = check.record.state_at.ToDatetime(tzinfo=UTC)
        return (now - shown).total_seconds() / max(check.makes, 1)

    ordered = sorted(planned, key=lambda one: (-urgency(one), one.record.id))
    return ordered[: math.ceil(share * len(planned))]
