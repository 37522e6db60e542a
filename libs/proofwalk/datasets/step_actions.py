"""The action of a recorded step."""

from __future__ import annotations

from proofwalk.console import actions as a
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.trajectories.records import StepRecord


def action_of(step: StepRecord) -> a.Action | None:
    """The step's action; None when the policy's answer could not be read."""
    try:
        return a.parse_action(step.action)
    except ProofwalkError:
        return None
