"""Collections and inspections as `/v1/collections` and `/v1/inspections` show them, as
far as clients read them. The contract is `inspection.v1`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Required, TypedDict

from proofwalk.kernel.json_values import JsonObject


class CollectionBody(TypedDict, total=False):
    """A collection; `spec` is what `orders.collection.CollectionSpec` reads."""

    collection_id: Required[str]
    principal: Required[str]
    spec: Required[JsonObject]
    created_at: Required[str]
    next_run_at: str


class ProgressBody(TypedDict, total=False):
    """How far an inspection is."""

    done: Required[int]
    total: Required[int]
    skipped: Required[int]
    measured: Required[int]
    waits_for: Required[str]
    seconds_left: float


class SpentBody(TypedDict):
    """What an inspection has used."""

    walks: int
    cost: float
    seconds: float


class InspectionBody(TypedDict, total=False):
    """An inspection."""

    inspection_id: Required[str]
    collection_id: Required[str]
    state: Required[str]
    started_by: Required[str]
    created_at: Required[str]
    finished_at: str
    code: Required[str]
    reason: Required[str]
    cause: Required[str]
    """Of one that ended without having looked: `environment` or `request`."""
    progress: Required[ProgressBody]
    spent: Required[SpentBody]
    outcomes: Required[Mapping[str, int]]


class ItemBody(TypedDict):
    """What became of one procedure in an inspection."""

    number: int
    procedure_id: str
    page: str
    title: str
    due: str
    state: str
    how: str
    why: str
    code: str
    verification_id: str
    outcome: str
    reason: str
    seconds: float
    cost: float
    changed: Sequence[str]
