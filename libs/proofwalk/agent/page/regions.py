"""Regions of a page, and whether an element in them can be reached: the navigation,
the top bar, an open dialog."""

from __future__ import annotations

import re
from collections.abc import Iterable

from proofwalk.console.observation import Element, Observation, State, TextRun

_NAV_SHARE = 0.2
"""The navigation pane begins at the left edge and ends within this share of the
viewport's width."""
_TOP_PIXELS = 64
_ENTRIES = 3
"""Controls at the left edge that make a navigation; fewer may be tiles of a page."""
_IN_A_BAR = 2
"""Buttons beside the first one of a bar."""
_BAR_PIXELS = 480
"""How far to the right they begin."""
_LEVEL_PIXELS = 6
"""How far apart what stands on one line, or in one column, may be."""
_ENTRY_PIXELS = 72
"""How far below each other the entries of a navigation begin."""
_CORNER = 0.06
"""Share of the viewport's width in which a corner's button begins."""
_OPENS_NAVIGATION = re.compile(
    r"(?:(?:open|show|toggle|expand) )?"
    r"(?:(?:the|main|side|global|left|primary|app|portal|console|site) )*"
    r"(?:navigation|nav|menu|sidebar|hamburger)(?: (?:menu|bar|drawer|panel|pane))?"
    r"|(?:打开|展开)?(?:侧边|左侧)?(?:导航|菜单)栏?",
    re.I,
)


def in_navigation(observation: Observation, element: Element) -> bool:
    """Return True if an element is in the navigation pane on the left. The first button
    of a bar at the left edge is not: a pane has entries below each other."""
    if not _at_left_edge(observation, element):
        return False
    bar = [one for one in observation.elements if _is_beside(element, one)]
    return len(bar) < _IN_A_BAR or any(
        _at_left_edge(observation, one) and _is_below_or_above(element, one)
        for one in observation.elements
    )


def _at_left_edge(observation: Observation, element: Element) -> bool:
    right = element.box.x + element.box.width
    at_edge = (
        element.box.x <= observation.viewport[0] * 0.06
        and right <= observation.viewport[0] * _NAV_SHARE
    )
    return at_edge and not element.container and not element.row and element.box.y > _TOP_PIXELS / 2


def _is_beside(element: Element, other: Element) -> bool:
    """True for a button to the right of another, close by and on its line."""
    gap = other.box.x - (element.box.x + element.box.width)
    level = abs(other.box.center[1] - element.box.center[1])
    return other.role == "button" and 0 <= gap <= _BAR_PIXELS and level <= _LEVEL_PIXELS


def _is_below_or_above(element: Element, other: Element) -> bool:
    """True for a control of the same column, directly below or above. Consoles draw
    entries in many roles."""
    apart = abs(other.box.y - element.box.y)
    in_line = abs(other.box.x - element.box.x) <= _LEVEL_PIXELS
    return in_line and _LEVEL_PIXELS < apart <= _ENTRY_PIXELS


def navigation_opener(observation: Observation) -> Element | None:
    """Return the button in the upper left corner that shows the navigation, where none
    is shown."""
    front = reachable(observation, observation.elements)
    buttons = [
        one
        for one in front
        if one.role in ("button", "link")
        and one.box.x <= observation.viewport[0] * _CORNER
        and in_top_bar(one)
        and State.EXPANDED not in one.states
        and any(_OPENS_NAVIGATION.fullmatch(name) for name in (one.name.strip(), one.hint.strip()))
    ]
    entries = [one for one in front if one not in buttons and in_navigation(observation, one)]
    shown = len(entries) >= _ENTRIES
    return buttons[0] if len(buttons) == 1 and not shown and not observation.modal else None


def in_top_bar(element: Element | TextRun) -> bool:
    return element.box.y + element.box.height <= _TOP_PIXELS


def reachable(observation: Observation, elements: Iterable[Element]) -> list[Element]:
    """Return the elements in front. With a dialog open, these are the dialog's and
    those of popups over it."""
    found = list(elements)
    if not observation.modal:
        return found
    inside = [element for element in found if element.container]
    return inside or found


def texts_in_front(observation: Observation) -> list[TextRun]:
    """Return the texts in front. With a dialog open, these are the dialog's."""
    return [run for run in observation.texts if not observation.modal or run.container]
