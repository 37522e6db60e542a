"""Moves of a script in a table: finding a row, opening it and pressing what it
offers."""

from __future__ import annotations

from proofwalk.agent.page import grounding, page_fields, page_rows, regions
from proofwalk.agent.page.reasons import reason_of
from proofwalk.agent.page.scene import Script, Stuck
from proofwalk.agent.page.words import Match, match, normalise
from proofwalk.agent.policies.scripted import words
from proofwalk.agent.policies.scripted.stage import (
    Stage,
    act_on,
    click,
    escape,
    named,
)
from proofwalk.console.actions import Click, GoTo, SetChecked, Type
from proofwalk.console.observation import Element, Observation, State

_ROW_ATTEMPTS = 14


def _row(stage: Stage, name: str, *, patience: int = 2) -> Script[str]:
    """Return the text of the row that shows `name`: on this page of the list, else by
    its search box, else on the pages after it. Empty if none does."""
    yield from stage.settle()
    for _ in range(patience):
        found = page_rows.row_with(stage.page, name)
        if found:
            return found
        yield from stage.pause(f"I do not see “{name}” yet; I wait for the list.", 2, name)
    if _search_box(stage.page) is not None:
        yield from search_rows(stage, name)
        found = page_rows.row_with(stage.page, name)
        if found:
            return found
        yield from search_rows(stage, "")
    for _ in range(10):
        following = turn_page(stage.page, "")
        if following is None or State.DISABLED in following.states:
            break
        yield from stage.act(f"“{name}” may be on the next page.", Click(id=following.mark))
        yield from stage.settle()
        found = page_rows.row_with(stage.page, name)
        if found:
            return found
    return ""


def found_row(stage: Stage, name: str) -> Script[str]:
    """Return the text of the row that shows `name`. Raises `Stuck`."""
    for attempt in range(4):
        found = yield from _row(stage, name, patience=2 + attempt)
        if found:
            return found
        if not stage.page.modal:
            yield from stage.act("I load the list again.", GoTo(url=stage.page.url))
            yield from stage.settle()
    raise Stuck(f"the list shows no row with “{name}”")


def open_row(stage: Stage, name: str) -> Script[None]:
    for _ in range(3):
        row = yield from found_row(stage, name)
        link = page_rows.row_link(stage.page, row)
        if link is None:
            yield from stage.pause("The row has no link yet; I wait.", 2)
            continue
        url = stage.page.url
        yield from stage.act(f"I open “{link.name}”.", Click(id=link.mark))
        yield from stage.settle()
        if stage.page.url != url or page_rows.row_with(stage.page, name) != row:
            return
    raise Stuck(f"the row of “{name}” does not open")


def press_in_row(stage: Stage, name: str, label: str) -> Script[None]:
    """Press an action of a row, inline or behind its `⋮`, once the row's state allows
    it."""
    why = f"the row of “{name}” offers no “{label}”"
    for _ in range(_ROW_ATTEMPTS):
        row = yield from found_row(stage, name)
        element, behind = _action(stage.page, row, label), False
        if element is None:
            element = yield from _behind_more(stage, row, label)
            behind = True
        if element is not None and State.DISABLED not in element.states:
            before = stage.page.fingerprint
            past = yield from stage.act(f"I click “{label}” of “{name}”.", Click(id=element.mark))
            yield from stage.settle()
            if past.ok and stage.page.fingerprint != before:
                return
            why = f"“{label}” of “{name}”: {past.result}"
        elif element is not None:
            hint = yield from reason_of(stage, element)
            why = f"“{label}” of “{name}” stays disabled" + (f": {hint}" if hint else "")
        if behind:
            yield from escape(stage, f"“{label}” is not to be had now; I close the menu.")
        yield from stage.pause(f"“{label}” of “{name}” cannot be used yet; I wait.", 3)
    raise Stuck(why)


def _action(page: Observation, row: str, label: str) -> Element | None:
    found = [
        one for one in page.elements if one.row == row and one.role not in page_fields.FIELD_ROLES
    ]
    named_so = [one for one in found if match(label, one.name) is not Match.NONE]
    return max(
        named_so,
        key=lambda one: (int(match(label, one.name)), one.tag in ("button", "a")),
        default=None,
    )


def _behind_more(stage: Stage, row: str, label: str) -> Script[Element | None]:
    openers = grounding.openers(stage.page, row)
    if not openers:
        return None
    before = stage.page
    yield from stage.act(f"“{label}” may be behind “⋮”.", Click(id=openers[-1].mark))
    yield from stage.settle()
    fresh = [one for one in stage.appeared(before) if match(label, one.name) is not Match.NONE]
    return max(fresh, key=lambda one: int(match(label, one.name)), default=None)


def press_for_rows(stage: Stage, names: tuple[str, ...], label: str) -> Script[None]:
    for name in names:
        row = yield from found_row(stage, name)
        box = next(
            (one for one in stage.page.elements if one.row == row and one.role == "checkbox"), None
        )
        if box is None:
            raise Stuck(f"the row of “{name}” has no check box")
        yield from stage.act(f"I tick “{name}”.", SetChecked(id=box.mark, checked=True))
    yield from click(stage, lambda page: _batch(page, label), f"“{label}” over the list")


def _batch(page: Observation, label: str) -> Element | None:
    found = named(page, label)
    return found if found is not None and not found.row else None


def _search_box(page: Observation) -> Element | None:
    front = regions.reachable(page, page.elements)
    boxes = [
        one
        for one in front
        if one.role in grounding.TEXT_ROLES or (one.role == "combobox" and one.tag == "input")
    ]
    hinted = [one for one in boxes if normalise(one.placeholder).startswith(words.SEARCH)]
    return next(
        (one for one in boxes if one.role == "searchbox"),
        hinted[0] if hinted and not page.modal else None,
    )


def search_rows(stage: Stage, text: str) -> Script[None]:
    yield from act_on(
        stage,
        _search_box,
        lambda box: Type(id=box.mark, text=text, submit=True),
        f"I search the list for “{text}”.",
        "search box",
    )


def turn_page(page: Observation, number: str) -> Element | None:
    """Return the button of a page of the list, or, without a number, of the next
    one."""
    front = [
        one
        for one in regions.reachable(page, page.elements)
        if one.role == "button" and not one.row
    ]
    if number:
        numbers = [
            one
            for one in front
            if normalise(one.name) == number or normalise(one.name).startswith(f"{number},")
        ]
        return next(iter(numbers), None)
    return next(
        (
            one
            for one in front
            if any(word in normalise(f"{one.name} {one.hint}") for word in words.NEXT_PAGE)
        ),
        None,
    )
