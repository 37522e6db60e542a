"""Turns the pages of a list, to find a thing that the first of them does not show.

Only a list has buttons for both ways. A *Next* alone may be that of a form of several
steps, and is left.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from proofwalk.agent.page import page_rows, regions
from proofwalk.agent.page.scene import Script
from proofwalk.agent.policies.literal import seek
from proofwalk.agent.policies.literal.scene import DocumentScene
from proofwalk.agent.reading.intents import Intent
from proofwalk.console.observation import Element, Observation, State

_MOST = 8
"""Pages that are turned for one thing."""
_ARROW = r"(?:chevron|arrow|angle|caret)[ -]"
_NEXT = re.compile(rf"(?:go to )?next(?: page)?|[›»>]|下一页|{_ARROW}right", re.I)
_BEFORE = re.compile(rf"(?:go to )?prev(?:ious)?(?: page)?|[‹«<]|上一页|{_ARROW}left", re.I)


def find(scene: DocumentScene, intent: Intent, names: Sequence[str]) -> Script[str]:
    """Turn to the page whose rows have one of these names. Return that name; empty
    where no page has it."""
    for _ in range(_MOST if names else 0):
        button = _next(scene.page)
        if button is None:
            return ""
        told = f"“{names[0]}” may be on the next page of the list."
        yield from seek.press(scene, intent, button, told)
        found = next((name for name in names if page_rows.row_with(scene.page, name)), "")
        if found:
            return found
    return ""


def _next(page: Observation) -> Element | None:
    """Return the button for the next page of the list in front."""
    buttons = [
        one
        for one in regions.reachable(page, page.elements)
        if one.role in ("button", "link") and not regions.in_navigation(page, one)
    ]
    forward = [
        one
        for one in buttons
        if _NEXT.fullmatch(one.name) and State.DISABLED not in one.states and not one.row
    ]
    both_ways = any(_BEFORE.fullmatch(one.name) for one in buttons)
    return forward[0] if len(forward) == 1 and both_ways and page_rows.rows(page) else None
