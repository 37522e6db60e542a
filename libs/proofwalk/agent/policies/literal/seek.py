"""Looks for a control in every reasonable place before it counts as missing.

In order: the page as it is; the page once it is quiet, for a picture by what it stands
for; the row's `⋮` menu; collapsed menus; further down the page; the page's own `⋮`; the
page that the sentence names, through the navigation pane; once more after a wait, if no
second look follows. Menus that did not have the control are closed again.
"""

from __future__ import annotations

import re
from dataclasses import replace

from proofwalk.agent.page import grounding, pictures, places, regions
from proofwalk.agent.page.scene import Script, Stuck
from proofwalk.agent.page.words import Match, contains, match, tokens
from proofwalk.agent.policies.literal import findings, searches, tips, titled
from proofwalk.agent.policies.literal.scene import DocumentScene, Skipped
from proofwalk.agent.reading.intents import PICTURE, Intent, IntentKind, ScopeKind
from proofwalk.console.actions import Click, Hover, Press, Scroll
from proofwalk.console.observation import Element, State

_SHORTENED = frozenset(
    {"add", "new", "create", "edit", "modify", "update", "delete", "remove", "clone", "copy"}
)
"""Verbs that documents write without the thing's kind, which the button has."""
_MAKES = frozenset({"add", "new", "create"})
_MAKES_ZH = re.compile(r"(?:添加|新增|创建|新建)[\u4e00-\u9fff]")
_PAGES = 6
_A_NAME = re.compile(r"[a-z0-9][-_.][a-z0-9]|[a-z]\d", re.I)
"""`vnet-dev`: a thing's own name, which no menu has."""
_COVERED = "is covered by"
"""What a click reports that would have met something else, such as an open menu."""
_LED_TO = (IntentKind.NAVIGATE, IntentKind.OPEN_ROW)
"""How many screens down the page is searched."""


def control(
    scene: DocumentScene,
    intent: Intent,
    label: str,
    *,
    navigation: bool | None = None,
    inside: bool = False,
) -> Script[Element]:
    """Bring the control with this label into view and return it. Raises `Stuck` with a
    finding if it is nowhere. `inside`: a menu was just opened."""
    found = _one(scene, intent, label, navigation, inside=inside)
    if (
        found is not None
        and State.DISABLED in found.states
        and scene.row
        and found.row != scene.row
        and not inside
    ):
        found = yield from _in_menus(scene, intent, label, navigation)
    if found is None:
        yield from scene.settle()
        found = _one(scene, intent, label, navigation) or _pictured(scene, intent, label)
        found = found or titled.unfolding(scene, intent, label)
    if found is None:
        yield from scene.pause(f"I do not see “{label}” yet; I wait for it.", 4, label)
        found = _one(scene, intent, label, navigation)
    if found is None and intent.conditional:
        raise Skipped
    led_to = not inside and (navigation or intent.kind in _LED_TO)
    has_own_name = _A_NAME.search(label) is not None
    if found is None and led_to and has_own_name:
        found = yield from searches.suggested(scene, label)
    if found is None and not inside:
        found = yield from _in_menus(scene, intent, label, navigation)
    if found is None and led_to and not has_own_name:
        found = yield from searches.suggested(scene, label)
    if found is None and not inside and not scene.page.modal and not intent.optional:
        found = yield from tips.named(scene, label)
    if found is None:
        found = yield from _down_the_page(scene, intent, label, navigation)
    if found is None and not inside:
        found = yield from _on_named_page(scene, intent, label, navigation)
    if found is None and not scene.looks_again:
        yield from scene.pause(f"“{label}” is nowhere yet; I give the page more time.", 6, label)
        found = _one(scene, intent, label, navigation)
    if found is None and not inside:
        found = _one(scene, intent, label, navigation, anywhere=True)
        found = found or _written_in_full(scene, label)
    if found is None and intent.optional:
        raise Skipped
    if found is None:
        raise (
            findings.no_navigation(scene, intent, label)
            if navigation
            else findings.no_control(scene, intent, label)
        )
    return found


def _written_in_full(scene: DocumentScene, label: str) -> Element | None:
    """Return the one control whose name is this verb and the kind of thing that the
    document is about: `Edit` for *Edit Device*. None for another label."""
    verb = tokens(label)
    if len(verb) != 1 or verb[0] not in _SHORTENED:
        return None
    procedure = scene.turn.task.procedure
    about = {
        word
        for text in (procedure.title, *(one.text for one in procedure.substeps))
        for word in tokens(text)
    }
    full = [
        element
        for element in regions.reachable(scene.page, scene.page.elements)
        if element.role in ("button", "link")
        and not regions.in_navigation(scene.page, element)
        and State.DISABLED not in element.states
        and tokens(element.name)[:1] == verb
        and {*tokens(element.name)[1:]} <= about
    ]
    return full[0] if len(full) == 1 else None


def _pictured(scene: DocumentScene, intent: Intent, label: str) -> Element | None:
    """Return the one control that is named after what a picture stands for."""
    if intent.noun not in ("icon", PICTURE):
        return None
    pointing = pictures.pointing(scene.page, label)
    if pointing:
        return pointing[0] if len(pointing) == 1 else None
    meant = pictures.controls(scene.page, label, row=scene.row)
    beside = [one for one in meant if not regions.in_navigation(scene.page, one)]
    meant = titled.of_its_title(scene, intent, beside or meant)
    meant = _on_its_line(scene, meant) if len(meant) > 1 else meant
    return meant[0] if len(meant) == 1 else None


def _on_its_line(scene: DocumentScene, signs: list[Element]) -> list[Element]:
    """Of signs in a list without rows, return that on the line of what was located."""
    head = next((one for one in scene.page.elements if one.identity == scene.memory.head), None)
    if head is None:
        return signs
    middle = head.box.y + head.box.height / 2
    return [one for one in signs if one.box.y <= middle <= one.box.y + one.box.height]


def _one(
    scene: DocumentScene,
    intent: Intent,
    label: str,
    navigation: bool | None,
    *,
    inside: bool = False,
    anywhere: bool = False,
) -> Element | None:
    place = scene.place(intent, navigation=navigation)
    if (
        place.row
        and not anywhere
        and (intent.scope(ScopeKind.COLUMN) or intent.origin == scene.memory.row_origin)
    ):
        place = replace(place, only_row=True, opened=inside)
    found = grounding.controls(scene.page, label, place)
    if navigation:
        found = [
            element for element in found if regions.in_navigation(scene.page, element)
        ] or found
    if len(found) > 1:
        found = _of_section(scene, found)
    if len(found) > 1:
        found = without_its_tab(found)
    if len(found) > 1 and _makes_one_thing(label, found):
        found = [min(found, key=lambda one: (one.box.y, one.box.x))]
    if len(found) > 1:
        found = _of_what_is_told(scene, intent, found)
    if len(found) > 1:
        found = titled.of_its_title(scene, intent, found)
    if len(found) > 1:
        raise findings.ambiguous(intent, label, found)
    return found[0] if found else None


def without_its_tab(found: list[Element]) -> list[Element]:
    """Of a button and the tab that it leads to, return the button: both open it."""
    buttons = [one for one in found if one.role == "button"]
    tabs = [one for one in found if one.role == "tab"]
    return buttons if len(buttons) == 1 and len(tabs) == len(found) - 1 else found


def _makes_one_thing(label: str, found: list[Element]) -> bool:
    """Whether equal buttons make a thing that their name tells, as the head of a page
    and its empty list do: any will do. In rows, each makes it for another thing."""
    verb, *thing = tokens(label) or ("",)
    named = (verb in _MAKES and bool(thing)) or _MAKES_ZH.match(label) is not None
    return named and all(one.role in ("button", "link") and not one.row for one in found)


def _of_what_is_told(scene: DocumentScene, intent: Intent, found: list[Element]) -> list[Element]:
    """Of equal controls in rows, return the one in the only row of a thing that the
    sentence names, by itself or in the words of META: `To stop the mill, click
    **Stop**`. All of them where there is no such row."""
    sentence = intent.origin.sentence
    told = [
        value
        for phrase, value in scene.turn.task.binds.items()
        if contains(sentence, phrase) or contains(sentence, value)
    ]
    told += [word for word in intent.words if word != intent.label]
    of_told = [one for one in found if one.row and any(contains(one.row, name) for name in told)]
    return of_told if len(of_told) == 1 else found


def _of_section(scene: DocumentScene, found: list[Element]) -> list[Element]:
    """Of equal controls, return the first at or below the head of the section that the
    document selected; all of them without such a section."""
    head = next((one for one in scene.page.elements if one.identity == scene.memory.head), None)
    below = [one for one in found if head is not None and one.box.y >= head.box.y]
    return [min(below, key=lambda one: (one.box.y, one.box.x))] if below else found


def _in_menus(
    scene: DocumentScene, intent: Intent, label: str, navigation: bool | None
) -> Script[Element | None]:
    """Look in the `⋮` menus of the row and the page and in collapsed menus, opened one
    after the other."""
    tried: set[str] = set()
    for _ in range(4):
        opener = _opener(scene, intent, navigation, tried)
        if opener is None:
            return None
        tried.add(opener.identity)
        before = scene.page
        name = opener.name or "⋮"
        yield from scene.act(
            f"“{label}” is not in sight; it may be behind “{name}”.", Click(id=opener.mark)
        )
        yield from scene.settle()
        found = _one(scene, intent, label, navigation)
        if found is None and not scene.appeared(before) and scene.page.url == before.url:
            again = next(
                (element for element in scene.page.elements if element.identity == opener.identity),
                None,
            )
            if again is not None:
                yield from scene.act(
                    f"Nothing opened; I point at “{name}” instead.", Hover(id=again.mark)
                )
                found = _one(scene, intent, label, navigation)
        if found is not None:
            return found
        if not navigation and scene.appeared(before):
            yield from scene.act(f"“{label}” is not in this menu; I close it.", Press(key="Escape"))
    return None


def _opener(
    scene: DocumentScene, intent: Intent, navigation: bool | None, tried: set[str]
) -> Element | None:
    page = scene.page
    hidden = regions.navigation_opener(page)
    wanted = navigation or intent.scope(ScopeKind.NAVIGATION) is not None
    if wanted and hidden is not None and hidden.identity not in tried:
        return hidden
    candidates = [] if navigation else grounding.openers(page, scene.row)
    collapsed = [
        element
        for element in regions.reachable(page, page.elements)
        if State.COLLAPSED in element.states and element.role != "combobox"
    ]
    if navigation:
        candidates += [element for element in collapsed if regions.in_navigation(page, element)]
    elif not scene.row:
        candidates += [
            element
            for element in collapsed
            if not regions.in_top_bar(element) and not regions.in_navigation(page, element)
        ]
    return next(
        (
            element
            for element in candidates
            if element.identity not in tried and State.DISABLED not in element.states
        ),
        None,
    )


def _down_the_page(
    scene: DocumentScene, intent: Intent, label: str, navigation: bool | None
) -> Script[Element | None]:
    height = scene.page.viewport[1]
    down = 0.0
    for _ in range(_PAGES):
        _, offset, _, total = scene.page.scroll
        if offset + height >= total - 4:
            break
        past = yield from scene.act(
            f"“{label}” may be further down; I scroll.", Scroll(dy=height * 0.8)
        )
        down += height * 0.8
        found = _one(scene, intent, label, navigation)
        if found is not None:
            return found
        if not past.ok:
            break
    if down:
        yield from scene.act("I scroll back to the top.", Scroll(dy=-down))
    return None


def _on_named_page(
    scene: DocumentScene, intent: Intent, label: str, navigation: bool | None
) -> Script[Element | None]:
    """Go to the page or tab that the sentence names, and look for the control there."""
    scope = intent.scope(ScopeKind.TAB, ScopeKind.PAGE)
    if (
        scope is None
        or not scope.label
        or scene.page.modal
        or navigation
        or intent.kind is IntentKind.NAVIGATE
    ):
        return None
    entries = grounding.controls(
        scene.page, scope.label, places.Place(navigation=scope.kind is ScopeKind.PAGE)
    )
    if (
        len(entries) != 1
        or State.SELECTED in entries[0].states
        or match(scope.label, label) is not Match.NONE
    ):
        return None
    yield from scene.act(
        f"The sentence speaks of “{scope.label}”; I go there first.", Click(id=entries[0].mark)
    )
    yield from scene.settle()
    return _one(scene, intent, label, navigation)


def section(scene: DocumentScene, label: str) -> Script[bool]:
    """Return True if a part of the page or form in front has this title: once the page
    is quiet, after a wait, or further down."""
    yield from scene.settle()
    if not grounding.titled(scene.page, label):
        yield from scene.pause(f"I do not see “{label}” yet; I wait for it.", 3, label)
    height = scene.page.viewport[1]
    for _ in range(_PAGES):
        _, offset, _, total = scene.page.scroll
        if grounding.titled(scene.page, label) or offset + height >= total - 4:
            break
        yield from scene.act(f"“{label}” may be further down; I scroll.", Scroll(dy=height * 0.8))
    return grounding.titled(scene.page, label)


def press(scene: DocumentScene, intent: Intent, element: Element, thought: str) -> Script[None]:
    """Click an element, and once more after a wait if the click fails. Raises `Stuck`
    without a finding if that fails too."""
    past = yield from scene.act(thought, Click(id=element.mark))
    if past.ok:
        yield from scene.settle()
        return
    if _COVERED in past.result and not element.container and not scene.page.modal:
        yield from scene.act("Something lies over it; I close that.", Press(key="Escape"))
        yield from scene.settle()
    else:
        yield from scene.pause(f"The click did not work ({past.result}); I wait and try again.", 3)
    again = grounding.same(scene.page, element)
    again = again or _one(scene, intent, element.name, None)
    if again is None and "menu" in (element.role.removesuffix("item"), element.container):
        again = yield from _in_its_menu(scene, intent, element)
    if again is None:
        raise Stuck(f"“{element.name}” went away before it could be clicked: {past.result}")
    past = yield from scene.act(thought, Click(id=again.mark))
    if not past.ok:
        raise Stuck(f"“{element.name}” could not be clicked: {past.result}")
    yield from scene.settle()


def _in_its_menu(scene: DocumentScene, intent: Intent, element: Element) -> Script[Element | None]:
    """Open the row's menu again, which something else has closed, and look for the
    entry in it."""
    openers = grounding.openers(scene.page, scene.row)
    if not openers:
        return None
    yield from scene.act("The menu has closed; I open it again.", Click(id=openers[-1].mark))
    yield from scene.settle()
    return grounding.same(scene.page, element) or _one(scene, intent, element.name, None)
