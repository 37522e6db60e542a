"""A page of the console in memory while it is drawn: what can be seen on it, and what
each thing does when it is clicked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from proofwalk.console.observation import Box, Element, State, TextRun

TAGS = {"button": "button", "link": "a", "textbox": "input", "combobox": "input"}


@dataclass
class FakePage:
    path: str
    elements: list[Element] = field(default_factory=list)
    texts: list[TextRun] = field(default_factory=list)
    calls: dict[int, Callable[[], None]] = field(default_factory=dict)
    """What a click on an element does, by its mark."""

    def add(
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
        mark = len(self.elements) + 1
        identity = f"{self.path}|{key or role}|{name}|{more.get('row', '')}|{more.get('label', '')}"
        tag = more.pop("tag", TAGS.get(role, "div"))
        self.elements.append(
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
        self.calls[mark] = call

    def text(self, text: str, box: Box, **more: Any) -> None:
        self.texts.append(TextRun(text=text, box=box, **more))
