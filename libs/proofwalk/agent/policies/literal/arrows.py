"""Presses arrows: the part of a split button that opens its menu, and what unfolds a
row.

The arrow beside a button is not the button. Where the button that the document names
is no longer beside the only arrow in front, for its name has moved into the menu, the
walk says so and goes on with the arrow.
"""

from __future__ import annotations

import re
from dataclasses import replace

from proofwalk.agent.page import grounding, regions
from proofwalk.agent.page.scene import Script
from proofwalk.agent.policies.literal import findings, seek
from proofwalk.agent.policies.literal.scene import DocumentScene
from proofwalk.agent.reading.intents import PICTURE, Intent
from proofwalk.console.observation import Element, State

_SHOWN = "▾"
_UNFOLDS = re.compile(
    r"\b(?:expand|collapse|unfold|toggle|show|details?)\b|^▾$|展开|收起|折叠|详情", re.I
)
_GAP = 8
"""Pixels between the two parts of a split button, at most."""


def press(scene: DocumentScene, intent: Intent) -> Script[None]:
    """Press the arrow that the intent means. Raises `Stuck` with a finding if there is
    none."""
    yield from scene.settle()
    if intent.label not in intent.words:
        yield from _unfold_row(scene, intent)
        return
    found = _beside(scene, intent)
    if found is None:
        thought = f"I look for the arrow beside “{intent.label}”."
        yield from scene.pause(thought, 3, intent.label)
        found = _beside(scene, intent)
    other = _beside_another(scene) if found is None else None
    found = found or (other and other[1])
    if found is None:
        found = yield from seek.control(scene, replace(intent, noun="button"), intent.label)
    if State.EXPANDED not in found.states:
        yield from seek.press(scene, intent, found, f"I open the menu beside “{intent.label}”.")
    if other is not None:
        _note(scene, intent, other[0].name)


def _arrows(scene: DocumentScene) -> list[Element]:
    front = regions.reachable(scene.page, scene.page.elements)
    return [one for one in front if one.name == _SHOWN and not one.row]


def _beside(scene: DocumentScene, intent: Intent) -> Element | None:
    """The arrow directly behind a button of the intent's name."""
    named = grounding.controls(scene.page, intent.label, scene.place(intent))
    return next((arrow for arrow in _arrows(scene) for one in named if _adjoins(one, arrow)), None)


def _beside_another(scene: DocumentScene) -> tuple[Element, Element] | None:
    """A button of another name with the only arrow in front, which stands behind it."""
    arrows = _arrows(scene)
    others = [
        one
        for one in scene.page.elements
        if len(arrows) == 1 and one.role == "button" and one.name and _adjoins(one, arrows[0])
    ]
    return (others[0], arrows[0]) if len(others) == 1 else None


def _note(scene: DocumentScene, intent: Intent, other: str) -> None:
    """Note that the button is an entry of the menu now, if it is and can be used. Else
    the page may not be as it should, and the document is not to blame."""
    entries = grounding.controls(scene.page, intent.label, scene.place(intent))
    if not any(State.DISABLED not in one.states for one in entries):
        return
    scene.noted.append(findings.arrow_moved(scene, intent, other))


def _adjoins(button: Element, arrow: Element) -> bool:
    """True if the arrow begins where the button ends, on one line with it."""
    gap = arrow.box.x - (button.box.x + button.box.width)
    return abs(gap) <= _GAP and abs(arrow.box.y - button.box.y) <= _GAP


def _unfold_row(scene: DocumentScene, intent: Intent) -> Script[None]:
    """Press what unfolds the row that the sentence speaks of. One that is not found
    blames nobody: which row it is may be the walk's mistake."""
    inside = [one for one in scene.page.elements if scene.row and one.row == scene.row]
    arrow = next(
        (one for one in inside if _UNFOLDS.search(one.name) or State.COLLAPSED in one.states), None
    )
    if arrow is None:
        arrow = yield from seek.control(scene, replace(intent, noun=PICTURE), intent.label)
    if State.EXPANDED not in arrow.states:
        yield from seek.press(scene, intent, arrow, "I unfold the row.")
