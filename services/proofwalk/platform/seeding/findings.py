"""Writes findings into the inspection role's store, by its use cases with the clock of
that time: what walks saw, and what people decided."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from proofwalk.chassis.database import Database, Transaction
from proofwalk.inspection.finding_domain import Certainty, WalkReport, Witnessed
from proofwalk.inspection.finding_life import Decision, Walk
from proofwalk.inspection.finding_usecases import Findings
from proofwalk.inspection.webhook_life import EventType, Facts
from proofwalk.kernel.callers import ITSELF
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.ids import IdSource
from proofwalk.kernel.outcomes import OutcomeKind
from proofwalk.platform.seeding.history import PlannedDecision
from proofwalk.rollout.repository import VerificationRow

_CERTAINTIES: Mapping[OutcomeKind, Certainty] = {
    OutcomeKind.DOC_DEFECT: Certainty.PROVEN,
    OutcomeKind.SUSPECTED: Certainty.SUSPECTED,
}


class FindingWriter:
    """Findings of the history. Each document has one."""

    def __init__(self, db: Database, ids: IdSource) -> None:
        self._db = db
        self._ids = ids
        self._by_page: dict[str, str] = {}

    async def record(self, row: VerificationRow, *, product: str) -> None:
        """Take in what a finished verification says of findings."""
        assert row.finished_at is not None, "only finished walks are written"
        report = report_of(row, product=product)
        for finding in await self._at(row.finished_at).record(report):
            self._by_page[row.document_name] = finding.finding_id

    async def decide(self, decision: PlannedDecision) -> None:
        """Apply what a person decided."""
        findings = self._at(decision.at)
        finding_id = self._by_page[decision.page]
        version = (await findings.read(finding_id, caller=ITSELF)).finding.life.version
        word = Decision(act=decision.act, actor=decision.actor, words=decision.words)
        await findings.decide(finding_id, word, version=version, caller=ITSELF)

    def _at(self, moment: datetime) -> Findings:
        return Findings(db=self._db, clock=ManualClock(moment), ids=self._ids, announce=_to_nobody)


def report_of(row: VerificationRow, *, product: str) -> WalkReport:
    """What a finished verification says of findings."""
    assert row.verdict is not None, "only finished walks are written"
    judgement = row.verdict.judgement
    certainty = _CERTAINTIES.get(judgement.outcome.kind)
    witnessed = [Witnessed(finding=one, certainty=Certainty.NOTED) for one in judgement.noted]
    if judgement.finding is not None and certainty is not None:
        witnessed.insert(0, Witnessed(finding=judgement.finding, certainty=certainty))
    return WalkReport(
        walk=Walk(verification_id=row.id, at=row.created_at),
        principal=row.principal,
        target=row.order.target,
        document=row.document_name,
        procedure_id=row.procedure_id,
        policy=row.order.policy,
        product=product,
        witnessed=tuple(witnessed),
        proves=judgement.outcome.kind is OutcomeKind.VERIFIED,
    )


async def _to_nobody(tx: Transaction, principal: str, kind: EventType, facts: Facts) -> None:
    """An installation that is made here has no webhooks yet."""
