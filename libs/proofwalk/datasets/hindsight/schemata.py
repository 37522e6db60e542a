"""Which reasoning schema the thought of a step follows: the thought space of EvoCUA
§5.1, told from the recording alone. Pure.

| schema | the step |
|---|---|
| `TERMINATION` | ends the walk: done, or cannot be done |
| `GOAL` | is the walk's first |
| `REFLECTION` | follows one that did not lead where it was meant to |
| `VERIFICATION` | ends a sub-step, or only looks once the walk's last change is made |
| `OBSERVATION` | is any other |

The first row that fits counts. Algorithm 1 (App. B) asks for the first step before it
asks for the last; here a walk of one step is justified as an ending, since a refusal
must never be learned without its evidence. Its reflections come from walks that were
begun again before an error. A verified walk that mends its own error shows the same:
the error is a step that failed, that the filter drops as useless, or that the page
answers with an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from proofwalk.agent.page import form_messages
from proofwalk.agent.policies.replay.pruning import is_control
from proofwalk.console import actions as a
from proofwalk.console.looking.changes import name_of
from proofwalk.console.observation import Observation, State
from proofwalk.datasets.step_actions import action_of
from proofwalk.datasets.verdicts import StepRule, Verdict
from proofwalk.trajectories.records import StepRecord

_LOOKS = (
    a.Extract,
    a.FindRow,
    a.Hover,
    a.ListOptions,
    a.MoveTo,
    a.Note,
    a.Reload,
    a.Scroll,
    a.Wait,
)
"""Actions that change nothing and only show more."""
_USELESS = frozenset({StepRule.INEFFECTIVE, StepRule.VAIN_LOOK, StepRule.DETOUR, StepRule.JUDGED})


class Schema(StrEnum):
    """A kind of thought."""

    GOAL = "goal_clarification"
    OBSERVATION = "observation_consistency"
    VERIFICATION = "self_verification"
    REFLECTION = "reflection_and_correction"
    TERMINATION = "reasoning_augmented_termination"


@dataclass(frozen=True, kw_only=True)
class StepSchema:
    """The schema of one step."""

    schema: Schema
    cause: str = ""
    """Of a reflection: what went wrong (App. B's `analysis_reason`)."""


def schemata_of(
    steps: Sequence[StepRecord], verdicts: Sequence[Verdict], *, substeps: int
) -> list[StepSchema]:
    """The schema of each step of a walk of so many sub-steps. `verdicts` are those of
    the step filter."""
    actions = [action_of(step) for step in steps]
    decided = [at for at, action in enumerate(actions) if action is not None]
    checking = _checking(actions)
    schemata = []
    for at, (step, action) in enumerate(zip(steps, actions, strict=True)):
        before = next((one for one in reversed(decided) if one < at), None)
        cause = "" if before is None else _failure(steps, verdicts, before, at)
        if _ends_walk(action, last=step.substep_index + 1 == substeps):
            found = StepSchema(schema=Schema.TERMINATION)
        elif before is None:
            found = StepSchema(schema=Schema.GOAL)
        elif cause:
            found = StepSchema(schema=Schema.REFLECTION, cause=cause)
        elif at in checking or isinstance(action, a.SubStepComplete):
            found = StepSchema(schema=Schema.VERIFICATION)
        else:
            found = StepSchema(schema=Schema.OBSERVATION)
        schemata.append(found)
    return schemata


def _ends_walk(action: a.Action | None, *, last: bool) -> bool:
    return isinstance(action, a.TaskComplete | a.TaskUnachievable) or (
        last and isinstance(action, a.SubStepComplete)
    )


def _checking(actions: Sequence[a.Action | None]) -> set[int]:
    """Positions of the looks behind the last step that acts on something."""
    looking = [
        action is None or is_control(action) or isinstance(action, (*_LOOKS, a.TaskUnachievable))
        for action in actions
    ]
    acting = [at for at, looks in enumerate(looking) if not looks]
    if not acting:
        return set()
    return {at for at in range(acting[-1] + 1, len(actions)) if isinstance(actions[at], _LOOKS)}


def _failure(steps: Sequence[StepRecord], verdicts: Sequence[Verdict], before: int, at: int) -> str:
    """What went wrong with the step before, as it could be told at the next one; empty
    where nothing did."""
    step, verdict = steps[before], verdicts[before]
    if not step.ok:
        return step.result or "the action failed"
    if verdict.rule in _USELESS:
        return verdict.why or "it was of no use"
    then, now = step.observation, steps[at].observation
    if then is None or now is None:
        return ""
    return _complaint(then, now)


def _complaint(then: Observation, now: Observation) -> str:
    """An error that the page tells since the look before. What a dialog says as it
    opens is a warning: nothing was refused yet."""
    if now.modal and now.modal != then.modal:
        return ""
    errors = form_messages.errors(now, then)
    if errors:
        return f"the page says: {errors[-1]}"
    invalid = {one.identity for one in then.elements if State.INVALID in one.states}
    refused = [
        one for one in now.elements if State.INVALID in one.states and one.identity not in invalid
    ]
    return f"the page does not accept {name_of(refused[0])}" if refused else ""
