"""Opens the menu that a click with the right button brings: of what the sentence names,
or of the thing that it describes.

A thing is a control of its name, such as an entry of a tree, or a row of a list. The
sentence's next act is done in the menu that has come. Where none comes, the walk stops
without a word against the document: pages can take such clicks for themselves.
"""

from __future__ import annotations

from proofwalk.agent.page.scene import Script, Stuck
from proofwalk.agent.policies.literal import prepared_things, row_moves, seek
from proofwalk.agent.policies.literal.scene import DocumentScene
from proofwalk.agent.reading.intents import Intent
from proofwalk.console.actions import Click
from proofwalk.console.observation import Element


def open_context_menu(scene: DocumentScene, intent: Intent) -> Script[None]:
    thing = yield from _thing(scene, intent)
    before = scene.page
    yield from scene.act(
        f"I click “{thing.name}” with the right button.", Click(id=thing.mark, right=True)
    )
    yield from scene.settle()
    if not scene.appeared(before):
        raise Stuck(f"“{thing.name}” was clicked with the right button, and no menu opened")


def _thing(scene: DocumentScene, intent: Intent) -> Script[Element]:
    if intent.path:
        return (yield from seek.control(scene, intent, intent.label))
    named = yield from prepared_things.seen_by_name(scene, intent)
    if named is not None:
        return named
    return (yield from row_moves.shown_of_row(scene, intent))
