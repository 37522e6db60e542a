"""Plays what a sentence says will be seen, or waits for: a status, a row, a message, a
field's value.

Each is looked for with pauses, and once more after a reload, before the document is
blamed. Messages disappear quickly, so a missed message is reported but is no defect.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from proofwalk.agent.page import grounding, page_fields, page_rows
from proofwalk.agent.page.console_words import STATUS
from proofwalk.agent.page.scene import Script
from proofwalk.agent.page.words import Match, contains, match, match_value, nearness, progress_of
from proofwalk.agent.policies.literal import fields, findings, seek
from proofwalk.agent.policies.literal.scene import DocumentScene
from proofwalk.agent.reading.intents import Intent, IntentKind, ScopeKind
from proofwalk.console.actions import GoTo, Wait
from proofwalk.console.observation import Observation, State

_LASTING = frozenset({"running"})
_ANY_PROGRESS = frozenset(
    {"processing", "pending", "configuring", "in processing", "upgrading", "modifying", "updating"}
)
_CLICKS_UNTIL = 6
_BEING_REMOVED = re.compile(r"delet|remov|terminat|releas|destroy|删除|移除|释放|销毁", re.I)
_ACTING = (IntentKind.SET, IntentKind.CHECK, IntentKind.CLICK, IntentKind.UPLOAD)
_UNSEEN = "it asks for nothing to be done; it was looked for and not seen"


def wait(scene: DocumentScene, intent: Intent) -> Script[None]:
    yield from scene.act("I wait, as the document says.", Wait(text=intent.label, seconds=30))


def expect_text(scene: DocumentScene, intent: Intent) -> Script[None]:
    """Look for a message, a page or a tab. A missed message is reported and is no
    defect, since messages disappear; a missed tab is one, since tabs stay. A tab after
    which nothing is asked is opened: the reader looks at what it shows."""
    text = intent.value or intent.label
    tabbed = intent.noun == "tab" and any(element.role == "tab" for element in scene.page.elements)

    ahead = _ahead(scene, intent) if intent.noun == "until" else ""

    def there(page: Observation) -> bool:
        shown = bool(grounding.tabs(page, text)) if tabbed else grounding.seen(page, text)
        return shown and (not ahead or grounding.seen(page, ahead))

    shown = yield from scene.await_page(f"I look for “{text}”.", there, text=text, times=1)
    if not shown and intent.noun == "until":
        shown = yield from _again_until(scene, intent, there)
    if shown and tabbed and not _ahead(scene, intent):
        yield from _look_at_tab(scene, intent, text)
    if not shown and tabbed:
        raise findings.no_control(scene, intent, text)
    if not shown:
        scene.pass_over(intent, why=_UNSEEN)


def _look_at_tab(scene: DocumentScene, intent: Intent, text: str) -> Script[None]:
    tabs = grounding.tabs(scene.page, text)
    if len(tabs) == 1 and State.SELECTED not in tabs[0].states:
        yield from seek.press(scene, intent, tabs[0], f"I look at the tab “{text}”.")


def _ahead(scene: DocumentScene, intent: Intent) -> str:
    """Return the label that the procedure acts on next. A wizard shows the names of all
    its steps from the start, so only a control of the next step proves that the step is
    open."""
    readings = scene.memory.readings
    here = readings[scene.turn.index].intents
    behind = here[here.index(intent) + 1 :] if intent in here else ()
    later = [
        *behind,
        *(one for reading in readings[scene.turn.index + 1 :] for one in reading.intents),
    ]
    following = next((one for one in later if one.kind in _ACTING), None)
    return (
        following.label
        if following is not None and not following.optional and not following.conditional
        else ""
    )


def _again_until(
    scene: DocumentScene, intent: Intent, there: Callable[[Observation], bool]
) -> Script[bool]:
    """Repeat the last click until `there` holds, a bounded number of times. Return
    whether it holds."""
    label = scene.memory.clicked[-1] if scene.memory.clicked else ""
    for _ in range(_CLICKS_UNTIL):
        if there(scene.page) or not label:
            break
        found = yield from seek.control(scene, replace(intent, optional=True), label)
        yield from seek.press(
            scene, intent, found, f"“{intent.label}” is not there yet; I click “{label}” again."
        )
    return there(scene.page)


def expect_status(scene: DocumentScene, intent: Intent) -> Script[None]:
    """Wait until the status has a value, reload once, and only then blame the
    document."""
    value = intent.value or ""

    def reached(page: Observation) -> bool:
        row = _row_spoken_of(scene, page)
        if row:
            return contains(row, value)
        shown = [run.text for run in page.texts] + [element.name for element in page.elements]
        return any(match_value(value, text) is not Match.NONE for text in shown) or any(
            contains(one, value) for one in page_rows.rows(page)
        )

    if reached(scene.page):
        return
    for attempt in range(2):
        if (
            yield from scene.await_page(
                f"I wait until the status is “{value}”.", reached, text=value, times=8, seconds=8
            )
        ):
            return
        if not attempt:
            yield from scene.act(
                "I load the page again to see the current status.", GoTo(url=scene.page.url)
            )
            yield from scene.settle()
    if _passes_by(scene, value):
        scene.pass_over(intent, why="it may have passed unseen")
        return
    row = scene.row
    shown = [
        run.text
        for run in scene.page.texts
        if run.row == row
        and row
        and any(match(name, run.column) is not Match.NONE for name in STATUS)
    ]
    raise findings.wrong_status(scene, intent, shown)


def _row_spoken_of(scene: DocumentScene, page: Observation) -> str:
    """Return the row of what the document speaks of, or else of what it named last, and
    remember it. Empty without one."""
    memory = scene.memory
    told = [name for name in (memory.row_value, *reversed(memory.names)) if name]
    found = next((name for name in told if page_rows.row_with(page, name)), "")
    memory.row_value = found or memory.row_value
    return page_rows.row_with(page, found) if found else ""


def _passes_by(scene: DocumentScene, status: str) -> bool:
    """True if the status may have come and gone unseen: it names the progress of
    something that was clicked. *Deleting* after *Create* does not."""
    name = status.casefold()
    if not name.endswith("ing") or name in _LASTING:
        return False
    return name in _ANY_PROGRESS or any(progress_of(name, label) for label in scene.memory.clicked)


def expect_value(scene: DocumentScene, intent: Intent) -> Script[None]:
    """Check the value that a field has by itself, without setting it. Another value is
    a finding, a wrong value in the document."""
    found = yield from fields.look_for(scene, intent)
    if found is None:
        scene.pass_over(intent, why=_UNSEEN)
        return
    shown = page_fields.shown_value(found)
    if not shown or any(match_value(intent.value or "", one) is not Match.NONE for one in shown):
        return
    raise findings.other_default(scene, intent, found.label or intent.label, shown[0])


def expect_row(scene: DocumentScene, intent: Intent) -> Script[None]:
    """Look in the list for what the sentence names, or else for what the document named
    last."""
    names = [
        name
        for name in (intent.value, *reversed(scene.memory.names))
        if name and not _is_page_word(name, intent)
    ]

    def listed(page: Observation) -> bool:
        shown = page_rows.rows(page)
        return any(page_rows.row_with(page, name) for name in names) if names else bool(shown)

    text = names[0] if names else ""
    if (
        yield from scene.await_page(
            "I look for it in the list.", listed, text=text, times=2, seconds=4
        )
    ):
        return
    yield from scene.act("I load the list again.", GoTo(url=scene.page.url))
    yield from scene.settle()
    if (
        yield from scene.await_page(
            "I look for it in the list.", listed, text=text, times=3, seconds=6
        )
    ):
        return
    if not names or not page_rows.rows(scene.page):
        scene.pass_over(intent, why=_UNSEEN)
        return
    raise findings.not_listed(scene, intent, names[0], page_rows.rows(scene.page)[:3])


def expect_gone(scene: DocumentScene, intent: Intent) -> Script[None]:
    """Look whether the list has dropped what the sentence names, or else the row that
    was acted on. One that is still being removed, and one whose name nobody knows,
    blame nobody."""
    name = intent.value or scene.memory.row_value

    def left(page: Observation) -> bool:
        return not page_rows.row_with(page, name)

    if not name or (yield from scene.await_page("I look whether it is gone.", left, seconds=4)):
        return
    yield from scene.act("I load the list again.", GoTo(url=scene.page.url))
    yield from scene.settle()
    if (yield from scene.await_page("I look whether it is gone.", left, times=3, seconds=6)):
        return
    row = page_rows.row_with(scene.page, name)
    if _BEING_REMOVED.search(row):
        scene.pass_over(intent, why="it is still being removed")
        return
    raise findings.still_listed(scene, intent, name, row)


def _is_page_word(name: str, intent: Intent) -> bool:
    page = intent.scope(ScopeKind.PAGE, ScopeKind.TAB, ScopeKind.SECTION)
    return page is not None and nearness(page.label, name) == 1.0
