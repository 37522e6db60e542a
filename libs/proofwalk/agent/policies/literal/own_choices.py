"""Conditions that the walk itself decides: `If you select **Fast**, enter a depth.`

Whether the reader has a support plan only the reader knows, so such a sentence is not
understood. What was chosen in the console is known: the walk chose it, or the page
shows it as chosen. Otherwise the instruction does not apply and is passed over.
"""

from __future__ import annotations

import re

from proofwalk.agent.page.words import normalise
from proofwalk.agent.policies.literal.scene import DocumentScene
from proofwalk.agent.reading.marks import LABEL, begun
from proofwalk.console.observation import State

_L = LABEL[1:-1]
_IF_CHOSEN = re.compile(
    rf"^[^\w{_L}]*if you (?:have )?(?:select|selected|choose|chose|chosen|pick|picked|enable|"
    rf"enabled|check|checked|tick|ticked) (?:the )?(?P<label>{LABEL})"
    r"(?: (?:option|type|check ?box|mode))?"
    rf"(?: (?:as|for|in|from|under) (?:the |a |your )?(?:[a-z ]+|{LABEL}(?: [a-z]+)?))?,\s+"
    r"(?:then )?(?P<act>[a-z].*)$",
    re.I | re.S,
)
_CHOSEN = frozenset({State.CHECKED, State.SELECTED})


def own_choice(piece: str) -> tuple[str, str] | None:
    """Return the marked label of a choice and the sentence that depends on it; None for
    other sentences."""
    found = _IF_CHOSEN.match(piece)
    if found is None:
        return None
    return found["label"], begun(found["act"])


def is_chosen(scene: DocumentScene, name: str) -> bool:
    """Return True if the walk chose `name`, or the page shows it as chosen."""
    wanted = normalise(name)
    made = (
        *scene.memory.clicked,
        *(text for one in scene.memory.filled for text in (one.label, one.value)),
    )
    return any(normalise(one) == wanted for one in made) or any(
        normalise(element.value) == wanted
        or (normalise(element.name) == wanted and _CHOSEN & {*element.states})
        for element in scene.page.elements
    )
