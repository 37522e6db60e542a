"""Moves of a script that end a form or a dialog: the next page, confirming, sending and
closing."""

from __future__ import annotations

from collections.abc import Callable

from proofwalk.agent.page import form_messages, grounding, page_fields, regions
from proofwalk.agent.page.scene import Script, Stuck
from proofwalk.agent.page.words import normalise
from proofwalk.agent.policies.scripted import script, words
from proofwalk.agent.policies.scripted.stage import (
    Stage,
    act_on,
    click,
    named,
    sought,
)
from proofwalk.console.actions import Click, Press, Type
from proofwalk.console.observation import Element, Observation

_SUBMITS = 4


def press_next(stage: Stage) -> Script[None]:
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
        now = grounding.same(stage.page, button)
        if _form(stage.page) != shown or now is None:
            return
    raise Stuck(f"the form does not go on{_complaint(stage.page, before)}")


def _form(page: Observation) -> frozenset[str]:
    return frozenset(found.first.identity for found in page_fields.all_fields(page)) | frozenset(
        run.text for run in page.texts if run.role == "label"
    )


def confirm(stage: Stage, move: script.Confirm) -> Script[None]:
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
    yield from finish(stage, words.spellings(move.confirm), f"“{move.confirm}”")


def _typed_field(page: Observation, text: str) -> Element | None:
    """Return the field for the text: by its placeholder, else the last text field of
    the dialog."""
    texts = [
        one
        for one in regions.reachable(page, page.elements)
        if one.role in grounding.TEXT_ROLES and not one.row
    ]
    return next((one for one in texts if one.placeholder == text), texts[-1] if texts else None)


def finish(stage: Stage, labels: tuple[str, ...], what: str) -> Script[None]:
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
    filled = {found.first.identity for found in page_fields.all_fields(before)}

    def done(page: Observation) -> bool:
        if grounding.same(page, button) is None or (before.modal and page.modal != before.modal):
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


def close(stage: Stage) -> Script[None]:
    """Close the dialog, drawer or notice in front."""
    front = stage.page.modal
    closer = next(
        (
            one
            for one in regions.reachable(stage.page, stage.page.elements)
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
