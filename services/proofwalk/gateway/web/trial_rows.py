"""Trials of a META record as rows of its page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from proofwalk.api.resource_provisioner.v1 import resource_provisioner_pb2 as pb
from proofwalk.chassis.rpc.vocabulary import moment_from_pb


@dataclass(frozen=True, kw_only=True)
class TrialRow:
    """One trial."""

    id: str
    version: int
    target: str
    asked_by: str
    status: str
    """How it ended; before that how far it is."""
    is_open: bool
    error_code: str
    error_message: str
    provisioning: str
    created_at: datetime
    seconds: float | None
    """From its beginning to its end; None before that."""


def trial_rows(reply: pb.ListTrialsResponse) -> Sequence[TrialRow]:
    """The rows, in the order of the answer."""
    return [_row(one) for one in reply.trials]


def _row(one: pb.MetaTrial) -> TrialRow:
    seconds = None
    if one.HasField("started_at") and one.HasField("ended_at"):
        lasted = moment_from_pb(one.ended_at) - moment_from_pb(one.started_at)
        seconds = lasted.total_seconds()
    return TrialRow(
        id=one.trial_id,
        version=one.version,
        target=one.target,
        asked_by=one.asked_by,
        status=one.end or one.stage,
        is_open=not one.end,
        error_code=one.error_code,
        error_message=one.error_message,
        provisioning=one.provisioning_id,
        created_at=moment_from_pb(one.created_at),
        seconds=seconds,
    )
