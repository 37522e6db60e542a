"""What the agent sees: z_t = (I_t, E_t, H_t) of AliyunConsoleAgent §3.1, without the
history, which the loop owns.

An observation is one consistent look at all frames of a page: the screenshot with
numbered marks drawn beside the page (never into it), the visible interactive elements
that the marks name, and the visible text around them. Elements carry a stable
`identity`, so that the next look can tell what is new. Everything in it is data from
outside, never instruction. Taking one is `console.page`'s work; `console.marks` draws;
`console.prompt_text` renders it as text.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


@dataclass(frozen=True, kw_only=True)
class Box:
    """A rectangle in CSS pixels of the viewport."""

    x: float
    y: float
    width: float
    height: float

    @property
    def center(self) -> tuple[float, float]:
        return self.x + self.width / 2, self.y + self.height / 2

    def contains(self, other: Box) -> bool:
        """Return True if the centre of `other` lies inside this box."""
        x, y = other.center
        return self.x <= x <= self.x + self.width and self.y <= y <= self.y + self.height


class State(StrEnum):
    """A state that an element shows."""

    DISABLED = "disabled"
    CHECKED = "checked"
    SELECTED = "selected"
    EXPANDED = "expanded"
    COLLAPSED = "collapsed"
    REQUIRED = "required"
    READONLY = "readonly"
    INVALID = "invalid"
    FOCUSED = "focused"
    PRESSED = "pressed"


@dataclass(frozen=True, kw_only=True)
class Element:
    """A visible, hit-testable, interactive element."""

    mark: int
    """The element's number in this observation, from 1 in reading order."""
    identity: str
    """Stays the same for an element in the next observation, whatever its mark."""
    role: str
    """ARIA role, explicit or implied by tag and behaviour: button, link, textbox,
    combobox, option, menuitem, tab, checkbox, radio, switch, slider, cell…"""
    tag: str
    name: str
    """Accessible name, or its visible text."""
    value: str = ""
    """Current value of a form control; a password's value is never read."""
    placeholder: str = ""
    input_type: str = ""
    """`type` of an input, such as `file` or `password`."""
    states: frozenset[State] = frozenset()
    box: Box
    label: str = ""
    """The form label of the element: `for`/`aria-labelledby`, else the label of its
    form row, else the nearest text to the left or above."""
    hint: str = ""
    """Tooltip: `title`, `aria-describedby`, or a balloon that is attached to it."""
    container: str = ""
    """Title of the innermost dialog, drawer, popup or menu that holds it; empty on the
    page itself."""
    row: str = ""
    """Text of the table row that holds it, cells joined with ` | `."""
    column: str = ""
    """Header of the table column that holds it."""
    group: str = ""
    """Name of the group of choices that it belongs to (radio group, tab list, menu)."""
    frame: str = ""
    """URL of its frame; empty in the main frame."""
    new: bool = False
    """True if it was not in the previous observation."""
    offscreen: bool = False
    """True if it has to be scrolled into view first."""


@dataclass(frozen=True, kw_only=True)
class TextRun:
    """A visible text that is not an element: heading, message, table cell,
    paragraph."""

    text: str
    box: Box
    role: str = ""
    """heading, alert, status, cell, columnheader, label, tooltip, or empty."""
    container: str = ""
    row: str = ""
    """For a cell: the row's text."""
    column: str = ""
    """For a cell: the column's header."""
    new: bool = False


@dataclass(frozen=True, kw_only=True)
class HiddenText:
    """A text of the page that nobody sees. It is kept apart from the others and
    returned only on request."""

    text: str
    why: str
    """not displayed, transparent, invisible, too small, the colour of its
    background."""


@dataclass(frozen=True, kw_only=True)
class BrowserTab:
    """An open tab of the episode's browser context."""

    index: int
    url: str
    title: str
    active: bool


@dataclass(frozen=True, kw_only=True)
class Observation:
    """One look at the page."""

    url: str
    title: str
    taken_at: datetime
    elements: tuple[Element, ...]
    texts: tuple[TextRun, ...]
    tabs: tuple[BrowserTab, ...]
    viewport: tuple[int, int]
    scroll: tuple[float, float, float, float]
    """Offset x and y, and the document's scrollable width and height, in CSS pixels."""
    modal: str = ""
    """Title of the topmost dialog or drawer that blocks the page behind it; empty
    without one."""
    alerts: tuple[str, ...] = ()
    """Messages and notifications on show, newest last."""
    hidden: tuple[HiddenText, ...] = ()
    browser_dialog: str = ""
    """Text of an open `alert`, `confirm` or `prompt`."""
    quiet: bool = True
    """False if the page was still busy when the wait ended."""
    screenshot: bytes = b""
    """JPEG of the viewport with the marks drawn on it; empty if not requested."""
    raw_screenshot: bytes = b""
    """The same without marks."""

    def element(self, mark: int) -> Element | None:
        """Return the element with this mark, or None."""
        return next((element for element in self.elements if element.mark == mark), None)

    @property
    def is_blank(self) -> bool:
        """True if the page shows nothing at all."""
        return not (self.elements or self.texts or self.browser_dialog)

    @property
    def fingerprint(self) -> str:
        """A digest that is equal for two looks with the same URL, elements, values,
        states and texts."""
        parts = [self.url, self.modal, self.browser_dialog, *self.alerts]
        parts += [f"{e.identity}={e.value}:{','.join(sorted(e.states))}" for e in self.elements]
        parts += [t.text for t in self.texts]
        return "\x1f".join(parts)
