"""Goes to where a sentence is about, before the walk was led anywhere.

`On the **Pumps** page, find `otter`` names its page, which an entry of the navigation
opens. `Open the **Otter** pump` names none: the lists that the navigation leads to are
looked through for a thing of that name, those first whose entry shares a word with the
document. Entries of a navigation only show; one that may change something is left.
Nothing that is not found here blames a document.
"""

from __future__ import annotations

import re
from dataclasses import replace

from proofwalk.agent.page import differences, grounding, page_rows, places, regions
from proofwalk.agent.page.scene import Script, Stuck
from proofwalk.agent.page.words import Match, contains, match, normalise, tokens
from proofwalk.agent.policies.literal import changing_names, searches, seek, tips
from proofwalk.agent.policies.literal.scene import DocumentScene
from proofwalk.agent.reading.intents import THING, Intent, IntentKind, ScopeKind
from proofwalk.console.actions import Press
from proofwalk.console.observation import Element, State

_LISTS = 10
"""Pages that are looked through for a thing."""
_OF_A_LIST = re.compile(r"\s+(?:list|table|page|screen|view)\b|\s*(?:列表|页面?)", re.I)
_LEAVES = re.compile(
    r"(?:log|sign) ?(?:out|off)|help|support|documentation|docs|feedback|about|what.s new|"
    r"(?:add|create|new|delete|remove|start|stop|import|upload)\b"
    r"|退出|注销|帮助|支持|文档|反馈|关于|工单|创建|新建|添加|新增|删除|移除|启动|停止|导入|上传|购买",
    re.I,
)
"""Entries that lead out of the console, or may change something."""


def arrive(scene: DocumentScene, intent: Intent) -> Script[None]:
    """Open the page that the intent's sentence names, if another is in front and the
    navigation has it."""
    if intent.noun == THING and intent.path and not scene.memory.led:
        if not _shows(scene, intent.label) and not _is_in_front(scene, intent.label):
            yield from look_through_lists(scene, intent)
        return
    name = _named_page(intent)
    page = scene.page
    if not name or scene.memory.led or page.modal or intent.kind is IntentKind.NAVIGATE:
        return
    if _is_in_front(scene, name) or _has_tab(scene, name):
        return
    yield from _show_navigation(scene, intent)
    entry = _entry(scene, name)
    if entry is None:
        tried: set[str] = set()
        while entry is None and (head := _next_folded(scene, tried)) is not None:
            tried.add(normalise(head.name))
            yield from seek.press(scene, intent, head, f"“{name}” may be under “{head.name}”.")
            entry = _entry(scene, name)
    if entry is None and scene.page.modal:
        yield from scene.act("It has no such entry; I close it.", Press(key="Escape"))
        yield from scene.settle()
    if entry is None:
        entry = (yield from searches.suggested(scene, name)) or (yield from tips.named(scene, name))
    if entry is None:
        return
    yield from seek.press(scene, intent, entry, f"The sentence speaks of “{name}”; I go there.")
    scene.memory.base = scene.page.url


def _show_navigation(scene: DocumentScene, intent: Intent) -> Script[None]:
    """Show the navigation where a button hides it."""
    hidden = regions.navigation_opener(scene.page)
    if hidden is not None:
        yield from seek.press(scene, intent, hidden, f"“{hidden.name}” shows the navigation.")


def _named_page(intent: Intent) -> str:
    """The page that a sentence speaks of, also by the list that is on it."""
    page = intent.scope(ScopeKind.PAGE)
    if page is not None and page.label:
        return page.label
    part = intent.scope(ScopeKind.SECTION)
    if part is None or not part.label:
        return ""
    _, found, rest = intent.origin.sentence.partition(part.label)
    return part.label if found and _OF_A_LIST.match(rest) else ""


def _is_in_front(scene: DocumentScene, name: str) -> bool:
    return match(name, differences.in_front(scene.page).name) is not Match.NONE


def _has_tab(scene: DocumentScene, name: str) -> bool:
    return bool(grounding.tabs(scene.page, name))


def _entry(scene: DocumentScene, name: str) -> Element | None:
    """Return the one entry of the navigation with this name."""
    found = [
        one
        for one in grounding.controls(scene.page, name, places.Place(navigation=True))
        if regions.in_navigation(scene.page, one)
    ]
    if not found and scene.page.modal:  # A navigation that is drawn as a drawer.
        found = [
            one
            for one in grounding.controls(scene.page, name, places.Place())
            if one.role in ("link", "button", "menuitem")
        ]
    return found[0] if len(found) == 1 else None


def _next_folded(scene: DocumentScene, tried: set[str]) -> Element | None:
    """Return the next head of the navigation that hides its entries."""
    return next(
        (
            one
            for one in regions.reachable(scene.page, scene.page.elements)
            if State.COLLAPSED in one.states
            and one.name
            and normalise(one.name) not in tried
            and regions.in_navigation(scene.page, one)
        ),
        None,
    )


def look_through_lists(scene: DocumentScene, intent: Intent) -> Script[bool]:
    """Look for the thing that the intent names in the lists of the console. Return True
    on the page that shows it. Many pages have a button `Create`: one is looked for only
    on a page of which the sentence or the title speaks."""
    name = intent.label
    is_field = intent.kind in (IntentKind.SET, IntentKind.CHECK)
    if len(intent.path) != 1 or is_field or not name or scene.page.modal:
        return False
    named = yield from searches.suggested(scene, name)
    if named is not None:
        yield from seek.press(scene, intent, named, f"I open “{name}”.")
        return True
    is_act = changing_names.may_do(name)
    told = _words_of(scene, intent, headings=not is_act)
    tried: set[str] = set()
    yield from _show_navigation(scene, intent)
    start = scene.page.url
    for _ in range(_LISTS):
        entry = _next_list(scene, told, tried, named=is_act)
        if entry is None:
            break
        tried.add(normalise(entry.name))
        try:
            yield from seek.press(
                scene, intent, entry, f"“{name}” may be in the list of “{entry.name}”."
            )
        except Stuck:
            continue
        if scene.page.url != start and _shows(scene, name):
            scene.memory.base = scene.page.url
            return True
    return False


def of_the_list(scene: DocumentScene, intent: Intent) -> Intent:
    """Return the intent as the opening of a row, where the thing's name is a row's and
    no control's."""
    name = intent.label
    if intent.kind is not IntentKind.NAVIGATE or len(intent.path) != 1:
        return intent
    if grounding.controls(scene.page, name, scene.place(intent)):
        return intent
    in_a_row = bool(page_rows.row_with(scene.page, name))
    return replace(intent, kind=IntentKind.OPEN_ROW, phrase="") if in_a_row else intent


def _words_of(scene: DocumentScene, intent: Intent, *, headings: bool) -> set[str]:
    procedure = scene.turn.task.procedure
    told = (intent.origin.sentence, procedure.title, *(procedure.headings if headings else ()))
    return {_stem(word) for text in told for word in tokens(text)}


def _stem(word: str) -> str:
    return word.removesuffix("s") if len(word) > 3 else word


def _next_list(
    scene: DocumentScene, told: set[str], tried: set[str], *, named: bool
) -> Element | None:
    """Return the entry to look at next: one that the document speaks of, then one that
    unfolds, then any other, unless it has to be `named`."""
    entries = [
        one
        for one in regions.reachable(scene.page, scene.page.elements)
        if one.name
        and normalise(one.name) not in tried
        and one.role not in grounding.TEXT_ROLES
        and State.DISABLED not in one.states
        and State.EXPANDED not in one.states
        and regions.in_navigation(scene.page, one)
        and not _LEAVES.match(one.name)
        and (not named or State.COLLAPSED in one.states or _shared(one, told))
    ]
    ranked = sorted(
        entries, key=lambda one: (-_shared(one, told), State.COLLAPSED not in one.states)
    )
    return ranked[0] if ranked else None


def _shared(entry: Element, told: set[str]) -> int:
    return len({_stem(word) for word in tokens(entry.name)} & told)


def _shows(scene: DocumentScene, name: str) -> bool:
    """True if the page shows a thing of this name outside of its navigation."""
    wanted = normalise(name)
    controls = any(
        (
            normalise(one.name) == wanted
            # A card is called by all that stands on it, its name first.
            or (one.role == "link" and normalise(one.name).startswith(f"{wanted} "))
        )
        and not regions.in_navigation(scene.page, one)
        for one in regions.reachable(scene.page, scene.page.elements)
    )
    # The first cell names the thing, often behind its id.
    heads = (row.split(" | ", 1)[0] for row in page_rows.rows(scene.page))
    return controls or any(contains(head, name) for head in heads)
