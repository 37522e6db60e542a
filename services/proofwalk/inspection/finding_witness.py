"""Tells findings and webhooks what inspections see, inside the transactions that store
it: an item that is done and what it says of findings are stored together or not at
all."""

from __future__ import annotations

from proofwalk.chassis.database import Transaction
from proofwalk.inspection.domain import Inspection
from proofwalk.inspection.finding_domain import WalkReport
from proofwalk.inspection.finding_usecases import Announce, Findings
from proofwalk.inspection.webhook_life import EventType


class FindingWitness:
    """Behind `ports.Witness`."""

    def __init__(self, findings: Findings, *, announce: Announce) -> None:
        self._findings = findings
        self._announce = announce

    async def settled(self, tx: Transaction, report: WalkReport) -> None:
        await self._findings.take_in(tx, report)

    async def ended(self, tx: Transaction, inspection: Inspection) -> None:
        facts = {
            "inspection_id": inspection.id,
            "collection_id": inspection.collection_id,
            "state": inspection.state.value,
            "code": inspection.code,
            "reason": inspection.reason,
        }
        await self._announce(tx, inspection.principal, EventType.INSPECTION_FINISHED, facts)
