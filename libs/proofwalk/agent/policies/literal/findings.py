"""Turns an intent that cannot be placed into a finding.

Called only after every reasonable place was searched (`seek`). A *renamed* element
needs a near candidate of the same sort in the same place; otherwise the element is
*missing*. Candidates are what the console offers there, best first. What is said of it
has its sentences in `page.wording`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from proofwalk.agent.page import grounding, page_fields, page_rows, places, regions, wording
from proofwalk.agent.page.differences import (
    Difference,
    as_written,
    asked_words,
    in_front,
    way_as_written,
)
from proofwalk.agent.page.page_fields import FIELD_ROLES
from proofwalk.agent.page.reasons import reason_of
from proofwalk.agent.page.scene import Script, Stuck
from proofwalk.agent.page.wording import Wanted
from proofwalk.agent.page.words import Match, match, match_value, nearness, normalise
from proofwalk.agent.policies.literal import told_entries
from proofwalk.agent.policies.literal.scene import DocumentScene, Filled
from proofwalk.agent.reading.intents import PAGE_IN_WORDS, PICTURE, Intent, Origin
from proofwalk.console.observation import Element, Observation
from proofwalk.kernel.obstacles import Obstacle, ObstacleKind
from proofwalk.kernel.outcomes import Finding, FindingKind

NEAR = 0.5
"""Nearness from which a candidate counts as the same thing under another name."""
_PLACE_CHARS = 60
_STANDS_AS = {
    "button": "button",
    "link": "link",
    "tab": "tab",
    "checkbox": "check box",
    "switch": "switch",
    "menuitem": "menu entry",
}
"""What a reader calls the control that stands in a named one's place."""


def finding(
    origin: Origin,
    kind: FindingKind,
    message: str,
    candidates: Iterable[str] = (),
    *,
    differs: Difference,
) -> Finding:
    """Return a finding that points at a sentence."""
    return Finding(
        file=origin.file,
        line=origin.line,
        sentence=origin.sentence,
        kind=kind,
        message=message,
        candidates=tuple(candidates),
        asked=as_written(differs.words, origin.sentence),
        offered=differs.offered,
        place=differs.place.name,
        way=differs.way,
    )


def stuck_with(found: Finding, *, missed: str = "", instead: str = "") -> Stuck:
    """Return what to raise for a finding, which is also the reason."""
    return Stuck(found.message.removesuffix("."), found, missed=missed, instead=instead)


def _renamed(wanted: Wanted, message: str, names: Iterable[str]) -> Stuck:
    """Return what to raise when the first of `names` stands in the wanted one's
    place."""
    candidates = tuple(names)
    differs = Difference(words=wanted.words, offered=candidates[0], place=wanted.place)
    origin = wanted.intent.origin
    found = finding(origin, FindingKind.RENAMED, message, candidates, differs=differs)
    return stuck_with(found, missed=wanted.label, instead=candidates[0])


def _absent(wanted: Wanted, message: str, names: Iterable[str]) -> Stuck:
    """Return what to raise when nothing stands in the wanted one's place."""
    differs = Difference(words=wanted.words, place=wanted.place)
    origin = wanted.intent.origin
    return stuck_with(finding(origin, FindingKind.MISSING, message, names, differs=differs))


def _not_there(wanted: Wanted, names: tuple[str, ...]) -> Stuck:
    """Return what to raise for a thing that is not there: renamed if one of `names` is
    near."""
    if names and nearness(wanted.label, names[0]) >= NEAR:
        return _renamed(wanted, wording.absent(wanted, instead=names[0]), names)
    return _absent(wanted, wording.absent(wanted), names)


def no_control(scene: DocumentScene, intent: Intent, label: str) -> Stuck:
    """Return what to raise for a missing button, link, tab or menu entry."""
    if intent.noun == PICTURE or (intent.noun == "icon" and label not in intent.words):
        # A picture may have any name: one that is not found blames nobody.
        return Stuck(f"no control is named like {intent.phrase or label}")
    page = scene.page
    place = scene.place(intent)
    named = [
        element
        for element in regions.reachable(page, page.elements)
        if element.role not in grounding.TEXT_ROLES
        and element.name
        and not page_rows.is_head(element)
    ]
    close = _close(page, named, place, label)
    names = grounding.nearest(label, [element.name for element in close])
    wanted = Wanted(intent=intent, label=label, place=in_front(page), noun=intent.noun)
    if names and nearness(label, names[0]) >= NEAR:
        stands = next((one.role for one in close if one.name.split() == names[0].split()), "")
        sort = wanted.known_noun or _STANDS_AS.get(stands, "")
        return _not_there(replace(wanted, noun=sort), names)
    in_form = bool(page.modal or scene.memory.filled) and place.noun in ("", "button")
    forward = _forward_button(page) if in_form else ""
    if forward:
        message = wording.form_goes_on(wanted, forward)
        return _renamed(wanted, message, dict.fromkeys([forward, *names]))
    names = names or grounding.nearest(label, [element.name for element in named])
    return _absent(wanted, wording.absent(wanted), names)


_SIDEWAYS = frozenset(
    [
        "previous",
        "back",
        "cancel",
        "close",
        "clear",
        "search",
        "refresh",
        "reset",
        "help",
        "last",
        "prev",
        "return",
        "last step",
        "previous step",
        "go back",
        "no",
        "select",
        *("上一步", "返回", "取消", "关闭", "清除", "搜索", "刷新", "重置", "帮助"),
    ]
)


def goes_on(name: str) -> bool:
    """True if a button's name may mean that a form or a window goes on."""
    told = normalise(name)
    return told not in _SIDEWAYS and not told.startswith(("add", "添加", "新增"))


def _forward_button(page: Observation) -> str:
    """Return the one button under an open form that goes on; empty if there is not
    exactly one. A document's last click on a form can only mean this button."""
    front = [
        element
        for element in regions.reachable(page, page.elements)
        if not regions.in_navigation(page, element)
    ]
    fields = [
        element
        for element in front
        if element.role in FIELD_ROLES and element.role != "searchbox" and not element.row
    ]
    if not fields:
        return ""
    end = max(element.box.y for element in fields)
    names = [
        element.name
        for element in front
        if element.role == "button"
        and element.tag in ("button", "input")
        and element.box.y > end
        and not element.row
    ]
    going_on = [name for name in dict.fromkeys(names) if goes_on(name)]
    return going_on[0] if len(going_on) == 1 else ""


def _close(
    page: Observation, named: list[Element], place: places.Place, label: str
) -> list[Element]:
    """Return the elements among which the missing one should be: those of its row, of
    the navigation pane, or of the page without lists and menus."""
    if place.row:
        found = [
            element
            for element in named
            if element.row == place.row or (element.container and not element.row)
        ]
    elif place.navigation:
        found = [element for element in named if regions.in_navigation(page, element)]
    else:
        aside = [
            element
            for element in named
            if not regions.in_navigation(page, element) and not regions.in_top_bar(element)
        ]
        found = [element for element in aside if not element.row] or aside
    roles = {
        "tab": {"tab"},
        "button": {"button", "link"},
        "check box": {"checkbox"},
        "switch": {"switch"},
    }.get(place.noun)
    sorted_out = [element for element in found if element.role in roles] if roles else found
    return [element for element in sorted_out if normalise(element.name) != normalise(label)]


def no_navigation(scene: DocumentScene, intent: Intent, label: str) -> Stuck:
    """Return what to raise for an entry that the navigation pane lacks."""
    if intent.noun == PAGE_IN_WORDS:
        # What the console calls it, the document leaves open.
        return Stuck(f"nothing that leads to the {label} page is found")
    if not told_entries.is_entry(intent, led=scene.memory.led):
        # `Open **Otter**`: a thing of some list, and the document does not say which.
        return Stuck(f"nothing here leads to “{label}”; the document does not say where to begin")
    page = scene.page
    entries = [element.name for element in page.elements if regions.in_navigation(page, element)]
    names = grounding.nearest(label, entries)
    wanted = Wanted(intent=intent, label=label, place=in_front(page))
    if names and nearness(label, names[0]) >= NEAR:
        return _renamed(wanted, wording.not_in_navigation(wanted, instead=names[0]), names)
    return _absent(wanted, wording.not_in_navigation(wanted), names)


def moved(scene: DocumentScene, intent: Intent, label: str, parent: str, under: str) -> Finding:
    """Return a finding for a menu entry under another parent than the document says.
    The entry is there, so the walk goes on."""
    wanted = Wanted(intent=intent, label=label, place=in_front(scene.page))
    written = way_as_written((parent, label), intent.origin.sentence)
    message = wording.moved(wanted, way=written, parent=parent, under=under)
    way = (under, label)
    differs = Difference(
        words=written or asked_words(intent, parent),
        offered=" > ".join(way) if written else under,
        place=wanted.place,
        way=way,
    )
    return finding(intent.origin, FindingKind.MOVED, message, (" > ".join(way),), differs=differs)


def arrow_moved(scene: DocumentScene, intent: Intent, other: str) -> Finding:
    """Return a finding for an arrow that is beside another button, with the button that
    the document names in its menu."""
    wanted = Wanted(intent=intent, label=intent.label, place=in_front(scene.page))
    message = wording.arrow_moved(wanted, beside=other)
    differs = Difference(words=wanted.words, place=wanted.place, way=(other, intent.label))
    return finding(intent.origin, FindingKind.MOVED, message, (other,), differs=differs)


def no_section(scene: DocumentScene, intent: Intent, label: str) -> Stuck:
    """Return what to raise for a named part of a page or form that is missing."""
    page = scene.page
    front = regions.texts_in_front(page)
    titles = [
        run.text for run in front if run.role in ("heading", "label") and run.text != page.modal
    ]
    titles += [found.label for found in page_fields.all_fields(page) if found.label]
    wanted = Wanted(intent=intent, label=label, place=in_front(page), noun="section")
    return _not_there(wanted, grounding.nearest(label, titles))


def no_field(scene: DocumentScene, intent: Intent, label: str) -> Stuck:
    """Return what to raise for a missing form field."""
    labels = [found.label or found.first.name for found in page_fields.all_fields(scene.page)]
    wanted = Wanted(intent=intent, label=label, place=in_front(scene.page), noun="field")
    return _not_there(wanted, grounding.nearest(label, labels))


def wrong_value(
    scene: DocumentScene, intent: Intent, field: str, value: str, offered: Iterable[str]
) -> Stuck:
    """Return what to raise for a field that does not offer the document's value."""
    offered = list(offered)
    if any(normalise(value) == normalise(prepared) for prepared in scene.turn.task.binds.values()):
        return _not_in_state(field, value, offered)
    names = grounding.nearest(value, offered, limit=8)
    wanted = Wanted(intent=intent, label=value, place=in_front(scene.page))
    message = wording.not_offered(wanted, field=field, choices=names)
    near = [name for name in names if nearness(value, name) >= NEAR]
    offered_instead = near[0] if len(near) == 1 else ""
    differs = Difference(words=wanted.words, offered=offered_instead, place=wanted.place)
    origin = intent.origin
    return stuck_with(finding(origin, FindingKind.WRONG_VALUE, message, names, differs=differs))


def changed_default(scene: DocumentScene) -> Stuck | None:
    """Return what to raise for a field in front that nobody set and whose value is not
    the one that the document states. What depends on the field fails first."""
    for intent in scene.memory.standing:
        if any(match(one.label, intent.label) is not Match.NONE for one in scene.memory.filled):
            continue
        found = page_fields.fields(scene.page, intent.label, scene.place(intent))
        shown = page_fields.shown_value(found[0]) if found else []
        if shown and not any(
            match_value(intent.value or "", one) is not Match.NONE for one in shown
        ):
            return other_default(scene, intent, found[0].label or intent.label, shown[0])
    return None


def other_default(scene: DocumentScene, intent: Intent, field: str, shown: str) -> Stuck:
    """Return what to raise for a field whose value is not the one that the document
    states."""
    wanted = Wanted(intent=intent, label=intent.value or "", place=in_front(scene.page))
    message = wording.set_otherwise(wanted, field=field, shown=shown)
    differs = Difference(words=wanted.words, offered=shown, place=wanted.place)
    origin = intent.origin
    return stuck_with(finding(origin, FindingKind.WRONG_VALUE, message, (shown,), differs=differs))


def refused_value(scene: DocumentScene, filled: Filled, field: str, complaint: str) -> Stuck:
    """Return what to raise when the console refuses the document's value."""
    place = in_front(scene.page)
    message = wording.refused(place, field=field, value=filled.value, complaint=complaint)
    differs = Difference(words=filled.value, place=place)
    return stuck_with(finding(filled.origin, FindingKind.WRONG_VALUE, message, differs=differs))


def missing_step(scene: DocumentScene, intent: Intent, field: str, complaint: str) -> Stuck:
    """Return what to raise when the console demands something that the document never
    mentions."""
    place = in_front(scene.page)
    message = wording.demanded(place, label=field, complaint=complaint)
    differs = Difference(offered=field, place=place)
    origin = intent.origin
    return stuck_with(finding(origin, FindingKind.MISSING_STEP, message, (field,), differs=differs))


def disabled(scene: DocumentScene, element: Element) -> Script[Stuck]:
    """Return what to raise for a disabled control: a precondition is missing, which the
    console names, or does not."""
    reason = yield from reason_of(scene, element)
    message, remedy = wording.unusable(element.name, reason=reason)
    obstacle = Obstacle(kind=ObstacleKind.PRECONDITION, message=message, remedy=remedy)
    return Stuck(message, obstacle=obstacle, wants=reason)


def _not_in_state(field: str, value: str, offered: Iterable[str]) -> Stuck:
    """Return what to raise for a prepared resource that a choice does not offer: its
    state is not the one that the choice wants."""
    message, remedy = wording.not_in_state(field, value, choices=offered)
    return Stuck(
        message, obstacle=Obstacle(kind=ObstacleKind.PRECONDITION, message=message, remedy=remedy)
    )


def exhausted(alert: str) -> Stuck:
    """Return what to raise when the backend has none left, whoever asks."""
    message = f"the console refuses it again: {alert}"
    return Stuck(message, obstacle=Obstacle(kind=ObstacleKind.LIMIT, message=message))


def wrong_status(scene: DocumentScene, intent: Intent, shown: Iterable[str]) -> Stuck:
    """Return what to raise when another status follows than the document says. Without
    any in `shown`, the row is what is told of it."""
    status, seen, row = intent.value or "", tuple(shown), scene.row
    place = in_front(scene.page)
    message = wording.other_status(place, status=status, shown=seen, row=row)
    offered = seen[0] if len(set(seen)) == 1 else ""
    differs = Difference(words=asked_words(intent, status), offered=offered, place=place)
    names = seen or ((row,) if row else ())
    origin = intent.origin
    return stuck_with(finding(origin, FindingKind.WRONG_OUTCOME, message, names, differs=differs))


def not_listed(scene: DocumentScene, intent: Intent, name: str, listed: Iterable[str]) -> Stuck:
    """Return what to raise when a list does not show what the document says is in it."""
    place = in_front(scene.page)
    message = wording.not_listed(place, name=name)
    differs = Difference(words=asked_words(intent, name), place=place)
    origin = intent.origin
    return stuck_with(finding(origin, FindingKind.WRONG_OUTCOME, message, listed, differs=differs))


def still_listed(scene: DocumentScene, intent: Intent, name: str, row: str) -> Stuck:
    """Return what to raise when a list shows what the document says is gone from it."""
    place = in_front(scene.page)
    message = wording.still_listed(place, name=name)
    differs = Difference(words=asked_words(intent, name), place=place)
    origin = intent.origin
    return stuck_with(finding(origin, FindingKind.WRONG_OUTCOME, message, [row], differs=differs))


def ambiguous(intent: Intent, label: str, elements: list[Element]) -> Stuck:
    """Return what to raise for several equal candidates. The document may be right, so
    there is no finding."""
    places = [(one.row or one.container)[:_PLACE_CHARS] for one in elements]
    return Stuck(wording.several(label, places=places, count=len(elements)))
