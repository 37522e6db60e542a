"""Brings a script's fields to their values: texts, choices, switches, sliders, dates,
files, tags, lists.

A field is found by its label, as a person does (`page_fields.fields`); the kind of
control decides the gesture. A field that depends on another one is disabled or empty
until that has loaded, so every gesture is repeated for a while.
"""

from __future__ import annotations

from proofwalk.agent.page import grounding, page_fields
from proofwalk.agent.page.grounding import OPTION_ROLES, TEXT_ROLES
from proofwalk.agent.page.page_fields import Field
from proofwalk.agent.page.places import Place
from proofwalk.agent.page.scene import Script, Stuck
from proofwalk.agent.page.words import Match, match, match_value, normalise
from proofwalk.agent.policies.scripted import script, words
from proofwalk.agent.policies.scripted.stage import (
    Stage,
    act_on,
    click,
    escape,
    named,
    sought,
)
from proofwalk.console.actions import Click, Select, SetChecked, SetSlider, Type, Upload
from proofwalk.console.observation import Element, Observation, State

_CHOICE_ATTEMPTS = 6


def play(stage: Stage, move: script.Move) -> Script[None]:
    """Carry out a move that fills something. Raises `Stuck`."""
    match move:
        case script.Fill():
            for label, text in move.fill.items():
                yield from _enter(stage, label, text)
        case script.Date():
            for label, text in move.date.items():
                yield from _enter(stage, label, text)
        case script.Choose():
            for label, wanted in move.choose.items():
                yield from _choose(stage, label, (wanted,) if isinstance(wanted, str) else wanted)
        case script.Set():
            for label, state in move.set.items():
                yield from _set(stage, label, state)
        case script.Slide():
            for label, number in move.slide.items():
                yield from _slide(stage, label, number)
        case script.Upload():
            for label, file in move.upload.items():
                yield from _upload(stage, label, file.name)
        case script.Tags():
            for key, value in move.tags.items():
                yield from _tag(stage, key, value)
        case script.List():
            for label, values in move.list.items():
                yield from _list(stage, label, values)
        case _:
            raise AssertionError(f"{type(move).__name__} fills nothing")


def _field(page: Observation, label: str) -> Field | None:
    found = page_fields.fields(page, label, Place())
    return next((one for one in found if one.empty), found[0] if found else None)


def _first(page: Observation, label: str) -> Element | None:
    found = _field(page, label)
    return found.first if found is not None else None


def _enter(stage: Stage, label: str, text: str) -> Script[None]:
    what = f"field “{label}”"
    element = yield from sought(stage, lambda page: _first(page, label), what, text=label)
    if element.role == "combobox" and State.READONLY in element.states:
        yield from _choose(stage, label, (text,))
        return
    yield from act_on(
        stage,
        lambda page: _first(page, label),
        lambda one: Type(id=one.mark, text=text),
        f"I enter “{text}” as “{label}”.",
        what,
    )


# choices


def _choose(stage: Stage, label: str, wanted: tuple[str, ...]) -> Script[None]:
    element = yield from sought(
        stage, lambda page: _first(page, label), f"field “{label}”", text=label
    )
    if element.role == "radio":
        yield from _radio(stage, label, wanted[-1])
    elif element.role in ("checkbox", "switch"):
        for option in wanted:
            yield from _set(stage, option, True)
    elif len(wanted) > 1:
        yield from _several(stage, label, wanted)
    else:
        yield from _option(stage, label, wanted[0])


def _radio(stage: Stage, label: str, option: str) -> Script[None]:
    def find(page: Observation) -> Element | None:
        for found in page_fields.fields(page, label, Place()):
            offered = grounding.options(found.elements, option)
            if offered:
                return offered[0]
        return None

    what = f"choice “{option}” of “{label}”"
    element = yield from sought(stage, find, what, text=option)
    if State.CHECKED not in element.states:
        yield from act_on(
            stage, find, lambda one: Click(id=one.mark), f"I choose “{option}” for “{label}”.", what
        )


def _option(stage: Stage, label: str, option: str) -> Script[None]:
    why = ""
    for _ in range(_CHOICE_ATTEMPTS):
        box = yield from sought(stage, lambda page: _first(page, label), f"field “{label}”")
        if match_value(option, box.value) is not Match.NONE:
            return
        if State.DISABLED not in box.states:
            past = yield from stage.act(
                f"I choose “{option}” for “{label}”.", Select(id=box.mark, option=option)
            )
            if past.ok:
                yield from stage.settle()
                return
            near = [one for one in past.options if match_value(option, one) is not Match.NONE]
            if len(near) == 1:
                past = yield from stage.act(
                    f"I choose “{near[0]}” for “{label}”.", Select(id=box.mark, option=near[0])
                )
                if past.ok:
                    yield from stage.settle()
                    return
            why = past.result
        else:
            why = f"“{label}” is disabled"
        yield from stage.pause(f"“{label}” does not take “{option}” yet; I wait.", 2)
    raise Stuck(f"“{option}” cannot be chosen for “{label}”: {why}")


def _several(stage: Stage, label: str, wanted: tuple[str, ...]) -> Script[None]:
    """Choose several options. A list that takes several choices shows all of them at
    once; a cascader shows them level by level."""
    box = yield from sought(stage, lambda page: _first(page, label), f"field “{label}”")
    before = stage.page
    yield from stage.act(f"I open “{label}”.", Click(id=box.mark))
    yield from stage.await_page(
        "I wait for the list.", lambda page: bool(_fresh(page, before)), times=3, seconds=2
    )
    names = [one.name for one in _fresh(stage.page, before)]
    flat = all(
        any(match_value(option, name) is not Match.NONE for name in names) for option in wanted
    )
    yield from escape(stage, "I close it again, now that I know what it is.")
    if not flat:
        yield from _option(stage, label, " / ".join(wanted))
        return
    for option in wanted:
        yield from _option(stage, label, option)


def _fresh(page: Observation, before: Observation) -> list[Element]:
    known = {element.identity for element in before.elements}
    return [
        one
        for one in page.elements
        if one.identity not in known and one.role in OPTION_ROLES and one.name.strip()
    ]


# switches, sliders, files


def _set(stage: Stage, label: str, state: bool) -> Script[None]:
    what = f"switch “{label}”"
    element = yield from sought(
        stage, lambda page: page_fields.checkable(page, label), what, text=label
    )
    if (State.CHECKED in element.states) != state:
        verb = "on" if state else "off"
        yield from act_on(
            stage,
            lambda page: page_fields.checkable(page, label),
            lambda one: SetChecked(id=one.mark, checked=state),
            f"I turn “{label}” {verb}.",
            what,
        )


def _slide(stage: Stage, label: str, value: float) -> Script[None]:
    yield from act_on(
        stage,
        lambda page: _first(page, label),
        lambda one: SetSlider(id=one.mark, value=value),
        f"I move “{label}” to {value:g}.",
        f"slider “{label}”",
    )


def _upload(stage: Stage, label: str, name: str) -> Script[None]:
    def find(page: Observation) -> Element | None:
        inputs = [one for one in page.elements if one.input_type == "file"]
        labelled = [one for one in inputs if match(label, one.label) is not Match.NONE]
        beside = [one for one in page_fields.beside(page, label) if one.role == "button"]
        return next(iter([*labelled, *beside, *inputs]), None)

    yield from act_on(
        stage,
        find,
        lambda one: Upload(id=one.mark, file=name),
        f"I upload {name}.",
        f"file field “{label}”",
    )


# editors


def _tag(stage: Stage, key: str, value: str) -> Script[None]:
    before = stage.page
    yield from click(stage, lambda page: named(page, *words.ADD_TAG), "“Add Tag”")
    fresh = sorted(
        (one for one in stage.appeared(before) if one.role in TEXT_ROLES),
        key=lambda one: (one.box.y, one.box.x),
    )
    if len(fresh) < 2:
        raise Stuck("the tag editor shows no fields for a key and a value")
    for entry, text in zip(fresh, (key, value), strict=False):
        yield from _write(stage, entry, text, "tag field")


def _write(stage: Stage, entry: Element, text: str, what: str) -> Script[None]:
    """Enter a text into a known element."""

    def find(page: Observation) -> Element | None:
        return grounding.same(page, entry)

    yield from act_on(
        stage, find, lambda one: Type(id=one.mark, text=text), f"I enter “{text}”.", what
    )


def _list(stage: Stage, label: str, values: tuple[str, ...]) -> Script[None]:
    """Bring the entries of a list editor to `values`: overwrite entries, delete those
    that are too many, add those that are missing."""
    yield from sought(
        stage,
        lambda page: next(iter(page_fields.beside(page, label)), None),
        f"list “{label}”",
        text=label,
    )
    for index, value in enumerate(values):
        entries = _entries(stage.page, label)
        if index >= len(entries):
            before = stage.page
            yield from click(stage, lambda page: _adder(page, label), f"“Add” of “{label}”")
            entries = _entries(stage.page, label)
            entries = (
                entries
                if len(entries) > index
                else [one for one in stage.appeared(before) if one.role in TEXT_ROLES]
            )
            if not entries:
                raise Stuck(f"“{label}” does not take a further entry")
        entry = entries[min(index, len(entries) - 1)]
        if normalise(entry.value) != normalise(value):
            yield from _write(stage, entry, value, f"entry of “{label}”")
    for _ in range(len(_entries(stage.page, label)) - len(values)):
        yield from click(stage, lambda page: _last_delete(page, label), f"“Delete” of “{label}”")


def _entries(page: Observation, label: str) -> list[Element]:
    return [one for one in page_fields.beside(page, label) if one.role in TEXT_ROLES]


def _adder(page: Observation, label: str) -> Element | None:
    buttons = [one for one in page_fields.beside(page, label) if one.role == "button"]
    return next((one for one in buttons if words.is_one_of(one.name, words.ADD)), None)


def _last_delete(page: Observation, label: str) -> Element | None:
    buttons = [
        one for one in page_fields.beside(page, label) if words.is_one_of(one.name, words.DELETE)
    ]
    return buttons[-1] if buttons else None
