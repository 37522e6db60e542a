"""An episode with the claim under which one worker acts for it, and what it works with.

Whatever acts for an episode is made from this: `episode` (its phases), `effects` (what
it does to the world), `episode_walk` and `episode_judging`. Rows are as they were when
the worker claimed the verification; a write is refused once somebody else holds it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from proofwalk.chassis.blobs import Blobs
from proofwalk.chassis.database import Database
from proofwalk.chassis.tracing import Tracing
from proofwalk.kernel.clock import Clock
from proofwalk.procedures.confined import DocumentReader
from proofwalk.rollout.episode_repository import EpisodeRow
from proofwalk.rollout.ports import Peers
from proofwalk.rollout.repository import VerificationRow
from proofwalk.rollout.settings import RolloutSettings
from proofwalk.rollout.usecases import Claim


@dataclass(frozen=True, kw_only=True)
class EpisodeDeps:
    """What an episode works with."""

    db: Database
    peers: Peers
    blobs: Blobs
    clock: Clock
    settings: RolloutSettings
    documents: DocumentReader
    tracing: Tracing
    """Each episode is a trace of its own, which the roles that it calls go on with."""
    journals: Path | None = None
    """Where trajectories of episodes under way are written; None when none are
    recorded."""


@dataclass(frozen=True, kw_only=True)
class ClaimedEpisode:
    """One worker's episode."""

    deps: EpisodeDeps
    claim: Claim
    row: VerificationRow
    episode: EpisodeRow
