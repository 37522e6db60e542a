"""Plays each move of a script except for filling fields (`fields`): pages, controls,
rows, dialogs, waiting.

`play` carries out one move. A move is done when the page shows that it is: a form that
is gone, a dialog that is closed, a row's new status. What a backend refuses for a
moment (a quota that is raised, a session that is renewed) is repeated. If it keeps
refusing, `Stuck` is raised with its words.
"""

from __future__ import annotations

from collections.abc import Callable

from proofwalk.agent.page import form_messages, grounding
from proofwalk.agent.page.scene import Script, Stuck
from proofwalk.agent.page.words import Match, contains, match, match_value, normalise
from proofwalk.agent.policies.scripted import fields, script, words
from proofwalk.agent.policies.scripted.stage import (
    Stage,
    act_on,
    click,
    escape,
    named,
    same,
    sought,
)
from proofwalk.console.actions import Click, GoTo, Hover, Press, SetChecked, Type
from proofwalk.console.observation import Element, Observation, State

_ROW_ATTEMPTS = 14
_SUBMITS = 4
_STATUS_LOOKS = 40
"""Looks of up to 5 s for a status."""


def play(stage: Stage, move: script.Move) -> Script[None]:
    """Carry out one move. Raises `Stuck`."""
    match move:
        case script.Open():
            yield from _open(stage, move.open)
        case script.Region():
            yield from _region(stage, move.region)
        case script.Press():
            yield from click(
                stage, lambda page: named(page, *words.spellings(move.press)), f"“{move.press}”"
            )
        case script.Tab():
            yield from _tab(stage, move.tab)
        case script.Row(open=True):
            yield from _open_row(stage, move.row)
        case script.Row():
            yield from _press_in_row(stage, move.row, move.press)
        case script.Rows():
            yield from _press_for_rows(stage, move.rows, move.press)
        case script.Next():
            yield from _next(stage)
        case script.Submit():
            yield from _finish(stage, words.spellings(move.submit), f"“{move.submit}”")
        case script.Confirm():
            yield from _confirm(stage, move)
        case script.Wait():
            yield from _wait(stage, move.wait)
        case script.Search():
            yield from _search(stage, move.search)
        case script.Page():
            yield from click(
                stage,
                lambda page: _page_button(page, str(move.page)),
                f"page {move.page} of the list",
            )
        case script.Close():
            yield from _close(stage)
        case _:
            yield from fields.play(stage, move)


# pages


def _open(stage: Stage, place: script.Place) -> Script[None]:
    if stage.page.modal:
        yield from _close(stage)
    entry = place.menu[-1] if place.menu else ""
    where = stage.where
    if where.product != place.product or where.path != _product_path(stage.page):
        card = named(stage.page, place.product) if not _product_path(stage.page) else None
        if card is not None:
            yield from click(stage, lambda page: named(page, place.product), f"“{place.product}”")
        else:
            yield from _in_top_bar(stage, words.PRODUCTS, place.product)
        yield from stage.await_page(
            "I wait for the product's pages.",
            lambda page: bool(_product_path(page)),
            times=3,
            seconds=3,
        )
        where.product, where.path = place.product, _product_path(stage.page)
    if not entry:
        return
    for group in place.menu[:-1]:
        # A group that is open already would fold under the click.
        if (
            _entry(stage.page, place.menu) is None
            and named(stage.page, group, navigation=True) is not None
        ):
            yield from click(
                stage,
                lambda page, group=group: named(page, group, navigation=True),  # type: ignore[misc]
                f"“{group}” in the menu",
            )
    yield from click(
        stage,
        lambda page: _entry(page, place.menu),
        f"“{entry}” in the menu",
        f"I choose “{entry}” in the menu.",
    )


def _entry(page: Observation, path: tuple[str, ...]) -> Element | None:
    """Return the menu's entry at the end of a path. If several have its name, take the
    first below the group that the path names."""
    group = named(page, path[-2], navigation=True) if len(path) > 1 else None
    found = [
        element for element in page.elements if match(path[-1], element.name) is not Match.NONE
    ]
    found = [
        element
        for element in found
        if grounding.in_navigation(page, element) and element is not group
    ]
    below = [element for element in found if group is not None and element.box.y > group.box.y]
    return min(below or found, key=lambda element: element.box.y, default=None)


def _product_path(page: Observation) -> str:
    """Return the first part of the address's path, where consoles put the product."""
    rest = page.url.split("://", 1)[-1].partition("/")[2]
    return rest.split("/", 1)[0].split("?")[0]


def _in_top_bar(stage: Stage, openers: tuple[str, ...], label: str) -> Script[None]:
    """Choose from a menu of the top bar: the menu with one of the names, or else any
    that has the entry."""
    for _ in range(3):
        top = [
            element
            for element in stage.page.elements
            if grounding.in_top_bar(element) and element.role == "button"
        ]
        likely = [element for element in top if words.is_one_of(element.name, openers)]
        for opener in likely or top:
            current = same(stage.page, opener)
            if current is None:
                continue
            before = stage.page
            yield from stage.act(
                f"I look for “{label}” behind “{opener.name}”.", Click(id=current.mark)
            )
            yield from stage.settle()
            listed = [
                one
                for one in stage.appeared(before)
                if match(label, one.name) in (Match.EXACT, Match.VARIANT)
            ]
            if listed:
                yield from stage.act(f"I choose “{label}”.", Click(id=listed[0].mark))
                yield from stage.settle()
                return
            yield from escape(stage, "It is not in this menu; I close it.")
        yield from stage.pause("The top bar does not offer it yet; I wait.", 2)
    raise Stuck(f"the top bar offers no “{label}”")


def _region(stage: Stage, label: str) -> Script[None]:
    top = [element for element in stage.page.elements if grounding.in_top_bar(element)]
    if any(match_value(label, element.name) is not Match.NONE for element in top):
        return
    yield from _in_top_bar(stage, (), label)


def _tab(stage: Stage, label: str) -> Script[None]:
    def find(page: Observation) -> Element | None:
        found = [
            one
            for one in grounding.reachable(page, page.elements)
            if one.role == "tab" and match(label, one.name) is not Match.NONE
        ]
        return found[0] if found else None

    tab = yield from sought(stage, find, f"tab “{label}”")
    if State.SELECTED not in tab.states:
        yield from click(stage, find, f"tab “{label}”")


# rows


def _row(stage: Stage, name: str, *, patience: int = 2) -> Script[str]:
    """Return the text of the row that shows `name`: on this page of the list, else by
    its search box, else on the pages after it. Empty if none does."""
    yield from stage.settle()
    for _ in range(patience):
        found = grounding.row_with(stage.page, name)
        if found:
            return found
        yield from stage.pause(f"I do not see “{name}” yet; I wait for the list.", 2, name)
    if _search_box(stage.page) is not None:
        yield from _search(stage, name)
        found = grounding.row_with(stage.page, name)
        if found:
            return found
        yield from _search(stage, "")
    for _ in range(10):
        following = _page_button(stage.page, "")
        if following is None or State.DISABLED in following.states:
            break
        yield from stage.act(f"“{name}” may be on the next page.", Click(id=following.mark))
        yield from stage.settle()
        found = grounding.row_with(stage.page, name)
        if found:
            return found
    return ""


def _surely(stage: Stage, name: str) -> Script[str]:
    for attempt in range(4):
        found = yield from _row(stage, name, patience=2 + attempt)
        if found:
            return found
        if not stage.page.modal:
            yield from stage.act("I load the list again.", GoTo(url=stage.page.url))
            yield from stage.settle()
    raise Stuck(f"the list shows no row with “{name}”")


def _open_row(stage: Stage, name: str) -> Script[None]:
    for _ in range(3):
        row = yield from _surely(stage, name)
        link = grounding.row_link(stage.page, row)
        if link is None:
            yield from stage.pause("The row has no link yet; I wait.", 2)
            continue
        url = stage.page.url
        yield from stage.act(f"I open “{link.name}”.", Click(id=link.mark))
        yield from stage.settle()
        if stage.page.url != url or grounding.row_with(stage.page, name) != row:
            return
    raise Stuck(f"the row of “{name}” does not open")


def _press_in_row(stage: Stage, name: str, label: str) -> Script[None]:
    """Press an action of a row, inline or behind its `⋮`, once the row's state allows
    it."""
    why = f"the row of “{name}” offers no “{label}”"
    for _ in range(_ROW_ATTEMPTS):
        row = yield from _surely(stage, name)
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
            hint = element.hint or (yield from _reason(stage, element))
            why = f"“{label}” of “{name}” stays disabled" + (f": {hint}" if hint else "")
        if behind:
            yield from escape(stage, f"“{label}” is not to be had now; I close the menu.")
        yield from stage.pause(f"“{label}” of “{name}” cannot be used yet; I wait.", 3)
    raise Stuck(why)


def _reason(stage: Stage, element: Element) -> Script[str]:
    """Return what the page says about a disabled action when pointed at."""
    yield from stage.act(
        f"“{element.name}” is greyed out; I point at it to learn why.", Hover(id=element.mark)
    )
    now = same(stage.page, element)
    tips = [run.text for run in stage.page.texts if run.role == "tooltip"]
    return (now.hint if now is not None else "") or "; ".join(tips)


def _action(page: Observation, row: str, label: str) -> Element | None:
    found = [
        one for one in page.elements if one.row == row and one.role not in grounding.FIELD_ROLES
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


def _press_for_rows(stage: Stage, names: tuple[str, ...], label: str) -> Script[None]:
    for name in names:
        row = yield from _surely(stage, name)
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
    front = grounding.reachable(page, page.elements)
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


def _search(stage: Stage, text: str) -> Script[None]:
    yield from act_on(
        stage,
        _search_box,
        lambda box: Type(id=box.mark, text=text, submit=True),
        f"I search the list for “{text}”.",
        "search box",
    )


def _page_button(page: Observation, number: str) -> Element | None:
    """Return the button of a page of the list, or, without a number, of the next
    one."""
    front = [
        one
        for one in grounding.reachable(page, page.elements)
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


# forms and dialogs


def _next(stage: Stage) -> Script[None]:
    """Press *Next* and wait until other fields appear."""
    what = "“Next”"
    button = yield from sought(stage, lambda page: named(page, *words.NEXT), what)
    for _ in range(3):
        before = stage.page
        shown = _form(before)
        yield from click(stage, lambda page: named(page, *words.NEXT), what)
        yield from stage.await_page(
            "I wait for the next step.",
            lambda page: _form(page) != shown,  # noqa: B023
            times=2,
            seconds=1,
        )
        now = same(stage.page, button)
        if _form(stage.page) != shown or now is None:
            return
    raise Stuck(f"the form does not go on{_complaint(stage.page, before)}")


def _form(page: Observation) -> frozenset[str]:
    return frozenset(found.first.identity for found in grounding.all_fields(page)) | frozenset(
        run.text for run in page.texts if run.role == "label"
    )


def _confirm(stage: Stage, move: script.Confirm) -> Script[None]:
    yield from stage.await_page(
        "I wait for the dialog.", lambda page: bool(page.modal), times=3, seconds=2
    )
    if move.type:
        yield from act_on(
            stage,
            lambda page: _typed_field(page, move.type),
            lambda field: Type(id=field.mark, text=move.type),
            f"I enter “{move.type}” to confirm.",
            "field to confirm in",
        )
    yield from _finish(stage, words.spellings(move.confirm), f"“{move.confirm}”")


def _typed_field(page: Observation, text: str) -> Element | None:
    """Return the field for the text: by its placeholder, else the last text field of
    the dialog."""
    texts = [
        one
        for one in grounding.reachable(page, page.elements)
        if one.role in grounding.TEXT_ROLES and not one.row
    ]
    return next((one for one in texts if one.placeholder == text), texts[-1] if texts else None)


def _finish(stage: Stage, labels: tuple[str, ...], what: str) -> Script[None]:
    """Press the button that ends a form or dialog, until the form is gone or the
    console says that it was submitted."""
    before = stage.page
    for _ in range(_SUBMITS):
        button = yield from sought(stage, lambda page: named(page, *labels), what)
        before = stage.page
        yield from act_on(
            stage,
            lambda page: named(page, *labels),
            lambda one: Click(id=one.mark),
            f"I click {what}.",
            what,
        )
        done = _is_done(before, button)
        if (yield from stage.await_page("I wait for the answer.", done, times=4, seconds=1.5)):
            return
        yield from stage.pause("It was refused or is not answered yet; I wait and try again.", 2)
        if done(stage.page):
            return
    raise Stuck(f"{what} does not end the form{_complaint(stage.page, before)}")


def _is_done(before: Observation, button: Element) -> Callable[[Observation], bool]:
    known = set(before.alerts)
    filled = {found.first.identity for found in grounding.all_fields(before)}

    def done(page: Observation) -> bool:
        if same(page, button) is None or (before.modal and page.modal != before.modal):
            return True
        if filled and not filled & {element.identity for element in page.elements}:
            return True
        fresh = " ".join(normalise(alert) for alert in page.alerts if alert not in known)
        return any(word in fresh for word in words.SUBMITTED)

    return done


def _complaint(page: Observation, before: Observation) -> str:
    """Return what the form says is wrong, as the end of a sentence."""
    fields_said = [f"{label}: {text}" for label, text in form_messages.complaints(page, before)]
    said = dict.fromkeys([*fields_said, *page.alerts[-2:]])
    return f": {'; '.join(said)[:400]}" if said else ""


def _close(stage: Stage) -> Script[None]:
    """Close the dialog, drawer or notice in front."""
    front = stage.page.modal
    closer = next(
        (
            one
            for one in grounding.reachable(stage.page, stage.page.elements)
            if words.is_one_of(one.name, words.CLOSE)
        ),
        None,
    )
    if closer is not None:
        yield from stage.act("I close it.", Click(id=closer.mark))
    else:
        yield from stage.act("I close it.", Press(key="Escape"))
    yield from stage.settle()
    if front and stage.page.modal == front:
        yield from stage.act("It is still open; I press Escape.", Press(key="Escape"))


# waiting


def _wait(stage: Stage, wanted: script.Expected) -> Script[None]:
    if wanted.text:
        what, text = f"“{wanted.text}”", wanted.text
    elif wanted.gone:
        what, text = f"the end of “{wanted.gone}”", ""
    else:
        what, text = f"the status “{wanted.status}” of “{wanted.row}”", wanted.status

    for look in range(_STATUS_LOOKS):
        yield from stage.settle()
        if _holds(stage.page, wanted):
            return
        if look % 4 == 3 and not stage.page.modal:
            yield from stage.act(
                "I load the page again to see how it stands.", GoTo(url=stage.page.url)
            )
            yield from stage.await_page(
                "I wait for the page.", lambda page: _holds(page, wanted), times=1, seconds=2
            )
        else:
            yield from stage.pause(f"I wait for {what}.", 5 if look > 2 else 2, text)
    raise Stuck(f"{what} did not come")


def _holds(page: Observation, wanted: script.Expected) -> bool:
    if wanted.text:
        return grounding.seen(page, wanted.text)
    if wanted.gone:
        return page.quiet and not grounding.row_with(page, wanted.gone)
    row = grounding.row_with(page, wanted.row)
    if row:
        return any(
            match_value(wanted.status, cell) is not Match.NONE for cell in row.split(" | ")
        ) or contains(row, wanted.status)
    texts = [*(run.text for run in page.texts), *(element.name for element in page.elements)]
    opened = not grounding.rows(page) or any(contains(text, wanted.row) for text in texts)
    return opened and any(match_value(wanted.status, text) is not Match.NONE for text in texts)
