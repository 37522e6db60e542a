"""Reads what a form answers to a click: complaints about fields, errors of the backend,
a button that stays disabled.

A complaint about a value of the document is a wrong value. A field that the document
only describes is filled, and the click repeated. A complaint about a field that the
document never mentions is a missing step.
"""

from __future__ import annotations

import re

from proofwalk.agent.page import form_messages, page_fields, wording
from proofwalk.agent.page.grounding import TEXT_ROLES
from proofwalk.agent.page.page_fields import Field
from proofwalk.agent.page.scene import Script, Stuck
from proofwalk.agent.page.words import Match, contains, match
from proofwalk.agent.policies.literal import findings
from proofwalk.agent.policies.literal.fields import has_form
from proofwalk.agent.policies.literal.forms import fill
from proofwalk.agent.policies.literal.scene import DocumentScene, Filled
from proofwalk.agent.reading.intents import Intent, IntentKind
from proofwalk.agent.reading.remedies import remedies
from proofwalk.console.observation import Observation
from proofwalk.kernel.obstacles import Obstacle, ObstacleKind

_EXHAUSTED = re.compile(
    r"quota|limit ?exceed|maximum number of|throttl|too many requests|sold ?out|out of stock|no"
    r" ?stock|service ?unavailable|try again later"
    r"|配额|超出.*限制|请求过于频繁|售罄|库存不足|稍后(?:重试|再试)",
    re.I,
)
"""Refusals that are temporary, whoever asks."""
_OPTIONAL = re.compile(r"\(\s*(?:optional|选填|可选)\s*\)", re.I)


def after_click(
    scene: DocumentScene, intent: Intent, before: Observation, *, last: bool = False
) -> Script[bool]:
    """Read the form's answer to a click. Return True if the click is to be repeated: a
    field was filled, or the backend was busy."""
    if scene.page.url != before.url or scene.page.modal != before.modal:
        return False
    fresh = [alert for alert in scene.page.alerts if alert not in before.alerts]
    exhausted = next((alert for alert in fresh if _EXHAUSTED.search(alert)), "")
    if exhausted and last:
        raise findings.exhausted(exhausted)
    if exhausted:
        yield from scene.pause("The backend has no room for it just now; I wait and try again.", 5)
        return True
    refusals = form_messages.errors(scene.page, before)
    if refusals and before.modal and not page_fields.all_fields(before):
        raise _refused_by_server(scene, intent, refusals[-1])
    here = {found.first.identity for found in page_fields.all_fields(scene.page)}
    if not here & {found.first.identity for found in page_fields.all_fields(before)}:
        return False
    complained = _complaints(scene, before)
    if not complained and refusals:
        raise _refused_by_server(scene, intent, refusals[-1])
    if not complained or not has_form(scene.page):
        return False
    yield from scene.pause("The form complains; I wait and read it again.", 1)
    complained = _complaints(scene, before)
    repeat = False
    for label, message in complained:
        filled = next(
            (one for one in reversed(scene.memory.filled) if _stands(scene, intent, one, label)),
            None,
        )
        if filled is not None:
            raise findings.refused_value(scene, filled, label, message)
        if _OPTIONAL.search(label):
            continue  # It says itself that it is not demanded.
        if not scene.memory.mentions(label):
            raise findings.missing_step(scene, intent, label, message)
        if last:
            raise Stuck(f"the form still refuses “{label}”: {message}")
        yield from _by_default(scene, intent, label)
        repeat = True
    return repeat


def _stands(scene: DocumentScene, intent: Intent, filled: Filled, label: str) -> bool:
    """True if the form complains about this value, not about a field of the same name
    in an earlier form."""
    if match(filled.label, label) is Match.NONE:
        return False
    here = page_fields.fields(scene.page, label, scene.place(intent))
    return not here or not here[0].empty or not filled.value


def _complaints(scene: DocumentScene, before: Observation) -> list[tuple[str, str]]:
    """Return the complaints that came up since the click, and those from filling that
    are still there."""
    still = [
        (label, text)
        for label, text in scene.memory.warned.items()
        if any(run.text == text for run in scene.page.texts)
    ]
    return list(dict.fromkeys([*form_messages.complaints(scene.page, before), *still]))


def blocked(scene: DocumentScene, intent: Intent) -> Script[None]:
    """Fill the fields that keep a form's button disabled."""
    for found in [*form_messages.unfilled(scene.page), *_confirmations(scene)]:
        label = found.label or found.first.placeholder
        if not scene.memory.mentions(label) and not _mentions_confirmation(scene):
            raise findings.missing_step(scene, intent, label, found.first.hint)
        yield from _by_default(scene, intent, label)


def _confirmations(scene: DocumentScene) -> list[Field]:
    """Return the empty text fields of a dialog, which may want its text typed again."""
    return [
        found
        for found in page_fields.all_fields(scene.page)
        if found.role in TEXT_ROLES and found.empty and scene.page.modal
    ]


def _mentions_confirmation(scene: DocumentScene) -> bool:
    return contains(scene.memory.mentioned, "to confirm") or "以确认" in scene.memory.mentioned


def _by_default(scene: DocumentScene, intent: Intent, label: str) -> Script[None]:
    """Fill a field that the document describes without a value."""
    found = page_fields.fields(scene.page, label, scene.place(intent))
    if found:
        open_intent = Intent(
            kind=IntentKind.SET, path=(label,), scopes=intent.scopes, origin=intent.origin
        )
        yield from fill(scene, open_intent, found[0])


def _refused_by_server(scene: DocumentScene, intent: Intent, alert: str) -> Stuck:
    """Return what to raise for an error of the backend. The document is blamed only if
    the error names one of its values or fields."""
    for filled in reversed(scene.memory.filled):
        if contains(alert, filled.value) or (filled.label and contains(alert, filled.label)):
            return findings.refused_value(scene, filled, filled.label, alert)
    message = f"the console answered with an error: {alert}"
    if not remedies(alert):
        return Stuck(message)
    obstacle = Obstacle(
        kind=ObstacleKind.PRECONDITION, message=message, remedy=wording.PRECONDITION
    )
    return Stuck(message, obstacle=obstacle, wants=alert)
