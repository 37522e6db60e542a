"""The job state machine: a verification from its request to its verdict.

    queued --claim--> running --finish--> finished
      |                 |  `--give back (crash, drain)--> queued
      `---- cancel -----'--> cancelling --> finished (cancelled)

A claim is a lease with an epoch: every write of a worker carries it, and a worker whose
claim was taken over writes nothing more. `cancelling` is a state, not an exception: the
worker sees it at its next step and undoes what it holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from proofwalk.kernel.errors import conflict


class JobState(StrEnum):
    """Where a job is."""

    QUEUED = "queued"
    RUNNING = "running"
    CANCELLING = "cancelling"
    FINISHED = "finished"


TRANSITIONS: Mapping[JobState, frozenset[JobState]] = {
    JobState.QUEUED: frozenset({JobState.RUNNING, JobState.CANCELLING, JobState.FINISHED}),
    JobState.RUNNING: frozenset({JobState.QUEUED, JobState.CANCELLING, JobState.FINISHED}),
    JobState.CANCELLING: frozenset({JobState.FINISHED}),
    JobState.FINISHED: frozenset(),
}


def advance(current: JobState, target: JobState) -> JobState:
    """`target`, if the job may go there from `current`; raises `job.bad_transition`
    otherwise."""
    if target not in TRANSITIONS[current]:
        raise conflict("job.bad_transition", f"a {current} job cannot become {target}")
    return target


class EpisodePhase(StrEnum):
    """The durable stages of an episode, in order. Each names the intent that is written
    before its side effect."""

    PARSE = "parse"
    LEASE = "lease"
    PROVISION = "provision"
    SANDBOX = "sandbox"
    WALK = "walk"
    JUDGE = "judge"
    DESTROY = "destroy"
    RELEASE = "release"
    DONE = "done"
