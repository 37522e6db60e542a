"""What the agent can do: one schema for all policies (AliyunConsoleAgent §3.1: A =
A_gui ∪ {a_env, task_complete, task_unachievable}).

GUI actions name an element by its mark in the latest observation, or a point by its
coordinates: CSS pixels of the viewport, the origin at its top left. Control actions end
a sub-step or the walk, ask for resources, or write into the history. The space covers
what the agents of the papers do: AliyunConsoleAgent's marks, EvoCUA's stateful
`key_down`/`key_up` and coordinates (appendix A), RiskWebWorld's browser-use actions
(table 5), WebRL's `do(…)`, ComputerRL's and BrowserGym's pointer. `dialects` reads and
writes their texts.

`parse_action` reads the JSON form that models write; its errors are sentences that can
be shown to a model. Performing GUI actions is `console.hands`' work; control actions
are the loop's (`agent.core.walk`). `provision` is a_env (§4, runtime layer).

A model reads the first lines of every action with each question (`describe_actions`),
so they are short.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from proofwalk.kernel.answers import MAX_ANSWER
from proofwalk.kernel.errors import invalid
from proofwalk.kernel.json_values import JsonObject, JsonValue

Button = Literal["left", "middle", "right"]
Modifier = Literal["Alt", "Control", "Meta", "Shift"]


class _Action(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class _Pointed(_Action):
    """An action at a point, or where the pointer is."""

    x: float | None = None
    y: float | None = None

    @model_validator(mode="after")
    def _whole_point(self) -> Self:
        if (self.x is None) != (self.y is None):
            raise ValueError("give x and y, or neither")
        return self


class Click(_Action):
    """Click an element; `modifiers` are held during the click."""

    type: Literal["click"] = "click"
    id: int
    double: bool = False
    triple: bool = False
    right: bool = False
    middle: bool = False
    modifiers: tuple[Modifier, ...] = ()

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if (self.double and self.triple) or (self.right and self.middle):
            raise ValueError("a click is double or triple, right or middle, not both")
        return self

    @property
    def button(self) -> Button:
        """The mouse button."""
        return "right" if self.right else "middle" if self.middle else "left"

    @property
    def count(self) -> int:
        """How often it is pressed."""
        return 3 if self.triple else 2 if self.double else 1


class ClickAt(_Pointed):
    """Click a point, or where the pointer is; the result names the element hit."""

    type: Literal["click_at"] = "click_at"
    button: Button = "left"
    count: int = Field(default=1, ge=1, le=3)


class MoveTo(_Action):
    """Move the pointer to a point."""

    type: Literal["move_to"] = "move_to"
    x: float
    y: float


class MouseDown(_Pointed):
    """Press a mouse button at a point, or where the pointer is, and hold it until
    `mouse_up`."""

    type: Literal["mouse_down"] = "mouse_down"
    button: Button = "left"


class MouseUp(_Pointed):
    """Let a mouse button go at a point, or where the pointer is."""

    type: Literal["mouse_up"] = "mouse_up"
    button: Button = "left"


class Type(_Action):
    """Type `text` into a text field; `clear` empties it first."""

    type: Literal["type"] = "type"
    id: int
    text: str
    clear: bool = True
    submit: bool = False
    """Press Enter afterwards."""


class TypeFocused(_Action):
    """Type into whatever has the keyboard focus; with `keys`, key by key."""

    type: Literal["type_focused"] = "type_focused"
    text: str
    keys: bool = False


class Clear(_Action):
    """Empty a text field."""

    type: Literal["clear"] = "clear"
    id: int


class Focus(_Action):
    """Give an element the keyboard focus without clicking it."""

    type: Literal["focus"] = "focus"
    id: int


class ConfirmTyped(_Action):
    """Fill the field that guards a dangerous dialog until its button (`button`, or the
    main one) is enabled, and press that. An empty `text`: the word that the dialog asks
    for."""

    type: Literal["confirm_typed"] = "confirm_typed"
    id: int
    text: str = ""
    button: str = ""


class Select(_Action):
    """Choose the option with this visible text in a select, combobox, radio group or
    cascader (levels joined with ` / `)."""

    type: Literal["select"] = "select"
    id: int
    option: str


class ListOptions(_Action):
    """Say what a select, combobox, radio group or menu offers, and leave it as it
    was."""

    type: Literal["list_options"] = "list_options"
    id: int


class SetDate(_Action):
    """Bring a date or time picker to `value`: `2026-12-24`, `2026-12-24 10:30` or
    `10:30`; `end` is the other end of a range."""

    type: Literal["set_date"] = "set_date"
    id: int
    value: str
    end: str = ""


class SetChecked(_Action):
    """Bring a checkbox or switch to a state."""

    type: Literal["set_checked"] = "set_checked"
    id: int
    checked: bool


class SetSlider(_Action):
    """Bring a slider to a value."""

    type: Literal["set_slider"] = "set_slider"
    id: int
    value: float


class Drag(_Action):
    """Press on an element, move the pointer by `dx` and `dy` CSS pixels, and let go."""

    type: Literal["drag"] = "drag"
    id: int
    dx: float = 0
    dy: float = 0


class DragTo(_Action):
    """Press at an element or point, or where the pointer is; let go at another."""

    type: Literal["drag_to"] = "drag_to"
    from_id: int | None = None
    from_x: float | None = None
    from_y: float | None = None
    id: int | None = None
    x: float | None = None
    y: float | None = None

    @model_validator(mode="after")
    def _both_ends(self) -> Self:
        for mark, x, y, end in (
            (self.from_id, self.from_x, self.from_y, "from_"),
            (self.id, self.x, self.y, ""),
        ):
            if (x is None) != (y is None) or (mark is not None and x is not None):
                raise ValueError(f"give {end}id, or {end}x and {end}y")
        if self.id is None and self.x is None:
            raise ValueError("give id, or x and y: where to drag to")
        return self


class SolveSliderCaptcha(_Action):
    """Slide the handle of a slide-to-verify captcha to its end; without `id` it is
    looked for."""

    type: Literal["solve_slider_captcha"] = "solve_slider_captcha"
    id: int | None = None


class Hover(_Action):
    """Move the pointer onto an element."""

    type: Literal["hover"] = "hover"
    id: int


class Scroll(_Action):
    """Scroll the page, the container of element `id`, or what lies at the point `x`,
    `y`, by `dy` and `dx` CSS pixels; with `into_view`, bring `id` into view."""

    type: Literal["scroll"] = "scroll"
    id: int | None = None
    dx: float = 0
    dy: float = 0
    into_view: bool = False
    x: float | None = None
    y: float | None = None

    @model_validator(mode="after")
    def _one_place(self) -> Self:
        if (self.x is None) != (self.y is None) or (self.id is not None and self.x is not None):
            raise ValueError("give id, or x and y, or neither")
        return self


class FindRow(_Action):
    """Scroll the container of element `id` (or the page's list or table) until `text`
    is seen, at most `scrolls` times: for rows that are drawn when they come into
    view."""

    type: Literal["find_row"] = "find_row"
    text: str = Field(min_length=1)
    id: int | None = None
    scrolls: int = Field(default=60, ge=1, le=400)


class Press(_Action):
    """Press a key or a chord: `Enter`, `Escape`, `Control+A`."""

    type: Literal["press"] = "press"
    key: str
    id: int | None = None


class KeyDown(_Action):
    """Press a key and hold it until `key_up` or the end of the episode."""

    type: Literal["key_down"] = "key_down"
    key: str


class KeyUp(_Action):
    """Let a held key go."""

    type: Literal["key_up"] = "key_up"
    key: str


class GoTo(_Action):
    """Open an address; only allowed hosts are reached."""

    type: Literal["go_to"] = "go_to"
    url: str


class GoBack(_Action):
    """One page back in the tab's history."""

    type: Literal["go_back"] = "go_back"


class GoForward(_Action):
    """One page forward in the tab's history."""

    type: Literal["go_forward"] = "go_forward"


class Reload(_Action):
    """Load the page anew."""

    type: Literal["reload"] = "reload"


class SwitchTab(_Action):
    """Make another tab the active one."""

    type: Literal["switch_tab"] = "switch_tab"
    index: int


class OpenTab(_Action):
    """Open an address in a fresh tab."""

    type: Literal["open_tab"] = "open_tab"
    url: str


class CloseTab(_Action):
    """Close a tab; without an index, the active one."""

    type: Literal["close_tab"] = "close_tab"
    index: int | None = None


class Wait(_Action):
    """Wait until `text` is visible (or gone), or, without a text, until the page is
    quiet; at most `seconds`."""

    type: Literal["wait"] = "wait"
    text: str = ""
    gone: bool = False
    seconds: float = Field(default=10, gt=0, le=120)


class Upload(_Action):
    """Put a file of the episode's folder into a file input. With a `content`, a file
    that is not there is made of it."""

    type: Literal["upload"] = "upload"
    id: int
    file: str
    content: str = Field(default="", max_length=65536)


class Extract(_Action):
    """Read the text of an element, or of the whole page, into the result, from
    character `start` on. `query` says in the history what it was read for; `links` adds
    the page's links."""

    type: Literal["extract"] = "extract"
    id: int | None = None
    query: str = ""
    links: bool = False
    start: int = Field(default=0, ge=0)


class AnswerDialog(_Action):
    """Answer an open browser dialog."""

    type: Literal["answer_dialog"] = "answer_dialog"
    accept: bool
    text: str = ""


GuiAction = (
    Click
    | ClickAt
    | MoveTo
    | MouseDown
    | MouseUp
    | Type
    | TypeFocused
    | Clear
    | Focus
    | ConfirmTyped
    | Select
    | ListOptions
    | SetDate
    | SetChecked
    | SetSlider
    | Drag
    | DragTo
    | SolveSliderCaptcha
    | Hover
    | Scroll
    | FindRow
    | Press
    | KeyDown
    | KeyUp
    | GoTo
    | GoBack
    | GoForward
    | Reload
    | SwitchTab
    | OpenTab
    | CloseTab
    | Wait
    | Upload
    | Extract
    | AnswerDialog
)


class Provision(_Action):
    """Have a missing resource made; the next question has the report."""

    type: Literal["provision"] = "provision"
    need: str


class Note(_Action):
    """Keep a text in the history; nothing is done to the page."""

    type: Literal["note"] = "note"
    text: str


class SubStepComplete(_Action):
    """The current sub-step is done; the walk goes on to the next one, or ends after the
    last."""

    type: Literal["sub_step_complete"] = "sub_step_complete"
    note: str = ""


class TaskComplete(_Action):
    """The whole procedure is done. A claim: the audit log decides. `answer` tells what
    the procedure asks for: a line `name: value` for each field."""

    type: Literal["task_complete"] = "task_complete"
    note: str = ""
    answer: str = Field(default="", max_length=MAX_ANSWER)


class TaskUnachievable(_Action):
    """The procedure cannot proceed."""

    type: Literal["task_unachievable"] = "task_unachievable"
    reason: str


class CallApi(_Action):
    """Call a function of a catalogue (ComputerRL §2.1): one action space with the
    window's. It is in the schema of who is given functions alone."""

    type: Literal["call_api"] = "call_api"
    name: str = Field(max_length=100)
    arguments: Mapping[str, JsonValue] = Field(default_factory=dict)


ControlAction = Provision | Note | SubStepComplete | TaskComplete | TaskUnachievable
Action = GuiAction | ControlAction | CallApi

_ADAPTER: TypeAdapter[Action] = TypeAdapter(Annotated[Action, Field(discriminator="type")])
_EVERYWHERE: TypeAdapter[GuiAction | ControlAction] = TypeAdapter(
    Annotated[GuiAction | ControlAction, Field(discriminator="type")]
)
"""What can be done without a catalogue of functions."""


def parse_action(text: str) -> Action:
    """Read an action from JSON. Raises `action.malformed` with a sentence that says
    what is wrong."""
    try:
        return _ADAPTER.validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "action"
        raise invalid(
            "action.malformed",
            f"{where}: {first['msg']}",
            hint="answer with one JSON action of the schema",
        ) from error


def action_json_schema() -> JsonObject:
    """The JSON schema that constrains a model's decoding; `strict_schema` reduces it
    for OpenAI's strict mode. `call_api` is added by who knows the functions."""
    return _EVERYWHERE.json_schema()
