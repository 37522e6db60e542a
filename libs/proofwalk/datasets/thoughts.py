"""The thought of a step, and whose it is.

A model's thought is its own, and so is the literal policy's, which says in a sentence
what it does and why. The oracle plays a script: its thoughts are sentences of the same
kind but where they speak of the script, which no other policy has. Those are put as the
literal policy puts them, and are called synthesised, as is what stands where a step has
no thought at all. In place of any of these may stand what a model wrote afterwards
(`hindsight`).
"""

from __future__ import annotations

import re
from enum import StrEnum

from proofwalk.agent.policies.literal.policy import LAST_DONE, done
from proofwalk.console import actions as a
from proofwalk.console.looking.changes import name_of
from proofwalk.trajectories.records import StepRecord

_SCRIPT = re.compile(r"\bscript\b|\bmove \d+\b")


class ThoughtBy(StrEnum):
    """Whose words a thought is in."""

    MODEL = "model"
    LITERAL = "literal"
    SCRIPTED = "scripted"
    SYNTHESISED = "synthesised"
    HINDSIGHT = "hindsight"
    """A model's that was told the action and its result, and wrote what leads there."""


def thought_of(
    step: StepRecord, action: a.Action, *, policy: str, last: bool, hindsight: str = ""
) -> tuple[str, ThoughtBy]:
    """The thought to learn and its source; `last` says that the sub-step is the
    procedure's last, `hindsight` is what was written of it afterwards."""
    if hindsight:
        return hindsight, ThoughtBy.HINDSIGHT
    said = " ".join(step.thought.split())
    if step.exchanges or step.model:
        return step.thought, ThoughtBy.MODEL
    if said and not (policy == "scripted" and _SCRIPT.search(said)):
        return step.thought, ThoughtBy.SCRIPTED if policy == "scripted" else ThoughtBy.LITERAL
    return _synthesised(step, action, last=last), ThoughtBy.SYNTHESISED


def _synthesised(step: StepRecord, action: a.Action, *, last: bool) -> str:
    """What the literal policy would say of this action."""
    mark = getattr(action, "id", None)
    element = (
        step.observation.element(mark)
        if step.observation is not None and isinstance(mark, int)
        else None
    )
    what = name_of(element) if element is not None else "the page"
    label = (element.label or element.name or element.role) if element is not None else "the field"
    match action:
        case a.SubStepComplete() | a.TaskComplete():
            return LAST_DONE if last else done(step.substep)
        case a.TaskUnachievable(reason=reason):
            return f"I cannot go on: {reason}."
        case a.Type(text=text):
            return f"I enter “{text}” as “{label}”."
        case a.Select(option=option):
            return f"I choose “{option}” for “{label}”."
        case a.SetChecked(checked=checked):
            return f"I turn “{label}” {'on' if checked else 'off'}."
        case a.GoTo():
            return "I follow the document's link."
        case a.Wait():
            return "I wait for the page."
        case a.Press(key=key):
            return f"I press {key}."
        case a.Scroll():
            return "It may be further down; I scroll."
        case a.Provision(need=need):
            return f"There is none: I ask for {need}."
    return f"I {action.type.replace('_', ' ')} {what}."
