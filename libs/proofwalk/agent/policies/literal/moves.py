"""Carries out intents: menus, clicks, rows, products, regions. `forms` fills fields,
and `awaited` looks for what will be seen.

`play` runs one intent; `MOVES` names the script of each kind. Each move checks its
effect in the next observation.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from proofwalk.agent.page import grounding
from proofwalk.agent.page.scene import Script, Stuck
from proofwalk.agent.page.words import MORE, Match, acronym, match, match_value, normalise, tokens
from proofwalk.agent.policies.literal import (
    awaited,
    complaints,
    fields,
    findings,
    forms,
    needs,
    seek,
)
from proofwalk.agent.policies.literal.intents import Intent, IntentKind, ScopeKind
from proofwalk.agent.policies.literal.scene import DocumentScene, Skipped
from proofwalk.agent.policies.literal.sights import expectations_of
from proofwalk.console.actions import Click, GoTo, Hover, Press, SetChecked
from proofwalk.console.observation import Element, Observation, State

_THE_BOX = re.compile(r"the check ?box(?: to (?:confirm|agree|acknowledge|accept)\b.*)?", re.I)
_ON_A_TAB = frozenset(
    {IntentKind.LOCATE, IntentKind.OPEN_ROW, IntentKind.SELECT_ROW, IntentKind.SET}
)
_IN_A_SECTION = frozenset({IntentKind.CLICK, IntentKind.SET, IntentKind.CHECK, IntentKind.UPLOAD})
_HOST_NOISE = frozenset({"console", "the", "alibaba", "cloud", "aliyun", "management"})


def play(scene: DocumentScene, intent: Intent) -> Script[None]:
    """Carry out one intent. One that does not apply is passed over, and its words are
    reported."""
    if intent.condition and not grounding.seen(scene.page, intent.condition):
        yield from scene.settle()
        if not grounding.seen(scene.page, intent.condition):
            scene.pass_over(intent, why=f"“{intent.condition}” is not there, on which it depends")
            return
    before = scene.page
    intent = _of_the_row(scene, intent)
    try:
        if intent.kind in _ON_A_TAB:
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


def log_on(scene: DocumentScene, intent: Intent) -> Script[None]:
    yield from open_product(scene, intent.label or scene.turn.task.product, intent.target)


def open_product(scene: DocumentScene, name: str, target: str = "") -> Script[None]:
    """Open a product's console from wherever the console is."""
    console = scene.turn.task.console
    if not name or _at_product(scene.page, name) or _is_console(console, name):
        return
    # A page of another product may show something of a similar name: nearly is enough
    # among the products alone.
    found = _product_entry(scene.page, name, least=2)
    if found is None:
        opener = grounding.controls(scene.page, "Products", grounding.Place(top_bar=True))
        if opener:
            yield from scene.act(f"I look for {name} among the products.", Click(id=opener[0].mark))
            yield from scene.settle()
        found = _product_entry(scene.page, name, least=1)
    if found is not None:
        yield from scene.act(f"I open {name}.", Click(id=found.mark))
        yield from scene.settle()
        return
    address = _same_host(scene.page.url, target)
    if address:
        yield from scene.act(f"I follow the document's link to {name}.", GoTo(url=address))
        yield from scene.settle()
        return
    raise Stuck(f"the console shows no product called “{name}”")


def _is_console(console: str, name: str) -> bool:
    """True if `name` is the name of the whole console, so that no product has to be
    opened. `VPC` is only a part of `Alibaba Cloud VPC and ECS`."""
    own, named = (
        {word for word in tokens(text) if word not in _HOST_NOISE} for text in (console, name)
    )
    return bool(own) and own == named


def _product_entry(page: Observation, name: str, *, least: int) -> Element | None:
    entries = [
        element
        for element in page.elements
        if element.name and element.role not in grounding.FIELD_ROLES and not element.row
    ]
    scored = [(_names_product(element.name, name), element) for element in entries]
    best = max((score for score, _ in scored), default=0)
    return (
        next((element for score, element in scored if score == best), None)
        if best >= least
        else None
    )


def _names_product(shown: str, name: str) -> int:
    """Score how well a shown text names a product. 4: the same name; 3: its acronym; 2:
    all of its words; 1: an acronym, or the only word, of the one is in the other; 0:
    not at all. Words that many products share, such as “Service”, do not count."""
    wanted = " ".join(word for word in normalise(name).split() if word not in _HOST_NOISE)
    if not wanted:
        return 0
    if normalise(shown) == wanted:
        return 4
    first = normalise(shown.splitlines()[0]) if shown.strip() else ""
    if acronym(first) == wanted or acronym(wanted) == first:
        return 3
    if len(tokens(shown)) <= 12 and set(tokens(wanted)) <= set(tokens(shown)):
        return 2
    short = {word.casefold() for word in re.findall(r"\b[A-Z][A-Z0-9]{2,}\b", name)}
    inner = [
        word for word in tokens(wanted) if len(word) >= 3 and (word in short or word == wanted)
    ]
    return int(
        any(
            acronym(" ".join(first.split()[: len(word)])) == word or word in tokens(first)
            for word in inner
        )
    )


def _at_product(page: Observation, name: str) -> bool:
    path = re.sub(r"^\w+://[^/]+", "", page.url).casefold()
    first = path.strip("/").split("/", 1)[0].split("?")[0]
    words = {word for word in tokens(name) if word not in _HOST_NOISE} | {acronym(name)}
    return bool(first) and first in words


def _same_host(here: str, target: str) -> str:
    """Return the link's address if it stays in this console, else an empty text."""
    origin = re.match(r"\w+://[^/]+", here)
    if target.startswith("/") and origin:
        return origin.group() + target
    return target if origin and target.startswith(origin.group() + "/") else ""


def navigate(scene: DocumentScene, intent: Intent) -> Script[None]:
    path = intent.path
    missing = not grounding.controls(scene.page, path[0], scene.place(intent, navigation=True))
    if missing and scene.turn.task.product and not _at_product(scene.page, scene.turn.task.product):
        yield from open_product(scene, scene.turn.task.product)
    for position, label in enumerate(path):
        found = yield from seek.control(scene, intent, label, navigation=True, inside=position > 0)
        if position and _stands_elsewhere(scene, found, path[position - 1]):
            scene.noted.append(findings.moved(intent, label, path[position - 1], found.group))
        following = path[position + 1] if position + 1 < len(path) else None
        if following and _visible_below(scene, intent, found, following):
            continue
        yield from seek.press(scene, intent, found, f"I choose “{label}” in the navigation.")
    scene.memory.row_value = "" if not scene.page.modal else scene.memory.row_value


def _stands_elsewhere(scene: DocumentScene, entry: Element, parent: str) -> bool:
    """True if the entry stands under another parent than the path says."""
    return (
        bool(entry.group)
        and grounding.in_navigation(scene.page, entry)
        and match(parent, entry.group) is Match.NONE
    )


def _visible_below(scene: DocumentScene, intent: Intent, parent: Element, label: str) -> bool:
    found = grounding.controls(scene.page, label, scene.place(intent, navigation=True))
    return State.COLLAPSED not in parent.states and any(
        element.box.y >= parent.box.y and element.identity != parent.identity for element in found
    )


def click(scene: DocumentScene, intent: Intent) -> Script[None]:
    if intent.noun == "key":
        yield from scene.act(f"I press {intent.label}.", Press(key=intent.label))
        return
    if len(intent.path) > 1 and _leads_through_navigation(scene, intent):
        yield from navigate(scene, intent)
        return
    opened = normalise(intent.path[0]) in MORE or _has_menu(intent)
    if opened:
        yield from _open_more(scene, intent)
    for position, label in enumerate(intent.path):
        if position == 0 and normalise(label) in MORE:
            continue
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


def _has_menu(intent: Intent) -> bool:
    """True if the sentence says that the control is in the menu of further actions."""
    menu = intent.scope(ScopeKind.MENU)
    return menu is not None and normalise(menu.label) in MORE


def _leads_through_navigation(scene: DocumentScene, intent: Intent) -> bool:
    """True if a path without a place, `choose **Identities** > **Users**`, begins in
    the navigation pane."""
    begins = grounding.controls(scene.page, intent.path[0], scene.place(intent, navigation=True))
    return any(grounding.in_navigation(scene.page, element) for element in begins)


def _open_tab(scene: DocumentScene, intent: Intent) -> Script[None]:
    """Open the tab that the sentence names, unless it is in front. Raises a finding if
    the page has tabs, but not this one."""
    scope = intent.scope(ScopeKind.TAB)
    if scope is None or not scope.label:
        return
    if any(element.role == "tab" for element in scene.page.elements):
        yield from scene.await_page(
            f"I look for the tab “{scope.label}”.",
            lambda page: bool(grounding.tabs(page, scope.label)),
            text=scope.label,
            times=1,
        )
    tabs = grounding.tabs(scene.page, scope.label)
    if (
        not tabs
        and any(element.role == "tab" for element in scene.page.elements)
        and not scene.page.modal
    ):
        raise findings.no_control(scene, replace(intent, noun="tab"), scope.label)
    if len(tabs) == 1 and State.SELECTED not in tabs[0].states:
        yield from seek.press(scene, intent, tabs[0], f"I open the tab “{tabs[0].name}”.")


def _see_section(scene: DocumentScene, intent: Intent) -> Script[None]:
    """Raise a finding if the section that the sentence names is missing, even where its
    content could be found without it."""
    scope = intent.scope(ScopeKind.SECTION)
    if scope is None or not scope.label or intent.conditional or intent.optional:
        return
    if (yield from seek.section(scene, scope.label)):
        return
    raise findings.no_section(scene, intent, scope.label)


def _open_more(scene: DocumentScene, intent: Intent) -> Script[None]:
    found = grounding.openers(scene.page, scene.row)
    if not found and not scene.row:
        shown = grounding.rows(scene.page)
        found = grounding.openers(scene.page, shown[0]) if len(shown) == 1 else []
    if not found:
        menu = intent.scope(ScopeKind.MENU)
        element = yield from seek.control(scene, intent, menu.label if menu else intent.path[0])
        found = [element]
    before = scene.page
    yield from seek.press(scene, intent, found[-1], "I open the menu of further actions.")
    if not scene.appeared(before):
        again = next(
            (element for element in scene.page.elements if element.identity == found[-1].identity),
            None,
        )
        if again is not None:
            yield from scene.act("Nothing opened; I point at it instead.", Hover(id=again.mark))


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
    raise findings.disabled(element)


def open_row(scene: DocumentScene, intent: Intent) -> Script[None]:
    if not scene.row or (intent.phrase and not normalise(intent.phrase).startswith("it")):
        yield from needs.locate(scene, intent)
    link = grounding.row_link(scene.page, scene.row)
    if link is None:
        raise findings.no_control(scene, intent, intent.phrase or "ID")
    yield from seek.press(scene, intent, link, f"I open “{link.name}”.")


def select_row(scene: DocumentScene, intent: Intent) -> Script[None]:
    lone = _lone_box(scene.page) if scene.page.modal and _THE_BOX.fullmatch(intent.phrase) else None
    if lone is not None:
        # "Read the notice, select the check box, and click OK": there is one, and it is
        # of no row.
        yield from scene.act(
            "I tick the dialog's check box.", SetChecked(id=lone.mark, checked=True)
        )
        return
    yield from needs.locate(scene, intent)
    box = next(
        (
            element
            for element in scene.page.elements
            if element.row == scene.row and element.role == "checkbox"
        ),
        None,
    )
    if box is None:
        raise findings.no_control(scene, intent, "check box")
    yield from scene.act("I tick the row.", SetChecked(id=box.mark, checked=True))


def _lone_box(page: Observation) -> Element | None:
    boxes = [one for one in grounding.reachable(page, page.elements) if one.role == "checkbox"]
    return boxes[0] if len(boxes) == 1 and not boxes[0].row else None


def region(scene: DocumentScene, intent: Intent) -> Script[None]:
    """Switch the region in the top bar. A sentence that names none accepts the current
    one."""
    if intent.value is None:
        return
    value = intent.value
    top = [element for element in scene.page.elements if grounding.in_top_bar(element)]
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


def hover(scene: DocumentScene, intent: Intent) -> Script[None]:
    if normalise(intent.label) in MORE:
        yield from _open_more(scene, intent)
        return
    found = yield from seek.control(scene, intent, intent.label)
    yield from scene.act(f"I point at “{intent.label}”.", Hover(id=found.mark))


def refresh(scene: DocumentScene, intent: Intent) -> Script[None]:
    found = grounding.controls(scene.page, "Refresh", scene.place(intent))
    if len(found) == 1:
        yield from seek.press(scene, intent, found[0], "I refresh the list.")
        return
    yield from scene.act("I load the page again.", GoTo(url=scene.page.url))
    yield from scene.settle()


def configure(scene: DocumentScene, intent: Intent) -> Script[None]:
    """Wait for the page. The intent only marks a place for parameters, so a container
    with another name is no finding."""
    yield from scene.settle()


def mention(scene: DocumentScene, intent: Intent) -> Script[None]:
    """Report the words that are nowhere on the page; there is nothing to do."""
    scene.unplaced += [word for word in intent.words if not grounding.seen(scene.page, word)]
    yield from ()


MOVES: dict[IntentKind, Callable[[DocumentScene, Intent], Script[None]]] = {
    IntentKind.LOG_ON: log_on,
    IntentKind.NAVIGATE: navigate,
    IntentKind.CLICK: click,
    IntentKind.LOCATE: needs.locate,
    IntentKind.OPEN_ROW: open_row,
    IntentKind.SELECT_ROW: select_row,
    IntentKind.SET: forms.set_field,
    IntentKind.CHECK: forms.check,
    IntentKind.UPLOAD: forms.upload,
    IntentKind.REGION: region,
    IntentKind.CONFIGURE: configure,
    IntentKind.WAIT: awaited.wait,
    IntentKind.EXPECT_STATUS: awaited.expect_status,
    IntentKind.EXPECT_ROW: awaited.expect_row,
    IntentKind.EXPECT_TEXT: awaited.expect_text,
    IntentKind.EXPECT_VALUE: awaited.expect_value,
    IntentKind.HOVER: hover,
    IntentKind.REFRESH: refresh,
    IntentKind.MENTION: mention,
}
