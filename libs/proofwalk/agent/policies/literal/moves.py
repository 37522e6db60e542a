"""Carries out intents: menus, clicks, rows, products, regions. `forms` fills fields,
and `awaited` looks for what will be seen.

`play` runs one intent; `MOVES` names the script of each kind. Each move checks its
effect in the next observation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from proofwalk.agent.page import grounding, regions
from proofwalk.agent.page.scene import Script, Stuck
from proofwalk.agent.page.words import MORE, normalise
from proofwalk.agent.policies.literal import (
    arrows,
    awaited,
    beginnings,
    check_boxes,
    complaints,
    fields,
    files,
    findings,
    forms,
    listed_choices,
    needs,
    seek,
    transfer_moves,
)
from proofwalk.agent.policies.literal.context_menus import open_context_menu
from proofwalk.agent.policies.literal.field_clicks import into_field, names_field
from proofwalk.agent.policies.literal.menus import hover, navigate, open_more
from proofwalk.agent.policies.literal.own_choices import is_chosen
from proofwalk.agent.policies.literal.page_moves import configure, confirm, mention, refresh, region
from proofwalk.agent.policies.literal.path_places import legs
from proofwalk.agent.policies.literal.products import log_on
from proofwalk.agent.policies.literal.row_moves import (
    locate,
    names_row,
    open_row,
    point_at,
    select_row,
)
from proofwalk.agent.policies.literal.scene import DocumentScene, Skipped
from proofwalk.agent.policies.literal.sights import expectations_of
from proofwalk.agent.reading.intents import ARROW, SECTION, Intent, IntentKind, ScopeKind
from proofwalk.console.actions import Press
from proofwalk.console.observation import Element, Observation, State

_LEADS = frozenset(
    {
        IntentKind.LOG_ON,
        IntentKind.NAVIGATE,
        IntentKind.OPEN_ROW,
        IntentKind.SELECT_ROW,
        IntentKind.CLICK,
        IntentKind.SET,
        IntentKind.CHECK,
    }
)
"""What brings a walk somewhere. What is chosen by its name alone does not: a page that
happens to have the name may be another one."""
_ON_A_TAB = frozenset(
    {IntentKind.LOCATE, IntentKind.OPEN_ROW, IntentKind.SELECT_ROW, IntentKind.SET}
)
_IN_A_SECTION = frozenset({IntentKind.CLICK, IntentKind.SET, IntentKind.CHECK, IntentKind.UPLOAD})


def play(scene: DocumentScene, intent: Intent) -> Script[None]:
    """Carry out one intent. One that does not apply is passed over, and its words are
    reported."""
    for leg in legs(intent):
        yield from _play(scene, leg)


def _play(scene: DocumentScene, intent: Intent) -> Script[None]:
    if not (yield from _applies(scene, intent)):
        return
    yield from beginnings.arrive(scene, intent)
    before = scene.page
    intent = _of_the_row(scene, intent)
    try:
        yield from _open_tab(scene, intent)
        if intent.kind in _IN_A_SECTION:
            yield from _see_section(scene, intent)
        yield from MOVES[intent.kind](scene, intent)
        scene.expected += expectations_of(intent, scene.memory)
        _remember(scene, intent, before)
    except Skipped:
        scene.pass_over(intent, why="it is optional, and not there")
    except Stuck as stuck:
        if not intent.conditional:
            raise
        scene.pass_over(intent, why=f"it depends on a condition, and {stuck.reason}")


def _applies(scene: DocumentScene, intent: Intent) -> Script[bool]:
    """Return whether what the intent depends on is so. If not, it is passed over."""
    if intent.situation:
        why = f"only the reader can tell whether it applies: “{intent.situation}”"
        scene.pass_over(intent, why=why)
        return False
    if intent.prompted and not scene.page.modal:
        yield from scene.settle()
        if not scene.page.modal:
            scene.pass_over(intent, why="no window asks for it")
            return False
    for name, holds, why in (
        (intent.condition, _is_seen, "not there"),
        (intent.depends_on, is_chosen, "not chosen"),
    ):
        if name and not holds(scene, name):
            yield from scene.settle()
            if not holds(scene, name):
                scene.pass_over(intent, why=f"“{name}” is {why}, on which it depends")
                return False
    return True


def _is_seen(scene: DocumentScene, name: str) -> bool:
    return grounding.seen(scene.page, name)


def _of_the_row(scene: DocumentScene, intent: Intent) -> Intent:
    """Read a choice without a field as a click in the row that was just found: `find
    the key and choose **Enable**`."""
    said_of_it = (
        intent.scope(ScopeKind.COLUMN) is not None or intent.origin == scene.memory.row_origin
    )
    if (
        intent.kind is not IntentKind.SET
        or intent.path
        or not intent.value
        or not scene.row
        or not said_of_it
    ):
        return intent
    return replace(intent, kind=IntentKind.CLICK, path=(intent.value,), value=None)


def _remember(scene: DocumentScene, intent: Intent, before: Observation) -> None:
    """Record `intent` for repetition after a reload. Clear the record if the intent led
    to another page or sent a form."""
    page = scene.page
    by_name = intent.kind is IntentKind.SET and not intent.path
    scene.memory.led |= intent.kind in _LEADS and not by_name
    arrived = (
        intent.kind
        in (
            IntentKind.LOG_ON,
            IntentKind.NAVIGATE,
            IntentKind.OPEN_ROW,
            IntentKind.REGION,
        )
        and not page.modal
    )
    left = page.url != before.url and not page.modal
    sent = bool(before.modal) and not forms.working(page)
    if arrived or (intent.kind is IntentKind.CLICK and (left or sent)):
        scene.memory.base, scene.memory.played = page.url, []
    else:
        scene.memory.played.append(intent)


def click(scene: DocumentScene, intent: Intent) -> Script[None]:
    if intent.noun == "key":
        yield from scene.act(f"I press {intent.label}.", Press(key=intent.label))
        return
    if intent.noun == ARROW:
        yield from arrows.press(scene, intent)
        return
    if len(intent.path) > 1 and _leads_through_navigation(scene, intent):
        yield from navigate(scene, intent)
        return
    if (yield from _is_no_control(scene, intent)):
        return
    opened = normalise(intent.path[0]) in MORE or _has_menu(intent)
    if opened:
        yield from open_more(scene, intent)
    for position, label in enumerate(intent.path):
        if position == 0 and normalise(label) in MORE:
            continue
        if intent.others and position == len(intent.path) - 1:
            label = yield from _offered(scene, intent)
        found = yield from seek.control(scene, intent, label, inside=position > 0 or opened)
        found = yield from _usable(scene, intent, label, found)
        before = scene.page
        scene.memory.clicked.append(label)
        yield from seek.press(scene, intent, found, f"I click “{label}”.")
        again = yield from complaints.after_click(scene, intent, before)
        if again:
            retry = yield from seek.control(scene, intent, label, inside=True)
            yield from seek.press(scene, intent, retry, f"I click “{label}” again.")
            yield from complaints.after_click(scene, intent, before, last=True)


def _choose(scene: DocumentScene, intent: Intent) -> Script[None]:
    """Fill a field, or select the row of a thing that was prepared: `select **Otter**`,
    `choose the pump`."""
    name = intent.value if not intent.path else None
    if intent.noun == "words" and intent.value is None and not fields.named(scene, intent):
        name = next(iter(needs.bound(scene, intent, of_sentence=False)), None)
    if name and names_row(scene, name):
        row = replace(intent, kind=IntentKind.SELECT_ROW, path=(name,), value=None, noun="")
        yield from select_row(scene, row)
        return
    opener = _menu_told_as_a_field(scene, intent)
    if opener is not None:
        if State.EXPANDED not in opener.states:
            yield from seek.press(scene, intent, opener, f"I open the menu “{opener.name}”.")
        entry = yield from seek.control(scene, intent, intent.value or "", inside=True)
        yield from seek.press(scene, intent, entry, f"I choose “{entry.name}”.")
        return
    if not (yield from forms.chosen_by_name(scene, intent)):
        yield from forms.set_field(scene, intent)


def _menu_told_as_a_field(scene: DocumentScene, intent: Intent) -> Element | None:
    """Return the button that opens a menu where the sentence tells of a list: `From the
    **Actions** drop-down menu, choose **Drain**`. None for a field."""
    if len(intent.path) != 1 or not intent.value or fields.named(scene, intent):
        return None
    opens = {State.COLLAPSED, State.EXPANDED}
    found = [
        one
        for one in grounding.controls(scene.page, intent.label, scene.place(intent))
        if one.role == "button"
        and opens & one.states
        and not regions.in_navigation(scene.page, one)
    ]
    return found[0] if len(found) == 1 else None


def _is_no_control(scene: DocumentScene, intent: Intent) -> Script[bool]:
    """Do what the click means where its label is a field's or a thing's in a row: click
    into the field, choose in it (`select **Zone** > **East**`), open the row, or choose
    one of several. Return
    False if the intent is about another control."""
    if intent.noun == listed_choices.LISTED:
        yield from scene.settle()
        chosen = listed_choices.preferred(scene, intent)
        if chosen is not None:
            yield from click(scene, replace(chosen, noun=""))
        return True
    if len(intent.path) == 2 and names_field(scene, intent, intent.path[0]):
        chosen = replace(intent, kind=IntentKind.SET, path=intent.path[:1], value=intent.label)
        yield from forms.set_field(scene, chosen)
        return True
    if len(intent.path) == 1 and names_row(scene, intent.label):
        scene.memory.row_value, scene.memory.row_origin = intent.label, intent.origin
        yield from open_row(scene, intent)
        return True
    return (yield from into_field(scene, intent))


def _offered(scene: DocumentScene, intent: Intent) -> Script[str]:
    """Return the first of the labels that do equally which the page has; the first of
    all where it has none."""
    yield from scene.settle()
    labels = (intent.label, *intent.others)
    place = scene.place(intent)
    return next((one for one in labels if grounding.controls(scene.page, one, place)), labels[0])


def _pointed_at(scene: DocumentScene, intent: Intent) -> Script[None]:
    yield from (hover if intent.path else point_at)(scene, intent)


def _has_menu(intent: Intent) -> bool:
    """True if the sentence says that the control is in the menu of further actions."""
    menu = intent.scope(ScopeKind.MENU)
    return menu is not None and normalise(menu.label) in MORE


def _leads_through_navigation(scene: DocumentScene, intent: Intent) -> bool:
    """True if a path without a place, `choose **Identities** > **Users**`, begins in
    the navigation pane."""
    begins = grounding.controls(scene.page, intent.path[0], scene.place(intent, navigation=True))
    return any(regions.in_navigation(scene.page, element) for element in begins)


def _open_tab(scene: DocumentScene, intent: Intent) -> Script[None]:
    """Open the tab that the sentence names, unless it is in front. Raises a finding if
    the page has tabs, but not this one, and the intent is about what is on it."""
    scope = intent.scope(ScopeKind.TAB)
    holds = intent.kind in _ON_A_TAB | _IN_A_SECTION or intent.noun == SECTION
    if scope is None or not scope.label or not holds:
        return
    told = intent.kind in _ON_A_TAB
    if told and _has_tabs(scene.page):
        yield from scene.await_page(
            f"I look for the tab “{scope.label}”.",
            lambda page: bool(grounding.tabs(page, scope.label)),
            text=scope.label,
            times=1,
        )
    tabs = grounding.tabs(scene.page, scope.label)
    if told and not tabs and _has_tabs(scene.page):
        raise findings.no_control(scene, replace(intent, noun="tab"), scope.label)
    if len(tabs) == 1 and State.SELECTED not in tabs[0].states:
        yield from seek.press(scene, intent, tabs[0], f"I open the tab “{tabs[0].name}”.")


def _has_tabs(page: Observation) -> bool:
    return any(one.role == "tab" for one in regions.reachable(page, page.elements))


def _see_section(scene: DocumentScene, intent: Intent) -> Script[None]:
    """Raise a finding if the section that the sentence names is missing, even where its
    content could be found without it. Words without capitals describe a place, and name
    none: `at the bottom of **Rules**`."""
    scope = intent.scope(ScopeKind.SECTION)
    if scope is None or not scope.label or intent.conditional or intent.optional:
        return
    described = scope.label.isascii() and scope.label.islower()
    if described or (yield from seek.section(scene, scope.label)):
        return
    raise findings.no_section(scene, intent, scope.label)


def _usable(scene: DocumentScene, intent: Intent, label: str, element: Element) -> Script[Element]:
    """Wait for a disabled control; raise the reason if it stays disabled."""
    for _ in range(4):
        if State.DISABLED not in element.states:
            return element
        yield from scene.pause(f"“{label}” is disabled; I wait.", 3)
        again = grounding.controls(scene.page, label, scene.place(intent))
        element = again[0] if again else element
    if scene.page.modal or fields.has_form(scene.page):
        yield from complaints.blocked(scene, intent)
        again = grounding.controls(scene.page, label, scene.place(intent))
        if again and State.DISABLED not in again[0].states:
            return again[0]
    raise (yield from findings.disabled(scene, element))


MOVES: dict[IntentKind, Callable[[DocumentScene, Intent], Script[None]]] = {
    IntentKind.LOG_ON: log_on,
    IntentKind.NAVIGATE: navigate,
    IntentKind.CLICK: click,
    IntentKind.LOCATE: locate,
    IntentKind.OPEN_ROW: open_row,
    IntentKind.SELECT_ROW: select_row,
    IntentKind.SET: _choose,
    IntentKind.CHECK: check_boxes.check,
    IntentKind.UPLOAD: files.upload,
    IntentKind.REGION: region,
    IntentKind.CONFIGURE: configure,
    IntentKind.WAIT: awaited.wait,
    IntentKind.EXPECT_STATUS: awaited.expect_status,
    IntentKind.EXPECT_ROW: awaited.expect_row,
    IntentKind.EXPECT_GONE: awaited.expect_gone,
    IntentKind.EXPECT_TEXT: awaited.expect_text,
    IntentKind.EXPECT_VALUE: awaited.expect_value,
    IntentKind.HOVER: _pointed_at,
    IntentKind.OPEN_CONTEXT_MENU: open_context_menu,
    IntentKind.COPY: transfer_moves.copy,
    IntentKind.DRAG: transfer_moves.drag,
    IntentKind.REFRESH: refresh,
    IntentKind.CONFIRM: confirm,
    IntentKind.MENTION: mention,
}
