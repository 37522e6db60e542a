"""Why a control is greyed out: consoles tell it when the pointer rests on it.

A tip that takes the focus, as those of Alibaba's kit do, is a control of the tooltip
and no text.
"""

from __future__ import annotations

from proofwalk.agent.page.grounding import same
from proofwalk.agent.page.scene import Scene, Script
from proofwalk.console.actions import Hover
from proofwalk.console.observation import Element


def reason_of(scene: Scene, element: Element) -> Script[str]:
    """Return what the page says about a disabled control, by itself or when it is
    pointed at; empty if it says nothing."""
    if element.hint:
        return element.hint
    yield from scene.act(
        f"“{element.name}” is greyed out; I point at it to learn why.", Hover(id=element.mark)
    )
    page = scene.page
    now = same(page, element)
    tips = [run.text for run in page.texts if run.role == "tooltip"]
    tips += [one.name for one in page.elements if one.container == "tooltip" and one.name]
    return (now.hint if now is not None else "") or "; ".join(tips)
