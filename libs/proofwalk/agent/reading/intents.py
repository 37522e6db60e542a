"""What a sentence asks for, before anybody has looked at a page.

`grammar` makes intents, `moves` carries them out one by one. An intent keeps the words
it was made of, so that a finding can point at its sentence and line, and so that every
word that the writer set in bold or code is accounted for.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class IntentKind(StrEnum):
    """What is to be done."""

    LOG_ON = "log_on"
    """Open a product's console."""
    NAVIGATE = "navigate"
    """Follow a path of menu entries."""
    CLICK = "click"
    """Click a named control, or follow a path from it (`More > Release`)."""
    LOCATE = "locate"
    """Find the row that the following intents are about."""
    OPEN_ROW = "open_row"
    """Click the id or name of the row."""
    SELECT_ROW = "select_row"
    """Tick the row's check box."""
    SET = "set"
    """Bring a field to a value; which gesture that takes depends on the control."""
    CHECK = "check"
    """Tick or clear a check box, or turn a switch."""
    UPLOAD = "upload"
    REGION = "region"
    CONFIGURE = "configure"
    """The place of the parameters that follow in a table or bullets."""
    WAIT = "wait"
    EXPECT_STATUS = "expect_status"
    EXPECT_ROW = "expect_row"
    EXPECT_GONE = "expect_gone"
    EXPECT_TEXT = "expect_text"
    EXPECT_VALUE = "expect_value"
    """Check that a field has this value by itself."""
    HOVER = "hover"
    OPEN_CONTEXT_MENU = "open_context_menu"
    """Click what `path` names, or `phrase` describes, with the right button."""
    COPY = "copy"
    """Take a text that the console shows along. It changes nothing."""
    DRAG = "drag"
    """Drag the thing that `path` names onto the one that `value` names."""
    REFRESH = "refresh"
    CONFIRM = "confirm"
    """Say yes to the window that asks."""
    MENTION = "mention"
    """Words that ask for nothing; they are looked for on the page and otherwise
    reported as unplaced."""


ARROW = "arrow"
"""Noun of a `CLICK` on an arrow: beside the button that `path` names, or in the row."""
FORM = "form"
"""`noun` of a `CONFIGURE` that leaves the form in front to the reader: `Fill in the
form`."""
PICTURE = "picture"
"""Noun of a control that the document shows and does not name: its label is the
picture's."""
BOTH_BOXES = "both boxes"
"""Noun of a `CHECK` of two check boxes that are not named: `select both check
boxes`."""
THING = "thing"
"""Noun of an intent whose phrase may be said from anywhere: `go to the flag`."""
PAGE_IN_WORDS = "page in words"
"""Noun of a page that the document describes and does not name: `go to the settings
page`. One that is not found blames nobody."""
SECTION = "section"
"""Noun of a place that may be a part of the page in front: `go to the **Rules**
section`."""
UNFOLDED = "unfolded"
"""Noun of a part of the page that is unfolded: `expand **Advanced**`. Its title may
have a button beside it."""
TYPED = "typed"
"""Noun of words that are typed where no field is named: ``type `delete` to confirm``.
With a label, that may be the words or the field."""
SEARCH = "Search"
"""The field that `in the search box` names."""


class ScopeKind(StrEnum):
    """Where the sentence says something is."""

    FIELD = "field"
    DIALOG = "dialog"
    PAGE = "page"
    SECTION = "section"
    TAB = "tab"
    COLUMN = "column"
    ROW = "row"
    MENU = "menu"
    NAVIGATION = "navigation"
    TOP_BAR = "top_bar"
    CORNER = "corner"
    """An upper corner of the page, where the top bar may be."""


@dataclass(frozen=True, kw_only=True)
class Scope:
    """A place; `label` is empty for an unnamed one ("in the dialog box that
    appears")."""

    kind: ScopeKind
    label: str = ""


@dataclass(frozen=True, kw_only=True)
class Origin:
    """The place in the document that an intent comes from."""

    file: str
    line: int
    sentence: str


@dataclass(frozen=True, kw_only=True)
class Intent:
    """One thing to do or to see."""

    kind: IntentKind
    path: tuple[str, ...] = ()
    """The labels to follow; one for most intents."""
    others: tuple[str, ...] = ()
    """Labels that do as well as `label`: `click **OK** or **Apply**`."""
    value: str | None = None
    """The value or option; None when the sentence leaves the choice open."""
    checked: bool = True
    noun: str = ""
    """What the sentence calls the control: `button`, `tab`, `link`, `check box`."""
    phrase: str = ""
    """The resource in the document's words: `the instance that you want to stop`."""
    target: str = ""
    """Address of a link."""
    scopes: tuple[Scope, ...] = ()
    optional: bool = False
    conditional: bool = False
    condition: str = ""
    """With `conditional`: the label that must be on the page for the intent to apply;
    empty if unknown."""
    depends_on: str = ""
    """The choice, made in the console before, without which the intent does not
    apply."""
    situation: str = ""
    """The condition in the document's words, where only the reader can decide it."""
    prompted: bool = False
    """The intent applies only where a window is in front that asks."""
    example: bool = False
    """The value is given as an example."""
    chosen: bool = False
    """The sentence says *choose* or *specify* without an object: if no field has this
    name, a choice or control may."""
    words: tuple[str, ...] = ()
    """Marked-up words of the document that went into this intent."""
    origin: Origin

    @property
    def label(self) -> str:
        """The last label of the path."""
        return self.path[-1] if self.path else ""

    def scope(self, *kinds: ScopeKind) -> Scope | None:
        """The first scope of one of these kinds."""
        return next((scope for scope in self.scopes if scope.kind in kinds), None)


@dataclass(frozen=True, kw_only=True)
class Unread:
    """An instruction that no rule reads. The sub-step is then never complete."""

    text: str
    """The sentence, with its labels written out."""
    rest: str
    """The words that stopped the reading."""
    optional: bool = False
    """True if the sub-step may be left out, so that the walk goes on without it."""
    origin: Origin


@dataclass(frozen=True, kw_only=True)
class Prose:
    """A sentence that asks for nothing."""

    text: str
    why: str
    """Why it is prose, in a few words: `it tells what is so`."""


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What was made of a text: intents, prose, and what was not understood. Each
    sentence is in one of the three."""

    intents: tuple[Intent, ...]
    unplaced: tuple[str, ...] = field(default=())
    """Marked-up words that no intent carries."""
    not_understood: tuple[Unread, ...] = field(default=())
    prose: tuple[Prose, ...] = field(default=())

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(word for intent in self.intents for word in intent.words)
