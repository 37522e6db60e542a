"""Finds which element of an observation a label names.

`controls` finds what can be clicked, `fields` what can be filled, `rows` the rows of
lists. Candidates are ranked by place and by how well their name matches: an open dialog
before the page behind it, the row that the sentence is about, the column, the kind of
control that the sentence names, the navigation pane or not. Only equal labels are ever
returned (`words.match`). Candidates that are equal in every respect are all returned,
and the caller must not pick one. `nearest` is for findings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from proofwalk.agent.page.words import (
    MORE,
    Match,
    contains,
    match,
    match_value,
    nearness,
    normalise,
    tokens,
)
from proofwalk.console.observation import Element, Observation, State

FIELD_ROLES = frozenset(
    {
        "textbox",
        "searchbox",
        "spinbutton",
        "combobox",
        "checkbox",
        "radio",
        "switch",
        "slider",
        "listbox",
    }
)
TEXT_ROLES = frozenset({"textbox", "searchbox", "spinbutton"})
OPTION_ROLES = frozenset(
    {"option", "menuitem", "menuitemradio", "menuitemcheckbox", "treeitem", "listitem"}
)
_GENERIC_NAMES = frozenset({"select", "input", "checkbox", "radio", "switch", "please select", ""})
_NOUN_ROLES = {
    "button": {"button"},
    "tab": {"tab"},
    "link": {"link"},
    "icon": {"button", "img", "image"},
    "menu": {"menuitem", "button"},
    "check box": {"checkbox"},
    "switch": {"switch"},
}
_NAV_SHARE = 0.2
"""The navigation pane begins at the left edge and ends within this share of the
viewport's width."""
_TOP_PIXELS = 64
_EDITOR_PIXELS = 600
"""How far an editor of several entries may reach below its label."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where the sentence says to look."""

    row: str = ""
    """Text of the row that the sentence is about."""
    only_row: bool = False
    """The control can only be in that row, or in a menu that was opened from it."""
    opened: bool = False
    """A menu of that row was just opened, so new elements belong to it, whatever its
    title."""
    column: str = ""
    container: str = ""
    noun: str = ""
    navigation: bool | None = None
    """True: in the navigation pane. None: no preference."""
    top_bar: bool = False


def in_navigation(observation: Observation, element: Element) -> bool:
    """Return True if an element is in the navigation pane on the left."""
    right = element.box.x + element.box.width
    at_edge = (
        element.box.x <= observation.viewport[0] * 0.06
        and right <= observation.viewport[0] * _NAV_SHARE
    )
    return at_edge and not element.container and not element.row and element.box.y > _TOP_PIXELS / 2


def in_top_bar(element: Element) -> bool:
    return element.box.y + element.box.height <= _TOP_PIXELS


def reachable(observation: Observation, elements: Iterable[Element]) -> list[Element]:
    """Return the elements in front. With a dialog open, these are the dialog's and
    those of popups over it."""
    found = list(elements)
    if not observation.modal:
        return found
    inside = [element for element in found if element.container]
    return inside or found


def controls(observation: Observation, label: str, place: Place) -> list[Element]:
    """Return the clickable elements with this label: none, one, or several that cannot
    be told apart."""
    scored: list[tuple[tuple[int, ...], Element]] = []
    for element in reachable(observation, observation.elements):
        if element.role in TEXT_ROLES or element.role == "combobox":
            continue
        found = max(
            match(label, element.name),
            (
                match(label, element.hint)
                if normalise(element.name) in _GENERIC_NAMES | MORE
                else Match.NONE
            ),
        )
        if found is Match.NONE:
            continue
        scored.append((_rank(observation, element, found, place), element))
    if place.row:
        in_row = [
            pair
            for pair in scored
            if pair[1].row == place.row or (not pair[1].row and pair[1].container)
        ]
        scored = in_row or [
            pair
            for pair in scored
            if not pair[1].row and (not place.only_row or (place.opened and pair[1].new))
        ]
    return _best(scored)


def _rank(
    observation: Observation, element: Element, found: Match, place: Place
) -> tuple[int, ...]:
    roles = _NOUN_ROLES.get(place.noun, set())
    left = in_navigation(observation, element)
    return (
        int(bool(place.row) and element.row == place.row),
        int(bool(place.container) and match(place.container, element.container) is not Match.NONE),
        int(bool(element.container)),
        int(place.navigation is None or left == place.navigation),
        int(place.top_bar and in_top_bar(element)),
        int(found),
        int(element.role in roles),
        int(bool(place.column) and match(place.column, element.column) is not Match.NONE),
        int(State.DISABLED not in element.states),
        int(not element.offscreen),
        int(element.role in ("button", "link", "menuitem", "tab", "option")),
        int(element.tag in ("button", "a", "input", "li")),
        int(place.navigation is not None or not left),
        int(element.new),
    )


def _best(scored: Sequence[tuple[tuple[int, ...], Element]]) -> list[Element]:
    if not scored:
        return []
    top = max(rank for rank, _ in scored)
    best = [element for rank, element in scored if rank == top]
    inner = [
        one for one in best if not any(other is not one and _inside(other, one) for other in best)
    ]
    return inner or best[:1]


def _inside(inner: Element, outer: Element) -> bool:
    """Return True if `inner` lies within `outer`: two layers of one control."""
    a, b = inner.box, outer.box
    smaller = a.width * a.height < b.width * b.height or (a == b and inner.mark > outer.mark)
    return (
        smaller
        and a.x >= b.x - 1
        and a.y >= b.y - 1
        and a.x + a.width <= b.x + b.width + 1
        and a.y + a.height <= b.y + b.height + 1
    )


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
        return not value or value in _GENERIC_NAMES or value == normalise(self.first.placeholder)


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
    texts = [
        (element.label, 40),
        (element.group, 30),
        (element.placeholder, 10),
        (element.column, 5),
    ]
    if normalise(element.name) not in _GENERIC_NAMES:
        texts.append((element.name, 20 if element.role != "radio" else 0))
    best = 0
    for text, weight in texts:
        found = match(label, text)
        if found is not Match.NONE and weight:
            best = max(best, weight + int(found))
        if by_words and text and weight > 10 and set(tokens(label)) <= set(tokens(text)):
            best = max(best, weight // 10)
    first_cell = element.row.split(" | ", 1)[0]
    if not best and element.row and match(label, first_cell) is not Match.NONE:
        best = 8
    return best


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
    front = [run for run in observation.texts if not observation.modal or run.container]
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


def options(elements: Iterable[Element], value: str) -> list[Element]:
    """Return the choices that answer a value: exact matches, else prefixes, else the
    one choice that has all of its words."""
    offered = list(elements)
    scored = [(match_value(value, element.name), element) for element in offered]
    top = max((level for level, _ in scored), default=Match.NONE)
    if top is not Match.NONE:
        return [element for level, element in scored if level is top]
    words = set(tokens(value))
    holding = [
        element for element in offered if len(words) > 1 and words <= set(tokens(element.name))
    ]
    return holding if len({normalise(element.name) for element in holding}) == 1 else []


def rows(observation: Observation) -> list[str]:
    """Return the texts of the rows on the page, top to bottom, without heads and empty
    rows."""
    boxed = [(element.box.y, element.row) for element in observation.elements if element.row]
    boxed += [
        (text.box.y, text.row)
        for text in observation.texts
        if text.row and text.role != "columnheader"
    ]
    heads = {normalise(text.text) for text in observation.texts if text.role == "columnheader"}
    found = dict.fromkeys(row for _, row in sorted(boxed))
    return [
        row
        for row in found
        if not _is_empty_row(row)
        and not all(normalise(cell) in heads for cell in row.split(" | ") if cell.strip())
    ]


def _is_empty_row(row: str) -> bool:
    return normalise(row) in (
        "no data",
        "no data available",
        "no data available.",
        "no records",
        "empty",
    )


def row_with(observation: Observation, value: str) -> str:
    """Return the first row that contains a value; empty if none does."""
    return next((row for row in rows(observation) if contains(row, value)), "")


def row_link(observation: Observation, row: str) -> Element | None:
    """Return the link that opens a row: its leftmost link outside of the *Actions*
    column."""
    links = [
        element
        for element in observation.elements
        if element.row == row
        and (element.role == "link" or element.tag == "a")
        and match("Actions", element.column) is Match.NONE
    ]
    return min(links, key=lambda element: element.box.x, default=None)


def tabs(observation: Observation, label: str) -> list[Element]:
    """Return the tabs with this label."""
    return [
        element
        for element in observation.elements
        if element.role == "tab" and match(label, element.name) is not Match.NONE
    ]


def openers(observation: Observation, row: str) -> list[Element]:
    """Return the `⋮` or *More* of a row, or of the page if `row` is empty."""
    found = []
    for element in reachable(observation, observation.elements):
        if element.row != row or State.DISABLED in element.states:
            continue
        named = normalise(element.name) in MORE or normalise(element.hint) in MORE
        bare = bool(row) and not element.name.strip() and element.role not in FIELD_ROLES
        if named or bare:
            found.append(element)
    return found


def seen(observation: Observation, text: str) -> bool:
    """Return True if a text is visible anywhere on the page."""
    places = (
        *(run.text for run in observation.texts),
        *(element.name for element in observation.elements),
        *(element.value for element in observation.elements),
        *(element.label for element in observation.elements),
        *observation.alerts,
        observation.modal,
        observation.title,
    )
    return any(contains(place, text) for place in places)


def titled(observation: Observation, label: str) -> bool:
    """Return True if a text, a group, a dialog or an element in front has exactly this
    label."""
    front = reachable(observation, observation.elements)
    texts = [run.text for run in observation.texts if not observation.modal or run.container]
    names = [
        name
        for element in front
        for name in (element.name, element.label, element.group, element.container)
    ]
    return any(
        match(label, name) is not Match.NONE for name in (*texts, *names, observation.modal) if name
    )


def nearest(
    label: str, names: Iterable[str], *, limit: int = 5, least: float = 0.0
) -> tuple[str, ...]:
    """Return the names that come closest to a label, best first."""
    unique = [name for name in dict.fromkeys(" ".join(name.split()) for name in names) if name]
    key: Callable[[str], float] = lambda name: nearness(label, name)  # noqa: E731
    ranked = sorted(unique, key=key, reverse=True)
    return tuple(name for name in ranked if nearness(label, name) >= least)[:limit]
