"""Learns what icons are called that say so only when they are pointed at.

A bar of icons without words has no entry `Files` for a walk that reads names; a person
points at the icons until one says so. A control is taken for an icon by its shape and
by a name that was drawn from its picture. What a control told is remembered, so that
each is pointed at once in a walk.
"""

from __future__ import annotations

from collections.abc import Mapping

from proofwalk.agent.page import regions
from proofwalk.agent.page.scene import Script
from proofwalk.agent.page.words import Match, match
from proofwalk.agent.policies.literal.scene import DocumentScene
from proofwalk.console.actions import Hover
from proofwalk.console.observation import Box, Element, Observation, State

_MOST = 8
"""Controls that are pointed at for one label."""
_LARGEST = 84
"""Pixels of a side."""
_NEAR = 160
"""Pixels between a control and what it tells."""


def named(scene: DocumentScene, label: str) -> Script[Element | None]:
    """Return the icon in view that calls itself so when it is pointed at. Points at the
    icons at the page's edges first. None where none does, or two do."""
    tips = scene.memory.tips
    for _ in range(_MOST):
        icon = _next(scene.page, tips)
        if icon is None or any(match(label, told) is not Match.NONE for told in tips.values()):
            break
        before = scene.page
        yield from scene.act(
            f"I point at an icon without words, in search of “{label}”.", Hover(id=icon.mark)
        )
        tips[icon.identity] = _tip_near(before, scene.page, icon.box)
    wanted = [
        one
        for one in _icons(scene.page)
        if match(label, tips.get(one.identity, "")) is not Match.NONE
    ]
    return wanted[0] if len(wanted) == 1 else None


def _next(page: Observation, known: Mapping[str, str]) -> Element | None:
    """The icon nearest to an edge of the page as it is now that has told nothing yet:
    marks are another look's after each act."""
    new = [one for one in _icons(page) if one.identity not in known]
    return min(new, key=lambda one: (min(one.box.x, one.box.y), one.box.y), default=None)


def _icons(page: Observation) -> list[Element]:
    """Small controls about as wide as high, whose name, if any, is a picture's."""
    return [
        one
        for one in regions.reachable(page, page.elements)
        if one.role in ("link", "button")
        and not one.row
        and State.DISABLED not in one.states
        and max(one.box.width, one.box.height) <= _LARGEST
        and one.box.width <= 1.5 * one.box.height
        and one.name == one.name.lower()
    ]


def _tip_near(before: Observation, after: Observation, box: Box) -> str:
    """The words that have come near the control."""
    known = {(run.text, run.box) for run in before.texts}
    come = [
        run
        for run in after.texts
        if (run.text, run.box) not in known
        and abs(run.box.x - box.x) <= _NEAR + box.width
        and abs(run.box.y - box.y) <= _NEAR
    ]
    return come[0].text if len(come) == 1 else ""
