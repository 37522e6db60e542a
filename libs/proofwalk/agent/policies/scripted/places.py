"""Moves of a script between places of the console: products, pages, regions and
tabs."""

from __future__ import annotations

from proofwalk.agent.page import grounding, regions
from proofwalk.agent.page.scene import Script, Stuck
from proofwalk.agent.page.words import Match, match, match_value
from proofwalk.agent.policies.scripted import script, words
from proofwalk.agent.policies.scripted.dialogs import close
from proofwalk.agent.policies.scripted.stage import (
    Stage,
    click,
    escape,
    named,
    sought,
)
from proofwalk.console.actions import Click
from proofwalk.console.observation import Element, Observation, State


def open_place(stage: Stage, place: script.Place) -> Script[None]:
    if stage.page.modal:
        yield from close(stage)
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
        if regions.in_navigation(page, element) and element is not group
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
            if regions.in_top_bar(element) and element.role == "button"
        ]
        likely = [element for element in top if words.is_one_of(element.name, openers)]
        for opener in likely or top:
            current = grounding.same(stage.page, opener)
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


def choose_region(stage: Stage, label: str) -> Script[None]:
    top = [element for element in stage.page.elements if regions.in_top_bar(element)]
    if any(match_value(label, element.name) is not Match.NONE for element in top):
        return
    yield from _in_top_bar(stage, (), label)


def open_tab(stage: Stage, label: str) -> Script[None]:
    def find(page: Observation) -> Element | None:
        found = [
            one
            for one in regions.reachable(page, page.elements)
            if one.role == "tab" and match(label, one.name) is not Match.NONE
        ]
        return found[0] if found else None

    tab = yield from sought(stage, find, f"tab “{label}”")
    if State.SELECTED not in tab.states:
        yield from click(stage, find, f"tab “{label}”")
