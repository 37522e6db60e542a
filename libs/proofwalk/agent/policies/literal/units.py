"""A number and its unit: `10 minutes` in a field that has a list of units beside it.

The unit is chosen first, for a console may convert the number when it changes. A field
without such a list takes the number alone (`forms`).
"""

from __future__ import annotations

import re

from proofwalk.agent.page import page_fields, regions
from proofwalk.agent.page.page_fields import Field
from proofwalk.agent.page.words import UNIT, Match, match, normalise
from proofwalk.agent.policies.literal.scene import DocumentScene
from proofwalk.console.observation import Element

_WITH_UNIT = re.compile(rf"(?P<number>-?\d[\d,.]*)\s*(?P<unit>{UNIT})", re.I)
_NEAR = 260.0
"""Pixels between a field and its list of units, at most."""
_A_LINE = 22.0


def parted(value: str) -> tuple[str, str]:
    """`10 minutes` → `10`, `minutes`; two empty texts for another value."""
    found = _WITH_UNIT.fullmatch(value.strip())
    return (found["number"], found["unit"]) if found else ("", "")


def list_beside(scene: DocumentScene, found: Field) -> Field | None:
    """Return the list right of a field, on its line, that has no label but the field's
    own, or one that speaks of a unit."""
    box = found.first.box
    beside = [
        one
        for one in regions.reachable(scene.page, scene.page.elements)
        if one.role == "combobox"
        and one.identity != found.first.identity
        and abs(one.box.center[1] - box.center[1]) <= _A_LINE
        and 0 <= one.box.x - (box.x + box.width) <= _NEAR
        and _is_of_unit(one, found)
    ]
    nearest = sorted(beside, key=lambda one: one.box.x)[:1]
    return Field(label=f"{found.label} (unit)", elements=(nearest[0],)) if nearest else None


def _is_of_unit(element: Element, found: Field) -> bool:
    name = element.label or element.name
    told = normalise(f"{name} {element.placeholder}")
    own = not name or match(found.label, name) is not Match.NONE
    return own or re.search(r"\bunits?\b", told) is not None


def of_last_filled(scene: DocumentScene) -> Field | None:
    """Return the list of units beside the field that was filled last."""
    if not scene.memory.filled:
        return None
    label = scene.memory.filled[-1].label
    named = [one for one in page_fields.all_fields(scene.page) if one.label == label]
    lists = [one for field in named if (one := list_beside(scene, field)) is not None]
    return lists[0] if len(lists) == 1 else None
