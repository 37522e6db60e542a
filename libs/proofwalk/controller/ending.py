"""How an episode's end is told: outcomes of the house as AgentBench's statuses.

A score goes with outcomes that say something about the agent, and with no other: what
the environment failed at is "task error" without a score, never 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from proofwalk.controller.wire import EpisodeEnd, SampleStatus
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.outcomes import EnvCause, Outcome, OutcomeKind

_BY_KIND: Mapping[OutcomeKind, SampleStatus] = {
    OutcomeKind.VERIFIED: SampleStatus.COMPLETED,
    OutcomeKind.AGENT_FAILURE: SampleStatus.COMPLETED,
    OutcomeKind.ENV_FAILURE: SampleStatus.TASK_ERROR,
}
_BY_CODE: Mapping[str, SampleStatus] = {
    "controller.context_limit": SampleStatus.AGENT_CONTEXT_LIMIT,
    "controller.no_actions": SampleStatus.AGENT_VALIDATION_FAILED,
    "controller.turn_limit": SampleStatus.TASK_LIMIT_REACHED,
    "episode.step_limit": SampleStatus.TASK_LIMIT_REACHED,
    "episode.action_failures": SampleStatus.AGENT_INVALID_ACTION,
}
"""Of failures of the agent."""


@dataclass(frozen=True, kw_only=True)
class End:
    """An outcome and the score that goes with it."""

    outcome: Outcome
    score: float | None = None

    @property
    def status(self) -> SampleStatus:
        """AgentBench's word for it."""
        by_kind = _BY_KIND.get(self.outcome.kind, SampleStatus.UNKNOWN)
        if self.outcome.kind is OutcomeKind.AGENT_FAILURE:
            return _BY_CODE.get(self.outcome.code, by_kind)
        return by_kind

    def as_wire(self, *, steps: int) -> EpisodeEnd:
        """As a client is told of it."""
        outcome = self.outcome
        return EpisodeEnd(
            score=self.score,
            outcome=outcome.kind.value,
            cause=outcome.cause.value if outcome.cause is not None else "",
            code=outcome.code,
            reason=outcome.reason[:4000],
            steps=steps,
        )


def context_full() -> End:
    """The agent said that it cannot take in more."""
    return _agent_failed(
        Outcome(
            kind=OutcomeKind.AGENT_FAILURE,
            reason="the agent's context is full",
            code="controller.context_limit",
        )
    )


def no_actions(answers: int, why: str) -> End:
    """So many answers in a row were none."""
    return _agent_failed(
        Outcome(
            kind=OutcomeKind.AGENT_FAILURE,
            reason=f"{answers} answers in a row were no actions, the last one because: {why}",
            code="controller.no_actions",
        )
    )


def turns_used(turns: int) -> End:
    """The agent may not answer again."""
    return _agent_failed(
        Outcome(
            kind=OutcomeKind.AGENT_FAILURE,
            reason=f"the {turns} answers of a session are used up",
            code="controller.turn_limit",
        )
    )


def environment_failed(error: ProofwalkError) -> End:
    """Nobody is scored."""
    cause = error.cause or EnvCause.SANDBOX
    return End(
        outcome=Outcome(
            kind=OutcomeKind.ENV_FAILURE, cause=cause, reason=error.message, code=error.code
        )
    )


def cancelled(reason: str) -> End:
    """The agent's side did not want the episode's end."""
    return End(
        outcome=Outcome(
            kind=OutcomeKind.CANCELLED, reason=reason, code="controller.session_cancelled"
        )
    )


def expired(reason: str) -> End:
    """The agent's side was too slow."""
    return End(
        outcome=Outcome(
            kind=OutcomeKind.CANCELLED, reason=reason, code="controller.session_expired"
        )
    )


def _agent_failed(outcome: Outcome) -> End:
    return End(outcome=outcome, score=0.0)
