"""Collections, a rollout and sources for tests of inspections."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from proofwalk.chassis.database import Database
from proofwalk.inspection import usecases
from proofwalk.inspection.documents import Listed, Listing
from proofwalk.inspection.domain import Collection, Due, Ending, Inputs, Item, ItemState
from proofwalk.inspection.ports import Errand, Seen
from proofwalk.inspection.settings import InspectionSettings
from proofwalk.inspection.worker import Surroundings
from proofwalk.kernel.callers import Caller
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.outcomes import OutcomeKind
from proofwalk.orders.collection import CollectionSpec, Source, SourceKind
from proofwalk.orders.order import DocumentSource, Order, VerificationRequest

ANN, BOB = Caller(principal="ann"), Caller(principal="bob")
START = datetime(2026, 1, 1, tzinfo=UTC)
VERIFIED = Ending(outcome=OutcomeKind.VERIFIED, cost=0.5, seconds=10.0)


def spec_of(**changes: Any) -> CollectionSpec:
    """What a collection says, with these changes."""
    fields: dict[str, Any] = {
        "name": "docs",
        "source": Source(kind=SourceKind.FOLDER, address="/docs"),
        "order": Order(target="devcloud"),
    }
    return CollectionSpec(**{**fields, **changes})


async def collected(
    db: Database, name: str = "docs", *, caller: Caller = ANN, **changes: Any
) -> Collection:
    """A stored collection whose id is its name."""
    return await usecases.create_collection(
        db, name, spec_of(name=name, **changes), caller=caller, clock=ManualClock(START)
    )


def listed(procedure_id: str, *, text: str = "1. Click **Stop**.", **order: Any) -> Listed:
    """A procedure of a source; its page is what stands before `#`."""
    page = procedure_id.partition("#")[0] + ".md"
    request = VerificationRequest(
        document=DocumentSource(text=text, name=page),
        **{"target": "devcloud", **order},
    )
    return Listed(procedure_id=procedure_id, page=page, title=procedure_id, request=request)


def walked(
    procedure_id: str, *, ago_s: float = 0, number: int = 1, ending: Ending = VERIFIED, **more: Any
) -> Item:
    """A walk of the past, `ago_s` before `START`."""
    fields: dict[str, Any] = {
        "inspection_id": "old",
        "collection_id": "docs",
        "page": procedure_id.partition("#")[0] + ".md",
        "title": procedure_id,
        "due": Due.NEW,
        "state": ItemState.DONE,
        "inputs": Inputs(document="d"),
        "finished_at": datetime.fromtimestamp(START.timestamp() - ago_s, tz=UTC),
    }
    return Item(procedure_id=procedure_id, number=number, ending=ending, **{**fields, **more})


@dataclass
class FakeSources:
    """A source that holds what a test says."""

    procedures: Sequence[Listed] = ()
    error: ProofwalkError | None = None
    reads: int = 0
    left: int = 0
    """Readings that were ended before they had."""
    hold: asyncio.Event | None = None
    """For which each reading waits."""

    async def read(self, spec: CollectionSpec) -> Listing:
        self.reads += 1
        if self.hold is not None:
            try:
                await self.hold.wait()
            except asyncio.CancelledError:
                self.left += 1
                raise
        if self.error is not None:
            raise self.error
        return Listing(procedures=tuple(self.procedures))


@dataclass
class FakeRollout:
    """Verifications that end as `ends` says; None leaves one under way."""

    ends: Callable[[Errand], Ending | None] = lambda asked: VERIFIED
    asked: dict[str, Errand] = field(default_factory=dict)
    asks: list[str] = field(default_factory=list)
    cancelled: set[str] = field(default_factory=set)
    scripts: set[str] = field(default_factory=set)
    refusals: list[ProofwalkError] = field(default_factory=list)
    """Raised by the next asks, the first first."""
    most_under_way: int = 0

    async def ask(self, asked: Errand) -> None:
        self.asks.append(asked.verification_id)
        if self.refusals:
            raise self.refusals.pop(0)
        self.asked.setdefault(asked.verification_id, asked)
        self.most_under_way = max(self.most_under_way, len(self._under_way()))

    async def look(self, verification_id: str, *, principal: str) -> Seen | None:
        asked = self._mine(verification_id, principal)
        if asked is None:
            return None
        if verification_id in self.cancelled:
            return Seen(ending=Ending(outcome=OutcomeKind.CANCELLED))
        return Seen(ending=self.ends(asked))

    async def cancel(self, verification_id: str, *, principal: str) -> bool:
        self.cancelled.add(verification_id)
        return self._mine(verification_id, principal) is not None

    async def has_script(self, verification_id: str, *, principal: str) -> bool:
        return verification_id in self.scripts

    def _mine(self, verification_id: str, principal: str) -> Errand | None:
        asked = self.asked.get(verification_id)
        return asked if asked is not None and asked.principal == principal else None

    def _under_way(self) -> list[Errand]:
        return [one for one in self.asked.values() if self.ends(one) is None]


def surroundings(
    db: Database,
    rollout: FakeRollout,
    sources: FakeSources,
    *,
    clock: ManualClock,
    places: int = 4,
) -> Surroundings:
    """What a worker works with; it polls without a pause."""
    settings = InspectionSettings(poll_s=0.001, reconcile_s=0.01, concurrency=places)
    return Surroundings(db=db, clock=clock, settings=settings, rollout=rollout, sources=sources)
