"""Searches a list: `enter **x** in the search box`, `search for **x**`.

A search box seldom has the name that a document gives it, so the one in front is used.
If there are several, or none, the walk ends without blame, since nothing says which one
is meant.
"""

from __future__ import annotations

import re

from proofwalk.agent.page import grounding, regions
from proofwalk.agent.page.scene import Script, Stuck
from proofwalk.agent.page.words import Match, match, match_value
from proofwalk.agent.policies.literal.scene import DocumentScene
from proofwalk.agent.reading.intents import Intent, IntentKind, ScopeKind
from proofwalk.console.actions import Press, Type
from proofwalk.console.observation import Element

_AT_THE_TOP = re.compile(
    r"search (?:box|bar|field) at the top|\b(?:portal|console|global)(?:['’]s)? search\b", re.I
)
_SUGGESTIONS = ("option", "link", "button", "menuitem", "listitem")
_TAKES = (
    IntentKind.SET,
    IntentKind.CLICK,
    IntentKind.NAVIGATE,
    IntentKind.OPEN_ROW,
    IntentKind.SELECT_ROW,
)
_SEARCHES = re.compile(r"\b(?:search|filter|find)\b|搜索|查询|查找|筛选|检索|过滤", re.I)


def search(scene: DocumentScene, intent: Intent) -> Script[None]:
    """Enter the value into the search box in front, and send it."""
    value = intent.value
    boxes = _boxes(scene, intent)
    if value is None or len(boxes) != 1:
        what = "no search box" if not boxes else f"{len(boxes)} search boxes"
        raise Stuck(
            f"I am to search, and I see {what}" if value else "what to search for stands nowhere"
        )
    before = scene.page
    yield from scene.act(f"I search for “{value}”.", Type(id=boxes[0].mark, text=value))
    yield from scene.settle()
    if _suggests_what_is_taken(scene, intent, scene.appeared(before)):
        return
    yield from scene.act("I send the search.", Press(key="Enter"))
    yield from scene.settle()


def suggested(scene: DocumentScene, name: str) -> Script[Element | None]:
    """Ask the search box of the top bar for a page or a thing that nothing in sight
    leads to, as a person would. Return what it suggests of this name; None, with the
    box as it was, where it has none."""
    above = [
        one
        for one in regions.reachable(scene.page, scene.page.elements)
        if is_search(one) and regions.in_top_bar(one)
    ]
    if len(above) != 1 or scene.page.modal or above[0].value:
        return None
    before = scene.page
    told = f"“{name}” is not in sight; I ask “{above[0].name or 'the search box'}” for it."
    yield from scene.act(told, Type(id=above[0].mark, text=name))
    yield from scene.settle()
    found = [
        one
        for one in scene.appeared(before)
        if one.role in _SUGGESTIONS and match_value(name, one.name) is not Match.NONE
    ]
    exact = [one for one in found if match(name, one.name) is Match.EXACT]
    if len(exact or found) == 1:
        return (exact or found)[0]
    box = grounding.same(scene.page, above[0])
    if box is not None:
        yield from scene.act("It suggests none; I clear it.", Type(id=box.mark, text=""))
        yield from scene.settle()
    return None


def _suggests_what_is_taken(scene: DocumentScene, intent: Intent, suggested: list[Element]) -> bool:
    """True if the box suggests what the document takes next. To send the search would
    open the first suggestion, or a page of its own."""
    told = [one for reading in scene.memory.readings[scene.turn.index :] for one in reading.intents]
    at = next((at for at, one in enumerate(told) if one is intent), len(told))
    following = next((one for one in told[at + 1 :] if one.kind in _TAKES), None)
    name = following and (following.value or following.label)
    return bool(name) and any(match_value(name, one.name) is not Match.NONE for one in suggested)


def _boxes(scene: DocumentScene, intent: Intent) -> list[Element]:
    """Return the search boxes in front. Those of the top bar count if the sentence
    names the bar, or if there are no others."""
    front = [one for one in regions.reachable(scene.page, scene.page.elements) if is_search(one)]
    above = [one for one in front if regions.in_top_bar(one)]
    at_top = _AT_THE_TOP.search(intent.origin.sentence) is not None
    if at_top or intent.scope(ScopeKind.TOP_BAR, ScopeKind.CORNER) is not None:
        return above or front
    return [one for one in front if one not in above] or front


def is_search(element: Element) -> bool:
    """Return True for a box that searches, by its role or what it is called."""
    if element.role == "searchbox":
        return True
    named = f"{element.label} {element.name} {element.placeholder}"
    return element.role in grounding.TEXT_ROLES and _SEARCHES.search(named) is not None
