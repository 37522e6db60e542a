"""Where a sign-in stands: which of its steps a page is for. Pure.

The steps are done in their order. An optional one is passed over once the next that is
not is there. Signing in again may skip more: at an identity provider the browser is
often still known, so that one press, or none, leads back into the console, and what is
expected there comes before the form does.

The *door* is the button or link that leads to an identity provider: what is pressed
before the first field, on a page of another origin than the field's.
"""

from __future__ import annotations

from collections.abc import Sequence

from proofwalk.cloud.sign_in_steps import (
    Click,
    Expect,
    Fill,
    FillCode,
    Open,
    SignInStep,
    is_optional,
)
from proofwalk.console.observation import Element, Observation

TEXT_FIELDS = frozenset({"textbox", "searchbox", "spinbutton"})
_FIELDS = TEXT_FIELDS | {"combobox"}


def find(page: Observation, step: Fill | FillCode | Click) -> Element | None:
    """Return the step's field or button on a page, by its label in any language."""
    wanted = {label.casefold().strip() for label in (step.label, *step.also)}
    field = not isinstance(step, Click)
    for element in page.elements:
        names = {
            text.casefold().strip(" :*")
            for text in (element.name, element.label, element.placeholder)
        }
        if wanted & names and (element.role in _FIELDS) == field:
            return element
    return None


def controls_of(page: Observation) -> frozenset[tuple[str, str]]:
    """Return roles and names of all that can be pressed or filled in."""
    return frozenset((element.role, element.name.strip()) for element in page.elements)


def first_page(steps: Sequence[SignInStep]) -> Sequence[Fill | FillCode | Click]:
    """Return what is filled in on the first page with a form, and the click that sends
    it."""
    first: list[Fill | FillCode | Click] = []
    for step in steps:
        if isinstance(step, Fill | FillCode):
            first.append(step)
        elif isinstance(step, Click) and first:
            return [*first, step]
    return first


def door(steps: Sequence[SignInStep]) -> Click | None:
    """Return the first click that comes before any field and has to be done."""
    for step in steps:
        if isinstance(step, Fill | FillCode):
            return None
        if isinstance(step, Click) and not step.optional:
            return step
    return None


def first_field(steps: Sequence[SignInStep]) -> int:
    """Return the place of the first field among the steps; 0 without one."""
    fields = (at for at, step in enumerate(steps) if isinstance(step, Fill | FillCode))
    return next(fields, 0)


def upcoming(steps: Sequence[SignInStep], at: int, *, skips: bool) -> Sequence[int]:
    """Return the places of the steps that may be there next, the nearest first: from
    `at` to the first that is not optional, and with `skips` what is expected behind
    it."""
    places: list[int] = []
    for place in range(at, len(steps)):
        places.append(place)
        if not is_optional(steps[place]):
            break
    if skips:
        behind = range(places[-1] + 1 if places else at, len(steps))
        places += [place for place in behind if isinstance(steps[place], Expect)]
    return [place for place in places if not isinstance(steps[place], Open)]
