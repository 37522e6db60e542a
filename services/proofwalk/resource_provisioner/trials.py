"""A trial of a META record, asked for by a person: made, looked at, taken back, and the
account compared with what it was. Pure.

queued -> leasing -> creating -> destroying -> comparing -> ended
             `----------`------------`-------------`----------^

How a trial ends says how far the record is trusted from then on; the environment's
failure says nothing of it (`kernel.staleness`).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.staleness import blames_the_record


class TrialStage(StrEnum):
    """How far a trial is."""

    QUEUED = "queued"
    LEASING = "leasing"
    CREATING = "creating"
    DESTROYING = "destroying"
    COMPARING = "comparing"
    ENDED = "ended"


class TrialEnd(StrEnum):
    """What a trial shows."""

    PROVEN = "proven"
    """The record was made, looked at and taken back, and nothing is left."""
    STALE = "stale"
    """The cloud refuses it."""
    REFUSED = "refused"
    """The same, of a record that is for no kind of target in particular: it may be
    right for another one, and is not marked."""
    UNCHECKED = "unchecked"
    """The environment's failure: nothing is said of the record."""


@dataclass(frozen=True, kw_only=True)
class Trial:
    """A trial of one version of a record, as stored."""

    id: str
    meta_id: str
    version: int
    target: str
    asked_by: str
    """A principal, for people."""
    stage: TrialStage = TrialStage.QUEUED
    end: TrialEnd | None = None
    """None until it has ended."""
    error_code: str = ""
    error_message: str = ""
    provisioning_id: str = ""
    """What was made; empty where nothing was."""
    created_at: datetime
    started_at: datetime | None = None
    ended_at: datetime | None = None


def end_of(error: ProofwalkError | None, *, target_kind: str) -> TrialEnd:
    """What a trial shows of a record that is for this kind of target, or for none in
    particular."""
    if error is None:
        return TrialEnd.PROVEN
    if not blames_the_record(error):
        return TrialEnd.UNCHECKED
    return TrialEnd.STALE if target_kind else TrialEnd.REFUSED
