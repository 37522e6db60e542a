"""Chooses where a list does not offer the value by itself: several options that it
names, a control of its name beside the list, a suggestion that goes on with its kind.

`choices` asks here before it blames the document.
"""

from __future__ import annotations

from proofwalk.agent.page import grounding, regions
from proofwalk.agent.page.scene import Script
from proofwalk.agent.page.words import Match, match_value
from proofwalk.agent.policies.literal import headed, option_lists, seek, told_choices
from proofwalk.agent.policies.literal.scene import DocumentScene
from proofwalk.agent.reading.intents import Intent, ScopeKind
from proofwalk.console.observation import Element


def pick_otherwise(scene: DocumentScene, intent: Intent, value: str) -> Script[bool]:
    """Choose a longer suggestion, or what the page tells and draws as no control.
    Return False without either."""
    if (yield from _pick_longer(scene, intent)):
        return True
    part = intent.scope(ScopeKind.SECTION)
    head = part.label if part is not None else ""
    if head and (yield from headed.choose_entry(scene, intent, head, value)):
        return True  # `select **Identity** in the **Settings** group`
    return (yield from told_choices.pick_told(scene, value))


def pick_each(
    scene: DocumentScene, intent: Intent, several: list[Element], box: Element, label: str
) -> Script[None]:
    """Press several options of one list, one after the other, and close it."""
    for one in several:
        yield from seek.press(scene, intent, one, f"I choose “{one.name}” for “{label}”.")
    yield from option_lists.shut_list(scene, box, label)


def press_beside(scene: DocumentScene, intent: Intent) -> Script[bool]:
    """Press the one link or button that has the value's name: `Create new` beside a
    list. Return False without one."""
    beside = [
        one
        for one in grounding.controls(scene.page, intent.value or "", scene.place(intent))
        if one.role in ("link", "button") and not regions.in_navigation(scene.page, one)
    ]
    if len(beside) != 1:
        return False
    yield from seek.press(scene, intent, beside[0], f"I click “{intent.value}”.")
    return True


def _pick_longer(scene: DocumentScene, intent: Intent) -> Script[bool]:
    """Press the one suggestion whose name begins with the value and goes on with its
    kind: `otter Pump`. Return False without one."""
    longer = [
        one
        for one in regions.reachable(scene.page, scene.page.elements)
        if one.role == "option"
        and (one.container or one.group)
        and match_value(intent.value or "", one.name) is not Match.NONE
    ]
    if len(longer) != 1:
        return False
    yield from seek.press(scene, intent, longer[0], f"I choose “{longer[0].name}”.")
    return True
