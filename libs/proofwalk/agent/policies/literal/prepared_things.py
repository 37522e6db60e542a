"""Opens a thing that was prepared, by its name and from wherever the page is.

`Go to the flag that you want to change` tells no way. META gave the flag's name, and a
navigation entry of its kind leads to it where the page shows it nowhere. A row of that
name is left to `row_moves`.
"""

from __future__ import annotations

from proofwalk.agent.page import grounding, page_rows, regions
from proofwalk.agent.page.scene import Script
from proofwalk.agent.page.words import tokens
from proofwalk.agent.policies.literal import needs, seek
from proofwalk.agent.policies.literal.scene import DocumentScene
from proofwalk.agent.reading.intents import Intent
from proofwalk.console.observation import Element, Observation


def open_by_name(scene: DocumentScene, intent: Intent) -> Script[bool]:
    """Open a thing that was prepared by a control of its name, from wherever the page
    is: `go to the flag that you want to change`. Where neither a control nor a row has
    the name, the navigation entry of its kind is opened first. Return False where a row
    has it, or nothing does."""
    names = needs.bound(scene, intent)
    if not names or _in_a_row(scene.page, names):
        return False
    if not _named(scene, intent, names):
        entry = _entry_of_kind(scene.page, intent)
        if entry is None:
            return False
        yield from seek.press(scene, intent, entry, f"I look for it under “{entry.name}”.")
        yield from scene.await_page(
            f"I wait for “{names[0]}”.",
            lambda page: _in_a_row(page, names) or bool(_named(scene, intent, names)),
            text=names[0],
        )
    found = [] if _in_a_row(scene.page, names) else _named(scene, intent, names)
    if len(found) != 1:
        return False
    yield from seek.press(scene, intent, found[0], f"I open “{found[0].name}”.")
    return True


def _in_a_row(page: Observation, names: list[str]) -> bool:
    return any(page_rows.row_with(page, name) for name in names)


def _named(scene: DocumentScene, intent: Intent, names: list[str]) -> list[Element]:
    """Return the controls that are called what the first name of these that any is."""
    ways = (grounding.controls(scene.page, name, scene.place(intent)) for name in names)
    return next((found for found in ways if found), [])


def _entry_of_kind(page: Observation, intent: Intent) -> Element | None:
    """Return the navigation entry that shares a word with the thing's noun and has the
    fewest others; None where two do alike."""
    words = set(tokens(needs.resource_noun(intent.phrase)))
    entries = {
        element.name: element
        for element in page.elements
        if element.name
        and element.role not in grounding.TEXT_ROLES
        and regions.in_navigation(page, element)
        and words & set(tokens(element.name))
    }
    ranked = sorted(entries.values(), key=lambda element: len(tokens(element.name)))
    if len(ranked) > 1 and len(tokens(ranked[0].name)) == len(tokens(ranked[1].name)):
        return None
    return ranked[0] if ranked else None
