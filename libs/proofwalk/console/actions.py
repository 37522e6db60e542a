"""What the agent can do: one schema for all policies (AliyunConsoleAgent §3.1: A = A_gui ∪ {a_env, task_complete, task_unachievable}).

GUI actions name an element by its mark in the latest observation. Control actions end a sub-step or the walk, or ask for
resources. `parse_action` reads the JSON form that models write; its errors are sentences that can be shown to a model.
Performing GUI actions is `console.hands`' work; control actions are the loop's (`agent.walk`).
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from proofwalk.kernel.errors import invalid


class _Action(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Click(_Action):
    """Click an element."""

    type: Literal["click"] = "click"
    id: int
    double: bool = False
    right: bool = False


class Type(_Action):
    """Type `text` into a text field; `clear` empties it first. `<secret:NAME>` is replaced by the executor, never by a policy."""

    type: Literal["type"] = "type"
    id: int
    text: str
    clear: bool = True
    submit: bool = False
    """Press Enter afterwards."""


class Select(_Action):
    """Choose the option with this visible text in a select, combobox, radio group or cascader (levels joined with ` / `)."""

    type: Literal["select"] = "select"
    id: int
    option: str


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
    """Press on an element, move the pointer by `dx` and `dy` CSS pixels like a hand does, and let go."""

    type: Literal["drag"] = "drag"
    id: int
    dx: float = 0
    dy: float = 0


class Hover(_Action):
    """Move the pointer onto an element."""

    type: Literal["hover"] = "hover"
    id: int


class Scroll(_Action):
    """Scroll the page, or the container of element `id`, by `dy` and `dx` CSS pixels; with `into_view`, bring `id` into view."""

    type: Literal["scroll"] = "scroll"
    id: int | None = None
    dx: float = 0
    dy: float = 0
    into_view: bool = False


class Press(_Action):
    """Press a key or a chord: `Enter`, `Escape`, `Control+A`."""

    type: Literal["press"] = "press"
    key: str
    id: int | None = None


class GoTo(_Action):
    """Open an address; only allowed hosts are reached."""

    type: Literal["go_to"] = "go_to"
    url: str


class GoBack(_Action):
    """One page back in the tab's history."""

    type: Literal["go_back"] = "go_back"


class SwitchTab(_Action):
    """Make another tab the active one."""

    type: Literal["switch_tab"] = "switch_tab"
    index: int


class OpenTab(_Action):
    """Open an address in a fresh tab."""

    type: Literal["open_tab"] = "open_tab"
    url: str


class CloseTab(_Action):
    """Close a tab."""

    type: Literal["close_tab"] = "close_tab"
    index: int


class Wait(_Action):
    """Wait until `text` is visible (or gone), or, without a text, until the page is quiet; at most `seconds`."""

    type: Literal["wait"] = "wait"
    text: str = ""
    gone: bool = False
    seconds: float = Field(default=10, gt=0, le=120)


class Upload(_Action):
    """Put a file of the episode's folder into a file input."""

    type: Literal["upload"] = "upload"
    id: int
    file: str


class AnswerDialog(_Action):
    """Answer an open browser dialog."""

    type: Literal["answer_dialog"] = "answer_dialog"
    accept: bool
    text: str = ""


GuiAction = (
    Click
    | Type
    | Select
    | SetChecked
    | SetSlider
    | Drag
    | Hover
    | Scroll
    | Press
    | GoTo
    | GoBack
    | SwitchTab
    | OpenTab
    | CloseTab
    | Wait
    | Upload
    | AnswerDialog
)


class Provision(_Action):
    """a_env: pause the walk and have missing resources provisioned; the report comes back into the context (§4, runtime layer)."""

    type: Literal["provision"] = "provision"
    need: str


class SubStepComplete(_Action):
    """The current sub-step is done; the walk goes on to the next one, or ends after the last."""

    type: Literal["sub_step_complete"] = "sub_step_complete"
    note: str = ""


class TaskComplete(_Action):
    """The whole procedure is done. A claim: the audit log decides."""

    type: Literal["task_complete"] = "task_complete"
    note: str = ""


class TaskUnachievable(_Action):
    """The procedure cannot proceed; the policy's decision may carry a finding."""

    type: Literal["task_unachievable"] = "task_unachievable"
    reason: str


ControlAction = Provision | SubStepComplete | TaskComplete | TaskUnachievable
Action = GuiAction | ControlAction

_ADAPTER: TypeAdapter[Action] = TypeAdapter(Annotated[Action, Field(discriminator="type")])


def parse_action(text: str) -> Action:
    """Read an action from JSON; raises `action.malformed` with what is wrong in one sentence."""
    try:
        return _ADAPTER.validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "action"
        raise invalid("action.malformed", f"{where}: {first['msg']}", hint="answer with one JSON action of the schema") from error


def action_json_schema() -> dict[str, object]:
    """The JSON schema that constrains a model's decoding."""
    return _ADAPTER.json_schema()
