"""Chooses an entry under a head: `Under **Settings**, select **Identity**` in a
navigation whose groups fold, `select **Pumps** under **Services**` in a box of
suggestions.

The words are those of a field and its value, so `forms` asks here where no field has
the name. The head has to be on the page, and one control has to have the entry's name.
"""

from __future__ import annotations

from proofwalk.agent.page import grounding, places, regions
from proofwalk.agent.page.scene import Script
from proofwalk.agent.page.words import Match, match
from proofwalk.agent.policies.literal import seek
from proofwalk.agent.policies.literal.scene import DocumentScene
from proofwalk.agent.reading.intents import Intent
from proofwalk.console.observation import Element, State

_ENTRIES = ("link", "button", "menuitem", "treeitem", "tab", "option", "listitem")


def choose_entry(scene: DocumentScene, intent: Intent, head: str, value: str) -> Script[bool]:
    """Press the entry of this name under this head. Return False without either."""
    yield from scene.settle()
    fold = _fold(scene, head)
    if fold is None and not grounding.seen(scene.page, head):
        return False
    if fold is not None and State.COLLAPSED in fold.states:
        yield from seek.press(scene, intent, fold, f"“{value}” may be under “{head}”.")
    entry = _entry(scene, value)
    if entry is None:
        return False
    yield from seek.press(scene, intent, entry, f"I choose “{value}” under “{head}”.")
    return True


def _fold(scene: DocumentScene, head: str) -> Element | None:
    """The one control that folds a part of this name."""
    found = [
        one
        for one in regions.reachable(scene.page, scene.page.elements)
        if (State.COLLAPSED in one.states or State.EXPANDED in one.states)
        and one.role != "combobox"
        and match(head, one.name) is not Match.NONE
    ]
    return found[0] if len(found) == 1 else None


def _entry(scene: DocumentScene, value: str) -> Element | None:
    found = [
        one
        for one in grounding.controls(scene.page, value, places.Place())
        if one.role in _ENTRIES and State.DISABLED not in one.states
    ]
    beside = [one for one in found if regions.in_navigation(scene.page, one)]
    best = found if len(found) == 1 else beside
    return best[0] if len(best) == 1 else None
