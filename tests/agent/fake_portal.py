"""A portal in memory: the console with a search box in its top bar, which suggests
pages and things, and forms with fields of tags."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

from proofwalk.console import actions as a
from proofwalk.console.observation import Box, State
from tests.agent.fake_console import FakeConsole, Outcome

SEARCH = "Search resources and services"


@dataclass
class FakePortal(FakeConsole):
    suggestions: Mapping[str, str] = field(default_factory=dict)
    """What its search box suggests, and the address of each."""
    heads: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What stands under a head of the page, which is no control."""
    heads_in: str = ""
    """The open menu that they are in."""
    asked: str = ""
    """What stands in the search box."""

    def _bar(self) -> None:
        super()._bar()
        box = Box(x=500, y=10, width=400, height=30)
        self._page.add("searchbox", SEARCH, box, lambda: None, value=self.asked)
        for index, (name, path) in enumerate(self._suggested()):
            below = Box(x=500, y=70 + 30 * index, width=400, height=28)
            self._page.add("option", name, below, partial(self._go, path), container="results")

    def _suggested(self) -> list[tuple[str, str]]:
        wanted = self.asked.casefold()
        return [
            one
            for one in self.suggestions.items()
            if wanted and one[0].casefold().startswith(wanted)
        ]

    def _content(self, *, busy: bool) -> None:
        super()._content(busy=busy)
        y = 500.0
        for head, entries in self.heads.items():
            title = Box(x=300, y=y, width=200, height=24)
            self._page.text(head, title, role="heading", container=self.heads_in)
            for entry in entries:
                y += 40
                box = Box(x=300, y=y, width=150, height=30)
                press = partial(self._press, entry)
                self._page.add("link", entry, box, press, container=self.heads_in)
            y += 60

    def _go(self, path: str) -> None:
        super()._go(path)
        self.asked = ""

    async def perform(self, action: a.GuiAction) -> Outcome:
        if isinstance(action, a.Type) and self._page.elements[action.id - 1].name == SEARCH:
            self.asked = action.text
            self.log.append(f"ask {action.text!r}")
            return Outcome(ok=True, message="done")
        return await super().perform(action)


@dataclass
class FakeTagging(FakeConsole):
    """A console whose form has a box of tags: it opens no list, and takes what is typed
    with Enter."""

    takes_any: bool = True
    typed: str = ""
    tags: list[str] = field(default_factory=list)

    def _content(self, *, busy: bool) -> None:
        super()._content(busy=busy)
        self._page.text("Labels", Box(x=300, y=500, width=90, height=20), role="label")
        box = Box(x=400, y=500, width=300, height=30)
        states = {State.COLLAPSED}
        self._page.add(
            "combobox", "", box, lambda: None, label="Labels", value=self.typed, states=states
        )
        for index, tag in enumerate(self.tags):
            self._page.text(tag, Box(x=420 + 90 * index, y=480, width=80, height=18))
        if self.typed and not self.takes_any:
            self._page.text("No options", Box(x=400, y=540, width=300, height=20))

    async def perform(self, action: a.GuiAction) -> Outcome:
        element = self._page.elements[action.id - 1] if isinstance(action, a.Type) else None
        if isinstance(action, a.Type) and element is not None and element.label == "Labels":
            self.typed = action.text
        elif isinstance(action, a.Press) and action.key == "Enter" and self.typed:
            self.tags, self.typed = [*self.tags, self.typed], ""
        else:
            return await super().perform(action)
        return Outcome(ok=True, message="done")
