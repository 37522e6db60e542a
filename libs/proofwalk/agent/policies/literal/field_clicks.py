"""Clicks into a field: `Click the **Depth** box and type `3``, `click **Zone** and
select **East**`.

A document that says so means the field where no other control has the name. What is
typed or chosen next goes there (`Memory.entered`).
"""

from __future__ import annotations

from proofwalk.agent.page import grounding, page_fields
from proofwalk.agent.page.grounding import TEXT_ROLES
from proofwalk.agent.page.page_fields import Field
from proofwalk.agent.page.scene import Script
from proofwalk.agent.policies.literal.scene import DocumentScene
from proofwalk.agent.reading.intents import Intent
from proofwalk.console.actions import Click
from proofwalk.console.observation import State

_ENTERED = TEXT_ROLES | {"combobox", "spinbutton"}


def into_field(scene: DocumentScene, intent: Intent) -> Script[bool]:
    """Click into the one field that the intent names. Return False if it names another
    control, or no field in sight."""
    scene.memory.entered = ""
    if len(intent.path) != 1 or intent.others or scene.row:
        return False
    found = _fields(scene, intent, intent.label)
    if len(found) != 1 or found[0].role not in _ENTERED:
        return False
    field = found[0]
    if State.DISABLED in field.first.states:
        return False
    scene.memory.entered = field.first.identity
    scene.memory.clicked.append(intent.label)
    if field.first.tag != "select":  # the browser draws its list, and no look has it
        yield from scene.act(
            f"I click into the field “{field.label or intent.label}”.", Click(id=field.first.mark)
        )
        yield from scene.settle()
    return True


def names_field(scene: DocumentScene, intent: Intent, label: str) -> bool:
    """True if a label names a field that is chosen from, and no other control: `select
    **Zone** > **East**`."""
    found = _fields(scene, intent, label)
    return len(found) == 1 and found[0].role in ("combobox", "radio")


def _fields(scene: DocumentScene, intent: Intent, label: str) -> list[Field]:
    """The fields that are called so, where nothing else is."""
    place = scene.place(intent)
    if grounding.controls(scene.page, label, place):
        return []
    return page_fields.fields(scene.page, label, place)
