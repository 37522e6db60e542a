"""The kernel's words and records as `proofwalk.api.common.v1` has them, and back: the
one table of both.

A word goes over by its name: `OutcomeKind.ENV_FAILURE` is `OUTCOME_ENV_FAILURE`. A
kernel word without a counterpart fails when this module is read, and so in every role.
UNSPECIFIED is None. A word that a later release made is refused (`rpc.unknown_word`)
and never guessed.
"""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, Generic, TypeVar

from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

from proofwalk.api.common.v1 import common_pb2 as pb
from proofwalk.kernel.answers import AnsweredField, FieldVerdict
from proofwalk.kernel.errors import ProofwalkError, conflict, invalid
from proofwalk.kernel.evidence import AuditEvent, Citation
from proofwalk.kernel.leases import LeaseRef
from proofwalk.kernel.outcomes import (
    Blame,
    Decision,
    EnvCause,
    Evidence,
    Finding,
    FindingKind,
    Goal,
    OutcomeKind,
    SubStepStatus,
)

_FIRST, _LAST = datetime(1970, 1, 1, tzinfo=UTC), datetime(9000, 1, 1, tzinfo=UTC)
_LONGEST = timedelta(days=36_500)
K = TypeVar("K", bound=StrEnum)
W = TypeVar("W")


class Words(Generic[K, W]):
    """An enum of the kernel and the contract's."""

    def __init__(self, kernel: type[K], wire: Any) -> None:
        names = wire.keys()
        self._prefix = str(names[0]).removesuffix("UNSPECIFIED")
        self._wire: dict[K, W] = {word: wire.Value(f"{self._prefix}{word.name}") for word in kernel}
        self._kernel = {value: word for word, value in self._wire.items()}
        self._unspecified: W = wire.Value(names[0])

    def to_pb(self, word: K | None) -> W:
        """The contract's word; UNSPECIFIED for None."""
        return self._unspecified if word is None else self._wire[word]

    def from_pb(self, value: W) -> K | None:
        """The kernel's word; None for UNSPECIFIED. Raises `rpc.unknown_word`."""
        if value == self._unspecified:
            return None
        if value not in self._kernel:
            raise self._unknown(f"number {value} is none")
        return self._kernel[value]

    def require(self, value: W) -> K:
        """The kernel's word where there has to be one. Raises `rpc.unknown_word`."""
        word = self.from_pb(value)
        if word is None:
            raise self._unknown("none was said")
        return word

    def spelt(self, text: str) -> K | None:
        """The kernel's word that is spelt so; None where there is none."""
        return next((word for word in self._wire if word.value == text), None)

    def _unknown(self, why: str) -> Exception:
        what = self._prefix.lower().replace("_", " ").strip()
        return conflict(
            "rpc.unknown_word",
            f"of the words for {what}, {why}",
            hint="compare the versions of the roles",
        )


OUTCOMES: Words[OutcomeKind, pb.Outcome] = Words(OutcomeKind, pb.Outcome)
CAUSES: Words[EnvCause, pb.EnvironmentCause] = Words(EnvCause, pb.EnvironmentCause)
EVIDENCE: Words[Evidence, pb.Evidence] = Words(Evidence, pb.Evidence)
GOALS: Words[Goal, pb.Goal] = Words(Goal, pb.Goal)
BLAMES: Words[Blame, pb.Blame] = Words(Blame, pb.Blame)
DECISIONS: Words[Decision, pb.Decision] = Words(Decision, pb.Decision)
FINDING_KINDS: Words[FindingKind, pb.FindingKind] = Words(FindingKind, pb.FindingKind)
SUB_STEP_STATUSES: Words[SubStepStatus, pb.SubStepStatus] = Words(SubStepStatus, pb.SubStepStatus)


def moment_to_pb(moment: datetime) -> Timestamp:
    """A moment as the contract carries it."""
    stamp = Timestamp()
    stamp.FromDatetime(moment.astimezone(UTC))
    return stamp


def moment_from_pb(stamp: Timestamp) -> datetime:
    """Inverse of `moment_to_pb`. Raises `rpc.bad_time` for a moment that is none, or so
    far away that nothing can be added to it."""
    moment: datetime | None = None
    with suppress(ValueError, OverflowError):
        moment = stamp.ToDatetime(tzinfo=UTC)
    if moment is None or not _FIRST <= moment < _LAST:
        raise _bad_time(f"{stamp.seconds} seconds after 1970 are no time of the years 1970 to 9000")
    return moment


def span_from_pb(duration: Duration) -> timedelta:
    """A span of time as the contract carries it. Raises `rpc.bad_time` for one beyond
    `_LONGEST`."""
    span: timedelta | None = None
    with suppress(ValueError, OverflowError):
        span = duration.ToTimedelta()
    if span is None or abs(span) > _LONGEST:
        raise _bad_time(f"{duration.seconds} seconds are longer than {_LONGEST.days} days")
    return span


def _bad_time(why: str) -> ProofwalkError:
    return invalid("rpc.bad_time", why, hint="compare the clocks and versions of the roles")


def lease_to_pb(lease: LeaseRef) -> pb.LeaseRef:
    return pb.LeaseRef(lease_id=lease.lease_id, epoch=lease.epoch, target=lease.target)


def lease_from_pb(lease: pb.LeaseRef) -> LeaseRef:
    return LeaseRef(lease_id=lease.lease_id, epoch=lease.epoch, target=lease.target)


def event_to_pb(event: AuditEvent, *, expectation: str = "") -> pb.AuditEvent:
    """Without the log's own record and response. `expectation`: of the rule, where it
    is cited."""
    return pb.AuditEvent(
        id=event.id,
        time=moment_to_pb(event.time),
        service=event.service,
        name=event.name,
        kind=event.kind,
        write=event.write,
        ok=event.ok,
        error_code=event.error_code,
        actor=event.actor,
        request_json=event.request_json,
        resources=event.resources,
        expectation=expectation,
    )


def event_from_pb(event: pb.AuditEvent) -> AuditEvent:
    return AuditEvent(
        id=event.id,
        time=moment_from_pb(event.time),
        service=event.service,
        name=event.name,
        kind=event.kind,
        write=event.write,
        ok=event.ok,
        error_code=event.error_code,
        actor=event.actor,
        request=json.loads(event.request_json or "{}"),
        resources=tuple(event.resources),
    )


def finding_to_pb(finding: Finding) -> pb.Finding:
    """A kind that this release does not know has no word on the wire."""
    return pb.Finding(
        file=finding.file,
        line=finding.line,
        sentence=finding.sentence,
        kind=FINDING_KINDS.to_pb(finding.kind if isinstance(finding.kind, FindingKind) else None),
        message=finding.message,
        candidates=finding.candidates,
        asked=finding.asked,
        offered=finding.offered,
        place=finding.place,
        way=finding.way,
    )


def finding_from_pb(finding: pb.Finding) -> Finding:
    """Raises `rpc.unknown_word`."""
    return Finding(
        file=finding.file,
        line=finding.line,
        sentence=finding.sentence,
        kind=FINDING_KINDS.require(finding.kind),
        message=finding.message,
        candidates=tuple(finding.candidates),
        asked=finding.asked,
        offered=finding.offered,
        place=finding.place,
        way=tuple(finding.way),
    )


def citation_to_pb(citation: Citation) -> pb.Citation:
    return pb.Citation(source=citation.source, quote=citation.quote)


def citation_from_pb(citation: pb.Citation) -> Citation:
    return Citation(source=citation.source, quote=citation.quote)


def answered_to_pb(one: AnsweredField) -> pb.AnsweredField:
    return pb.AnsweredField(
        name=one.name, value=one.value, verdict=one.verdict.value, criterion=one.criterion
    )


def answered_from_pb(one: pb.AnsweredField) -> AnsweredField:
    return AnsweredField(
        name=one.name,
        value=one.value,
        verdict=FieldVerdict(one.verdict),
        criterion=one.criterion,
    )
