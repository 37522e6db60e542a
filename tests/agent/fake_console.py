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

from proofwalk.console import actions as a
from proofwalk.console.observation import Box, BrowserTab, Observation, State
from tests.agent.fake_forms import FakeField, FakeForm, FormDrawing
from tests.agent.fake_page import FakePage

ORIGIN = "http://console.test"


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
    why_disabled: str = ""
    """What the page says while the pointer rests on a disabled action."""
    tip_is_control: bool = False
    """That takes the focus, so that a look has it as a control."""
    batch: list[str] = field(default_factory=list)
    toolbar: list[str] = field(default_factory=lambda: ["Create Instance"])
    forms: dict[str, Callable[[], FakeForm]] = field(default_factory=dict)
    """What a button opens, by its label."""
    on_action: Callable[[str, FakeRow], None] = lambda label, row: None
    tabs: list[str] = field(default_factory=lambda: ["Basic Information", "Disks"])
    cards: dict[str, str] = field(default_factory=dict)
    """Texts on the list's page, and the button that each shows under the pointer."""
    under_pointer: str = ""
    swallowed: int = 0
    """Row actions that the page swallows because it is drawn anew just then."""
    shut_before_looks: int = 0
    """Menus that something else closes as soon as they are open."""
    shut_before_clicks: int = 0
    """Menus that something else closes while an entry is being clicked."""
    product_button: bool = False
    """The bar has a menu of the products."""
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
    _page: FakePage = field(default_factory=lambda: FakePage("/"))

    # what is seen

    async def observe(self) -> Observation:
        self._page = FakePage(self.path)
        if self.popup and self.shut_before_looks:
            self.shut_before_looks -= 1
            self.popup = ""
        busy = self.busy_for > 0
        self.busy_for -= busy
        self._bar()
        if self.over:
            box = Box(x=600, y=400, width=80, height=30)
            self._page.add("button", "OK", box, self._uncover, container=self.over)
        if self.path == "/":
            self._home()
        else:
            self._side()
            self._content(busy=busy)
        self._popup()
        if self.why_disabled and self.under_pointer == self.why_disabled:
            tip = Box(x=900, y=10, width=300, height=20)
            if self.tip_is_control:
                self._page.add("tooltip", self.why_disabled, tip, lambda: None, container="tooltip")
            else:
                self._page.text(self.why_disabled, tip, role="tooltip")
        modal = self.over or (self.form.title if self.form is not None and self.form.modal else "")
        return Observation(
            url=ORIGIN + self.path,
            title="Console",
            taken_at=datetime(2026, 1, 1, tzinfo=UTC),
            elements=tuple(self._page.elements),
            texts=tuple(self._page.texts),
            tabs=(BrowserTab(index=0, url=ORIGIN + self.path, title="Console", active=True),),
            viewport=(1440, 900),
            scroll=(0, 0, 1440, 900),
            modal=modal,
            alerts=tuple(self.alerts),
            quiet=not busy,
        )

    def _home(self) -> None:
        for index, product in enumerate(self.products):
            self._page.add(
                "link",
                product,
                Box(x=300, y=200 + 40 * index, width=200, height=30),
                lambda: self._go("/ecs/overview"),
            )

    def _content(self, *, busy: bool) -> None:
        if self.form is not None:
            FormDrawing(self._page, self.form, self).draw(self.errors)
        elif self.path == "/ecs/instances" and not busy:
            self._list()
        elif self.path.startswith("/ecs/instances/"):
            for index, tab in enumerate(self.tabs):
                self._page.add(
                    "tab",
                    tab,
                    Box(x=300 + 120 * index, y=120, width=100, height=30),
                    partial(self.log.append, f"tab {tab}"),
                )

    def _popup(self) -> None:
        for index, option in enumerate(self.popup_options if self.popup else []):
            self._page.add(
                "option",
                option,
                Box(x=700, y=300 + 30 * index, width=200, height=28),
                partial(self._choose, option),
                container="menu",
                key=f"option:{self.popup}",
                states={State.DISABLED} if option in self.disabled else set(),
            )

    def _bar(self) -> None:
        self._page.add(
            "button",
            "China (Hangzhou)",
            Box(x=300, y=10, width=120, height=20),
            lambda: self.open("region", ["China (Hangzhou)", "Singapore"]),
        )

        if self.product_button:
            self._page.add(
                "button",
                "Products",
                Box(x=20, y=10, width=80, height=20),
                lambda: self.open("products", self.products),
                states={State.EXPANDED if self.popup == "products" else State.COLLAPSED},
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
            self._page.add(
                "option",
                group,
                Box(x=0, y=y, width=200, height=36),
                partial(self._enter, group, entries),
                states=states,
            )
            y += 36
            for entry in entries if group not in self.collapsed else []:
                box = Box(x=0, y=y, width=200, height=36)
                self._page.add("option", entry, box, partial(self._enter, entry, []), group=group)
                y += 36

    def _list(self) -> None:
        for index, label in enumerate([*self.toolbar, *self.batch]):
            box = Box(x=300 + 150 * index, y=130, width=140, height=32)
            states = {State.DISABLED} if label in self.batch else set()
            self._page.add("button", label, box, partial(self._press, label), states=states)
        for index, (card, button) in enumerate(self.cards.items()):
            box = Box(x=300 + 200 * index, y=600, width=150, height=20)
            self._page.text(card, box)
            if card == self.under_pointer and button:
                below = Box(x=box.x, y=630, width=100, height=30)
                self._page.add("button", button, below, partial(self._press, f"{button} {card}"))
        for column in ("ID/Name", "Status", "Actions"):
            self._page.text(column, Box(x=300, y=200, width=100, height=20), role="columnheader")
        for index, row in enumerate(self.rows):
            text, y = f"{row.id} {row.name} | {row.status}", 240.0 + 50 * index
            self._page.add(
                "link",
                row.id,
                Box(x=300, y=y, width=150, height=20),
                partial(self._go, f"/ecs/instances/{row.id}"),
                row=text,
                column="ID/Name",
            )
            self._page.text(
                row.status,
                Box(x=500, y=y, width=80, height=20),
                role="cell",
                row=text,
                column="Status",
            )
            for place, label in enumerate(self.actions):
                states = {State.DISABLED} if label in self.disabled else set()
                box = Box(x=900 + 60 * place, y=y, width=50, height=20)
                self._page.add(
                    "button",
                    label,
                    box,
                    partial(self._act, label, row),
                    states=states,
                    row=text,
                    column="Actions",
                )
            if self.more:
                self._page.add(
                    "button",
                    "More",
                    Box(x=1100, y=y, width=12, height=20),
                    partial(self.open, f"more {row.id}", self.more),
                    row=text,
                    column="Actions",
                )
        if not self.rows:
            self._page.text("No data available.", Box(x=600, y=260, width=200, height=20))

    # what is done

    async def perform(self, action: a.GuiAction) -> Outcome:
        match action:
            case a.Click(id=mark):
                element = self._page.elements[mark - 1]
                if State.DISABLED in element.states:
                    return Outcome(ok=False, message=f"{element.name} is disabled")
                if element.container == "menu" and self.shut_before_clicks:
                    self.shut_before_clicks -= 1
                    self.popup = ""
                    return Outcome(ok=False, message=f"{element.name} is no longer on the page")
                self._page.calls[mark]()
            case a.Hover(id=mark):
                if State.DISABLED in self._page.elements[mark - 1].states:
                    self.under_pointer = self.why_disabled
            case a.Type(id=mark, text=text):
                self.set(self._field(mark), text)
            case a.SetChecked(id=mark, checked=checked):
                self.set(self._field(mark), "on" if checked else "")
            case a.Select(id=mark, option=option):
                one = self._field(mark)
                if option not in one.options:
                    return Outcome(
                        ok=False,
                        message=f"{one.label} does not offer it",
                        options=tuple(one.options),
                    )
                self.set(one, option)
            case a.Upload(id=mark, file=name, content=content):
                if not content:
                    return Outcome(ok=False, message=f"there is no file {name!r}")
                self.set(self._field(mark), f"{name}: {content.splitlines()[0]}")
            case a.Press(key="Escape"):
                self.popup = ""
            case a.MoveTo(x=x, y=y):
                self.under_pointer = next(
                    (one.text for one in self._page.texts if one.box.center == (x, y)), ""
                )
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
        element = self._page.elements[mark - 1]
        if "|entry " in element.identity:
            return next(one for one in self.form.fields if one.kind == "list")
        return next(one for one in self.form.fields if one.label == element.label)

    def set(self, one: FakeField, value: str) -> None:
        one.value = value
        self.log.append(f"set {one.label}={value}")

    def open(self, popup: str, options: list[str]) -> None:
        fields = self.form.fields if self.form else []
        shuts = self.popup == popup and any(one.several for one in fields if one.label == popup)
        self.popup, self.popup_options = "" if shuts else popup, options

    def _choose(self, option: str) -> None:
        popup, self.popup = self.popup, ""
        if popup.startswith("more "):
            row = next(row for row in self.rows if row.id == popup.removeprefix("more "))
            self._act(option, row)
        elif popup == "products":
            self._go("/vpc/overview" if option.startswith("Virtual") else "/ecs/overview")
        elif popup == "region":
            self.log.append(f"region {option}")
        elif self.form is not None:
            field = next(one for one in self.form.fields if one.label == popup)
            self.popup = popup if field.several else ""
            self.set(field, option)

    def _enter(self, entry: str, entries: list[str]) -> None:
        if entries:
            self.collapsed ^= {entry}
            return
        self.log.append(f"enter {entry}")
        self._go("/ecs/" + entry.lower().split()[0])

    def _go(self, path: str) -> None:
        self.path, self.form, self.popup, self.errors = path, None, "", {}
        self.alerts.clear()

    def leave(self) -> None:
        """Close the form without sending it."""
        self._go(self.path)

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

    def submit(self, form: FakeForm) -> None:
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
