"""A console in memory: a home page, a side menu, one list with row actions and a `⋮`
menu, forms on pages and in dialogs.

It renders real `Observation`s and carries out real actions, so that the loop and the
policies run against it unchanged. Time is steps: each `Wait` is one tick, on which
states change.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Any

from proofwalk.console import actions as a
from proofwalk.console.observation import Box, BrowserTab, Element, Observation, State, TextRun

ORIGIN = "http://console.test"


@dataclass(kw_only=True)
class FakeField:
    label: str
    kind: str = "text"
    """text, number, select, native (a select that the browser draws), radio, checkbox,
    or list (begins empty, with an Add button)."""
    options: list[str] = field(default_factory=list)
    required: bool = False
    pattern: str = ".*"
    message: str = ""
    value: str = ""
    text: str = ""
    """A check box's own text."""
    disabled: bool = False
    entries: int = 0


@dataclass(kw_only=True)
class FakeForm:
    title: str
    fields: list[FakeField] = field(default_factory=list)
    submit: str = "OK"
    modal: bool = True
    error: str = ""
    """What the backend answers with, if it refuses."""
    refusals: int = 1_000_000
    """How often it refuses."""
    done: Callable[[dict[str, str]], None] = lambda values: None
    steps: tuple[str, ...] = ()
    """Titles of all the steps that it is one of, shown over it."""
    then: FakeForm | None = None
    """The step behind it."""


@dataclass(kw_only=True)
class FakeRow:
    id: str
    name: str
    status: str = "Running"
    becomes: list[str] = field(default_factory=list)
    """States that it takes on at the coming ticks."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    ok: bool
    message: str
    options: tuple[str, ...] = ()
    settle_ms: float | None = None


@dataclass
class FakeConsole:
    rows: list[FakeRow] = field(default_factory=list)
    menu: dict[str, list[str]] = field(
        default_factory=lambda: {"Instances & Images": ["Instances"], "Overview": []}
    )
    products: list[str] = field(
        default_factory=lambda: ["Elastic Compute Service", "Virtual Private Cloud"]
    )
    actions: list[str] = field(default_factory=lambda: ["Stop"])
    more: list[str] = field(default_factory=lambda: ["Restart", "Release"])
    disabled: set[str] = field(default_factory=set)
    batch: list[str] = field(default_factory=list)
    toolbar: list[str] = field(default_factory=lambda: ["Create Instance"])
    forms: dict[str, Callable[[], FakeForm]] = field(default_factory=dict)
    """What a button opens, by its label."""
    on_action: Callable[[str, FakeRow], None] = lambda label, row: None
    tabs: list[str] = field(default_factory=lambda: ["Basic Information", "Disks"])
    swallowed: int = 0
    """Row actions that the page swallows because it is drawn anew just then."""
    over: str = ""
    """Title of a dialog that lies over the first page until it is answered with OK."""
    busy_for: int = 0
    """Observations that are not quiet yet, and show no list."""

    path: str = "/"
    form: FakeForm | None = None
    popup: str = ""
    popup_options: list[str] = field(default_factory=list)
    errors: dict[str, str] = field(default_factory=dict)
    alerts: list[str] = field(default_factory=list)
    log: list[str] = field(default_factory=list)
    collapsed: set[str] = field(default_factory=set)
    closed: bool = False
    _calls: dict[int, Callable[[], None]] = field(default_factory=dict)
    _elements: list[Element] = field(default_factory=list)
    _texts: list[TextRun] = field(default_factory=list)
    _seen: set[str] = field(default_factory=set)

    # what is seen

    async def observe(self) -> Observation:
        self._elements, self._texts, self._calls = [], [], {}
        busy = self.busy_for > 0
        self.busy_for -= busy
        self._bar()
        if self.over:
            self._add(
                "button",
                "OK",
                Box(x=600, y=400, width=80, height=30),
                self._uncover,
                container=self.over,
            )
        if self.path == "/":
            for index, product in enumerate(self.products):
                self._add(
                    "link",
                    product,
                    Box(x=300, y=200 + 40 * index, width=200, height=30),
                    lambda: self._go("/ecs/overview"),
                )
        else:
            self._side()
            if self.form is not None:
                self._form(self.form)
            elif self.path == "/ecs/instances" and not busy:
                self._list()
            elif self.path.startswith("/ecs/instances/"):
                for index, tab in enumerate(self.tabs):
                    self._add(
                        "tab",
                        tab,
                        Box(x=300 + 120 * index, y=120, width=100, height=30),
                        partial(self.log.append, f"tab {tab}"),
                    )
        if self.popup:
            for index, option in enumerate(self.popup_options):
                box = Box(x=700, y=300 + 30 * index, width=200, height=28)
                self._add(
                    "option",
                    option,
                    box,
                    partial(self._choose, option),
                    container="menu",
                    key=f"option:{self.popup}",
                    states={State.DISABLED} if option in self.disabled else set(),
                )
        modal = self.over or (self.form.title if self.form is not None and self.form.modal else "")
        return Observation(
            url=ORIGIN + self.path,
            title="Console",
            taken_at=datetime(2026, 1, 1, tzinfo=UTC),
            elements=tuple(self._elements),
            texts=tuple(self._texts),
            tabs=(BrowserTab(index=0, url=ORIGIN + self.path, title="Console", active=True),),
            viewport=(1440, 900),
            scroll=(0, 0, 1440, 900),
            modal=modal,
            alerts=tuple(self.alerts),
            quiet=not busy,
        )

    def _add(
        self,
        role: str,
        name: str,
        box: Box,
        call: Callable[[], None],
        *,
        states: set[State] | None = None,
        key: str = "",
        **more: Any,
    ) -> None:
        mark = len(self._elements) + 1
        identity = f"{self.path}|{key or role}|{name}|{more.get('row', '')}|{more.get('label', '')}"
        tag = more.pop(
            "tag",
            {"button": "button", "link": "a", "textbox": "input", "combobox": "input"}.get(
                role, "div"
            ),
        )
        self._elements.append(
            Element(
                mark=mark,
                identity=identity,
                role=role,
                tag=tag,
                name=name,
                box=box,
                states=frozenset(states or set()),
                **more,
            )
        )
        self._calls[mark] = call

    def _text(self, text: str, box: Box, **more: Any) -> None:
        self._texts.append(TextRun(text=text, box=box, **more))

    def _bar(self) -> None:
        self._add(
            "button",
            "China (Hangzhou)",
            Box(x=300, y=10, width=120, height=20),
            lambda: self._open("region", ["China (Hangzhou)", "Singapore"]),
        )

    def _side(self) -> None:
        y = 140.0
        for group, entries in self.menu.items():
            states = (
                {State.COLLAPSED}
                if group in self.collapsed
                else {State.EXPANDED}
                if entries
                else set()
            )
            self._add(
                "option",
                group,
                Box(x=0, y=y, width=200, height=36),
                partial(self._enter, group, entries),
                states=states,
            )
            y += 36
            for entry in entries if group not in self.collapsed else []:
                box = Box(x=0, y=y, width=200, height=36)
                self._add("option", entry, box, partial(self._enter, entry, []), group=group)
                y += 36

    def _list(self) -> None:
        for index, label in enumerate([*self.toolbar, *self.batch]):
            box = Box(x=300 + 150 * index, y=130, width=140, height=32)
            states = {State.DISABLED} if label in self.batch else set()
            self._add("button", label, box, partial(self._press, label), states=states)
        for column in ("ID/Name", "Status", "Actions"):
            self._text(column, Box(x=300, y=200, width=100, height=20), role="columnheader")
        for index, row in enumerate(self.rows):
            text, y = f"{row.id} {row.name} | {row.status}", 240.0 + 50 * index
            self._add(
                "link",
                row.id,
                Box(x=300, y=y, width=150, height=20),
                partial(self._go, f"/ecs/instances/{row.id}"),
                row=text,
                column="ID/Name",
            )
            self._text(
                row.status,
                Box(x=500, y=y, width=80, height=20),
                role="cell",
                row=text,
                column="Status",
            )
            for place, label in enumerate(self.actions):
                states = {State.DISABLED} if label in self.disabled else set()
                box = Box(x=900 + 60 * place, y=y, width=50, height=20)
                self._add(
                    "button",
                    label,
                    box,
                    partial(self._act, label, row),
                    states=states,
                    row=text,
                    column="Actions",
                )
            if self.more:
                self._add(
                    "button",
                    "More",
                    Box(x=1100, y=y, width=12, height=20),
                    partial(self._open, f"more {row.id}", self.more),
                    row=text,
                    column="Actions",
                )
        if not self.rows:
            self._text("No data available.", Box(x=600, y=260, width=200, height=20))

    def _form(self, form: FakeForm) -> None:
        inside = form.title if form.modal else ""
        self._text(
            form.title, Box(x=300, y=90, width=200, height=24), role="heading", container=inside
        )
        for place, title in enumerate(form.steps):
            self._text(
                title, Box(x=300 + 150 * place, y=110, width=140, height=18), container=inside
            )
        y = 130.0
        for one in form.fields:
            states = {State.REQUIRED} if one.required else set()
            states |= {State.DISABLED} if one.disabled else set()
            box = Box(x=500, y=y, width=300, height=30)
            self._text(
                one.label, Box(x=400, y=y, width=90, height=20), role="label", container=inside
            )
            if one.kind in ("text", "number"):
                self._add(
                    "textbox" if one.kind == "text" else "spinbutton",
                    one.label,
                    box,
                    lambda: None,
                    label=one.label,
                    value=one.value,
                    container=inside,
                    states=states,
                )
            elif one.kind == "select":
                self._add(
                    "combobox",
                    "select",
                    box,
                    partial(self._open, one.label, one.options),
                    label=one.label,
                    value=one.value,
                    container=inside,
                    states=states | {State.READONLY},
                )
            elif one.kind == "native":
                self._add(
                    "combobox",
                    "",
                    box,
                    lambda: None,
                    tag="select",
                    label=one.label,
                    value=one.value,
                    container=inside,
                )
            elif one.kind == "checkbox":
                checked = {State.CHECKED} if one.value else set()
                self._add(
                    "checkbox",
                    one.text,
                    box,
                    lambda: None,
                    label=one.label,
                    container=inside,
                    states=states | checked,
                )
            elif one.kind == "list":
                self._add(
                    "button",
                    "Add",
                    box,
                    partial(self._more_entries, one),
                    container=inside,
                    key=f"add {one.label}",
                )
                for number in range(one.entries):
                    y += 34
                    self._add(
                        "textbox",
                        "",
                        Box(x=500, y=y, width=300, height=30),
                        lambda: None,
                        container=inside,
                        value=one.value,
                        key=f"entry {one.label} {number}",
                    )
            for place, option in enumerate(one.options if one.kind == "radio" else []):
                checked = {State.CHECKED} if one.value == option else set()
                spot = Box(x=500 + 120 * place, y=y, width=100, height=30)
                self._add(
                    "radio",
                    option,
                    spot,
                    partial(self._set, one, option),
                    label=one.label,
                    group=one.label,
                    container=inside,
                    states=states | checked,
                )
            if one.label in self.errors:
                self._text(
                    self.errors[one.label],
                    Box(x=500, y=y + 32, width=300, height=16),
                    container=inside,
                )
            y += 60
        self._add(
            "button",
            form.submit,
            Box(x=400, y=y, width=80, height=30),
            lambda: self._submit(form),
            container=inside,
        )
        self._add(
            "button",
            "Cancel",
            Box(x=500, y=y, width=80, height=30),
            lambda: self._go(self.path),
            container=inside,
        )

    # what is done

    async def perform(self, action: a.GuiAction) -> Outcome:
        match action:
            case a.Click(id=mark):
                element = self._elements[mark - 1]
                if State.DISABLED in element.states:
                    return Outcome(ok=False, message=f"{element.name} is disabled")
                self._calls[mark]()
            case a.Type(id=mark, text=text):
                self._set(self._field(mark), text)
            case a.SetChecked(id=mark, checked=checked):
                self._set(self._field(mark), "on" if checked else "")
            case a.Select(id=mark, option=option):
                one = self._field(mark)
                if option not in one.options:
                    return Outcome(
                        ok=False,
                        message=f"{one.label} does not offer it",
                        options=tuple(one.options),
                    )
                self._set(one, option)
            case a.Press(key="Escape"):
                self.popup = ""
            case a.GoTo(url=url):
                self._go(url.removeprefix(ORIGIN))
            case a.Wait(text=text, gone=gone):
                self._tick()
                if text:
                    page = await self.observe()
                    shown = any(text in run.text for run in page.texts) or any(
                        text in element.name for element in page.elements
                    )
                    return Outcome(ok=shown != gone, message="waited")
            case _:
                pass
        return Outcome(ok=True, message="done")

    def _tick(self) -> None:
        for row in self.rows:
            if row.becomes:
                row.status = row.becomes.pop(0)

    def _field(self, mark: int) -> FakeField:
        assert self.form is not None
        element = self._elements[mark - 1]
        if "|entry " in element.identity:
            return next(one for one in self.form.fields if one.kind == "list")
        return next(one for one in self.form.fields if one.label == element.label)

    def _set(self, one: FakeField, value: str) -> None:
        one.value = value
        self.log.append(f"set {one.label}={value}")

    def _more_entries(self, one: FakeField) -> None:
        one.entries += 1

    def _open(self, popup: str, options: list[str]) -> None:
        self.popup, self.popup_options = popup, options

    def _choose(self, option: str) -> None:
        popup, self.popup = self.popup, ""
        if popup.startswith("more "):
            row = next(row for row in self.rows if row.id == popup.removeprefix("more "))
            self._act(option, row)
        elif popup == "region":
            self.log.append(f"region {option}")
        elif self.form is not None:
            self._set(next(one for one in self.form.fields if one.label == popup), option)

    def _enter(self, entry: str, entries: list[str]) -> None:
        if entries:
            self.collapsed ^= {entry}
            return
        self.log.append(f"enter {entry}")
        self._go("/ecs/" + entry.lower().split()[0])

    def _go(self, path: str) -> None:
        self.path, self.form, self.popup, self.errors = path, None, "", {}
        self.alerts.clear()

    def _uncover(self) -> None:
        self.over = ""

    def _press(self, label: str) -> None:
        self.log.append(f"press {label}")
        if label in self.forms:
            self.form = self.forms[label]()

    def _act(self, label: str, row: FakeRow) -> None:
        if self.swallowed:
            self.swallowed -= 1
            self.log.append(f"swallowed {label}")
            return
        self.log.append(f"{label} {row.name}")
        if label in self.forms:
            self.form = self.forms[label]()
            return
        self.on_action(label, row)

    def _submit(self, form: FakeForm) -> None:
        self.errors = {}
        for one in form.fields:
            if one.required and not one.value:
                self.errors[one.label] = f"{one.label} is required."
            elif one.value and not re.fullmatch(one.pattern, one.value):
                self.errors[one.label] = one.message or "invalid"
        if self.errors:
            return
        if form.error and form.refusals:
            form.refusals -= 1
            self.alerts.append(form.error)
            return
        self.form = form.then
        self.log.append(f"submit {form.title}")
        form.done({one.label: one.value for one in form.fields})
