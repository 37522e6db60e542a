"""A finding as it is stored, and what a verification says of findings. Pure.

`WalkReport` is a finished verification reduced to what findings need of it; `taking_in`
decides what becomes of one finding that it saw, `without` of one that it did not see.
`finding_life` has the transitions, `finding_usecases` the transactions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from proofwalk.inspection.finding_fingerprint import Subject, document_key
from proofwalk.inspection.finding_life import Event, Life, Walk, begun, not_seen, seen
from proofwalk.kernel.errors import ProofwalkError, not_found
from proofwalk.kernel.outcomes import Finding


class Certainty(StrEnum):
    """What a sighting is worth, least first."""

    SUSPECTED = "suspected"
    """One witness, or a contradiction."""
    NOTED = "noted"
    """It did not stop the walk, which looked elsewhere."""
    PROVEN = "proven"
    """Two witnesses, and nothing in the log against it."""

    @property
    def rank(self) -> int:
        return list(Certainty).index(self)


@dataclass(frozen=True, kw_only=True)
class Witnessed:
    """One finding of a verification."""

    finding: Finding
    certainty: Certainty


@dataclass(frozen=True, kw_only=True)
class WalkReport:
    """What a finished verification says of findings."""

    walk: Walk
    principal: str
    target: str
    document: str
    procedure_id: str
    policy: str
    product: str
    witnessed: tuple[Witnessed, ...]
    proves: bool
    """The procedure was verified by a walk that read it: what it did not see is not
    there."""

    def by_fingerprint(self) -> Mapping[str, Witnessed]:
        """Its findings, each fingerprint once: as it was told most surely."""
        surest_of: dict[str, Witnessed] = {}
        for one in self.witnessed:
            subject = Subject.of(
                one.finding,
                target=self.target,
                document=self.document,
                procedure_id=self.procedure_id,
            )
            known = surest_of.get(subject.fingerprint)
            if known is None or one.certainty.rank > known.certainty.rank:
                surest_of[subject.fingerprint] = one
        return surest_of


@dataclass(frozen=True, kw_only=True)
class StoredFinding:
    """A finding with its life."""

    finding_id: str
    principal: str
    fingerprint: str
    target: str
    document: str
    """As the newest sighting names it."""
    procedure_id: str
    product: str
    policy: str
    """That saw it first."""
    finding: Finding
    """As the newest sighting tells it."""
    certainty: Certainty
    """The most that a sighting says."""
    life: Life
    created_at: datetime
    seen_at: datetime
    """When the document of the newest sighting was taken in."""

    @property
    def document_key(self) -> str:
        return document_key(self.document)


@dataclass(frozen=True, kw_only=True)
class Sighting:
    """One verification that saw a finding."""

    finding_id: str
    verification_id: str
    at: datetime
    """When its document was taken in."""
    policy: str
    certainty: Certainty
    line: int
    message: str


@dataclass(frozen=True, kw_only=True)
class Step:
    """What a word makes of a finding."""

    finding: StoredFinding
    event: Event | None
    sighting: Sighting | None = None


def taking_in(
    known: StoredFinding | None,
    one: Witnessed,
    report: WalkReport,
    *,
    fingerprint: str,
    fresh_id: str,
    at: datetime,
) -> Step:
    """The finding after a report that saw it; `known` is None the first time."""
    walk = report.walk
    if known is None:
        life, event = begun(walk, at=at)
        stored = StoredFinding(
            finding_id=fresh_id,
            principal=report.principal,
            fingerprint=fingerprint,
            target=report.target,
            document=report.document,
            procedure_id=report.procedure_id,
            product=report.product,
            policy=report.policy,
            finding=one.finding,
            certainty=one.certainty,
            life=life,
            created_at=at,
            seen_at=walk.at,
        )
        return Step(finding=stored, event=event, sighting=_sighting(stored, one, report))
    life, again = seen(known.life, walk, at=at)
    surest = max(known.certainty, one.certainty, key=lambda certainty: certainty.rank)
    stored = replace(known, life=life, certainty=surest)
    if walk.at >= known.seen_at:
        stored = replace(stored, finding=one.finding, document=report.document, seen_at=walk.at)
    return Step(finding=stored, event=again, sighting=_sighting(stored, one, report))


def without(known: StoredFinding, report: WalkReport, *, at: datetime) -> Step:
    """The finding after a report of its procedure that did not see it."""
    if not report.proves:
        return Step(finding=known, event=None)
    life, event = not_seen(known.life, report.walk, at=at)
    return Step(finding=replace(known, life=life), event=event)


def no_finding(finding_id: str) -> ProofwalkError:
    """Also for what is another's."""
    return not_found("finding.not_found", f"there is no finding {finding_id[:64]!r}")


def _sighting(stored: StoredFinding, one: Witnessed, report: WalkReport) -> Sighting:
    return Sighting(
        finding_id=stored.finding_id,
        verification_id=report.walk.verification_id,
        at=report.walk.at,
        policy=report.policy,
        certainty=one.certainty,
        line=one.finding.line,
        message=one.finding.message,
    )
