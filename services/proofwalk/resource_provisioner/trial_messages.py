"""Trials of records as messages: mapping only."""

from __future__ import annotations

from datetime import datetime

from google.protobuf.timestamp_pb2 import Timestamp

from proofwalk.api.resource_provisioner.v1 import resource_provisioner_pb2 as pb
from proofwalk.chassis.rpc.vocabulary import moment_to_pb
from proofwalk.kernel.errors import invalid
from proofwalk.resource_provisioner.trials import Trial

MAX_LISTED = 100
USUALLY_LISTED = 10


def trial_to_pb(trial: Trial) -> pb.MetaTrial:
    """A trial."""
    return pb.MetaTrial(
        trial_id=trial.id,
        meta_id=trial.meta_id,
        version=trial.version,
        target=trial.target,
        asked_by=trial.asked_by,
        stage=trial.stage.value,
        end=trial.end.value if trial.end else "",
        error_code=trial.error_code,
        error_message=trial.error_message,
        provisioning_id=trial.provisioning_id,
        created_at=moment_to_pb(trial.created_at),
        started_at=_stamp(trial.started_at),
        ended_at=_stamp(trial.ended_at),
    )


def limit_from_pb(limit: int) -> int:
    """How many trials are asked for. Raises `meta.bad_limit`."""
    if not 0 <= limit <= MAX_LISTED:
        raise invalid("meta.bad_limit", f"limit is 1 to {MAX_LISTED}, not {limit}")
    return limit or USUALLY_LISTED


def _stamp(moment: datetime | None) -> Timestamp | None:
    return None if moment is None else moment_to_pb(moment)
