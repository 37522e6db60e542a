"""Searches a list: `enter **x** in the search box`, `search for **x**`.

A search box seldom has the name that a document gives it, so the one in front is used.
If there are several, or none, the walk ends without blame, since nothing says which one
is meant.
"""

from __future__ import annotations

import re

from proofwalk.agent.page import grounding, regions
from proofwalk.agent.page.scene import Script, Stuck
from proofwalk.agent.policies.literal.scene import DocumentScene
from proofwalk.agent.reading.intents import Intent, ScopeKind
from proofwalk.console.actions import Press, Type
from proofwalk.console.observation import Element

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
    yield from scene.act(f"I search for “{value}”.", Type(id=boxes[0].mark, text=value))
    yield from scene.act("I send the search.", Press(key="Enter"))
    yield from scene.settle()


def _boxes(scene: DocumentScene, intent: Intent) -> list[Element]:
    """Return the search boxes in front. Those of the top bar count if the sentence
    names the bar, or if there are no others."""
    front = [one for one in regions.reachable(scene.page, scene.page.elements) if is_search(one)]
    above = [one for one in front if regions.in_top_bar(one)]
    if intent.scope(ScopeKind.TOP_BAR, ScopeKind.CORNER) is not None:
        return above or front
    return [one for one in front if one not in above] or front


def is_search(element: Element) -> bool:
    """Return True for a box that searches, by its role or what it is called."""
    if element.role == "searchbox":
        return True
    named = f"{element.label} {element.name} {element.placeholder}"
    return element.role in grounding.TEXT_ROLES and _SEARCHES.search(named) is not None
