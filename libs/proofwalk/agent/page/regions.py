"""Regions of a page, and whether an element in them can be reached: the navigation,
the top bar, an open dialog."""

from __future__ import annotations

from collections.abc import Iterable

from proofwalk.console.observation import Element, Observation, TextRun

_NAV_SHARE = 0.2
"""The navigation pane begins at the left edge and ends within this share of the
viewport's width."""
_TOP_PIXELS = 64


def in_navigation(observation: Observation, element: Element) -> bool:
    """Return True if an element is in the navigation pane on the left."""
    right = element.box.x + element.box.width
    at_edge = (
        element.box.x <= observation.viewport[0] * 0.06
        and right <= observation.viewport[0] * _NAV_SHARE
    )
    return at_edge and not element.container and not element.row and element.box.y > _TOP_PIXELS / 2


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
