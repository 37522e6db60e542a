"""What is done in MiniWoB++, the same in every environment: kinds of controls counted
in document order. Needs no package."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["button", "text", "checkbox"]

SELECTORS: dict[Kind, str] = {
    "button": "button",
    "text": "input:not([type]),input[type=text],input[type=password]",
    "checkbox": "input[type=checkbox]",
}


@dataclass(frozen=True, kw_only=True)
class Op:
    """One action: a click on the `nth` control of a kind, or `text` typed into it."""

    kind: Kind
    nth: int = 0
    text: str = ""


EPISODES: dict[str, tuple[Op, ...]] = {
    "click-test": (Op(kind="button"),),
    "click-button": (Op(kind="button"),),
    "click-checkboxes": (Op(kind="checkbox"), Op(kind="checkbox", nth=1), Op(kind="button")),
    "enter-text": (Op(kind="text", text="maria"), Op(kind="button")),
    "login-user": (
        Op(kind="text", text="maria"),
        Op(kind="text", nth=1, text="x17"),
        Op(kind="button"),
    ),
    "focus-text": (Op(kind="text"),),
}
