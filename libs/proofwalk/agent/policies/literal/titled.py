"""Controls that belong to a title of the page: on its line, or below it.

Each part of a page may have a button of the same name (*Edit*, *Expand*), and a card
its own dots. Which is meant says the title that the sentence names.
"""

from __future__ import annotations

import re

from proofwalk.agent.page import regions
from proofwalk.agent.page.words import normalise
from proofwalk.agent.policies.literal.scene import DocumentScene
from proofwalk.agent.reading.intents import UNFOLDED, Intent
from proofwalk.console.observation import Element, State

_UNFOLDS = re.compile(r"(?:expand|show|unfold|open|▾|展开)?", re.I)
"""What a button is called that unfolds what is beside or below it."""
_A_LINE = 24.0
"""Pixels between a title and a button on its line, from middle to middle."""


def of_its_title(scene: DocumentScene, intent: Intent, found: list[Element]) -> list[Element]:
    """Of equal controls, return the one that belongs to the title that the sentence
    names: right of it on its line, else the first below it. All of them without one."""
    if len(found) < 2:
        return found
    own = normalise(found[0].name)
    for name in {normalise(scope.label) for scope in intent.scopes} - {"", own}:
        titles = [run for run in scene.page.texts if normalise(run.text) == name]
        if len(titles) != 1:
            continue
        left, middle = titles[0].box.x, titles[0].box.center[1]
        beside = [
            one for one in found if abs(one.box.center[1] - middle) <= _A_LINE and one.box.x >= left
        ]
        if beside:
            return [min(beside, key=lambda one: one.box.x)]
        below = [one for one in found if one.box.y >= middle]
        if below and len(below) < len(found):
            return [min(below, key=lambda one: (one.box.y, one.box.x))]
    return found


def unfolding(scene: DocumentScene, intent: Intent, label: str) -> Element | None:
    """Return the one button on the line of a title that is to be unfolded."""
    titles = [run for run in scene.page.texts if normalise(run.text) == normalise(label)]
    if intent.noun != UNFOLDED or len(titles) != 1:
        return None
    middle = titles[0].box.center[1]
    beside = [
        one
        for one in regions.reachable(scene.page, scene.page.elements)
        if one.role == "button"
        and abs(one.box.center[1] - middle) <= _A_LINE
        and not regions.in_navigation(scene.page, one)
        and (State.COLLAPSED in one.states or _UNFOLDS.fullmatch(one.name))
    ]
    return beside[0] if len(beside) == 1 else None
