"""What an episode of an OSWorld task came to, as a typed outcome.

A task is reached with the whole score of 1: less is a part of what was asked for. The
score itself goes along for whoever grades parts. What fails while a desktop is
prepared, seen, acted on or scored is the environment's failure and has no score.
"""

from __future__ import annotations

from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.outcomes import EnvCause, Outcome, OutcomeKind

_WHOLE = 1.0


def outcome_of(score: float) -> Outcome:
    """`verified` for the whole score, else `agent_failure` (`osworld.not_reached`)."""
    if score >= _WHOLE:
        return Outcome(kind=OutcomeKind.VERIFIED, reason="the task's evaluator gives 1")
    return Outcome(
        kind=OutcomeKind.AGENT_FAILURE,
        reason=f"the task's evaluator gives {score:g} of 1",
        code="osworld.not_reached",
    )


def failure_of(error: ProofwalkError) -> Outcome:
    """`env_failure`, of the sandbox unless the error names another cause."""
    return Outcome(
        kind=OutcomeKind.ENV_FAILURE,
        cause=error.cause or EnvCause.SANDBOX,
        reason=error.message,
        code=error.code,
    )
