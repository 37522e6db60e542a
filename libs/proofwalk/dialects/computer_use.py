"""EvoCUA's `computer_use` tool in its S2 form: an `Action:` line, then
`<tool_call>{"name": …, "arguments": …}</tool_call>`.

The actions are those of EvoCUA's appendix A. Coordinates are a relative grid of 0 to
999 in both directions over the viewport, so a point comes back as the centre of its
cell: writing is exact for points that lie there (`on_grid`). Keys go by pyautogui's
names. `scroll` turns the wheel in pixels, positive up, and `hscroll`, positive right. A
click without a coordinate goes to where the pointer is. Several keys of one `key_down`
or `key_up` are several actions. `terminate` with `success` is the claim
`task_complete`, with `failure` `task_unachievable`, whose reason is the `Action:` line,
the trace that the paper asks a termination to rest on; `answer` is a completion with a
note.
"""

from __future__ import annotations

import json
import re
from typing import Any

from proofwalk.console import actions as a
from proofwalk.console.observation import Observation
from proofwalk.dialects.dialect import (
    Step,
    arguments,
    build,
    json_object,
    malformed,
    not_expressible,
)

GRID = 1000
TOOL = "computer_use"
_CALL = re.compile(r"<tool_call>(.*?)</tool_call>", re.DOTALL)
_LINE = re.compile(r"^\s*Action:\s*(.*)$", re.MULTILINE)
_FORM = (
    f'<tool_call>{{"name": "{TOOL}", "arguments": {{"action": "left_click", "coordinate": [500,'
    " 500]}}</tool_call>"
)
_CLICKS: dict[str, tuple[a.Button, int]] = {
    "left_click": ("left", 1),
    "right_click": ("right", 1),
    "middle_click": ("middle", 1),
    "double_click": ("left", 2),
    "triple_click": ("left", 3),
}
_FIELDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "key": (("keys",), ()),
    "key_down": (("keys",), ()),
    "key_up": (("keys",), ()),
    "type": (("text",), ()),
    "mouse_move": (("coordinate",), ()),
    **{name: ((), ("coordinate",)) for name in _CLICKS},
    "left_click_drag": (("coordinate",), ()),
    "scroll": (("pixels",), ("coordinate",)),
    "hscroll": (("pixels",), ("coordinate",)),
    "wait": (("time",), ()),
    "terminate": (("status",), ()),
    "answer": (("text",), ()),
}
"""Required and optional arguments of each action."""
_KEYS = {
    "ctrl": "Control", "control": "Control", "shift": "Shift", "alt": "Alt", "option": "Alt", "win": "Meta", "cmd": "Meta",
    "command": "Meta", "meta": "Meta", "super": "Meta", "enter": "Enter", "return": "Enter", "tab": "Tab", "esc": "Escape",
    "escape": "Escape", "space": "Space", "backspace": "Backspace", "delete": "Delete", "del": "Delete", "insert": "Insert",
    "home": "Home", "end": "End", "pageup": "PageUp", "pgup": "PageUp", "pagedown": "PageDown", "pgdn": "PageDown", "up": "ArrowUp",
    "down": "ArrowDown", "left": "ArrowLeft", "right": "ArrowRight", "capslock": "CapsLock",
    **{f"f{number}": f"F{number}" for number in range(1, 13)},
}  # fmt: skip
_NAMES = {
    "Control": "ctrl", "Shift": "shift", "Alt": "alt", "Meta": "win", "Enter": "enter", "Tab": "tab", "Escape": "esc", "Space": "space",
    "Backspace": "backspace", "Delete": "delete", "Insert": "insert", "Home": "home", "End": "end", "PageUp": "pageup",
    "PageDown": "pagedown", "ArrowUp": "up", "ArrowDown": "down", "ArrowLeft": "left", "ArrowRight": "right", "CapsLock": "capslock",
    **{f"F{number}": f"f{number}" for number in range(1, 13)},
}  # fmt: skip


def from_grid(cell: float, length: int) -> float:
    """CSS pixels of the centre of a grid cell; `length` is the viewport's."""
    return round((cell + 0.5) * length / GRID, 3)


def to_grid(pixel: float, length: int) -> int:
    """The grid cell of a pixel."""
    return min(max(int(pixel * GRID / length), 0), GRID - 1)


def on_grid(x: float, y: float, observation: Observation) -> tuple[float, float]:
    """The nearest point that the grid can name."""
    width, height = observation.viewport
    return from_grid(to_grid(x, width), width), from_grid(to_grid(y, height), height)


class ComputerUse:
    """One tool call a step."""

    name = "computer_use"

    def read(self, text: str, observation: Observation) -> Step:
        """The one tool call; what stands before it is the thought."""
        found = _CALL.findall(text)
        if len(found) != 1:
            raise malformed(f"the answer has {len(found)} tool calls", f"one {_FORM}")
        call = json_object(found[0], _FORM)
        if call.get("name") != TOOL or not isinstance(call.get("arguments"), dict):
            raise malformed(f"the tool call is not one of {TOOL} with arguments", _FORM)
        given = dict(call["arguments"])
        kind = given.pop("action", None)
        if kind not in _FIELDS:
            raise malformed(f"there is no action {kind!r:.60}", f"one of {', '.join(_FIELDS)}")
        line = _LINE.search(text)
        before = text[: text.index("<tool_call>")].strip()
        thought = (
            before if line is None or before != line.group(0).strip() else line.group(1).strip()
        )
        required, optional = _FIELDS[kind]
        expected = f"{kind} with {', '.join(required) or 'a coordinate'}"
        values = arguments(
            given, {name: None for name in (*required, *optional)}, required, expected
        )
        reason = line.group(1).strip() if line else thought
        return Step(
            actions=self._actions(kind, values, observation, expected, reason), thought=thought
        )

    def _actions(
        self, kind: str, given: dict[str, Any], observation: Observation, expected: str, reason: str
    ) -> tuple[a.Action, ...]:
        x, y = self._point(given.get("coordinate"), observation, expected)
        match kind:
            case "key":
                return (
                    build(a.Press, expected, key="+".join(self._keys(given["keys"], expected))),
                )
            case "key_down":
                return tuple(a.KeyDown(key=key) for key in self._keys(given["keys"], expected))
            case "key_up":
                return tuple(
                    a.KeyUp(key=key) for key in reversed(self._keys(given["keys"], expected))
                )
            case "type":
                return (build(a.TypeFocused, expected, text=given["text"], keys=True),)
            case "mouse_move":
                return (build(a.MoveTo, expected, x=x, y=y),)
            case "left_click_drag":
                return (build(a.DragTo, expected, x=x, y=y),)
            case "scroll" | "hscroll":
                pixels = self._number(given["pixels"], expected)
                moved = {"dy": -pixels} if kind == "scroll" else {"dx": pixels}
                return (build(a.Scroll, expected, x=x, y=y, **moved),)
            case "wait":
                return (build(a.Wait, expected, seconds=self._number(given["time"], expected)),)
            case "answer":
                return (build(a.TaskComplete, expected, note=given["text"]),)
            case "terminate":
                if given["status"] not in {"success", "failure"}:
                    raise malformed(
                        f"{given['status']!r:.60} is no status",
                        'terminate with status "success" or "failure"',
                    )
                if given["status"] == "success":
                    return (a.TaskComplete(),)
                return (a.TaskUnachievable(reason=reason or "the policy gave no reason"),)
            case _:
                button, count = _CLICKS[kind]
                return (build(a.ClickAt, expected, x=x, y=y, button=button, count=count),)

    @staticmethod
    def _number(value: object, expected: str) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise malformed(f"{value!r:.60} is not a number", expected)
        return value

    def _point(
        self, value: object, observation: Observation, expected: str
    ) -> tuple[float | None, float | None]:
        if value is None:
            return None, None
        if not isinstance(value, list) or len(value) != 2:
            raise malformed(
                "a coordinate is two numbers", f"{expected}: [x, y] from 0 to {GRID - 1}"
            )
        across, down = (
            self._number(one, f"{expected}: [x, y] from 0 to {GRID - 1}") for one in value
        )
        if not (0 <= across < GRID and 0 <= down < GRID):
            raise malformed(
                f"the coordinate {value} is outside the grid", f"x and y from 0 to {GRID - 1}"
            )
        width, height = observation.viewport
        return from_grid(int(across), width), from_grid(int(down), height)

    @staticmethod
    def _keys(value: object, expected: str) -> list[str]:
        if (
            not isinstance(value, list)
            or not value
            or not all(isinstance(key, str) and key for key in value)
        ):
            raise malformed(
                "keys must be a list of key names", f'{expected}, such as ["ctrl", "c"]'
            )
        names: list[str] = value
        return [_KEYS.get(name.lower(), name) if len(name) > 1 else name for name in names]

    def write(self, step: Step, observation: Observation) -> str:
        """The thought as the `Action:` line, and the call."""
        call, line = self._call(step, observation), step.thought
        if isinstance(step.actions[0], a.TaskUnachievable):
            line = step.actions[0].reason
            if line != " ".join(line.split()) or not line:
                raise not_expressible(self.name, step.actions[0], "a reason is one line")
        head = f"Action: {' '.join(line.split())}\n" if line.strip() else ""
        body = json.dumps({"name": TOOL, "arguments": call}, ensure_ascii=False).replace(
            "</", "<\\/"
        )
        return f"{head}<tool_call>\n{body}\n</tool_call>"

    def _call(self, step: Step, observation: Observation) -> dict[str, Any]:
        first = step.actions[0]
        if all(isinstance(action, a.KeyDown) for action in step.actions):
            return {
                "action": "key_down",
                "keys": [
                    self._name(one, one.key) for one in step.actions if isinstance(one, a.KeyDown)
                ],
            }
        if all(isinstance(action, a.KeyUp) for action in step.actions):
            keys = [
                self._name(one, one.key)
                for one in reversed(step.actions)
                if isinstance(one, a.KeyUp)
            ]
            return {"action": "key_up", "keys": keys}
        if len(step.actions) != 1:
            raise not_expressible(self.name, step.actions[1], "it says one action at a time")
        return self._single(first, observation)

    def _single(self, action: a.Action, observation: Observation) -> dict[str, Any]:
        def at(x: float | None, y: float | None) -> dict[str, Any]:
            if x is None or y is None:
                return {}
            if on_grid(x, y, observation) != (x, y):
                raise not_expressible(
                    self.name,
                    action,
                    f"({x:g}, {y:g}) is no point of its grid; `on_grid` gives the nearest one",
                )
            width, height = observation.viewport
            return {"coordinate": [to_grid(x, width), to_grid(y, height)]}

        match action:
            case a.Press(id=None) if action.key:
                keys = (
                    [*action.key[:-2].split("+"), "+"]
                    if action.key.endswith("++")
                    else [*action.key.split("+")]
                )
                keys = ["+"] if action.key == "+" else keys
                return {"action": "key", "keys": [self._name(action, key) for key in keys]}
            case a.TypeFocused(keys=True):
                return {"action": "type", "text": action.text}
            case a.MoveTo():
                return {"action": "mouse_move", **at(action.x, action.y)}
            case a.ClickAt():
                kind = next(
                    (name for name, how in _CLICKS.items() if how == (action.button, action.count)),
                    None,
                )
                if kind is not None:
                    return {"action": kind, **at(action.x, action.y)}
            case a.DragTo(from_id=None, from_x=None, id=None):
                return {"action": "left_click_drag", **at(action.x, action.y)}
            case a.Scroll(id=None, into_view=False) if not action.dx or not action.dy:
                if action.dx:
                    return {"action": "hscroll", "pixels": action.dx, **at(action.x, action.y)}
                return {
                    "action": "scroll",
                    "pixels": -action.dy if action.dy else 0,
                    **at(action.x, action.y),
                }
            case a.Wait(text="", gone=False):
                return {"action": "wait", "time": action.seconds}
            case a.TaskComplete():
                return (
                    {"action": "answer", "text": action.note}
                    if action.note
                    else {"action": "terminate", "status": "success"}
                )
            case a.TaskUnachievable():
                return {"action": "terminate", "status": "failure"}
        raise not_expressible(self.name, action)

    def _name(self, action: a.Action, key: str) -> str:
        """pyautogui's name of a key, which must read back as the same."""
        name = _NAMES.get(key, key)
        if not name or self._keys([name], "") != [key]:
            raise not_expressible(self.name, action, f"it has no name for the key {key!r:.40}")
        return name
