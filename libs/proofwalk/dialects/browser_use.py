"""browser-use's JSON step, as RiskWebWorld's agents speak it (appendix H, table 5), and
its flash form.

The normal form has `thinking`, `evaluation_previous_goal`, `memory`, `next_goal` and
`action`; the flash form `memory` and `action`. `action` is a list of `{name:
{parameters}}`; several are done in a row, `done` stands alone. Indices are our marks; a
tab's id is its index in four digits. `scroll` counts in pages of the viewport.
`screenshot` asks for the next look, which every step has: it is a short `wait`.
`search` is the address of the search engine, which the allow-list then judges. What
runs code in the page or writes files is not offered.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote_plus

from proofwalk.console import actions as a
from proofwalk.console.observation import Observation
from proofwalk.dialects.dialect import (
    Step,
    arguments,
    build,
    json_object,
    known_mark,
    malformed,
    mark_of,
    not_expressible,
)

_NONE = object()
_PARAMETERS: dict[str, dict[str, Any]] = {
    "click": {"index": None, "coordinate_x": None, "coordinate_y": None},
    "input": {"index": _NONE, "text": _NONE, "clear": True},
    "done": {"text": _NONE, "success": True, "files_to_display": None},
    "search": {"query": _NONE, "engine": "duckduckgo"},
    "navigate": {"url": _NONE, "new_tab": False},
    "scroll": {"down": True, "pages": 1.0, "index": None},
    "wait": {"seconds": 3},
    "go_back": {},
    "refresh": {},
    "switch": {"tab_id": _NONE},
    "close": {"tab_id": _NONE},
    "send_keys": {"keys": _NONE},
    "extract": {"query": _NONE, "extract_links": False, "start_from_char": 0},
    "find_text": {"text": _NONE},
    "screenshot": {},
    "solve_slider_captcha": {},
    "dropdown_options": {"index": _NONE},
    "select_dropdown": {"index": _NONE, "text": _NONE},
    "upload_file": {"index": _NONE, "path": _NONE},
}
_REFUSED = frozenset(
    {"evaluate", "write_file", "read_file", "replace_file", "replace_file_str", "save_as_pdf"}
)
_ENGINES = {
    "duckduckgo": "https://duckduckgo.com/?q={}",
    "google": "https://www.google.com/search?q={}",
    "bing": "https://www.bing.com/search?q={}",
}
_THOUGHTS = ("thinking", "evaluation_previous_goal", "memory", "next_goal")
_CHORD = re.compile(
    r"^((Control|Ctrl|Shift|Alt|Meta|Cmd|Command)\+)*"
    r"(.|Enter|Return|Tab|Escape|Esc|Space|Backspace|Delete|Insert|Home|End|PageUp|PageDown|Arrow(Up|Down|Left|Right)|F([1-9]|1[0-2])"
    r"|Control|Shift|Alt|Meta|CapsLock|(Key|Digit)\w)$",
    re.DOTALL,
)
_ALIASES = {"Ctrl": "Control", "Cmd": "Meta", "Command": "Meta", "Return": "Enter", "Esc": "Escape"}
_LOOK_S = 1.0


def _expected(name: str) -> str:
    inside = ", ".join(f'"{key}": …' for key in _PARAMETERS[name])
    return f'{{"{name}": {{{inside}}}}}'


def _keys(text: str) -> a.Action:
    """Return a press if the text is a chord, else its typing: browser-use's `send_keys`
    does both."""
    if not _CHORD.match(text):
        return a.TypeFocused(text=text, keys=True)
    parts = (
        [*text[:-1].rstrip("+").split("+"), text[-1]]
        if text.endswith("+") and len(text) > 1
        else text.split("+")
    )
    return a.Press(key="+".join(_ALIASES.get(part, part) for part in parts) if text != "+" else "+")


def _search(engine: Any, query: object) -> a.Action:
    if engine not in _ENGINES:
        raise malformed(f"{engine!r:.60} is no search engine", f"one of {', '.join(_ENGINES)}")
    return a.GoTo(url=_ENGINES[engine].format(quote_plus(str(query))))


def _distance(pages: object, down: object, viewport: tuple[int, int], expected: str) -> float:
    """Return the height of so many pages of the viewport, below 0 for a scroll up."""
    if isinstance(pages, bool) or not isinstance(pages, int | float):
        raise malformed("pages is not a number", expected)
    return round(pages * viewport[1] * (1 if down else -1), 3)


def _tab(tab_id: object) -> int:
    """Return the index of the tab that `tab_id` names."""
    tab = str(tab_id)
    if not (tab.isascii() and tab.isdigit()) or len(tab) > 9:
        raise malformed(f"{tab!r:.60} is no tab", 'a tab id such as "0000"')
    return int(tab)


class BrowserUse:
    """The JSON step; `flash` is the short form."""

    def __init__(self, *, flash: bool = False) -> None:
        self.flash = flash
        self.name = "browser_use_flash" if flash else "browser_use"
        thoughts = ("memory",) if flash else _THOUGHTS
        self._form = (
            f'{{{", ".join(f"{one!r}: …" for one in thoughts)}, "action": [{{"click": {{"index":'
            " 3}}]}".replace("'", '"')
        )

    def read(self, text: str, observation: Observation) -> Step:
        """Read an answer in either form: the short one is a part of the long one."""
        given = json_object(text, self._form)
        if "action" not in given:
            raise malformed('the answer has no "action"', self._form)
        strange = [name for name in given if name not in {*_THOUGHTS, "action"}]
        if strange:
            raise malformed(f"unknown field {strange[0]!r:.60}", self._form)
        thoughts = {name: given[name] for name in _THOUGHTS if given.get(name)}
        wrong = [name for name, words in thoughts.items() if not isinstance(words, str)]
        if wrong:
            raise malformed(f"{wrong[0]!r} is not a text", self._form)
        listed = given["action"]
        if not isinstance(listed, list) or not listed:
            raise malformed('"action" is not a list of at least one action', self._form)
        actions = tuple(self._action(one, observation) for one in listed)
        if len(actions) > 1 and any(
            isinstance(one, a.TaskComplete | a.TaskUnachievable) for one in actions
        ):
            raise malformed(
                "done stands with other actions",
                'done as the only action: [{"done": {"text": "…", "success": true}}]',
            )
        words = list(thoughts.values())
        thought = (
            words[0]
            if len(words) == 1
            else "\n".join(f"{name}: {text}" for name, text in thoughts.items())
        )
        return Step(actions=actions, thought=thought)

    def _action(self, item: object, observation: Observation) -> a.Action:
        if not isinstance(item, dict) or len(item) != 1:
            raise malformed(
                "an action is an object with one key, its name",
                '{"input": {"index": 1, "text": "example", "clear": true}}',
            )
        name, given = next(iter(item.items()))
        if name not in _PARAMETERS:
            why = "is not offered here" if name in _REFUSED else "is no action"
            raise malformed(f"{name!r:.60} {why}", f"one of {', '.join(_PARAMETERS)}")
        expected = _expected(name)
        given = {} if given is None else given
        if not isinstance(given, dict):
            raise malformed(f"the parameters of {name} are not an object", expected)
        allowed = _PARAMETERS[name]
        required = [key for key, default in allowed.items() if default is _NONE]
        if not allowed:
            given = {}
        return self._action_of(
            name, arguments(given, allowed, required, expected), observation, expected
        )

    def _action_of(
        self, name: str, values: Mapping[str, object], observation: Observation, expected: str
    ) -> a.Action:
        def mark() -> int:
            return mark_of(values["index"], observation, expected)

        match name:
            case "click":
                return self._click(values, observation, expected)
            case "input":
                return build(
                    a.Type, expected, id=mark(), text=values["text"], clear=values["clear"]
                )
            case "done":
                if values["success"] is True:
                    return build(a.TaskComplete, expected, note=values["text"])
                return build(a.TaskUnachievable, expected, reason=values["text"])
            case "search":
                return _search(values["engine"], values["query"])
            case "navigate":
                return build(
                    a.OpenTab if values["new_tab"] else a.GoTo, expected, url=values["url"]
                )
            case "scroll":
                dy = _distance(values["pages"], values["down"], observation.viewport, expected)
                over = None if values["index"] in (None, 0) else mark()
                return build(a.Scroll, expected, dy=dy, id=over)
            case "wait":
                return build(a.Wait, expected, seconds=values["seconds"])
            case "go_back":
                return a.GoBack()
            case "refresh":
                return a.Reload()
            case "switch" | "close":
                index = _tab(values["tab_id"])
                return a.SwitchTab(index=index) if name == "switch" else a.CloseTab(index=index)
            case "send_keys":
                if not isinstance(values["keys"], str) or not values["keys"]:
                    raise malformed("keys is not a text", expected)
                return _keys(values["keys"])
            case "extract":
                return build(
                    a.Extract,
                    expected,
                    query=values["query"],
                    links=values["extract_links"],
                    start=values["start_from_char"],
                )
            case "find_text":
                return build(a.FindRow, expected, text=values["text"])
            case "screenshot":
                return a.Wait(seconds=_LOOK_S)
            case "solve_slider_captcha":
                return a.SolveSliderCaptcha()
            case "dropdown_options":
                return build(a.ListOptions, expected, id=mark())
            case "select_dropdown":
                return build(a.Select, expected, id=mark(), option=values["text"])
            case _:
                return build(a.Upload, expected, id=mark(), file=values["path"])

    @staticmethod
    def _click(values: Mapping[str, object], observation: Observation, expected: str) -> a.Action:
        x, y = values["coordinate_x"], values["coordinate_y"]
        if values["index"] is not None and x is None and y is None:
            return build(a.Click, expected, id=mark_of(values["index"], observation, expected))
        if values["index"] is None and x is not None and y is not None:
            return build(a.ClickAt, expected, x=x, y=y)
        raise malformed("click needs an index, or coordinate_x and coordinate_y", expected)

    def write(self, step: Step, observation: Observation) -> str:
        """The step as JSON; the thought goes into `thinking`, in the short form into
        `memory`."""
        objects = [self._object_of(action, observation) for action in step.actions]
        for action in step.actions:
            if len(step.actions) > 1 and isinstance(action, a.TaskComplete | a.TaskUnachievable):
                raise not_expressible(self.name, action, "done stands alone in its step")
        thoughts = (
            {"memory": step.thought}
            if self.flash
            else dict.fromkeys(_THOUGHTS, "") | {"thinking": step.thought}
        )
        return json.dumps({**thoughts, "action": objects}, ensure_ascii=False)

    def _object_of(self, action: a.Action, observation: Observation) -> dict[str, Any]:
        def index(mark: int) -> int:
            return known_mark(self.name, mark, action, observation)

        match action:
            case a.Click(double=False, triple=False, right=False, middle=False, modifiers=()):
                return {"click": {"index": index(action.id)}}
            case a.ClickAt(x=float(x), y=float(y), button="left", count=1):
                return {"click": {"coordinate_x": x, "coordinate_y": y}}
            case a.Type(submit=False):
                return {
                    "input": {"index": index(action.id), "text": action.text, "clear": action.clear}
                }
            case a.TaskComplete():
                return {"done": {"text": action.note, "success": True}}
            case a.TaskUnachievable():
                return {"done": {"text": action.reason, "success": False}}
            case a.GoTo() | a.OpenTab():
                return {"navigate": {"url": action.url, "new_tab": isinstance(action, a.OpenTab)}}
            case a.Scroll(dx=0, x=None, into_view=False):
                height = observation.viewport[1]
                pages = abs(action.dy) / height if height else 0.0
                if round(pages * height, 3) == abs(action.dy):
                    where = {} if action.id is None else {"index": index(action.id)}
                    return {"scroll": {"down": action.dy >= 0, "pages": pages, **where}}
            case a.Wait(text="", gone=False):
                return {"wait": {"seconds": action.seconds}}
            case a.GoBack():
                return {"go_back": {}}
            case a.Reload():
                return {"refresh": {}}
            case a.SwitchTab(index=number) if 0 <= number < 10**9:
                return {"switch": {"tab_id": f"{number:04}"}}
            case a.CloseTab(index=int(number)) if 0 <= number < 10**9:
                return {"close": {"tab_id": f"{number:04}"}}
            case a.Press(id=None, key=keys) if keys and _keys(keys) == action:
                return {"send_keys": {"keys": keys}}
            case a.TypeFocused(keys=True, text=text) if text and _keys(text) == action:
                return {"send_keys": {"keys": text}}
            case a.Extract(id=None):
                parameters = {
                    "query": action.query,
                    "extract_links": action.links,
                    "start_from_char": action.start,
                }
                return {"extract": parameters}
            case a.FindRow(id=None) if action.scrolls == a.FindRow.model_fields["scrolls"].default:
                return {"find_text": {"text": action.text}}
            case a.SolveSliderCaptcha(id=None):
                return {"solve_slider_captcha": {}}
            case a.ListOptions():
                return {"dropdown_options": {"index": index(action.id)}}
            case a.Select():
                return {"select_dropdown": {"index": index(action.id), "text": action.option}}
            case a.Upload(content=""):
                return {"upload_file": {"index": index(action.id), "path": action.file}}
        raise not_expressible(self.name, action)
