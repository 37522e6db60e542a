"""Opens a thing that was prepared, by its name and from wherever the page is.

`Go to the flag that you want to change` tells no way. META gave the flag's name, and a
navigation entry of its kind leads to it where the page shows it nowhere. A row of that
name is left to `row_moves`.
"""

from __future__ import annotations

from proofwalk.agent.page import differences, grounding, page_rows, regions
from proofwalk.agent.page.scene import Script
from proofwalk.agent.page.words import normalise, tokens
from proofwalk.agent.policies.literal import needs, searches, seek, told_choices
from proofwalk.agent.policies.literal.scene import DocumentScene
from proofwalk.agent.reading.intents import Intent
from proofwalk.console.observation import Element, Observation, State

_SWITCHES = ("checkbox", "switch", "radio")
"""A switch beside a thing's name turns it on; it does not select it."""


def open_by_name(scene: DocumentScene, intent: Intent) -> Script[bool]:
    """Open a thing that was prepared by a control of its name, from wherever the page
    is: `go to the flag that you want to change`. Where neither a control nor a row has
    the name, the navigation entry of its kind is opened first. Return False where a row
    has it, or nothing does."""
    names = [*intent.path, *needs.bound(scene, intent, of_sentence=False)]
    if not names or _in_a_row(scene.page, names):
        return False
    if intent.path and normalise(differences.in_front(scene.page).name) == normalise(names[0]):
        return True  # Its page is in front.
    if (yield from _opened(scene, intent, names)):
        return True
    entry = _entry_of_kind(scene.page, intent)
    if entry is None and intent.path:
        entry = yield from searches.suggested(scene, names[0])
        if entry is not None:
            yield from seek.press(scene, intent, entry, f"I open “{names[0]}”.")
        return entry is not None
    if entry is None:
        return False
    yield from seek.press(scene, intent, entry, f"I look for it under “{entry.name}”.")
    yield from scene.await_page(
        f"I wait for “{names[0]}”.",
        lambda page: _in_a_row(page, names) or bool(_named(scene, intent, names)),
        text=names[0],
    )
    return not _in_a_row(scene.page, names) and (yield from _opened(scene, intent, names))


def _opened(scene: DocumentScene, intent: Intent, names: list[str]) -> Script[bool]:
    """Press the one control that is called so. Return False where there is none, or
    nothing follows."""
    found = _named(scene, intent, names)
    if len(found) != 1 or found[0].role in _SWITCHES:
        return False
    before = scene.page
    yield from seek.press(scene, intent, found[0], f"I open “{found[0].name}”.")
    return scene.page.url != before.url or bool(scene.appeared(before))


def choose_by_name(scene: DocumentScene, intent: Intent) -> Script[bool]:
    """Choose a thing that was prepared where no field takes it: the head of a section
    of its name, or a card. Return False where the page has neither."""
    names = needs.bound(scene, intent, of_sentence=False)[:1]
    if not names:
        return False
    if _named(scene, intent, names):
        return (yield from select_by_name(scene, intent))
    return (yield from told_choices.pick_told(scene, names[0]))


def seen_by_name(scene: DocumentScene, intent: Intent) -> Script[Element | None]:
    """Return the control in view that has the name of a thing that was prepared. None
    where there is none, or a row has the name."""
    names = needs.bound(scene, intent, of_sentence=False)[:1]
    if names and not scene.page.modal and not grounding.seen(scene.page, names[0]):
        yield from scene.await_page(  # Sections load behind the page's head.
            f"I wait for “{names[0]}”.",
            lambda page: _in_a_row(page, names) or bool(_named(scene, intent, names)),
            text=names[0],
            times=1,
        )
    if not names or _in_a_row(scene.page, names):
        return None
    found = [one for one in _named(scene, intent, names) if one.role not in _SWITCHES]
    return found[0] if len(found) == 1 else None


def select_by_name(scene: DocumentScene, intent: Intent, *, opens: bool = True) -> Script[bool]:
    """Select a thing that was prepared by a control of its name in view, such as the
    head of a section that unfolds (only looked for, without `opens`). Return False
    where there is none, or a row has the name."""
    found = yield from seen_by_name(scene, intent)
    names = needs.bound(scene, intent, of_sentence=False)[:1]
    if not names or _in_a_row(scene.page, names):
        return False
    if found is None:
        return bool(told_choices.texts(scene.page, names[0]))
    scene.memory.head = found.identity
    if opens and not {State.EXPANDED, State.SELECTED} & set(found.states):
        yield from seek.press(scene, intent, found, f"I select “{found.name}”.")
    return True


def _in_a_row(page: Observation, names: list[str]) -> bool:
    return any(page_rows.row_with(page, name) for name in names)


def _named(scene: DocumentScene, intent: Intent, names: list[str]) -> list[Element]:
    """Return the controls that are called what the first name of these that any is."""
    noun = normalise(needs.resource_noun(intent.phrase))
    for name in names:
        found = grounding.controls(scene.page, name, scene.place(intent))
        if found and not all(one.role in _SWITCHES for one in found):
            return found
        heads = _heads(scene.page, noun, normalise(name))
        if len(heads) == 1:
            return heads
        if found:
            return found
    return []


def _heads(page: Observation, noun: str, name: str) -> list[Element]:
    """Return the cards and heads of sections whose text begins with this name, or with
    the noun and the name: each is one control, and tells more than the name."""
    beginnings = (f"{name} ", f"{noun} {name} ") if noun else (f"{name} ",)
    return [
        element
        for element in page.elements
        if element.role in ("link", "button")
        and not regions.in_navigation(page, element)
        and f"{normalise(element.name)} ".startswith(beginnings)
    ]


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
