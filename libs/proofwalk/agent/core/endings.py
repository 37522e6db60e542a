"""How a walk can end, and who is to blame: the policy, the document, the environment
or nobody."""

from __future__ import annotations

from dataclasses import dataclass

from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.obstacles import Obstacle
from proofwalk.kernel.outcomes import EnvCause, Finding


@dataclass(frozen=True, kw_only=True)
class Completed:
    """The policy says that the task is complete."""

    note: str = ""
    answer: str = ""
    """What it tells who asked a question."""


@dataclass(frozen=True, kw_only=True)
class Unachievable:
    """The policy says that it cannot go on; with a finding, it blames the document."""

    substep: str
    reason: str
    finding: Finding | None = None
    obstacle: Obstacle | None = None


@dataclass(frozen=True, kw_only=True)
class BudgetExhausted:
    """The steps of a sub-step, or the walk's time, are used up."""

    substep: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class ActionFailures:
    """Several actions in a row could not be carried out."""

    substep: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class EnvironmentFailed:
    """The browser, the model or the provisioner failed. Neither the policy nor the
    document is to blame."""

    substep: str
    cause: EnvCause
    error: ProofwalkError


@dataclass(frozen=True, kw_only=True)
class Cancelled:
    """Somebody cancelled the walk."""

    substep: str


Ending = Completed | Unachievable | BudgetExhausted | ActionFailures | EnvironmentFailed | Cancelled


class Stop(Exception):
    """Carries the ending out of the nested loops."""

    def __init__(self, ending: Ending) -> None:
        super().__init__(type(ending).__name__)
        self.ending = ending


def reason_of(ending: Ending) -> str:
    match ending:
        case EnvironmentFailed(error=error):
            return f"the environment failed: {error.message}"
        case (
            Unachievable(reason=reason)
            | BudgetExhausted(reason=reason)
            | ActionFailures(reason=reason)
        ):
            return reason
        case Cancelled():
            return "cancelled"
        case Completed():
            return ""
