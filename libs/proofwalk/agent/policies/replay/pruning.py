"""Decides which steps of a walk are worth repeating.

Dropped are: steps that failed; waits, and loading the same page again; answers to
interruptions, which come at any time; a click that was repeated because the page lost
it; and detours, which end on a page that looks as it did where they began. A detour is
only dropped if nothing in it can have had an effect beyond what the page shows: looking
into menus and lists, filling in what was lost, going somewhere and back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from proofwalk.agent.core.policy import PastStep
from proofwalk.agent.page import interruptions
from proofwalk.agent.page.grounding import OPTION_ROLES
from proofwalk.agent.page.page_fields import FIELD_ROLES
from proofwalk.agent.page.words import MORE, normalise
from proofwalk.console.actions import (
    Action,
    Click,
    GoBack,
    GoTo,
    Hover,
    Press,
    Scroll,
    Select,
    SetChecked,
    SetSlider,
    SubStepComplete,
    TaskComplete,
    Type,
    Wait,
)
from proofwalk.console.observation import Observation, State


@dataclass(frozen=True, kw_only=True)
class StepWithPages:
    """A step with the pages before and after it."""

    before: Observation
    past: PastStep
    after: Observation


def worth_keeping(
    steps: Sequence[StepWithPages], history: Sequence[PastStep] = ()
) -> list[StepWithPages]:
    """Return the steps of one sub-step that its script needs. `history` is what came
    before them."""
    remaining: list[StepWithPages] = []
    earlier = list(history)
    for step in steps:
        if step.past.ok and not _idle(step) and not _answers_interruption(step, earlier):
            remaining.append(step)
        earlier.append(step.past)
    return _without_repeats(_without_detours(_without_vain_looks(remaining)))


def is_control(action: Action) -> bool:
    """Return True if the action ends a sub-step or the walk."""
    return isinstance(action, SubStepComplete | TaskComplete)


def print_of(page: Observation) -> str:
    """Return a text that is equal for two pages that look the same, except for the
    focus and messages."""
    parts = [page.url, page.modal]
    parts += [
        f"{e.identity}={e.value}:{','.join(sorted(s for s in e.states if s is not State.FOCUSED))}"
        for e in page.elements
    ]
    parts += [run.text for run in page.texts if run.role not in ("alert", "status", "tooltip")]
    return "\x1f".join(parts)


def _idle(step: StepWithPages) -> bool:
    action = step.past.action
    return (
        isinstance(action, Wait)
        or is_control(action)
        or (isinstance(action, GoTo) and action.url == step.before.url and _same(step))
    )


def _same(step: StepWithPages) -> bool:
    """Return True if loading the page again did not close or open a dialog."""
    return step.before.modal == step.after.modal


def _answers_interruption(step: StepWithPages, history: Sequence[PastStep]) -> bool:
    answer = interruptions.answer(step.before, history)
    return answer is not None and answer.action == step.past.action


def _without_vain_looks(steps: list[StepWithPages]) -> list[StepWithPages]:
    """Drop scrolling and pointing that did not bring up what the next step acts on."""
    remaining: list[StepWithPages] = []
    for number, step in enumerate(steps):
        if isinstance(step.past.action, Scroll | Hover):
            rest = [
                one
                for one in steps[number + 1 :]
                if not isinstance(one.past.action, Scroll | Hover)
            ]
            mark = getattr(rest[0].past.action, "id", None) if rest else None
            target = rest[0].before.element(mark) if rest and mark is not None else None
            if target is None or any(
                one.identity == target.identity for one in step.before.elements
            ):
                continue
        remaining.append(step)
    return remaining


def _without_repeats(steps: list[StepWithPages]) -> list[StepWithPages]:
    """Keep only the last of several equal clicks on the same page."""
    remaining: list[StepWithPages] = []
    for step in steps:
        if remaining and isinstance(step.past.action, Click) and _same_click(remaining[-1], step):
            remaining.pop()
        remaining.append(step)
    return remaining


def _same_click(one: StepWithPages, other: StepWithPages) -> bool:
    a, b = (
        step.before.element(step.past.action.id) if isinstance(step.past.action, Click) else None
        for step in (one, other)
    )
    return (
        a is not None
        and b is not None
        and a.identity == b.identity
        and print_of(one.before) == print_of(other.before)
    )


def _without_detours(steps: list[StepWithPages]) -> list[StepWithPages]:
    remaining: list[StepWithPages] = []
    at = 0
    before = [print_of(step.before) for step in steps]
    after = [print_of(step.after) for step in steps]
    while at < len(steps):
        ends = [end for end in range(len(steps) - 1, at - 1, -1) if after[end] == before[at]]
        end = next(
            (
                end
                for end in ends
                if all(_harmless(s) and not _sets_unseen(s) for s in steps[at : end + 1])
            ),
            None,
        )
        if end is None:
            remaining.append(steps[at])
            at += 1
        else:
            at = end + 1
    return remaining


def _sets_unseen(step: StepWithPages) -> bool:
    """Return True if no field shows a choice after it was made. Some lists do not show
    their value, so the page may only seem unchanged."""
    action = step.past.action
    if isinstance(action, Select):
        chosen = action.option
    else:
        element = step.before.element(action.id) if isinstance(action, Click) else None
        chosen = (
            element.name
            if element is not None and element.role in OPTION_ROLES and element.container
            else ""
        )
    shown = normalise(chosen)
    return bool(shown) and not any(
        shown in normalise(f"{one.value} {one.name}")
        for one in step.after.elements
        if one.role in FIELD_ROLES
    )


def _harmless(step: StepWithPages) -> bool:
    """Return True if a step can only have changed the page, not the console's data."""
    action = step.past.action
    if isinstance(action, Type | Select | SetChecked | SetSlider | Scroll | Hover | GoTo | GoBack):
        return not (isinstance(action, Type) and action.submit)
    if isinstance(action, Press):
        return action.key == "Escape"
    if not isinstance(action, Click):
        return False
    element = step.before.element(action.id)
    if element is None:
        return False
    opens = (
        bool({State.COLLAPSED, State.EXPANDED} & element.states) or normalise(element.name) in MORE
    )
    chooses = (
        element.role in FIELD_ROLES
        or element.role == "tab"
        or (element.role in OPTION_ROLES and bool(element.container) and not element.row)
    )
    goes = not step.before.modal and (bool(step.after.modal) or step.after.url != step.before.url)
    demands = any(State.REQUIRED in one.states and not one.row for one in step.before.elements)
    return (
        opens
        or (chooses and bool(step.before.modal))
        or element.role in ("combobox", "tab", "radio")
        or (goes and not demands)
    )
