"""Choices that a list shows level by level (a cascader): a value that is not on the
first lies under what the sentence says: `Set **Line** to **Mobile**, which you find
under **Carriers**`, `choose **Carriers** and then **Mobile**`."""

from __future__ import annotations

import re

from proofwalk.agent.page import grounding
from proofwalk.agent.page.grounding import OPTION_ROLES
from proofwalk.agent.page.scene import Script
from proofwalk.agent.page.words import normalise
from proofwalk.agent.policies.literal import seek
from proofwalk.agent.policies.literal.scene import DocumentScene
from proofwalk.agent.reading.intents import Intent
from proofwalk.console.observation import Element

_UNDER = r"\b(?:under|below|beneath|within)\b[\W_]*(?:the\b\W*)?"
_THEN = r"[\W_]*(?:\b(?:and )?then\b|>|/)[\W_]*"


def below_named(
    scene: DocumentScene, intent: Intent, offered: list[Element], value: str
) -> Script[list[Element]]:
    """Open the one offered option that the sentence puts the value under, and return
    what answers the value there; nothing where the sentence names none."""
    sentence = normalise(intent.origin.sentence)
    above = [one for one in offered if puts_under(sentence, normalise(one.name), normalise(value))]
    if len(above) != 1:
        return []
    before = scene.page
    thought = f"The document puts “{value}” under “{above[0].name}”; I open it."
    yield from seek.press(scene, intent, above[0], thought)
    yield from scene.settle()
    appeared = [one for one in scene.appeared(before) if one.role in OPTION_ROLES]
    return grounding.options(appeared, value)


def puts_under(sentence: str, name: str, value: str) -> bool:
    """Whether a sentence says that `value` lies under `name`; all three normalised."""
    if not name or not value:
        return False
    above, below = re.escape(name), re.escape(value)
    return bool(
        re.search(rf"{_UNDER}{above}\b", sentence)
        or re.search(rf"\b{above}\b{_THEN}{below}\b", sentence)
    )
