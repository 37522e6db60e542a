"""What of a walk is kept from the model that writes its thoughts: what was typed into
fields for passwords and keys, or was seen in them.

Recordings come without the secrets of their account (`trajectories.recorder`). A
password that a policy made up, or took from the document, is none of those, and is no
business of another model either.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from proofwalk.console import actions as a
from proofwalk.console.observation import Element, State
from proofwalk.console.safety.redaction import Secrets
from proofwalk.datasets.collection import Episode
from proofwalk.datasets.step_actions import action_of
from proofwalk.trajectories.records import StepRecord

_GUARDED = re.compile(r"pass(?:word|wd|phrase|code)|secret|access ?key|密码|口令|密钥", re.I)
_SHORTEST = 4
"""Characters of a value that is hidden; a shorter one is a part of ordinary words."""
_REFERENCE = "<secret:"


def hidden_in(episode: Episode) -> Secrets:
    """What to mask in everything that is told of an episode."""
    values = dict.fromkeys(
        value
        for step in episode.steps
        for value in _values(step)
        if len(value) >= _SHORTEST and _REFERENCE not in value
    )
    return Secrets({f"hidden.{number}": value for number, value in enumerate(values, 1)})


def _values(step: StepRecord) -> Iterator[str]:
    page, action = step.observation, action_of(step)
    if page is None:
        return
    yield from (one.value for one in page.elements if _guarded(one))
    if isinstance(action, a.Type):
        target = page.element(action.id)
        if target is not None and _guarded(target):
            yield action.text
    elif isinstance(action, a.TypeFocused) and any(
        State.FOCUSED in one.states and _guarded(one) for one in page.elements
    ):
        yield action.text


def _guarded(element: Element) -> bool:
    return element.input_type == "password" or (
        element.role == "textbox"
        and any(map(_GUARDED.search, (element.name, element.label, element.placeholder)))
    )
