"""Finds which element of an observation a label names.

`controls` finds what can be clicked; `page_fields` and `page_rows` have the fields and
the rows of lists. Candidates are ranked by place and by how well their name matches: an
open dialog before the page behind it, the row that the sentence is about, the column,
the kind of control that the sentence names, the navigation pane or not. Only equal
labels are ever returned (`words.match`). Candidates that are equal in every respect are
all returned, and the caller must not pick one. `nearest` is for findings.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from proofwalk.agent.page.page_fields import FIELD_ROLES, GENERIC_NAMES
from proofwalk.agent.page.places import Place
from proofwalk.agent.page.regions import in_navigation, in_top_bar, reachable, texts_in_front
from proofwalk.agent.page.words import (
    MORE,
    Match,
    contains,
    match,
    match_counted,
    match_value,
    nearness,
    normalise,
    tokens,
)
from proofwalk.console.observation import Element, Observation, State

TEXT_ROLES = frozenset({"textbox", "searchbox", "spinbutton"})
OPTION_ROLES = frozenset(
    {"option", "menuitem", "menuitemradio", "menuitemcheckbox", "treeitem", "listitem"}
)
_COUNTED_ROLES = frozenset({"tab", "link", "menuitem", "treeitem"})
"""What often shows a count beside its name."""
_NOUN_ROLES = {
    "button": {"button"},
    "tab": {"tab"},
    "link": {"link"},
    "icon": {"button", "img", "image"},
    "picture": {"button", "link", "img", "image"},
    "menu": {"menuitem", "button"},
    "check box": {"checkbox"},
    "switch": {"switch"},
}


_MORE_OF = re.compile(r"(?:more(?: actions| options)?|actions|options)(?: for| of|:)? \S", re.I)


def controls(observation: Observation, label: str, place: Place) -> list[Element]:
    """Return the clickable elements with this label: none, one, or several that cannot
    be told apart."""
    scored: list[tuple[tuple[int, ...], Element]] = []
    for element in reachable(observation, observation.elements):
        if element.role in TEXT_ROLES or element.role == "combobox":
            continue
        found = max(
            _match_name(label, element),
            (
                match(label, element.hint)
                if normalise(element.name) in GENERIC_NAMES | MORE
                else Match.NONE
            ),
        )
        if found is Match.NONE:
            continue
        scored.append((_rank(observation, element, found, place), element))
    if place.noun == "tab" and any(one.role == "tab" for one in observation.elements):
        # The head of a column or a cell is none of the page's tabs.
        scored = [pair for pair in scored if not pair[1].row]
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


def _match_name(label: str, element: Element) -> Match:
    behind = element.role in _COUNTED_ROLES
    if behind or element.role == "button":
        return match_counted(label, element.name, behind=behind)
    return match(label, element.name)


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


def tabs(observation: Observation, label: str) -> list[Element]:
    """Return the tabs with this label."""
    return [
        element
        for element in observation.elements
        if element.role == "tab" and _match_name(label, element) is not Match.NONE
    ]


def openers(observation: Observation, row: str) -> list[Element]:
    """Return the `⋮` or *More* of a row, or of the page if `row` is empty."""
    found = []
    for element in reachable(observation, observation.elements):
        if element.row != row or State.DISABLED in element.states:
            continue
        named = normalise(element.name) in MORE or normalise(element.hint) in MORE
        named = named or (bool(row) and _is_more_of(element))
        bare = bool(row) and not element.name.strip() and element.role not in FIELD_ROLES
        if named or bare:
            found.append(element)
    return found


def _is_more_of(element: Element) -> bool:
    """True for the menu of a row that is named after its thing: `More actions for
    otter`."""
    opens = {State.COLLAPSED, State.EXPANDED} & element.states
    return bool(opens) and _MORE_OF.match(element.name) is not None


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


def same(page: Observation, element: Element) -> Element | None:
    """Return the element as it is now, or None."""
    return next((one for one in page.elements if one.identity == element.identity), None)


def titled(observation: Observation, label: str) -> bool:
    """Return True if a text, a group, a dialog or an element in front has exactly this
    label."""
    front = reachable(observation, observation.elements)
    texts = [run.text for run in texts_in_front(observation)]
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
