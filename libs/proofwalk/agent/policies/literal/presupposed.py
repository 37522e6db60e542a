"""Begins where a document presupposes its reader to be.

A section on flags says `Click **Add strategy**` and means the page of a flag, to which
it tells no way. Of the things that META prepared, the first whose kind the sentence or
the procedure's title names is opened from the page on which the walk stands, by
`prepared_things`. It is done once, only before the walk was led anywhere, and not by a
walk that follows to the letter. What that one act lacks there blames no document.
"""

from __future__ import annotations

from proofwalk.agent.page import page_rows
from proofwalk.agent.page.scene import Script
from proofwalk.agent.page.words import tokens
from proofwalk.agent.policies.literal import needs, prepared_things, seek
from proofwalk.agent.policies.literal.scene import DocumentScene
from proofwalk.agent.reading.intents import THING, Intent, IntentKind


def begin(scene: DocumentScene, intent: Intent) -> Script[bool]:
    """Open the thing that the intent presupposes. Return False if none is known, or it
    is found nowhere."""
    task = scene.turn.task
    if task.purpose != "inspect" or scene.memory.begun:
        return False
    scene.memory.begun = True
    told = set(tokens(f"{task.procedure.title} {intent.origin.sentence}"))
    for phrase, name in task.binds.items():
        if not told & set(tokens(needs.resource_noun(phrase))[-1:]):
            continue
        thing = Intent(kind=IntentKind.OPEN_ROW, phrase=phrase, noun=THING, origin=intent.origin)
        if (yield from prepared_things.open_by_name(scene, thing)):
            return True
        row = page_rows.row_with(scene.page, name)
        link = page_rows.row_link(scene.page, row) if row else None
        if link is not None:
            yield from seek.press(scene, thing, link, f"The document begins at “{link.name}”.")
            return True
    return False
