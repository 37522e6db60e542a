"""Answers the window that asks after a document's last click.

Documents leave it out: the window tells itself what it wants, which is a button that
goes on, or words to type first. A window with anything else to fill in is a form, and
is left as it is; so is one with more than one way on.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from proofwalk.agent.page import page_fields, regions
from proofwalk.agent.page.grounding import TEXT_ROLES
from proofwalk.agent.page.scene import Script
from proofwalk.agent.page.words import normalise
from proofwalk.agent.policies.literal import findings, seek
from proofwalk.agent.policies.literal.fields import has_form
from proofwalk.agent.policies.literal.scene import DocumentScene
from proofwalk.agent.reading.intents import FORM, Intent, IntentKind
from proofwalk.console.actions import Type
from proofwalk.console.observation import Element, Observation, State

_PRESSES = (IntentKind.CLICK, IntentKind.SET, IntentKind.CHECK)
"""Acts after which a window may ask."""
_ASKS_FOR_WORDS = re.compile(
    r"\b(?:enter|type)\b.{0,40}?\b(?:following|confirmation)\b.{0,20}?\btext\b[^:]{0,60}:\s*"
    r"[“\"'`]?(?P<what>[^“”\"'`]{0,80}?)[”\"'`]?\s*$"
    r"|\b(?:enter|type)\s+[“\"'`](?P<quoted>[^“”\"'`]{1,80})[”\"'`]",
    re.I,
)
_SENDS = re.compile(
    r"(?:save|create|submit|apply|ok|confirm|update|finish|done|register)(?!\w)|确[定认]|提交|保存|创建",
    re.I,
)
_MOST_WORDS = 60
"""Characters of the words that a window may want typed."""


def confirm_last(scene: DocumentScene, intents: Sequence[Intent]) -> Script[None]:
    """Confirm what the last of the document's acts asked for, where a window asks that
    the document does not tell of."""
    page = scene.page
    acts = [one for one in intents if one.kind is not IntentKind.MENTION]
    if acts and acts[-1].kind is IntentKind.CONFIGURE and acts[-1].noun == FORM:
        yield from _send(scene, acts[-1])
        return
    if not acts or acts[-1].kind not in _PRESSES or not page.modal:
        return
    if has_form(page) and not (yield from type_what_it_wants(scene)):
        return
    buttons = going_on(scene.page)
    if len({element.name for element in buttons}) == 1:
        told = f"“{page.modal}” asks, which the document leaves out; I confirm it."
        yield from seek.press(scene, acts[-1], buttons[0], told)


def _send(scene: DocumentScene, intent: Intent) -> Script[None]:
    """Send the form that the document left to its reader, and whose button it leaves
    out."""
    button = sending_button(scene.page)
    if scene.memory.filled and button is not None:
        told = f"“{button.name}” sends the form that I filled in; the document leaves it out."
        yield from seek.press(scene, intent, button, told)


def sending_button(page: Observation) -> Element | None:
    """Return the one button in front that sends a form, beside such as *Save and add
    another*."""
    sending = [
        one
        for one in going_on(page)
        if _SENDS.match(one.name)
        and not regions.in_navigation(page, one)
        and not regions.in_top_bar(one)
    ]
    names = {normalise(one.name) for one in sending}
    plain = [
        one for one in sending if all(other.startswith(normalise(one.name)) for other in names)
    ]
    return plain[0] if len(plain) == 1 else None


def going_on(page: Observation) -> list[Element]:
    """Return the buttons in front that go on."""
    return [
        element
        for element in regions.reachable(page, page.elements)
        if element.role == "button"
        and element.name
        and not element.row
        and State.DISABLED not in element.states
        and findings.goes_on(element.name)
    ]


def wanted_words(page: Observation) -> str:
    """Return the words that the window in front wants typed; empty if it wants none."""
    told = [run.text for run in page.texts if run.container]
    for position, text in enumerate(told):
        asked = _ASKS_FOR_WORDS.search(text)
        if asked is None:
            continue
        words = asked["quoted"] or asked["what"]
        if not words and position + 1 < len(told):
            words = told[position + 1]
        return words.strip() if len(words) <= _MOST_WORDS else ""
    return ""


def type_what_it_wants(scene: DocumentScene) -> Script[bool]:
    """Type the words that the window wants. Return False where it is another form."""
    fields = page_fields.all_fields(scene.page)
    words = wanted_words(scene.page)
    if len(fields) != 1 or fields[0].role not in TEXT_ROLES or not words:
        return False
    past = yield from scene.act(
        f"“{scene.page.modal}” wants “{words}” typed.", Type(id=fields[0].first.mark, text=words)
    )
    yield from scene.settle()
    return past.ok
