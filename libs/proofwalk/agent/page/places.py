"""Where a sentence says that a control is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where the sentence says to look."""

    row: str = ""
    """Text of the row that the sentence is about."""
    only_row: bool = False
    """The control can only be in that row, or in a menu that was opened from it."""
    opened: bool = False
    """A menu of that row was just opened, so new elements belong to it, whatever its
    title."""
    column: str = ""
    container: str = ""
    noun: str = ""
    navigation: bool | None = None
    """True: in the navigation pane. None: no preference."""
    top_bar: bool = False
