"""What the inspection role asks of rollout, and whom it tells of what it sees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from proofwalk.chassis.database import Transaction
from proofwalk.inspection.domain import Ending, Inspection
from proofwalk.inspection.finding_domain import WalkReport
from proofwalk.orders.order import VerificationRequest


@dataclass(frozen=True, kw_only=True)
class Errand:
    """A verification to ask for, and for whom."""

    verification_id: str
    principal: str
    request: VerificationRequest


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What became of a verification so far."""

    ending: Ending | None
    """None until it is finished."""
    kept_meta: str = ""
    """`ID@VERSION` of the META record that rollout took for a request without one."""
    report: WalkReport | None = None
    """What it says of findings; None until it is finished."""


class Witness(Protocol):
    """Who is told what inspections see, in the transaction that stores it."""

    async def settled(self, tx: Transaction, report: WalkReport) -> None:
        """A verification is finished."""

    async def ended(self, tx: Transaction, inspection: Inspection) -> None:
        """An inspection has ended."""


class Rollout(Protocol):
    """Verifications. Errors are the contract's."""

    async def ask(self, asked: Errand) -> None:
        """Idempotent by id."""

    async def look(self, verification_id: str, *, principal: str) -> Seen | None:
        """None if it was never asked for."""

    async def cancel(self, verification_id: str, *, principal: str) -> bool:
        """Ask for its end; False if it was never asked for."""

    async def has_script(self, verification_id: str, *, principal: str) -> bool:
        """Whether its walk can be replayed."""
