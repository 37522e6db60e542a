"""What is inspected, and how far an inspection is: entities and transitions, pure.

A *collection* names documents, what each procedure is asked with, a budget for one run
and a schedule. An *inspection* is one run of a collection, and has one *item* for each
procedure of it:

    planned --plan--> running --all items settled--> finished
       |                 |
       `----cancel-------`--> cancelling --nothing under way--> cancelled

    waiting --intent--> asked --verdict--> done
       |                  `--refused-----> skipped
       `--not due, budget, cancelled-----> skipped

An item's verification id is written before rollout is asked, and rollout is idempotent
by it, so a walk is asked for once whatever dies between the two. Next: `due` decides
what is walked, `worker` walks it, `usecases` holds each transition to its claim.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from proofwalk.inspection.cron import Cron, time_zone
from proofwalk.kernel.errors import (
    ProofwalkError,
    Status,
    conflict,
    invalid,
    not_found,
)
from proofwalk.kernel.outcomes import OutcomeKind
from proofwalk.orders.collection import CollectionSpec, Schedule

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_INSPECTION_ID = re.compile(r"[A-Za-z0-9_-]{1,40}")

DOCUMENT_GONE = "collection.document_gone"
"""Of an item: its page is no longer in the source, which is no failure."""
PROCEDURE_GONE = "collection.procedure_gone"
"""Of an item: its page is there, and no longer has the procedure."""


class InspectionState(StrEnum):
    """Where an inspection is."""

    PLANNED = "planned"
    RUNNING = "running"
    CANCELLING = "cancelling"
    FINISHED = "finished"
    CANCELLED = "cancelled"


ENDED = frozenset({InspectionState.FINISHED, InspectionState.CANCELLED})


class ItemState(StrEnum):
    """Where a procedure is within an inspection."""

    WAITING = "waiting"
    ASKED = "asked"
    DONE = "done"
    SKIPPED = "skipped"


class Due(StrEnum):
    """Why a procedure is looked at, or that it is not."""

    NEW = "new"
    CHANGED = "changed"
    UNSETTLED = "unsettled"
    FIXED = "fixed"
    STALE = "stale"
    WANTED = "wanted"
    NOT_DUE = "not_due"


class How(StrEnum):
    """How a procedure is asked."""

    WALK = "walk"
    REPLAY = "replay"


class StartedBy(StrEnum):
    """What made an inspection."""

    REQUEST = "request"
    SCHEDULE = "schedule"


def check_spec(spec: CollectionSpec) -> CollectionSpec:
    """What is said of a collection, if it can be kept. Raises `schedule.bad_cron`,
    `schedule.bad_time_zone`."""
    next_turn(spec.schedule, datetime(2000, 1, 1, tzinfo=UTC))
    return spec


def next_turn(schedule: Schedule, moment: datetime) -> datetime | None:
    """The first time strictly after `moment`; None without a schedule."""
    zone = time_zone(schedule.time_zone)
    return Cron(schedule.cron).after(moment, zone) if schedule.cron else None


@dataclass(frozen=True, kw_only=True)
class Collection:
    """A collection as stored."""

    id: str
    principal: str
    spec: CollectionSpec
    created_at: datetime
    next_run_at: datetime | None = None
    schedule_epoch: int = 0
    """Grows by one whenever a replica takes a turn of the schedule."""


@dataclass(frozen=True, kw_only=True)
class Inspection:
    """A run of a collection, with its claim."""

    id: str
    collection_id: str
    principal: str
    state: InspectionState
    started_by: StartedBy
    everything: bool = False
    scheduled_for: datetime | None = None
    """The turn of the schedule that made it."""
    created_at: datetime
    started_at: datetime | None = None
    finished_at: datetime | None = None
    code: str = ""
    reason: str = ""
    claim_holder: str = ""
    claim_epoch: int = 0
    claim_expires_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """What a walk depends on, as digests and versions; None is not known, and an empty
    text says that there is none."""

    document: str
    order: str = ""
    meta: str | None = None
    rule: str | None = None
    map: str | None = None
    target: str | None = None
    blob: str | None = None
    """Git's digest of the page's file, by which a repository has it. It makes nothing
    due: `document` has the page with what it includes."""

    def changed_since(self, before: Inputs) -> tuple[str, ...]:
        """Names of what differs. What one of the two does not know tells nothing."""
        pairs = (
            (name, getattr(before, name), getattr(self, name))
            for name in ("document", "order", "meta", "rule", "map", "target")
        )
        return tuple(
            name for name, old, new in pairs if old is not None and new is not None and old != new
        )


@dataclass(frozen=True, kw_only=True)
class Ending:
    """How a walk ended, as its verdict says."""

    outcome: OutcomeKind
    reason: str = ""
    cost: float = 0.0
    seconds: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Item:
    """A procedure within an inspection."""

    inspection_id: str
    number: int
    collection_id: str
    procedure_id: str
    page: str
    title: str
    due: Due
    state: ItemState
    why: str = ""
    code: str = ""
    how: How | None = None
    verification_id: str = ""
    inputs: Inputs
    changed: tuple[str, ...] = ()
    expected_s: float | None = None
    """What its walk is expected to take; None where nothing was measured."""
    expected_cost: float | None = None
    ending: Ending | None = None
    asked_at: datetime | None = None
    finished_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A worker's hold on an inspection."""

    inspection_id: str
    epoch: int


def claim_is_free(inspection: Inspection, *, now: datetime) -> bool:
    """Whether a worker may take an inspection: it has not ended, and nobody holds
    it."""
    if inspection.state in ENDED:
        return False
    expires = inspection.claim_expires_at
    return not inspection.claim_holder or expires is None or expires <= now


def check_collection_id(collection_id: str) -> str:
    """Raises `collection.bad_id`."""
    if not _ID.fullmatch(collection_id):
        raise invalid(
            "collection.bad_id", "the collection_id is not 1 to 64 letters, digits, '-' and '_'"
        )
    return collection_id


def check_inspection_id(inspection_id: str) -> str:
    """Raises `inspection.bad_id`. An item's verification is named after it, which is
    why it is shorter than other ids."""
    if not _INSPECTION_ID.fullmatch(inspection_id):
        raise invalid(
            "inspection.bad_id", "the inspection_id is not 1 to 40 letters, digits, '-' and '_'"
        )
    return inspection_id


def verification_id(item: Item) -> str:
    """Of the one verification that an item may ask for."""
    return f"{item.inspection_id}_{item.number}"


def no_collection(collection_id: str) -> ProofwalkError:
    """Also for what is another's."""
    return not_found("collection.not_found", f"there is no collection {collection_id[:64]!r}")


def no_inspection(inspection_id: str) -> ProofwalkError:
    """Also for what is another's."""
    return not_found("inspection.not_found", f"there is no inspection {inspection_id[:64]!r}")


def under_way(inspection: Inspection) -> ProofwalkError:
    """A collection has one inspection at a time."""
    return conflict(
        "inspection.under_way",
        f"inspection {inspection.id} of this collection is {inspection.state}",
        hint="wait for its end, or cancel it",
        details={"inspection_id": inspection.id},
    )


def exists(what: str, known: str) -> ProofwalkError:
    """An id that was used for something else."""
    return ProofwalkError(
        f"{what}.exists",
        f"{what} {known!r} exists and was made from another request",
        status=Status.ALREADY_EXISTS,
        hint="use a fresh id for a fresh request",
    )
