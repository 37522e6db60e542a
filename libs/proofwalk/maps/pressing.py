"""What an exploration presses on a page, and what it leaves alone.

A press is one of: a tab, something folded, a place (a link, a menu entry), a button by
whose name something opens. Nothing is pressed that is disabled, that has a word which
is never pressed (`words`), that sends a form (a button behind its first field), that is
chosen already or would be chosen, or that is in a dialog and no tab of it. Of a list's
rows only the first is an example. The order is the reading order, tabs first. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from proofwalk.console.observation import State
from proofwalk.maps.addresses import FOLDED
from proofwalk.maps.graph import Surface
from proofwalk.maps.sighting import Seen, Sighting, is_choice
from proofwalk.maps.words import MORE, SEARCHING, Lexicon

_PLACES = frozenset({"link", "option", "treeitem", "menuitem", "tab"})
_FOLDING = _PLACES | {"button"}
_TEXT_FIELDS = frozenset({"textbox", "spinbutton"})


class Kind(StrEnum):
    """What a press is for."""

    TAB = "tab"
    UNFOLD = "unfold"
    GO = "go"
    OPEN = "open"


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """An element to press."""

    seen: Seen
    kind: Kind

    @property
    def name(self) -> str:
        return self.seen.control.name

    def key(self, surface: Surface) -> tuple[object, ...]:
        """Equal for two presses that do the same: of one entry of a menu on two pages,
        of one button of a page. Two products' menus are told apart by their entries."""
        seen = self.seen
        same = (self.kind, seen.control, seen.imprint.nth)
        if seen.in_row:
            # one example of a row: the first
            return (surface, self.kind, seen.control)
        if self.kind is Kind.GO:
            return (*same, seen.run)
        if self.kind is Kind.UNFOLD:
            return (*same, seen.before)
        return (surface, *same)


def acts(name: str, seen: Seen) -> bool:
    """Return True if the menu that this opens holds what can be done, and no places."""
    return seen.in_row or name.casefold().strip() in MORE


def candidates(sighting: Sighting, lexicon: Lexicon, *, acting: bool = False) -> list[Candidate]:
    """Return what is pressed on a surface, in order. `acting`: it is a menu of what can
    be done, in which an entry is like a button."""
    form = _form_begins(sighting)
    found = [
        Candidate(seen=seen, kind=kind)
        for seen in sighting.seen
        if not _forbidden(seen, lexicon)
        and (kind := _kind(seen, sighting, lexicon, acting=acting)) is not None
        and not (kind is Kind.OPEN and form is not None and seen.element.mark > form)
    ]
    return sorted(found, key=lambda one: one.kind is not Kind.TAB)


def left_alone(sighting: Sighting, lexicon: Lexicon) -> Iterator[str]:
    """Yield the names of places that would be gone to but for the words that are never
    pressed."""
    for seen in sighting.seen:
        if seen.element.role in _PLACES and not seen.in_row and _forbidden(seen, lexicon):
            yield seen.control.name


def _forbidden(seen: Seen, lexicon: Lexicon) -> bool:
    place = seen.element.role in _PLACES and not seen.in_row
    names = {seen.control.name, seen.element.name, seen.element.hint} - {"", FOLDED}
    return any(lexicon.forbids(name, place=place) for name in names)


def _kind(seen: Seen, sighting: Sighting, lexicon: Lexicon, *, acting: bool) -> Kind | None:
    element = seen.element
    role, states = element.role, element.states
    if State.DISABLED in states or seen.is_header or is_choice(seen, sighting):
        return None
    if role == "tab":
        return None if State.SELECTED in states else Kind.TAB
    if sighting.surface.dialog:
        return None
    if State.COLLAPSED in states:
        return Kind.UNFOLD if role in _FOLDING else None
    if role not in _FOLDING or states & {State.SELECTED, State.EXPANDED}:
        return None
    is_button = role == "button" or acting or (seen.in_row and seen.control.name != FOLDED)
    if not is_button:
        return Kind.GO
    return Kind.OPEN if lexicon.opens(seen.control.name) else None


def _form_begins(sighting: Sighting) -> int | None:
    """Return the mark of the first field of a form; None without a form. A field that
    searches is none, nor is one in a row."""
    marks = (
        seen.element.mark
        for seen in sighting.seen
        if not seen.in_row
        and (
            State.REQUIRED in seen.element.states
            or seen.element.input_type == "password"
            or (seen.element.role in _TEXT_FIELDS and not _searches(seen))
        )
    )
    return min(marks, default=None)


def _searches(seen: Seen) -> bool:
    element = seen.element
    return any(
        SEARCHING.search(text) for text in (element.name, element.label, element.placeholder)
    )
