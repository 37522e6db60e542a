"""Moves that take something from one place to another: a copied text, a dragged thing.

Copying changes nothing in the backend: the text has to be there, and stays with the
reader. What is dragged and where to must both have a name, or the walk ends without
blame.
"""

from __future__ import annotations

from proofwalk.agent.page import grounding
from proofwalk.agent.page.scene import Script, Stuck
from proofwalk.agent.page.words import normalise
from proofwalk.agent.policies.literal import findings, seek
from proofwalk.agent.policies.literal.scene import DocumentScene
from proofwalk.agent.reading.intents import Intent
from proofwalk.console.actions import DragTo
from proofwalk.console.observation import Observation


def copy(scene: DocumentScene, intent: Intent) -> Script[None]:
    """Look for the name of the text that is copied. A text without a name is left to
    the reader."""
    if not intent.path:
        scene.pass_over(intent, why="what is copied stays with the reader")
        return
    label = intent.label
    there = yield from scene.await_page(
        f"I look for “{label}”, which is to be copied.",
        lambda page: grounding.seen(page, label),
        text=label,
        times=1,
    )
    if not there:
        raise findings.no_control(scene, intent, label)


def drag(scene: DocumentScene, intent: Intent) -> Script[None]:
    """Drag one named thing onto another."""
    if not intent.path or not intent.value:
        raise Stuck("what to drag, and where to, has no name that a page could show")
    yield from scene.settle()
    start = yield from _place(scene, intent, intent.label)
    end = yield from _place(scene, intent, intent.value)
    before = scene.page
    yield from scene.act(
        f"I drag “{intent.label}” to “{intent.value}”.",
        DragTo(from_x=start[0], from_y=start[1], x=end[0], y=end[1]),
    )
    yield from scene.settle()
    if _page_state(scene.page) == _page_state(before):
        raise Stuck(f"dragging “{intent.label}” to “{intent.value}” changed nothing")


def _place(scene: DocumentScene, intent: Intent, name: str) -> Script[tuple[float, float]]:
    """Return the middle of the one text or control of this name."""
    texts = [one.box for one in scene.page.texts if normalise(one.text) == normalise(name)]
    boxes = texts or [one.box for one in grounding.controls(scene.page, name, scene.place(intent))]
    if len(boxes) > 1:
        raise Stuck(f"{len(boxes)} things are called “{name}”")
    if not boxes:
        return (yield from seek.control(scene, intent, name)).box.center
    return boxes[0].center


def _page_state(page: Observation) -> tuple[object, ...]:
    return page.url, page.texts, page.elements
