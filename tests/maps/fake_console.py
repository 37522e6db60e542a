"""A console in memory: pages of things, and what a press of each does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from proofwalk.console.actions import Click, GoTo, GuiAction, Press
from proofwalk.console.observation import BrowserTab, Element, Observation, State
from proofwalk.console.session.guard import RefusedWrite
from proofwalk.kernel.errors import unavailable
from tests.maps.looks import element, look

ORIGIN = "https://shop.example"


@dataclass(frozen=True, kw_only=True)
class Thing:
    """An element, and what pressing it does: nothing unless told."""

    role: str = "button"
    name: str
    to: str = ""
    """Path of the page that it leads to."""
    dialog: str = ""
    """Title of the dialog that it opens, whose things are the page of that name."""
    unfolds: tuple[Thing, ...] = ()
    """What a menu or group shows once it is unfolded."""
    shows: tuple[Thing, ...] = ()
    """What a tab shows while it is chosen."""
    writes: bool = False
    tab: bool = False
    """It leads to a browser tab of its own."""
    states: tuple[State, ...] = ()
    row: str = ""
    column: str = ""
    container: str = ""

    def element(self, *states: State) -> Element:
        return element(
            self.role,
            self.name,
            *self.states,
            *states,
            row=self.row,
            column=self.column,
            container=self.container,
            group="tabs" if self.role == "tab" else "",
        )


def link(name: str, to: str) -> Thing:
    return Thing(role="link", name=name, to=to)


@dataclass(frozen=True, kw_only=True)
class Done:
    ok: bool = True


@dataclass(kw_only=True)
class FakeConsole:
    """Things by path (or dialog title); headings are the paths themselves unless
    given."""

    pages: Mapping[str, Sequence[Thing]]
    headings: Mapping[str, str] = field(default_factory=dict)
    path: str = "/"
    pressed: list[str] = field(default_factory=list)
    breaks_after: int = 10**9
    _dialog: str = ""
    _open: Thing | None = None
    _tab: str = ""
    _tabs: int = 1
    _back: str = "/"
    _refused: list[RefusedWrite] = field(default_factory=list)

    async def observe(self) -> Observation:
        things = self._things()
        elements = [thing.element(*self._states(thing)) for thing in things]
        seen = look(self.path, self._heading(), elements, modal=self._dialog)
        tabs = tuple(
            BrowserTab(index=one, url="", title="", active=False) for one in range(self._tabs)
        )
        return replace(seen, tabs=tabs)

    def _heading(self) -> str:
        return self.headings.get(self.path, self.path)

    def _states(self, thing: Thing) -> tuple[State, ...]:
        if thing.unfolds:
            return (State.EXPANDED if thing == self._open else State.COLLAPSED,)
        if thing.role == "tab" and thing.name == self._chosen():
            return (State.SELECTED,)
        return ()

    def _chosen(self) -> str:
        tabs = [one.name for one in self.pages.get(self.path, ()) if one.role == "tab"]
        return self._tab or (tabs[0] if tabs else "")

    def _things(self) -> list[Thing]:
        if self._dialog:
            inside = [replace(one, container=self._dialog) for one in self.pages[self._dialog]]
            return [*self.pages.get(self.path, ()), *inside]
        things: list[Thing] = []
        for thing in self.pages.get(self.path, ()):
            things.append(thing)
            if thing == self._open:
                things += thing.unfolds
        for thing in self.pages.get(self.path, ()):
            if thing.role == "tab" and thing.name == self._chosen():
                things += thing.shows
        return things

    async def perform(self, action: GuiAction) -> Done:
        if len(self.pressed) >= self.breaks_after:
            raise unavailable("browser.disconnected", "the browser is gone")
        match action:
            case GoTo(url=url):
                self._at(url.removeprefix(ORIGIN))
            case Press(key="Escape"):
                self._dialog, self._open = "", None
            case Click(id=mark):
                thing = self._things()[mark - 1]
                self.pressed.append(thing.name)
                self._press(thing)
            case _ if action.type == "close_tab":
                self._tabs = 1
                self._at(self._back)
        return Done()

    def _at(self, path: str) -> None:
        self.path, self._dialog, self._open, self._tab = path, "", None, ""

    def _press(self, thing: Thing) -> None:
        if thing.writes:
            self._refused.append(RefusedWrite(method="POST", url=f"{ORIGIN}/api/{thing.name}/42"))
        if thing.tab:
            self._tabs, self._back = 2, self.path
        if thing.to:
            self._at(thing.to)
        elif thing.dialog:
            self._dialog = thing.dialog
        elif thing.unfolds:
            self._open = None if self._open == thing else thing
        elif thing.role == "tab":
            self._tab = thing.name

    def refused_writes(self) -> Sequence[RefusedWrite]:
        refused, self._refused = self._refused, []
        return refused
