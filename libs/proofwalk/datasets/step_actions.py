"""The action of a recorded step, and how a walk ended by its last one."""

from __future__ import annotations

from collections.abc import Sequence

from proofwalk.console import actions as a
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.trajectories.records import StepRecord


def action_of(step: StepRecord) -> a.Action | None:
    """The step's action; None when the policy's answer could not be read."""
    try:
        return a.parse_action(step.action)
    except ProofwalkError:
        return None


def gave_up(steps: Sequence[StepRecord]) -> bool:
    """Whether a walk ended by saying that the procedure cannot proceed."""
    return bool(steps) and isinstance(action_of(steps[-1]), a.TaskUnachievable)
