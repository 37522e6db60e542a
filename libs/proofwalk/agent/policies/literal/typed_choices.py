"""Types a choice into a box that opens no list: a field of tags, a box that suggests
what was entered before.

Such a box takes any words, and says nothing of it. One that only takes what it offers
says that it has no such option, and is left as it was.
"""

from __future__ import annotations

from proofwalk.agent.page import grounding
from proofwalk.agent.page.scene import Script
from proofwalk.agent.page.words import normalise
from proofwalk.agent.policies.literal.option_lists import NO_OPTIONS
from proofwalk.agent.policies.literal.scene import DocumentScene
from proofwalk.console.actions import Press, Type
from proofwalk.console.observation import Element, State


def type_in(scene: DocumentScene, box: Element, label: str, value: str) -> Script[bool]:
    """Type the value and send it with Enter. Return whether the page shows it then."""
    if box.tag != "input" or State.READONLY in box.states:
        return False
    told = f"“{label}” opens no list; I type “{value}” into it."
    past = yield from scene.act(told, Type(id=box.mark, text=value))
    yield from scene.settle()
    if not past.ok or any(normalise(run.text) in NO_OPTIONS for run in scene.page.texts):
        here = grounding.same(scene.page, box)
        if here is not None:
            yield from scene.act("It only takes what it offers.", Type(id=here.mark, text=""))
        return False
    yield from scene.act(f"I add “{value}” with Enter.", Press(key="Enter"))
    yield from scene.settle()
    return grounding.seen(scene.page, value) or any(
        element.value == value for element in scene.page.elements
    )
