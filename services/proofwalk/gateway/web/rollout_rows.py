"""Rollouts of a training run that are under way, as rows of its page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.chassis.rpc.vocabulary import moment_from_pb


@dataclass(frozen=True, kw_only=True)
class RolloutRow:
    """An episode that is worked on."""

    verification: str
    group: str
    episode: int
    trace: str
    """Its trace id; the episode's own id where it has none."""
    document: str
    phase: str
    steps: int
    started_at: datetime


def rollout_rows(reply: pb.ListVerificationsResponse) -> Sequence[RolloutRow]:
    """The newest episode of each verification that has one which is not over, by
    group."""
    rows = [
        RolloutRow(
            verification=one.verification_id,
            group=one.group_id,
            episode=episode.number,
            trace=episode.trace_id or episode.episode_id,
            document=one.title or one.document,
            phase=episode.phase,
            steps=max(episode.steps, one.progress.done),
            started_at=moment_from_pb(episode.started_at),
        )
        for one in reply.verifications
        for episode in one.episodes[-1:]
        if not episode.HasField("finished_at")
    ]
    return sorted(rows, key=lambda row: (row.group, row.verification))
