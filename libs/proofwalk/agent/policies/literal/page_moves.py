"""Moves that concern a page as a whole: regions, refreshing, waiting for it, windows
that ask, and what it mentions."""

from __future__ import annotations

import re

from proofwalk.agent.page import grounding, regions
from proofwalk.agent.page.scene import Script, Stuck
from proofwalk.agent.page.words import Match, match_value, normalise
from proofwalk.agent.policies.literal import (
    confirmations,
    findings,
    open_forms,
    seek,
)
from proofwalk.agent.policies.literal.scene import DocumentScene
from proofwalk.agent.reading.intents import FORM, Intent
from proofwalk.console.actions import AnswerDialog, Click, GoTo


def region(scene: DocumentScene, intent: Intent) -> Script[None]:
    """Switch the region in the top bar. A sentence that names none accepts the current
    one."""
    if intent.value is None:
        return
    value = intent.value
    top = [element for element in scene.page.elements if regions.in_top_bar(element)]
    if any(
        match_value(value, one) is not Match.NONE
        for element in top
        for one in (element.name, element.value)
    ):
        return
    openers = [
        element
        for element in top
        if "region" in normalise(f"{element.name} {element.label} {element.hint} {element.group}")
    ]
    openers = openers or [
        element for element in top if re.search(r"\(.+\)", element.name or element.value)
    ]
    if not openers:
        scene.give_up(intent)
    before = scene.page
    yield from scene.act("I open the list of regions.", Click(id=openers[0].mark))
    yield from scene.settle()
    offered = [element for element in scene.appeared(before) if element.name]
    chosen = grounding.options(offered, value)
    if not chosen:
        raise findings.wrong_value(
            scene, intent, "Region", value, [element.name for element in offered]
        )
    yield from seek.press(scene, intent, chosen[0], f"I choose the region “{value}”.")


def refresh(scene: DocumentScene, intent: Intent) -> Script[None]:
    found = grounding.controls(scene.page, "Refresh", scene.place(intent))
    if len(found) == 1:
        yield from seek.press(scene, intent, found[0], "I refresh the list.")
        return
    yield from scene.act("I load the page again.", GoTo(url=scene.page.url))
    yield from scene.settle()


def confirm(scene: DocumentScene, intent: Intent) -> Script[None]:
    """Press the one button of the open window that goes on. The browser's own window is
    answered as soon as it opens, so the answer may be the step before.

    Raises `Stuck` without a finding: what asks, and by which button, the document
    leaves open.
    """
    if scene.turn.history and isinstance(scene.turn.history[-1].action, AnswerDialog):
        return
    yield from scene.await_page(
        "I wait for the window that asks.", lambda page: bool(page.modal), times=1, seconds=3
    )
    if not scene.page.modal:
        raise Stuck("no window asks to confirm")
    buttons = confirmations.going_on(scene.page)
    if len({element.name for element in buttons}) != 1:
        told = ", ".join(f"“{one.name}”" for one in buttons) or "none"
        raise Stuck(f"“{scene.page.modal}” has no single button that confirms, but {told}")
    yield from seek.press(scene, intent, buttons[0], f"I confirm with “{buttons[0].name}”.")


def configure(scene: DocumentScene, intent: Intent) -> Script[None]:
    """Wait for the page, and fill in a form that the document leaves to its reader. Any
    other such intent only marks a place for parameters, so a container with another
    name is no finding."""
    yield from scene.settle()
    if intent.noun == FORM:
        yield from open_forms.fill_in(scene, intent)


def mention(scene: DocumentScene, intent: Intent) -> Script[None]:
    """Report the words that are nowhere on the page; there is nothing to do."""
    scene.unplaced += [word for word in intent.words if not grounding.seen(scene.page, word)]
    yield from ()
