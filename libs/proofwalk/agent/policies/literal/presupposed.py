"""Begins where a document presupposes its reader to be.

A section says `Click **Create**` and means the page to which the section before it has
led: the way that an earlier procedure of the document begins with is walked, up to the
first act that may change anything, and then what the last sentences before the steps
ask to click. Or it says `Click **Add strategy**` and means the
page of a flag, to which nothing tells a way: of the things that META prepared, the
first whose kind the sentence or the procedure's title names is opened from the page on
which the walk stands, by `prepared_things`. It is done once, only before the walk was
led anywhere, and not by a walk that follows to the letter. What that one act lacks
there blames no document.
"""

from __future__ import annotations

import re
from dataclasses import replace

from proofwalk.agent.page import grounding, page_rows
from proofwalk.agent.page.scene import Script, Stuck
from proofwalk.agent.page.words import tokens
from proofwalk.agent.policies.literal import (
    beginnings,
    changing_names,
    needs,
    prepared_things,
    seek,
)
from proofwalk.agent.policies.literal.grammar import read_sentence
from proofwalk.agent.policies.literal.moves import play
from proofwalk.agent.policies.literal.scene import DocumentScene, Replay, Skipped
from proofwalk.agent.policies.literal.substeps import read_substep
from proofwalk.agent.reading.intents import THING, Intent, IntentKind, ScopeKind
from proofwalk.procedures.model import Procedure, SubStep

_LEADING = 2
"""Sentences before the steps that may lead to them."""
_MENU = re.compile(r"\b(?:menu|navigation|sidebar|side bar|toolbar|top bar)\b", re.I)
_LOOKS = (IntentKind.LOG_ON, IntentKind.NAVIGATE, IntentKind.CLICK, IntentKind.SET)


def begin(scene: DocumentScene, intent: Intent) -> Script[bool]:
    """Open the thing that the intent presupposes. Return False if none is known, or it
    is found nowhere."""
    task = scene.turn.task
    if task.purpose != "inspect" or scene.memory.begun:
        return False
    scene.memory.begun = True
    if (yield from _as_told_before(scene, intent)):
        return True
    if (yield from beginnings.look_through_lists(scene, intent)):
        return True
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


def _as_told_before(scene: DocumentScene, intent: Intent) -> Script[bool]:
    """Walk the way of the nearest procedure before this one that has one. Return
    whether it led to what the intent is about."""
    procedure = scene.turn.task.procedure
    way = next((found for steps in procedure.before if (found := _way(steps))), ())
    lead = _lead(procedure)
    way = lead if lead and _leads(lead[0], lead[0]) else (*way, *lead)
    led = scene.memory.led
    there = bool(way) and (yield from _walk_way(scene, way)) and _is_about(scene, intent)
    # A way that was in vain has led nowhere.
    scene.memory.led = there or led
    return there


def _walk_way(scene: DocumentScene, way: tuple[Intent, ...]) -> Script[bool]:
    try:
        for one in way:
            yield from play(scene, one)
    except (Stuck, Skipped, Replay):
        return False
    yield from scene.settle()
    return True


def _is_about(scene: DocumentScene, intent: Intent) -> bool:
    """True if the page shows the row or the control that the intent is about."""
    if intent.kind in (IntentKind.SELECT_ROW, IntentKind.OPEN_ROW, IntentKind.LOCATE):
        known = needs.known_values(scene, intent)
        return any(page_rows.row_with(scene.page, value) for value in known)
    return not intent.path or grounding.seen(scene.page, intent.path[0])


def _lead(procedure: Procedure) -> tuple[Intent, ...]:
    """What the last sentences before the steps ask to click: `To make a pump, click
    **Create** and do the following:`. Empty unless they ask for nothing else."""
    way: list[Intent] = []
    for sentence in procedure.introduction[-_LEADING:]:
        reading = read_sentence(sentence)
        acts = [one for one in reading.intents if one.kind is not IntentKind.MENTION]
        presses = all(one.kind in (IntentKind.CLICK, IntentKind.NAVIGATE) for one in acts)
        if (
            reading.not_understood
            or not presses
            or any(one.optional or one.conditional for one in acts)
        ):
            way = []
            continue
        way += acts
    return tuple(way)


def _way(steps: tuple[SubStep, ...]) -> tuple[Intent, ...]:
    """The acts with which these sub-steps begin, as long as they only lead to a page.
    Empty if they do not lead there from anywhere."""
    told = [
        one
        for step in steps
        for one in read_substep(step).intents
        if one.kind is not IntentKind.MENTION
    ]
    way: list[Intent] = []
    for one in told:
        labels = one.path or ((one.value,) if one.value else ())
        # What has entries below it only opens: `Block > Images`.
        leads = one.kind is IntentKind.NAVIGATE or len(labels) > 1
        may_change = changing_names.changes if leads else changing_names.may_do
        harmless = labels[: next((at for at, name in enumerate(labels) if may_change(name)), None)]
        if one.kind not in _LOOKS or not harmless or (one.kind is IntentKind.SET and one.path):
            break
        if one.kind is IntentKind.SET:
            one = replace(one, kind=IntentKind.CLICK, path=harmless, value=None)
        way.append(replace(one, path=harmless))
        if len(harmless) < len(labels):
            break
    return tuple(way) if way and _leads(way[0], told[0]) else ()


def _leads(first: Intent, told: Intent) -> bool:
    """True if an act can be done from anywhere: it names a path, or a menu."""
    if first.kind in (IntentKind.LOG_ON, IntentKind.NAVIGATE) or len(told.path) > 1:
        return True
    return first.scope(ScopeKind.MENU, ScopeKind.NAVIGATION) is not None or bool(
        _MENU.search(first.origin.sentence)
    )
