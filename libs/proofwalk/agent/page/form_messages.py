"""Reads what a form says by itself: which fields it demands, and the messages under
them.

It reads the page alone. The policy decides what follows for the document.
"""

from __future__ import annotations

import re

from proofwalk.agent.page import page_fields, regions
from proofwalk.agent.page.page_fields import FIELD_ROLES
from proofwalk.console.observation import Element, Observation, State

_ERROR = re.compile(
    r"\b(?:error|fail(?:ed|ure)?|invalid|not"
    r" (?:allowed|support(?:ed)?|valid|found|enough)|cannot|denied|"
    r"must (?:be|not|have|contain|start|match)|already (?:taken|exists?|used|in use)|is required|"
    r"exceed\w*|conflict\w*|illegal)\b"
    r"|错误|失败|无效|不允许|不支持|不能|无法|拒绝|超过|超出|冲突|非法",
    re.I,
)


def errors(page: Observation, before: Observation) -> list[str]:
    """Return the messages that have come up since `before` and tell of an error."""
    return [alert for alert in page.alerts if alert not in before.alerts and _ERROR.search(alert)]


def complaints(page: Observation, before: Observation) -> list[tuple[str, str]]:
    """Return the form's complaints since `before`, as pairs of a field's label and the
    message."""
    front = regions.reachable(page, page.elements)
    found = [
        (element.label or element.name, _message_near(page, element))
        for element in front
        if State.INVALID in element.states
    ]
    found += messages(page, before)
    return [pair for pair in dict.fromkeys(found) if pair[0]]


def messages(page: Observation, before: Observation) -> list[tuple[str, str]]:
    """Return texts that came up just under a field since `before`, as pairs of its
    label and the text. What stands under a field that came with them is its help."""
    known = {(run.text, run.container) for run in before.texts}
    # A button that is disabled now is a text with its name, and no message.
    known |= {(element.name, element.container) for element in before.elements}
    fresh = [
        run
        for run in page.texts
        if (run.text, run.container) not in known
        and run.role in ("", "alert", "status")
        and not run.row
    ]
    there = {_name_of(found) for found in page_fields.all_fields(before)}
    fields = [found for found in page_fields.all_fields(page) if not found.first.row]
    pairs = []
    for run in fresh:
        above = [
            (run.box.y - bottom, found)
            for found in fields
            for bottom in [max(element.box.y + element.box.height for element in found.elements)]
            if -6 <= run.box.y - bottom <= 40
            and found.first.box.x - 40 <= run.box.x <= found.first.box.x + found.first.box.width
            # What a small window over the page asks is said of no field of the page.
            and found.first.container == run.container
        ]
        if above:
            name = _name_of(min(above, key=lambda pair: pair[0])[1])
            if name in there:
                pairs.append((name, run.text))
    return pairs


def _name_of(found: page_fields.Field) -> str:
    return found.label or found.first.name


def unfilled(page: Observation) -> list[page_fields.Field]:
    """Return required fields in front that are empty."""
    return [
        found
        for found in page_fields.all_fields(page)
        if found.role in FIELD_ROLES
        and found.empty
        and any(State.REQUIRED in element.states for element in found.elements)
    ]


def _message_near(page: Observation, element: Element) -> str:
    """Return the text just under an invalid control."""
    bottom = element.box.y + element.box.height
    under = [
        run
        for run in page.texts
        if run.role in ("", "alert", "status")
        and -4 <= run.box.y - bottom <= 40
        and run.box.x < element.box.x + max(element.box.width, 200)
        and run.box.x + run.box.width > element.box.x
    ]
    return min(under, key=lambda run: run.box.y).text if under else ""
