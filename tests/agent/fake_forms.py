"""Forms of the console in memory: their fields, and how they are drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from proofwalk.console.observation import Box, State
from tests.agent.fake_page import FakePage


@dataclass(kw_only=True)
class FakeField:
    label: str
    kind: str = "text"
    """text, number, slider, select, native (a select that the browser draws), radio,
    checkbox, file, or list (begins empty, with an Add button)."""
    options: list[str] = field(default_factory=list)
    required: bool = False
    pattern: str = ".*"
    message: str = ""
    value: str = ""
    text: str = ""
    """A check box's own text."""
    disabled: bool = False
    several: bool = False
    """A select of several options, whose list stays open until its box is pressed."""
    entries: int = 0

    def add_entry(self) -> None:
        self.entries += 1


@dataclass(kw_only=True)
class FakeForm:
    title: str
    fields: list[FakeField] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """Texts above the fields."""
    submit: str = "OK"
    modal: bool = True
    error: str = ""
    """What the backend answers with, if it refuses."""
    refusals: int = 1_000_000
    """How often it refuses."""
    done: Callable[[dict[str, str]], None] = lambda values: None
    steps: tuple[str, ...] = ()
    """Titles of all the steps that it is one of, shown over it."""
    tabs: tuple[str, ...] = ()
    """Names of its tabs, the first of which is in front."""
    then: FakeForm | None = None
    """The step behind it."""


class FormUse(Protocol):
    """What a form asks of its console when somebody uses it."""

    popup: str
    """The list that is open."""

    def open(self, popup: str, options: list[str]) -> None: ...

    def set(self, one: FakeField, value: str) -> None: ...

    def submit(self, form: FakeForm) -> None: ...

    def leave(self) -> None: ...


@dataclass(frozen=True)
class FormDrawing:
    """Draws a form onto a page, from the top downwards."""

    page: FakePage
    form: FakeForm
    use: FormUse

    @property
    def inside(self) -> str:
        """Title of the dialog that the form is in; empty if it fills a page."""
        return self.form.title if self.form.modal else ""

    def draw(self, errors: dict[str, str]) -> None:
        """`errors` are messages by the labels of their fields."""
        self._heading()
        for note in self.form.notes:
            place = Box(x=600, y=110, width=300, height=16)
            self.page.text(note, place, container=self.inside)
        y = 130.0
        for one in self.form.fields:
            self.page.text(
                one.label,
                Box(x=400, y=y, width=90, height=20),
                role="label",
                container=self.inside,
            )
            y = self._field(one, y)
            if one.label in errors:
                box = Box(x=500, y=y + 32, width=300, height=16)
                self.page.text(errors[one.label], box, container=self.inside)
            y += 60
        self._buttons(y)

    def _heading(self) -> None:
        self.page.text(
            self.form.title,
            Box(x=300, y=90, width=200, height=24),
            role="heading",
            container=self.inside,
        )
        for place, tab in enumerate(self.form.tabs):
            self.page.add(
                "tab",
                tab,
                Box(x=300 + 110 * place, y=110, width=100, height=18),
                lambda: None,
                states={State.SELECTED} if place == 0 else set(),
                container=self.inside,
            )
        for place, title in enumerate(self.form.steps):
            box = Box(x=300 + 150 * place, y=110, width=140, height=18)
            self.page.text(title, box, container=self.inside)

    def _field(self, one: FakeField, y: float) -> float:
        """Draw a field's widget, and return where its last line begins."""
        if one.kind in ("text", "number", "slider"):
            self._input(one, y)
        elif one.kind in ("select", "native"):
            self._select(one, y)
        elif one.kind == "checkbox":
            self._checkbox(one, y)
        elif one.kind == "radio":
            self._radio(one, y)
        elif one.kind == "file":
            self._file(one, y)
        elif one.kind == "list":
            return self._list(one, y)
        return y

    def _file(self, one: FakeField, y: float) -> None:
        """A file input; with options, a button of the first one's name."""
        self.page.add(
            "button",
            one.options[0] if one.options else "Choose File",
            Box(x=500, y=y, width=120, height=30),
            lambda: None,
            input_type="" if one.options else "file",
            label=one.label,
            container=self.inside,
        )

    def _input(self, one: FakeField, y: float) -> None:
        self.page.add(
            {"text": "textbox", "number": "spinbutton"}.get(one.kind, one.kind),
            one.label,
            Box(x=500, y=y, width=300, height=30),
            lambda: None,
            label=one.label,
            value=one.value,
            container=self.inside,
            states=_states(one),
        )

    def _select(self, one: FakeField, y: float) -> None:
        box = Box(x=500, y=y, width=300, height=30)
        if one.kind == "native":
            self.page.add(
                "combobox",
                "",
                box,
                lambda: None,
                tag="select",
                label=one.label,
                value=one.value,
                container=self.inside,
            )
            return
        self.page.add(
            "combobox",
            "select",
            box,
            partial(self.use.open, one.label, one.options),
            label=one.label,
            value=one.value,
            container=self.inside,
            states=_states(one) | {State.READONLY} | self._opened(one),
        )

    def _opened(self, one: FakeField) -> set[State]:
        if not one.several:
            return set()
        return {State.EXPANDED if self.use.popup == one.label else State.COLLAPSED}

    def _checkbox(self, one: FakeField, y: float) -> None:
        checked = {State.CHECKED} if one.value else set()
        self.page.add(
            "checkbox",
            one.text,
            Box(x=500, y=y, width=300, height=30),
            lambda: None,
            label=one.label,
            container=self.inside,
            states=_states(one) | checked,
        )

    def _radio(self, one: FakeField, y: float) -> None:
        for place, option in enumerate(one.options):
            checked = {State.CHECKED} if one.value == option else set()
            self.page.add(
                "radio",
                option,
                Box(x=500 + 120 * place, y=y, width=100, height=30),
                partial(self.use.set, one, option),
                label=one.label,
                group=one.label,
                container=self.inside,
                states=_states(one) | checked,
            )

    def _list(self, one: FakeField, y: float) -> float:
        self.page.add(
            "button",
            "Add",
            Box(x=500, y=y, width=300, height=30),
            one.add_entry,
            container=self.inside,
            key=f"add {one.label}",
        )
        for number in range(one.entries):
            y += 34
            self.page.add(
                "textbox",
                "",
                Box(x=500, y=y, width=300, height=30),
                lambda: None,
                container=self.inside,
                value=one.value,
                key=f"entry {one.label} {number}",
            )
        return y

    def _buttons(self, y: float) -> None:
        self.page.add(
            "button",
            self.form.submit,
            Box(x=400, y=y, width=80, height=30),
            partial(self.use.submit, self.form),
            container=self.inside,
        )
        self.page.add(
            "button",
            "Cancel",
            Box(x=500, y=y, width=80, height=30),
            self.use.leave,
            container=self.inside,
        )


def _states(one: FakeField) -> set[State]:
    return ({State.REQUIRED} if one.required else set()) | (
        {State.DISABLED} if one.disabled else set()
    )
