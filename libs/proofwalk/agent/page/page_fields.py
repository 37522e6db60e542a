"""Fields of a page, found by their labels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from proofwalk.agent.page.places import Place
from proofwalk.agent.page.regions import reachable, texts_in_front
from proofwalk.agent.page.words import (
    Match,
    match,
    normalise,
    tokens,
)
from proofwalk.console.observation import Element, Observation, State

FIELD_ROLES = frozenset(
    {
        "checkbox",
        "combobox",
        "listbox",
        "radio",
        "searchbox",
        "slider",
        "spinbutton",
        "switch",
        "textbox",
    }
)
GENERIC_NAMES = frozenset({"select", "input", "checkbox", "radio", "switch", "please select", ""})
"""Names that say nothing about a control."""
_EDITOR_PIXELS = 600
"""How far an editor of several entries may reach below its label."""


@dataclass(frozen=True, kw_only=True)
class Field:
    """A form field: one control, or the choices of a group."""

    label: str
    elements: tuple[Element, ...]

    @property
    def role(self) -> str:
        return self.elements[0].role

    @property
    def first(self) -> Element:
        return self.elements[0]

    @property
    def empty(self) -> bool:
        if self.role in ("radio", "checkbox", "switch"):
            return not any(State.CHECKED in element.states for element in self.elements)
        value = normalise(self.first.value)
        return not value or value in GENERIC_NAMES or value == normalise(self.first.placeholder)


def fields(
    observation: Observation, label: str, place: Place, *, by_words: bool = False
) -> list[Field]:
    """Return the fields with this label, as far as they rank best. With `by_words`, a
    field whose label contains the words matches too."""
    scored: list[tuple[tuple[int, ...], Element]] = []
    for element in reachable(observation, observation.elements):
        if element.role not in FIELD_ROLES or (element.role == "searchbox" and not element.label):
            continue
        level = _field_match(element, label, by_words)
        if level:
            rank = (
                level,
                int(bool(place.row) and element.row == place.row),
                int(
                    bool(place.container)
                    and match(place.container, element.container) is not Match.NONE
                ),
                int(bool(element.container)),
                int(State.DISABLED not in element.states),
            )
            scored.append((rank, element))
    if not scored:
        return []
    top = max(rank for rank, _ in scored)
    return _grouped([element for rank, element in scored if rank == top], label)


def _field_match(element: Element, label: str, by_words: bool) -> int:
    # Dots are one field by their group; their own labels may be their neighbours'.
    own, group = (30, 40) if element.role == "radio" and element.group else (40, 30)
    texts = [
        (element.label, own),
        (element.group, group),
        (element.placeholder, 10),
        (element.column, 5),
    ]
    if normalise(element.name) not in GENERIC_NAMES:
        texts.append((element.name, 20 if element.role != "radio" else 0))
    best = 0
    for text, weight in texts:
        found = match(label, text)
        if found is not Match.NONE and weight:
            best = max(best, weight + int(found))
        if by_words and text and weight > 10 and set(tokens(label)) <= set(tokens(text)):
            best = max(best, weight // 10)
        if by_words and text and weight > 10 and _described(label) <= _described(text):
            best = max(best, 1)
    first_cell = element.row.split(" | ", 1)[0]
    if not best and element.row and match(label, first_cell) is not Match.NONE:
        best = 8
    return best


def _described(text: str) -> set[str]:
    """Return the words of a description. A thing's title is its name."""
    return {"name" if word == "title" else word for word in tokens(text)}


def _grouped(elements: list[Element], label: str) -> list[Field]:
    """Join the radios of each group into one field. Every other element is a field of
    its own."""
    radios: dict[str, list[Element]] = {}
    fields: list[Field] = []
    for element in elements:
        if element.role == "radio":
            radios.setdefault(element.group or element.label, []).append(element)
    fields += [Field(label=name or label, elements=tuple(group)) for name, group in radios.items()]
    for element in elements:
        if element.role != "radio":
            fields.append(Field(label=element.label or label, elements=(element,)))
    return fields


def all_fields(observation: Observation) -> list[Field]:
    """Return every field in front: groups of radios first, then the others in reading
    order."""
    front = [
        element
        for element in reachable(observation, observation.elements)
        if element.role in FIELD_ROLES
    ]
    return _grouped(front, "")


def shown_value(found: Field) -> list[str]:
    """Return what a field shows: the chosen option or the text; for a switch, words for
    on or off."""
    if found.role == "radio":
        return [element.name for element in found.elements if State.CHECKED in element.states]
    if found.role in ("checkbox", "switch"):
        return (
            ["on", "enabled", "selected"]
            if State.CHECKED in found.first.states
            else ["off", "disabled", "cleared"]
        )
    return [element.value for element in found.elements if element.value]


def checkable(observation: Observation, label: str) -> Element | None:
    """Return the check box or switch that a label names, by its text or its field."""
    front = [
        one
        for one in reachable(observation, observation.elements)
        if one.role in ("checkbox", "switch")
    ]
    ranked = [(max(match(label, one.name), match(label, one.label)), one) for one in front]
    best = max((level for level, _ in ranked), default=Match.NONE)
    if best is Match.NONE:
        starts = [one for one in front if normalise(one.name).startswith(normalise(label))]
        return starts[0] if len(starts) == 1 else None
    return next(one for level, one in ranked if level is best)


def beside(
    observation: Observation, label: str, wanted: Callable[[Element], bool] = lambda element: True
) -> list[Element]:
    """Return the elements that belong to a label but have none of their own, such as an
    editor of a list or an upload button: those to its right, down to the next label, in
    reading order."""
    front = texts_in_front(observation)
    reached = [
        element for element in reachable(observation, observation.elements) if wanted(element)
    ]
    for run in front:
        if run.role == "cell" or match(label, run.text) is Match.NONE:
            continue
        below = [
            other.box.y for other in front if other.role == "label" and other.box.y > run.box.y + 8
        ]
        end = min([*below, run.box.y + _EDITOR_PIXELS])
        # By its middle: the control of the next label begins above that label's own
        # line.
        found = [
            one
            for one in reached
            if run.box.y - 16 <= one.box.y and one.box.center[1] < end and one.box.x >= run.box.x
        ]
        if found:
            return sorted(found, key=lambda one: (one.box.y, one.box.x))
    return []
