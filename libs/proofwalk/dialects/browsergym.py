"""BrowserGym's high-level actions: Python calls such as `click("51")` or
`mouse_click(887, 68)`, one or several lines.

The signatures are those of `browsergym.core.action.functions`. Bids are our marks in
digits; a frame prefix in letters is ignored. Times are milliseconds there and seconds
here. `send_msg_to_user` is how its agents give their answer, so it is the claim
`task_complete`; `report_infeasible` is `task_unachievable`. A tab is opened empty
there, so `new_tab()` is `open_tab` of `about:blank`, and closing is of the active tab
only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from proofwalk.console import actions as a
from proofwalk.console.observation import Observation
from proofwalk.dialects.calls import Call, calls_in, plain, written
from proofwalk.dialects.dialect import (
    MILLISECONDS,
    Step,
    build,
    known_mark,
    malformed,
    mark_of,
    not_expressible,
)

_NONE = object()
_MODIFIERS = {"ControlOrMeta": "Control"}
_BUTTONS = ("left", "middle", "right")

_SIGNATURES: dict[str, dict[str, Any]] = {
    "send_msg_to_user": {"text": _NONE},
    "report_infeasible": {"reason": _NONE},
    "noop": {"wait_ms": 1000},
    "fill": {"bid": _NONE, "value": _NONE},
    "check": {"bid": _NONE},
    "uncheck": {"bid": _NONE},
    "select_option": {"bid": _NONE, "options": _NONE},
    "click": {"bid": _NONE, "button": "left", "modifiers": []},
    "dblclick": {"bid": _NONE, "button": "left", "modifiers": []},
    "hover": {"bid": _NONE},
    "press": {"bid": _NONE, "key_comb": _NONE},
    "focus": {"bid": _NONE},
    "clear": {"bid": _NONE},
    "drag_and_drop": {"from_bid": _NONE, "to_bid": _NONE},
    "scroll": {"delta_x": _NONE, "delta_y": _NONE},
    "mouse_move": {"x": _NONE, "y": _NONE},
    "mouse_up": {"x": _NONE, "y": _NONE, "button": "left"},
    "mouse_down": {"x": _NONE, "y": _NONE, "button": "left"},
    "mouse_click": {"x": _NONE, "y": _NONE, "button": "left"},
    "mouse_dblclick": {"x": _NONE, "y": _NONE, "button": "left"},
    "mouse_drag_and_drop": {"from_x": _NONE, "from_y": _NONE, "to_x": _NONE, "to_y": _NONE},
    "keyboard_press": {"key": _NONE},
    "keyboard_up": {"key": _NONE},
    "keyboard_down": {"key": _NONE},
    "keyboard_type": {"text": _NONE},
    "keyboard_insert_text": {"text": _NONE},
    "goto": {"url": _NONE},
    "go_back": {},
    "go_forward": {},
    "new_tab": {},
    "tab_close": {},
    "tab_focus": {"index": _NONE},
    "upload_file": {"bid": _NONE, "file": _NONE},
}


def _expected(name: str) -> str:
    inside = ", ".join(
        key if default is _NONE else f"{key}={default!r}"
        for key, default in _SIGNATURES[name].items()
    )
    return f"{name}({inside})"


@dataclass(frozen=True)
class _Values:
    """The arguments of one call."""

    expected: str
    arguments: dict[str, Any]
    observation: Observation

    def mark(self, name: str = "bid") -> int:
        return mark_of(self.arguments[name], self.observation, self.expected)

    def click(self, **more: object) -> a.Action:
        if self.arguments["button"] not in _BUTTONS:
            raise malformed(f"{self.arguments['button']!r:.60} is no mouse button", self.expected)
        modifiers = self.arguments["modifiers"]
        if not isinstance(modifiers, list | tuple) or not all(
            isinstance(one, str) for one in modifiers
        ):
            raise malformed("modifiers must be a list of names", self.expected)
        held = tuple(_MODIFIERS.get(one, one) for one in modifiers)
        kind = {} if self.arguments["button"] == "left" else {self.arguments["button"]: True}
        return build(a.Click, self.expected, id=self.mark(), modifiers=held, **kind, **more)

    def one(self, name: str) -> object:
        """Return an argument that may also be a list of one value."""
        value = self.arguments[name]
        if isinstance(value, list | tuple):
            if len(value) != 1:
                raise malformed(f"{name} must be one value", self.expected)
            return value[0]
        return value


def _seconds(values: _Values) -> a.Action:
    wait = values.arguments["wait_ms"]
    if isinstance(wait, bool) or not isinstance(wait, int | float):
        raise malformed("wait_ms must be a number", values.expected)
    return build(a.Wait, values.expected, seconds=wait / MILLISECONDS)


def _make(kind: type[Any], *, mark: str = "", **names: str) -> Callable[[_Values], a.Action]:
    """Return a function that builds `kind` from a call's arguments. `names` maps its
    fields to arguments; `mark` is the argument that names the element."""

    def build_from(values: _Values) -> a.Action:
        fields = {ours: values.arguments[theirs] for ours, theirs in names.items()}
        if mark:
            fields["id"] = values.mark(mark)
        return build(kind, values.expected, **fields)

    return build_from


_READ: dict[str, Callable[[_Values], a.Action]] = {
    "send_msg_to_user": _make(a.TaskComplete, note="text"),
    "report_infeasible": _make(a.TaskUnachievable, reason="reason"),
    "noop": _seconds,
    "fill": _make(a.Type, mark="bid", text="value"),
    "check": lambda v: build(a.SetChecked, v.expected, id=v.mark(), checked=True),
    "uncheck": lambda v: build(a.SetChecked, v.expected, id=v.mark(), checked=False),
    "select_option": lambda v: build(a.Select, v.expected, id=v.mark(), option=v.one("options")),
    "click": lambda v: v.click(),
    "dblclick": lambda v: v.click(double=True),
    "hover": _make(a.Hover, mark="bid"),
    "press": _make(a.Press, mark="bid", key="key_comb"),
    "focus": _make(a.Focus, mark="bid"),
    "clear": _make(a.Clear, mark="bid"),
    "drag_and_drop": lambda v: build(
        a.DragTo, v.expected, from_id=v.mark("from_bid"), id=v.mark("to_bid")
    ),
    "scroll": _make(a.Scroll, dx="delta_x", dy="delta_y"),
    "mouse_move": _make(a.MoveTo, x="x", y="y"),
    "mouse_up": _make(a.MouseUp, x="x", y="y", button="button"),
    "mouse_down": _make(a.MouseDown, x="x", y="y", button="button"),
    "mouse_click": _make(a.ClickAt, x="x", y="y", button="button"),
    "mouse_dblclick": lambda v: build(a.ClickAt, v.expected, count=2, **v.arguments),
    "mouse_drag_and_drop": _make(a.DragTo, from_x="from_x", from_y="from_y", x="to_x", y="to_y"),
    "keyboard_press": _make(a.Press, key="key"),
    "keyboard_up": _make(a.KeyUp, key="key"),
    "keyboard_down": _make(a.KeyDown, key="key"),
    "keyboard_type": lambda v: build(a.TypeFocused, v.expected, keys=True, **v.arguments),
    "keyboard_insert_text": _make(a.TypeFocused, text="text"),
    "goto": _make(a.GoTo, url="url"),
    "go_back": _make(a.GoBack),
    "go_forward": _make(a.GoForward),
    "new_tab": lambda v: build(a.OpenTab, v.expected, url="about:blank"),
    "tab_close": _make(a.CloseTab),
    "tab_focus": _make(a.SwitchTab, index="index"),
    "upload_file": lambda v: build(a.Upload, v.expected, id=v.mark(), file=v.one("file")),
}


class BrowserGym:
    """Python calls, one a line."""

    name = "browsergym"

    def read(self, text: str, observation: Observation) -> Step:
        """The calls of a text; comments are the thought."""
        expected = (
            'one call such as click("12"), fill("7", "text"), goto("https://…") or'
            ' report_infeasible("why")'
        )
        calls = calls_in(text, expected)
        if not calls:
            raise malformed("the answer has no action", expected)
        return Step(actions=tuple(self._action(call, observation) for call in calls))

    @staticmethod
    def _action(call: Call, observation: Observation) -> a.Action:
        signature = _SIGNATURES.get(call.name)
        if signature is None:
            raise malformed(
                f"there is no action {call.name[:40]!r}", f"one of {', '.join(_SIGNATURES)}"
            )
        expected = _expected(call.name)
        defaults = {name: value for name, value in signature.items() if value is not _NONE}
        return _READ[call.name](
            _Values(expected, call.bind(list(signature), defaults, expected), observation)
        )

    def write(self, step: Step, observation: Observation) -> str:
        """Write the actions, one a line."""
        return "\n".join(self._text(action, observation) for action in step.actions)

    def _text(self, action: a.Action, observation: Observation) -> str:
        text = (
            self._element_text(action, observation)
            or _mouse_text(action)
            or _keyboard_text(action)
            or _browser_text(action)
        )
        if text is not None:
            return text
        match action:
            case a.TaskComplete(note=note):
                return written("send_msg_to_user", note)
            case a.TaskUnachievable(reason=reason):
                return written("report_infeasible", reason)
            case a.Wait(text="", gone=False, seconds=seconds):
                milliseconds = plain(seconds * MILLISECONDS)
                if milliseconds / MILLISECONDS != seconds:
                    raise not_expressible(
                        self.name, action, "its time is no number of milliseconds"
                    )
                return written("noop", milliseconds)
        raise not_expressible(self.name, action)

    def _element_text(self, action: a.Action, observation: Observation) -> str | None:
        """Write an action on an element; None for any other. Raises what `known_mark`
        raises for an element that is not in the observation."""

        def bid(mark: int) -> str:
            return str(known_mark(self.name, mark, action, observation))

        match action:
            case a.Type(clear=True, submit=False):
                return written("fill", bid(action.id), action.text)
            case a.SetChecked():
                return written("check" if action.checked else "uncheck", bid(action.id))
            case a.Select():
                return written("select_option", bid(action.id), action.option)
            case a.Click(triple=False):
                named: dict[str, object] = (
                    {} if action.button == "left" else {"button": action.button}
                )
                if action.modifiers:
                    named["modifiers"] = list(action.modifiers)
                return written("dblclick" if action.double else "click", bid(action.id), **named)
            case a.Hover():
                return written("hover", bid(action.id))
            case a.Press(id=int(mark)):
                return written("press", bid(mark), action.key)
            case a.Focus():
                return written("focus", bid(action.id))
            case a.Clear():
                return written("clear", bid(action.id))
            case a.DragTo(from_id=int(source), id=int(target)):
                return written("drag_and_drop", bid(source), bid(target))
            case a.Upload(content=""):
                return written("upload_file", bid(action.id), action.file)
        return None


def _mouse_text(action: a.Action) -> str | None:
    """Write an action of the mouse at a point; None for any other."""
    match action:
        case a.DragTo(from_x=float(from_x), from_y=float(from_y), x=float(x), y=float(y)):
            return written("mouse_drag_and_drop", *map(plain, (from_x, from_y, x, y)))
        case a.Scroll(id=None, x=None, into_view=False):
            return written("scroll", plain(action.dx), plain(action.dy))
        case a.MoveTo():
            return written("mouse_move", plain(action.x), plain(action.y))
        case a.MouseUp(x=float(x), y=float(y)):
            return written("mouse_up", plain(x), plain(y), action.button)
        case a.MouseDown(x=float(x), y=float(y)):
            return written("mouse_down", plain(x), plain(y), action.button)
        case a.ClickAt(x=float(x), y=float(y), count=1 | 2):
            name = "mouse_click" if action.count == 1 else "mouse_dblclick"
            return written(name, plain(x), plain(y), action.button)
    return None


def _keyboard_text(action: a.Action) -> str | None:
    """Write an action of the keyboard on what has the focus; None for any other."""
    match action:
        case a.Press(id=None):
            return written("keyboard_press", action.key)
        case a.KeyUp():
            return written("keyboard_up", action.key)
        case a.KeyDown():
            return written("keyboard_down", action.key)
        case a.TypeFocused():
            name = "keyboard_type" if action.keys else "keyboard_insert_text"
            return written(name, action.text)
    return None


def _browser_text(action: a.Action) -> str | None:
    """Write an action of the browser and its tabs; None for any other."""
    match action:
        case a.GoTo():
            return written("goto", action.url)
        case a.GoBack():
            return written("go_back")
        case a.GoForward():
            return written("go_forward")
        case a.OpenTab(url="about:blank"):
            return written("new_tab")
        case a.CloseTab(index=None):
            return written("tab_close")
        case a.SwitchTab():
            return written("tab_focus", action.index)
    return None
