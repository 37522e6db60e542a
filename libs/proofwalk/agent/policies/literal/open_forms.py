"""Fills in a form that a document leaves to its reader: `Complete the form.`

What the episode prepared goes into the fields that are called so, and every required
field that is still empty gets what `forms` gives a field without a value; of a form
that may be left as it is, only what was prepared. A form for
which the episode says nothing, and which requires nothing, was not understood: somebody
meant it to be filled in.
"""

from __future__ import annotations

import re
from dataclasses import replace

from proofwalk.agent.page import page_fields
from proofwalk.agent.page.page_fields import Field
from proofwalk.agent.page.scene import Script
from proofwalk.agent.policies.literal import fields, forms
from proofwalk.agent.policies.literal.scene import DocumentScene
from proofwalk.agent.reading.intents import Intent, IntentKind
from proofwalk.console.observation import State

_OF_A_THING = re.compile(
    r"(?:the|an?|your|its) (?P<field>[a-z][a-z -]*?) of (?:the|an?|your) [a-z -]+", re.I
)
_MOST = 40
"""A form with more required fields than this is filled in no further."""


def fill_in(scene: DocumentScene, intent: Intent) -> Script[None]:
    """Fill in the form in front. Gives up where nothing says with what."""
    if not intent.optional:
        yield from scene.await_page("I wait for the form.", forms.working, times=1)
    given = 0
    for name, value in scene.turn.task.binds.items():
        field = _field(intent, name, value)
        found = fields.named(scene, field)
        if len(found) == 1 and not _was_filled(scene, found[0]):
            yield from forms.fill(scene, field, found[0])
            given += 1
    tried: set[str] = set()
    while len(tried) < _MOST and not intent.optional:
        here = page_fields.all_fields(scene.page)
        empty = next((one for one in here if one.label not in tried and _is_wanting(one)), None)
        if empty is None:
            break
        tried.add(empty.label)
        field = replace(intent, kind=IntentKind.SET, noun="", path=(empty.label,), value=None)
        yield from forms.fill(scene, field, empty)
        given += 1
    if not given and not scene.memory.filled:
        scene.give_up(intent)


def _field(intent: Intent, name: str, value: str) -> Intent:
    """The field that a bind is for: its own name, or what `the name of the pump`
    says."""
    told = _OF_A_THING.fullmatch(name)
    noun, label = ("words", told["field"]) if told else ("", name)
    return replace(intent, kind=IntentKind.SET, noun=noun, path=(label,), value=value)


def _was_filled(scene: DocumentScene, found: Field) -> bool:
    return any(one.label == found.label for one in scene.memory.filled)


def _is_wanting(found: Field) -> bool:
    """True for a required field without a value."""
    required = any(State.REQUIRED in one.states and not one.row for one in found.elements)
    return bool(found.label) and found.empty and required
