"""Opens drop-down lists, reads and searches what they offer, and closes them again.

`choices` decides what is chosen. A list is closed by what closes nothing else: an
Escape for a list that has gone already would close the dialog around it.
"""

from __future__ import annotations

import re

from proofwalk.agent.page import grounding
from proofwalk.agent.page.grounding import OPTION_ROLES
from proofwalk.agent.page.scene import Script
from proofwalk.agent.page.words import normalise
from proofwalk.agent.policies.literal import levels
from proofwalk.agent.policies.literal.scene import DocumentScene
from proofwalk.agent.reading.intents import Intent
from proofwalk.console.actions import Click, Press, Scroll, Type
from proofwalk.console.observation import Element, Observation, State

_SCROLLS = 8
"""How often a long list of options is scrolled before it counts as read."""

_JOINTS = re.compile(r",? and |, |、|和")
NO_OPTIONS = (
    "not found",
    "no data",
    "no options",
    "no data available",
    "no results",
    "no results found",
    "no matches",
    "no matches found",
    "无数据",
    "暂无数据",
    "无匹配数据",
)
"""What a list says that has nothing to offer."""


def open_list(scene: DocumentScene, box: Element, label: str) -> Script[list[Element]]:
    """Open a drop-down list and return its options; wait once for the first."""
    before = scene.page
    yield from scene.act(f"I open “{label}”.", Click(id=box.mark))
    yield from scene.settle()
    offered = options_of(scene, before)
    if not offered:
        yield from scene.pause("The list is still empty; I wait for it.", 3)
        offered = options_of(scene, before)
    return offered


def each_of(offered: list[Element], value: str) -> list[Element]:
    """Return the options that a value names one after the other: `Read and Write`.
    Empty for one option, and where one of them is not offered."""
    parts = [part.strip() for part in _JOINTS.split(value) if part.strip()]
    found = [grounding.options(offered, part) for part in parts]
    return [one[0] for one in found] if len(parts) > 1 and all(found) else []


def close_list(scene: DocumentScene, box: Element, thought: str) -> Script[None]:
    """Close a drop-down list if it is still open. Otherwise Escape would close the
    dialog around it; some dialogs close by it although a list is open. In them, a list
    that does not say whether it is open is closed by a click on its box."""
    here = grounding.same(scene.page, box)
    if here is not None and State.COLLAPSED in here.states:
        return
    untold = here is not None and State.EXPANDED not in here.states
    if here is not None and untold and scene.page.modal:
        if any(one.role in OPTION_ROLES and one.container for one in scene.page.elements):
            yield from scene.act(thought, Click(id=here.mark))
        return
    yield from scene.act(thought, Press(key="Escape"))


def shut_list(scene: DocumentScene, box: Element, label: str) -> Script[None]:
    """Close a list that stays open behind a choice, as one of several choices does: it
    lies over what comes next. A click on its box closes nothing else."""
    here = grounding.same(scene.page, box)
    if here is None or State.EXPANDED not in here.states:
        return
    yield from scene.act(f"The list of “{label}” stays open; I close it.", Click(id=here.mark))
    yield from scene.settle()
    here = grounding.same(scene.page, box)
    if here is not None and State.EXPANDED in here.states:
        yield from close_list(scene, here, "It is still open; I close it by the key.")


def options_of(scene: DocumentScene, before: Observation) -> list[Element]:
    """Return the options that have appeared since `before`; none after a reload."""
    if scene.page.url != before.url:
        return []
    fresh = [
        element
        for element in scene.appeared(before)
        if element.role in OPTION_ROLES and element.name.strip()
    ]
    if fresh:
        return [
            element for element in fresh if normalise(element.name) not in (*NO_OPTIONS, "loading")
        ]
    return []


def search_list(
    scene: DocumentScene, intent: Intent, box: Element, value: str, offered: list[Element]
) -> Script[list[Element]]:
    """Open the level that the sentence puts `value` under, scroll a long list, or type
    into a box that can be searched, and return the options that answer `value`. Options
    that come up are added to `offered`."""
    below = yield from levels.below_named(scene, intent, offered, value)
    if below:
        return below
    known = {element.identity for element in offered}
    last = offered[-1]
    for _ in range(_SCROLLS if len(offered) >= 6 else 0):
        past = yield from scene.act(
            f"“{value}” may be further down the list.", Scroll(id=last.mark, dy=200)
        )
        listed = [
            element
            for element in scene.page.elements
            if element.role in OPTION_ROLES and element.container == last.container
        ]
        found = grounding.options(listed, value)
        if found:
            return found
        fresh = [element for element in listed if element.identity not in known]
        if not past.ok or not fresh:
            break
        known |= {element.identity for element in fresh}
        offered += fresh
        last = fresh[-1]
    here = grounding.same(scene.page, box)
    if here is not None and State.READONLY not in here.states and here.tag == "input":
        before = scene.page
        past = yield from scene.act(
            f"I search the list for “{value}”.", Type(id=here.mark, text=value)
        )
        if past.ok:
            yield from scene.settle()
            listed = [element for element in scene.page.elements if element.role in OPTION_ROLES]
            fresh = [
                element for element in listed if element.container == last.container
            ] or scene.appeared(before)
            return grounding.options(fresh, value)
    return []
