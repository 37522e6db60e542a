"""Moves through menus and navigation: opening what holds a control, and pointing at
it."""

from __future__ import annotations

from proofwalk.agent.page import differences, grounding, page_rows, regions
from proofwalk.agent.page.scene import Script
from proofwalk.agent.page.words import MORE, Match, match, normalise
from proofwalk.agent.policies.literal import (
    findings,
    seek,
)
from proofwalk.agent.policies.literal.field_clicks import into_field, names_field
from proofwalk.agent.policies.literal.products import at_product, open_product
from proofwalk.agent.policies.literal.scene import DocumentScene
from proofwalk.agent.reading.intents import PAGE_IN_WORDS, SECTION, Intent, ScopeKind
from proofwalk.console.actions import Hover
from proofwalk.console.observation import Element, State, TextRun

_INDENT = 40
"""How far an entry of a menu may begin beside the title over it."""


def navigate(scene: DocumentScene, intent: Intent) -> Script[None]:
    path = intent.path
    if intent.noun == PAGE_IN_WORDS and _is_in_front(scene, path[0]):
        return
    if intent.noun == SECTION and (yield from _section_in_front(scene, intent)):
        return
    if names_field(scene, intent, intent.label) and (yield from into_field(scene, intent)):
        return
    if len(path) == 1 and _is_open(scene, intent):
        return
    missing = not grounding.controls(scene.page, path[0], scene.place(intent, navigation=True))
    if missing and scene.turn.task.product and not at_product(scene.page, scene.turn.task.product):
        yield from open_product(scene, scene.turn.task.product)
    title = ""
    for position, label in enumerate(path):
        if position + 1 < len(path) and _only_heads(scene, intent, label, path[position + 1]):
            title = label
            continue
        found = yield from seek.control(scene, intent, label, navigation=True, inside=position > 0)
        _note_parent(scene, intent, found, position, title=title)
        following = path[position + 1] if position + 1 < len(path) else None
        if following and (
            State.EXPANDED in found.states or _visible_below(scene, intent, found, following)
        ):
            continue  # A press would shut it.
        yield from seek.press(scene, intent, found, f"I choose “{label}” in the navigation.")
    scene.memory.row_value = "" if not scene.page.modal else scene.memory.row_value


def _note_parent(
    scene: DocumentScene, intent: Intent, entry: Element, position: int, *, title: str
) -> None:
    """Note an entry of the path that stands under another parent than the path says.
    `title`: the part of the path before it, if that was a title."""
    parent = intent.path[position - 1] if position else ""
    under = _other_title(scene, entry, title) if title and parent == title else ""
    if position and _stands_elsewhere(scene, entry, parent):
        under = entry.group
    if under:
        scene.noted.append(findings.moved(scene, intent, intent.path[position], parent, under))


def _only_heads(scene: DocumentScene, intent: Intent, label: str, following: str) -> bool:
    """True if a part of a path is a title in the navigation, which nobody can press,
    and the entry behind it is in sight."""
    place = scene.place(intent, navigation=True)
    return (
        not grounding.controls(scene.page, label, place)
        and grounding.seen(scene.page, label)
        and bool(grounding.controls(scene.page, following, place))
    )


def _is_in_front(scene: DocumentScene, name: str) -> bool:
    return match(name, differences.in_front(scene.page).name) is not Match.NONE


def _is_open(scene: DocumentScene, intent: Intent) -> bool:
    """True if the page in front is that of the thing, and nothing else is called so."""
    return normalise(differences.in_front(scene.page).name) == normalise(
        intent.label
    ) and not grounding.controls(scene.page, intent.label, scene.place(intent, navigation=True))


def _section_in_front(scene: DocumentScene, intent: Intent) -> Script[bool]:
    """Return True if the section is a part of the page in front, and no entry of the
    navigation is called so."""
    place = scene.place(intent, navigation=True)
    entries = grounding.controls(scene.page, intent.label, place)
    if any(regions.in_navigation(scene.page, one) or one.role == "tab" for one in entries):
        return False
    return (yield from seek.section(scene, intent.label))


def _stands_elsewhere(scene: DocumentScene, entry: Element, parent: str) -> bool:
    """True if the entry stands under another parent than the path says."""
    return (
        bool(entry.group)
        and regions.in_navigation(scene.page, entry)
        and match(parent, entry.group) is Match.NONE
    )


def _other_title(scene: DocumentScene, entry: Element, title: str) -> str:
    """Return the title of an open menu that the entry stands under, where the path says
    another one of it. Empty otherwise."""
    texts = [run for run in scene.page.texts if run.container and run.container == entry.container]
    told = [run for run in texts if match(title, run.text) is not Match.NONE]
    above = [
        run for run in texts if abs(run.box.x - entry.box.x) <= _INDENT and run.box.y < entry.box.y
    ]
    over = max(above, key=lambda run: run.box.y, default=None)
    if over is None or len(told) != 1 or over in told or not _is_drawn_alike(told[0], over):
        return ""
    return over.text


def _is_drawn_alike(title: TextRun, other: TextRun) -> bool:
    """True for two titles of a menu. A line that describes an entry is none."""
    return (
        title.role == other.role
        and title.text.isupper() == other.text.isupper()
        and abs(title.box.height - other.box.height) <= 1
    )


def _visible_below(scene: DocumentScene, intent: Intent, parent: Element, label: str) -> bool:
    found = grounding.controls(scene.page, label, scene.place(intent, navigation=True))
    return State.COLLAPSED not in parent.states and any(
        element.box.y >= parent.box.y and element.identity != parent.identity for element in found
    )


def open_more(scene: DocumentScene, intent: Intent) -> Script[None]:
    found = grounding.openers(scene.page, scene.row)
    if not found and not scene.row:
        shown = page_rows.rows(scene.page)
        found = grounding.openers(scene.page, shown[0]) if len(shown) == 1 else []
    if not found:
        menu = intent.scope(ScopeKind.MENU)
        element = yield from seek.control(scene, intent, menu.label if menu else intent.path[0])
        found = [element]
    before = scene.page
    yield from seek.press(scene, intent, found[-1], "I open the menu of further actions.")
    if not scene.appeared(before):
        again = next(
            (element for element in scene.page.elements if element.identity == found[-1].identity),
            None,
        )
        if again is not None:
            yield from scene.act("Nothing opened; I point at it instead.", Hover(id=again.mark))


def hover(scene: DocumentScene, intent: Intent) -> Script[None]:
    if normalise(intent.label) in MORE:
        yield from open_more(scene, intent)
        return
    found = yield from seek.control(scene, intent, intent.label)
    yield from scene.act(f"I point at “{intent.label}”.", Hover(id=found.mark))
