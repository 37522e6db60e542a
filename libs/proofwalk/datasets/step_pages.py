"""What the pages beside a step show of it: the page after it, and where a field
stood."""

from __future__ import annotations

from collections.abc import Sequence

from proofwalk.console import actions as a
from proofwalk.console.observation import Observation, State
from proofwalk.trajectories.records import StepRecord

SETTING = (
    *(
        a.Type,
        a.TypeFocused,
        a.Clear,
        a.Select,
        a.SetDate,
        a.SetChecked,
        a.SetSlider,
        a.Upload,
        a.ConfirmTyped,
    ),
)


def stood(page: Observation, action: a.Action) -> bool:
    """Whether the field was seen to have the value already."""
    mark = getattr(action, "id", None)
    element = page.element(mark) if isinstance(mark, int) else None
    if element is None:
        return False
    match action:
        case a.Type(text=text) | a.Select(option=text):
            return bool(text) and element.value == text
        case a.SetChecked(checked=checked):
            return (State.CHECKED in element.states) == checked
        case a.Clear():
            return not element.value and element.input_type != "password"
    return False


def page_after(steps: Sequence[StepRecord], at: int) -> Observation | None:
    return steps[at + 1].observation if at + 1 < len(steps) else None
