"""What one observation says of a map: the surface that it shows, and its controls.

A control is named as a person would point it out, and the same on another day: what is
a resource's own is folded (`addresses`), a link in a table's row is `{}` in the section
of its column, and a field is called by its label. What shows a number alone is called
by its label. Under a dialog only the dialog's controls are seen. Nameless things cannot
be pointed out, and choices of an open list are values; both are left out. Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from proofwalk.console.observation import Element, Observation, State
from proofwalk.maps.addresses import FOLDED, fold_address, fold_name
from proofwalk.maps.graph import Control, Surface
from proofwalk.maps.words import ROW_ACTIONS

_FIELDS = frozenset({"textbox", "searchbox", "spinbutton", "combobox", "slider", "listbox"})
_NO_CONTROLS = frozenset({"cell", "gridcell", "row", "columnheader", "heading", "img", "listitem"})
_NAMELESS_POPUPS = frozenset({"menu", "popup", "list", "listbox", "dialog", "tooltip"})
ROW = "row"
"""Section of a row's control whose column has no header."""


@dataclass(frozen=True, kw_only=True)
class Imprint:
    """How an element is recognised when the page is looked at again."""

    role: str
    name: str
    place: tuple[str, str, str]
    """Container, group and column."""
    nth: int
    """Which of several equal ones."""


@dataclass(frozen=True, kw_only=True)
class Seen:
    """An element of the page, and the control that it is on the map."""

    element: Element
    control: Control
    imprint: Imprint
    run: tuple[str, ...]
    """Names of its neighbours of the same role: the menu or list that it is in."""
    before: tuple[str, ...]
    """Names of all elements before it."""

    @property
    def is_header(self) -> bool:
        """True in the row of a table's headers."""
        return bool(self.element.column) and self.element.column in self.element.row

    @property
    def in_row(self) -> bool:
        """True in a row of data."""
        return bool(self.element.row) and not self.is_header


@dataclass(frozen=True, kw_only=True)
class Sighting:
    """A surface as one look shows it."""

    url: str
    surface: Surface
    seen: tuple[Seen, ...]

    @property
    def controls(self) -> frozenset[Control]:
        """The controls, each once."""
        return frozenset(one.control for one in self.seen)

    def find(self, imprint: Imprint) -> Seen | None:
        """Return the element of an earlier look."""
        return next((one for one in self.seen if one.imprint == imprint), None)

    def moved(self, sections: Mapping[Control, Control]) -> Sighting:
        """Return the same with some controls in other sections."""
        return replace(
            self,
            seen=tuple(
                replace(one, control=sections.get(one.control, one.control)) for one in self.seen
            ),
        )


def sighting(
    page: Observation,
    *,
    data: Collection[str] = (),
    over: Surface | None = None,
    opener: str = "",
    steady: bool = False,
) -> Sighting:
    """Return what a look shows. `data` holds texts that are a resource's own, `over` is
    the page from which the look's page came, `opener` what opened a popup on it.
    `steady`: a page of that address is that page, though a popup may hide its
    heading."""
    surface = _surface(page, data, over)
    if steady and over is not None and (surface.address, surface.dialog) == (over.address, ""):
        surface = over
    shown = [
        element for element in page.elements if not page.modal or element.container == page.modal
    ]
    seen: list[Seen] = []
    counts: dict[tuple[str, str, tuple[str, str, str]], int] = {}
    before: list[str] = []
    for element, run in zip(shown, _runs(shown), strict=True):
        place = (element.container, element.group, element.column)
        key = (element.role, element.name, place)
        counts[key] = nth = counts.get(key, -1) + 1
        control = _control(element, page.modal, data, opener)
        if control is not None:
            imprint = Imprint(role=element.role, name=element.name, place=place, nth=nth)
            seen.append(
                Seen(
                    element=element,
                    control=control,
                    imprint=imprint,
                    run=run,
                    before=tuple(before),
                )
            )
        before.append(element.name)
    return Sighting(url=page.url, surface=surface, seen=tuple(seen))


def _surface(page: Observation, data: Collection[str], over: Surface | None) -> Surface:
    address = fold_address(page.url, data)
    dialog = fold_name(page.modal, data)
    if over is not None and over.address == address:
        if dialog:
            return Surface(address=address, heading=over.heading, dialog=dialog)
        unseen = over.heading
    else:
        unseen = page.title
    headings = (text.text for text in page.texts if text.role == "heading" and not text.container)
    heading = fold_name(next(headings, unseen), data)
    # what follows a resource's name in its heading is its state
    own = heading.startswith(FOLDED) and FOLDED in address
    return Surface(address=address, heading=FOLDED if own else heading, dialog=dialog)


def _runs(elements: list[Element]) -> Iterator[tuple[str, ...]]:
    """Yield, for each element, the names of the run of equal kind that it is in."""
    kinds = [(one.role, one.container, bool(one.row)) for one in elements]
    start = 0
    while start < len(elements):
        end = start
        while end < len(elements) and kinds[end] == kinds[start]:
            end += 1
        names = tuple(one.name for one in elements[start:end])
        for _ in range(start, end):
            yield names
        start = end


def _control(element: Element, modal: str, data: Collection[str], opener: str) -> Control | None:
    if element.role in _NO_CONTROLS:
        return None
    in_popup = element.container not in ("", modal)
    if element.role == "option" and in_popup:
        return None
    section = _section(element, modal, data, opener)
    name = _row_name(element, data) if _is_data(element) else _name(element, data)
    return Control(role=element.role, name=name, section=section) if name else None


def _is_data(element: Element) -> bool:
    """Return True for what stands in a row of data."""
    return bool(element.row) and not (element.column and element.column in element.row)


def _section(element: Element, modal: str, data: Collection[str], opener: str) -> str:
    if element.container not in ("", modal):
        title = fold_name(element.container, data)
        return opener if opener and title.casefold() in _NAMELESS_POPUPS else title
    if element.row:
        return fold_name(element.column, data) or ROW
    return fold_name(element.group, data)


def _row_name(element: Element, data: Collection[str]) -> str:
    if element.role in _FIELDS:
        return _first(data, element.label, element.placeholder, element.column)
    acts = element.role == "button" or element.column.casefold() in ROW_ACTIONS
    return _first(data, element.name, element.hint) if acts else FOLDED


def _name(element: Element, data: Collection[str]) -> str:
    if element.role in _FIELDS:
        return _first(data, element.label, element.name, element.placeholder, element.hint)
    if (
        element.role == "link"
        and fold_name(element.name, data) == FOLDED
        and element.name not in data
    ):
        return _first(data, element.label, element.hint) or FOLDED
    if element.name.strip().isdigit():
        return ""
    return _first(data, element.name, element.label, element.hint)


def _first(data: Collection[str], *names: str) -> str:
    return next((fold_name(name, data) for name in names if name.strip()), "")


def is_choice(one: Seen, others: Sighting) -> bool:
    """Return True if the element is a value that may be chosen: in its popup one is
    chosen or checked already."""
    container = one.element.container
    return bool(container) and any(
        other.element.container == container
        and other.element.states & {State.SELECTED, State.CHECKED}
        for other in others.seen
    )
