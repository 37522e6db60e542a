"""Findings to test with: testimonies of walks, and the use cases over a database."""

from __future__ import annotations

from datetime import datetime

from proofwalk.chassis.database import Database, Transaction
from proofwalk.inspection.finding_domain import Certainty, WalkReport, Witnessed
from proofwalk.inspection.finding_life import Act, Decision, Walk
from proofwalk.inspection.finding_usecases import Findings
from proofwalk.inspection.webhook_life import EventType, Facts
from proofwalk.kernel.callers import Caller
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.ids import SeededIds
from proofwalk.kernel.outcomes import Finding, FindingKind

WEB, CI = Caller(principal="web"), Caller(principal="ci")
OPERATOR = Caller(principal="ops", is_operator=True)


def finding(asked: str = "Stop", *, line: int = 3, offered: str = "Halt") -> Finding:
    return Finding(
        file="docs/stop.md",
        line=line,
        sentence=f"Click **{asked}**.",
        kind=FindingKind.RENAMED,
        message=f"“{asked}” is called “{offered}”",
        candidates=(offered, "Start"),
        asked=asked,
        offered=offered,
        place="Instances",
    )


class Ledger:
    """The use cases, with a clock that the test moves and announcements that it
    reads."""

    def __init__(self, db: Database) -> None:
        self.db = db
        self.clock = ManualClock()
        self.announced: list[tuple[str, EventType, Facts]] = []
        self.findings = Findings(db=db, clock=self.clock, ids=SeededIds(1), announce=self.announce)

    async def announce(
        self, tx: Transaction, principal: str, event: EventType, facts: Facts
    ) -> None:
        self.announced.append((principal, event, facts))

    def walk(
        self,
        name: str,
        *asked: str,
        proves: bool = False,
        principal: str = "web",
        document: str = "docs/stop.md",
        certainty: Certainty = Certainty.PROVEN,
    ) -> WalkReport:
        """A report of now that saw these words wrong."""
        return WalkReport(
            walk=Walk(verification_id=name, at=self.clock.now()),
            principal=principal,
            target="devcloud",
            document=document,
            procedure_id="stop",
            policy="literal",
            product="ECS",
            witnessed=tuple(
                Witnessed(finding=finding(words), certainty=certainty) for words in asked
            ),
            proves=proves,
        )

    def later(self, minutes: float = 1) -> datetime:
        """Move the clock, and say what it shows."""
        self.clock.advance(minutes * 60)
        return self.clock.now()


def decision(act: Act, words: str = "", *, actor: str = "web") -> Decision:
    return Decision(act=act, actor=actor, words=words)
