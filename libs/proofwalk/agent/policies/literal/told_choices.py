"""Chooses what a page tells and draws as no control: a card whose buttons come when the
pointer is over it, a line of a list without a role.

What stands on the page is never told as missing (`lone_text`); where nothing answers
the pointer, the walk says so and ends without a finding.
"""

from __future__ import annotations

import re

from proofwalk.agent.page import regions
from proofwalk.agent.page.scene import Script, Stuck
from proofwalk.agent.page.words import normalise
from proofwalk.agent.policies.literal.scene import DocumentScene
from proofwalk.console.actions import ClickAt, MoveTo
from proofwalk.console.observation import Element, Observation, TextRun

_GOES_ON = re.compile(r"[A-Z0-9][^\s]*(?: \S+){2,}")


def lone_text(page: Observation, label: str) -> TextRun | None:
    """Return the text in front that is exactly this label; None without one, or where
    several are."""
    found = texts(page, label)
    return found[0] if len(found) == 1 else None


def cards(page: Observation, label: str) -> list[Element]:
    """Return the one control that begins with this label as its title, and goes on with
    a sentence of its own: `Slow Drains one pump after the other`."""
    found = [
        element
        for element in regions.reachable(page, page.elements)
        if element.name.startswith(f"{label} ")
        and _GOES_ON.match(element.name[len(label) + 1 :])
        and not regions.in_navigation(page, element)
    ]
    return found if len(found) == 1 else []


def texts(page: Observation, label: str) -> list[TextRun]:
    """Return the texts in front that are exactly this label."""
    wanted = normalise(label)
    return [run for run in regions.texts_in_front(page) if normalise(run.text) == wanted]


def pick_told(scene: DocumentScene, label: str) -> Script[bool]:
    """Point at the text with this label, then click it. Return False where it is not
    on the page; raise `Stuck` where nothing happens."""
    text = lone_text(scene.page, label)
    if text is None:
        return False
    before = scene.page
    x, y = text.box.center
    yield from scene.act(f"“{label}” is told as text; I point at it.", MoveTo(x=x, y=y))
    yield from scene.settle()
    if scene.appeared(before):
        return True
    yield from scene.act(f"Nothing comes up; I click “{label}”.", ClickAt(x=x, y=y))
    yield from scene.settle()
    if scene.page.url != before.url or scene.appeared(before):
        return True
    raise Stuck(f"“{label}” is told on the page, and nothing happens when it is clicked")
