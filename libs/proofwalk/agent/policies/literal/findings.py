"""Turns an intent that cannot be placed into a finding.

Called only after every reasonable place was searched (`seek`). A *renamed* element
needs a near candidate of the same sort in the same place; otherwise the element is
*missing*. Candidates are what the console offers there, best first.
"""

from __future__ import annotations

from collections.abc import Iterable

from proofwalk.agent.page import grounding, page_fields, places, regions
from proofwalk.agent.page.differences import (
    Difference,
    as_written,
    place_in_front,
    way_as_written,
)
from proofwalk.agent.page.page_fields import FIELD_ROLES
from proofwalk.agent.page.reasons import reason_of
from proofwalk.agent.page.scene import Script, Stuck
from proofwalk.agent.page.words import Match, match, match_value, nearness, normalise
from proofwalk.agent.policies.literal.scene import DocumentScene, Filled
from proofwalk.agent.reading.intents import PICTURE, Intent, Origin
from proofwalk.console.observation import Element, Observation
from proofwalk.kernel.obstacles import Obstacle, ObstacleKind
from proofwalk.kernel.outcomes import Finding, FindingKind

NEAR = 0.5
"""Nearness from which a candidate counts as the same thing under another name."""


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
        asked=as_written(differs.asked, origin.sentence),
        offered=differs.offered,
        place=differs.place,
        way=differs.way,
    )


def _renamed(
    scene: DocumentScene, intent: Intent, label: str, message: str, names: Iterable[str]
) -> Stuck:
    """Return what to raise when the first of `names` stands where `label` should be."""
    candidates = tuple(names)
    differs = Difference(asked=label, offered=candidates[0], place=place_in_front(scene.page))
    found = finding(intent.origin, FindingKind.RENAMED, message, candidates, differs=differs)
    return Stuck(message, found, missed=label, instead=candidates[0])


def _absent(
    scene: DocumentScene, intent: Intent, label: str, message: str, names: Iterable[str]
) -> Stuck:
    """Return what to raise when nothing stands where `label` should be."""
    differs = Difference(asked=label, place=place_in_front(scene.page))
    found = finding(intent.origin, FindingKind.MISSING, message, names, differs=differs)
    return Stuck(message, found)


def no_control(scene: DocumentScene, intent: Intent, label: str) -> Stuck:
    """Return what to raise for a missing button, link, tab or menu entry."""
    if intent.noun == PICTURE or (intent.noun == "icon" and not intent.words):
        # A picture may have any name: one that is not found blames nobody.
        return Stuck(f"no control is named like {intent.phrase or label}")
    page = scene.page
    place = scene.place(intent)
    named = [
        element
        for element in regions.reachable(page, page.elements)
        if element.role not in grounding.TEXT_ROLES and element.name
    ]
    close = _close(page, named, place, label)
    names = grounding.nearest(label, [element.name for element in close])
    what = f"{intent.noun or 'control'} “{label}”"
    where = f" in “{page.modal}”" if page.modal else (f" on “{page.title}”" if page.title else "")
    if names and nearness(label, names[0]) >= NEAR:
        message = f"the console has no {what}{where}; “{names[0]}” stands where it should be"
        return _renamed(scene, intent, label, message, names)
    in_form = bool(page.modal or scene.memory.filled) and place.noun in ("", "button")
    forward = _forward_button(page) if in_form else ""
    if forward:
        message = f"the console has no {what}{where}; the form goes on with “{forward}”"
        return _renamed(scene, intent, label, message, dict.fromkeys([forward, *names]))
    message = f"the console has no {what}{where}"
    names = names or grounding.nearest(label, [element.name for element in named])
    return _absent(scene, intent, label, message, names)


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
    page = scene.page
    entries = [element.name for element in page.elements if regions.in_navigation(page, element)]
    names = grounding.nearest(label, entries)
    if names and nearness(label, names[0]) >= NEAR:
        message = f"the navigation has no entry “{label}”; it has “{names[0]}”"
        return _renamed(scene, intent, label, message, names)
    message = f"the navigation has no entry “{label}”"
    return _absent(scene, intent, label, message, names)


def moved(scene: DocumentScene, intent: Intent, label: str, parent: str, under: str) -> Finding:
    """Return a finding for a menu entry under another parent than the document says.
    The entry is there, so the walk goes on."""
    message = f"the navigation has “{label}” under “{under}”, not under “{parent}”"
    way = (under, label)
    written = way_as_written((parent, label), intent.origin.sentence)
    differs = Difference(
        asked=written or parent,
        offered=" > ".join(way) if written else under,
        place=place_in_front(scene.page),
        way=way,
    )
    return finding(intent.origin, FindingKind.MOVED, message, (" > ".join(way),), differs=differs)


def no_section(scene: DocumentScene, intent: Intent, label: str) -> Stuck:
    """Return what to raise for a named part of a page or form that is missing."""
    page = scene.page
    front = regions.texts_in_front(page)
    titles = [
        run.text for run in front if run.role in ("heading", "label") and run.text != page.modal
    ]
    titles += [found.label for found in page_fields.all_fields(page) if found.label]
    names = grounding.nearest(label, titles)
    where = f" in “{page.modal}”" if page.modal else ""
    message = f"the console has no section “{label}”{where}" + (
        f"; it has “{names[0]}”" if names else ""
    )
    if names and nearness(label, names[0]) >= NEAR:
        return _renamed(scene, intent, label, message, names)
    return _absent(scene, intent, label, message, names)


def no_field(scene: DocumentScene, intent: Intent, label: str) -> Stuck:
    """Return what to raise for a missing form field."""
    labels = [found.label or found.first.name for found in page_fields.all_fields(scene.page)]
    names = grounding.nearest(label, labels)
    where = f" in “{scene.page.modal}”" if scene.page.modal else ""
    if names and nearness(label, names[0]) >= NEAR:
        message = f"the console has no field “{label}”{where}; it has “{names[0]}”"
        return _renamed(scene, intent, label, message, names)
    message = f"the console has no field “{label}”{where}"
    return _absent(scene, intent, label, message, names)


def wrong_value(
    scene: DocumentScene, intent: Intent, field: str, value: str, offered: Iterable[str]
) -> Stuck:
    """Return what to raise for a field that does not offer the document's value."""
    if any(normalise(value) == normalise(prepared) for prepared in scene.turn.task.binds.values()):
        return _not_offered(field, value, offered)
    names = grounding.nearest(value, offered, limit=8)
    named = f"“{field}”" if field else "the choice"
    message = f"{named} does not offer “{value}”" + (
        f"; it offers {', '.join(f'“{name}”' for name in names)}" if names else ""
    )
    near = names[0] if names and nearness(value, names[0]) >= NEAR else ""
    differs = Difference(asked=value, offered=near, place=place_in_front(scene.page))
    return Stuck(
        message,
        finding(intent.origin, FindingKind.WRONG_VALUE, message, names, differs=differs),
    )


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
    message = f"“{field}” is set to “{shown}”, not to “{intent.value}”"
    place = place_in_front(scene.page)
    differs = Difference(asked=intent.value or "", offered=shown, place=place)
    return Stuck(
        message,
        finding(intent.origin, FindingKind.WRONG_VALUE, message, (shown,), differs=differs),
    )


def refused_value(scene: DocumentScene, filled: Filled, field: str, complaint: str) -> Stuck:
    """Return what to raise when the console refuses the document's value."""
    message = f"the console refuses “{filled.value}” for “{field}”" + (
        f": {complaint}" if complaint else ""
    )
    differs = Difference(asked=filled.value, place=place_in_front(scene.page))
    return Stuck(message, finding(filled.origin, FindingKind.WRONG_VALUE, message, differs=differs))


def missing_step(scene: DocumentScene, intent: Intent, field: str, complaint: str) -> Stuck:
    """Return what to raise when the console demands something that the document never
    mentions."""
    message = f"the console demands “{field}”, which the document does not mention" + (
        f": {complaint}" if complaint else ""
    )
    differs = Difference(offered=field, place=place_in_front(scene.page))
    return Stuck(
        message,
        finding(intent.origin, FindingKind.MISSING_STEP, message, (field,), differs=differs),
    )


def disabled(scene: DocumentScene, element: Element) -> Script[Stuck]:
    """Return what to raise for a disabled control: a precondition is missing, which the
    console names, or does not."""
    reason = yield from reason_of(scene, element)
    told = f": {reason}" if reason else ""
    message = f"“{element.name}” is there but disabled{told}"
    remedy = (
        f"before this step the console wants: {reason}"
        if reason
        else "the console does not say why"
    )
    obstacle = Obstacle(kind=ObstacleKind.PRECONDITION, message=message, remedy=remedy)
    return Stuck(message, obstacle=obstacle, wants=reason)


def _not_offered(field: str, value: str, offered: Iterable[str]) -> Stuck:
    """Return what to raise for a prepared resource that a choice does not offer: its
    state is not the one that the choice wants."""
    names = ", ".join(f"“{name}”" for name in list(offered)[:8])
    message = f"“{field}” does not offer “{value}”, which was prepared" + (
        f"; it offers {names}" if names else ""
    )
    remedy = f"“{value}” has to be in the state in which “{field}” offers it"
    return Stuck(
        message, obstacle=Obstacle(kind=ObstacleKind.PRECONDITION, message=message, remedy=remedy)
    )


def exhausted(alert: str) -> Stuck:
    """Return what to raise when the backend has none left, whoever asks."""
    message = f"the console refuses it again: {alert}"
    return Stuck(message, obstacle=Obstacle(kind=ObstacleKind.LIMIT, message=message))


def wrong_outcome(
    scene: DocumentScene, intent: Intent, expected: str, seen: Iterable[str], *, asked: str
) -> Stuck:
    """Return what to raise when something else follows than the document says."""
    shown = tuple(seen)
    message = f"the document expects {expected}" + (
        f"; the console shows {', '.join(shown)}" if shown else "; the console does not show it"
    )
    offered = shown[0] if len(set(shown)) == 1 else ""
    differs = Difference(asked=asked, offered=offered, place=place_in_front(scene.page))
    return Stuck(
        message,
        finding(intent.origin, FindingKind.WRONG_OUTCOME, message, shown, differs=differs),
    )


def ambiguous(intent: Intent, label: str, elements: list[Element]) -> Stuck:
    """Return what to raise for several equal candidates. The document may be right, so
    there is no finding."""
    rows = ", ".join(sorted({element.row or element.container or "page" for element in elements}))
    return Stuck(
        f"“{label}” names {len(elements)} equal controls ({rows[:200]}); the sentence does not say"
        " which"
    )
