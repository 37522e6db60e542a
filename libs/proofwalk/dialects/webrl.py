"""WebRL's `do(action="Click", element="4")` and `exit(message="…")`, one call a step
(WebRL, figure 19; WebArena-Lite's prompt).

`# Element:` describes the element for the reader; `# Note:` keeps something for later
steps. When reading, a note becomes a `note` action before the call, and other comments
are the thought. Elements are our marks in digits. A scroll is most of a viewport, as
there; `Search` is typing and Enter; `exit` is the claim `task_complete`.
"""

from __future__ import annotations

from typing import Any

from proofwalk.console import actions as a
from proofwalk.console.observation import Observation
from proofwalk.dialects.calls import Call, calls_in, comments_in, written
from proofwalk.dialects.dialect import Step, build, known_mark, malformed, mark_of, not_expressible

_ELEMENT, _NOTE = "Element:", "Note:"
_ACTIONS = (
    "Click",
    "Right Click",
    "Type",
    "Search",
    "Hover",
    "Scroll Up",
    "Scroll Down",
    "Press Enter",
    "Switch Tab",
    "Select Dropdown Option",
    "Wait",
)
_WITH_ELEMENT = frozenset(
    {"Click", "Right Click", "Type", "Search", "Hover", "Select Dropdown Option"}
)
_WITH_ARGUMENT = frozenset({"Type", "Search", "Switch Tab", "Select Dropdown Option"})
_DO = (
    'do(action="Click", element="4"), do(action="Type", argument="text", element="4"),'
    ' exit(message="…"), go_backward() or go_forward()'
)
SCROLL_SHARE = 0.8
"""Of the viewport's height."""
WAIT_S = 3.0


def _one_line(text: str) -> str:
    return " ".join(text.split())


class WebRL:
    """One `do(…)` or `exit(…)`, with comments."""

    name = "webrl"

    def read(self, text: str, observation: Observation) -> Step:
        """Notes, then the one call."""
        calls = calls_in(text, _DO)
        if len(calls) != 1:
            raise malformed(f"the answer has {len(calls)} actions", f"exactly one of {_DO}")
        comments = comments_in(text)
        notes = [
            a.Note(text=comment.removeprefix(_NOTE).strip())
            for comment in comments
            if comment.startswith(_NOTE) and comment.removeprefix(_NOTE).strip()
        ]
        thought = "\n".join(comment for comment in comments if not comment.startswith(_NOTE))
        return Step(actions=(*notes, self._action(calls[0], observation)), thought=thought)

    def _action(self, call: Call, observation: Observation) -> a.Action:
        match call.name:
            case "do":
                given = call.bind(
                    ["action", "argument", "element"], {"argument": None, "element": None}, _DO
                )
                return self._do(given, observation)
            case "exit":
                given = call.bind(["message"], {"message": ""}, _DO)
                return build(a.TaskComplete, 'exit(message="text")', note=given["message"] or "")
            case "go_backward" | "go_forward":
                call.bind([], {}, f"{call.name}()")
                return a.GoBack() if call.name == "go_backward" else a.GoForward()
        raise malformed(f"there is no function {call.name[:40]!r}", _DO)

    def _do(self, given: dict[str, Any], observation: Observation) -> a.Action:
        wanted = str(given["action"]).strip().casefold()
        name = next((known for known in _ACTIONS if known.casefold() == wanted), None)
        if name is None:
            raise malformed(
                f"there is no action {given['action']!r:.60}", f"one of {', '.join(_ACTIONS)}"
            )
        parts = [
            f'action="{name}"',
            'argument="…"' if name in _WITH_ARGUMENT else "",
            'element="4"' if name in _WITH_ELEMENT else "",
        ]
        expected = f"do({', '.join(filter(None, parts))})"
        if name in _WITH_ELEMENT and given["element"] is None:
            raise malformed(f"{name} needs an element", expected)
        mark = mark_of(given["element"], observation, expected) if name in _WITH_ELEMENT else 0
        argument = given["argument"]
        if name in _WITH_ARGUMENT and not isinstance(argument, str | int):
            raise malformed(f"{name} needs an argument", expected)
        page = observation.viewport[1] * SCROLL_SHARE
        match name:
            case "Click" | "Right Click":
                return build(a.Click, expected, id=mark, right=name == "Right Click")
            case "Type" | "Search":
                return build(a.Type, expected, id=mark, text=str(argument), submit=name == "Search")
            case "Hover":
                return build(a.Hover, expected, id=mark)
            case "Scroll Up" | "Scroll Down":
                return a.Scroll(dy=page if name == "Scroll Down" else -page)
            case "Press Enter":
                return a.Press(key="Enter")
            case "Switch Tab":
                return build(
                    a.SwitchTab,
                    'do(action="Switch Tab", argument="0"), a page number from 0',
                    index=argument,
                )
            case "Select Dropdown Option":
                return build(a.Select, expected, id=mark, option=str(argument))
            case _:
                return a.Wait(seconds=WAIT_S)

    def write(self, step: Step, observation: Observation) -> str:
        """Notes as comments, the element described, the call."""
        *notes, last = step.actions
        thought = [
            _one_line("".join(c if c.isprintable() else " " for c in line))
            for line in step.thought.splitlines()
        ]
        lines = [f"# {line}" for line in thought if line and not line.startswith(_NOTE)]
        for note in notes:
            if not isinstance(note, a.Note):
                raise not_expressible(self.name, note, "it says one action at a time, after notes")
            if note.text != _one_line(note.text) or not note.text or not note.text.isprintable():
                raise not_expressible(self.name, note, "a note is one line")
            lines.append(f"# {_NOTE} {note.text}")
        call = self._text(last, observation)
        mark = getattr(last, "id", None)
        element = observation.element(mark) if isinstance(mark, int) else None
        if element is not None and not any(line.startswith(f"# {_ELEMENT}") for line in lines):
            words = "".join(
                c for c in _one_line(element.name or element.label)[:80] if c.isprintable()
            )
            named = f"the '{words}' {element.role}" if words else f"the {element.role}"
            lines.append(f"# {_ELEMENT} {named}")
        return "\n".join([*lines, call])

    def _text(self, action: a.Action, observation: Observation) -> str:
        def do(name: str, *, mark: int | None = None, argument: str | None = None) -> str:
            named: dict[str, object] = {"action": name}
            if argument is not None:
                named["argument"] = argument
            if mark is not None:
                named["element"] = str(known_mark(self.name, mark, action, observation))
            return written("do", **named)

        page = observation.viewport[1] * SCROLL_SHARE
        match action:
            case a.Click(double=False, triple=False, middle=False, modifiers=()):
                return do("Right Click" if action.right else "Click", mark=action.id)
            case a.Type(clear=True):
                return do(
                    "Search" if action.submit else "Type", mark=action.id, argument=action.text
                )
            case a.Hover():
                return do("Hover", mark=action.id)
            case a.Select():
                return do("Select Dropdown Option", mark=action.id, argument=action.option)
            case a.Scroll(id=None, x=None, into_view=False, dx=0) if abs(action.dy) == page:
                return do("Scroll Down" if action.dy > 0 else "Scroll Up")
            case a.Press(id=None, key="Enter"):
                return do("Press Enter")
            case a.SwitchTab():
                return do("Switch Tab", argument=str(action.index))
            case a.Wait(text="", gone=False, seconds=seconds) if seconds == WAIT_S:
                return do("Wait")
            case a.TaskComplete():
                return written("exit", message=action.note)
            case a.GoBack():
                return written("go_backward")
            case a.GoForward():
                return written("go_forward")
        raise not_expressible(self.name, action)
