"""Writes an observation as text for a model: `role "name" [mark] …`, within a budget of
characters.

Most important first: the open dialog, then messages, then what is new, then the rest in
reading order, then what needs scrolling. Words are written once: elements of one
container stand under one heading line, a table row is one line with its elements in it,
and neighbours of one role that have nothing but a name share a line. If the budget runs
out, lines are dropped from the end, and a line says how many. `render_difference`
writes only what came, changed and went. Text of the page is data: it is quoted, without
line breaks.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from proofwalk.console.observation import Element, Observation, State, TextRun

_QUIET_STATES = frozenset({State.COLLAPSED})
_NAME = 80
_TEXT = 160


_SHAPELESS = re.compile(
    r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e01ef]"
)
"""Characters that show nothing but may carry words, or that reverse the reading
direction."""


def _quoted(text: str, limit: int) -> str:
    text = " ".join(_SHAPELESS.sub("", text).split()).replace('"', "'")
    return f'"{text[: limit - 1]}…"' if len(text) > limit else f'"{text}"'


def element_line(element: Element) -> str:
    """`textbox "Name" [3] ="web-1" (required) — Use lower case`."""
    parts = [element.role]
    if element.name:
        parts.append(_quoted(element.name, _NAME))
    parts.append(f"[{element.mark}]")
    if element.value:
        parts.append(f"={_quoted(element.value, _NAME)}")
    elif element.placeholder and element.placeholder != element.name:
        parts.append(f"placeholder {_quoted(element.placeholder, 40)}")
    if element.label and element.label not in {element.name, element.group}:
        parts.append(f"for {_quoted(element.label, _NAME)}")
    if element.group and element.group != element.name:
        parts.append(f"of {_quoted(element.group, 40)}")
    if element.column and element.column != element.name:
        parts.append(f"under {_quoted(element.column, 40)}")
    if element.input_type in {"file", "password", "date", "time", "datetime-local"}:
        parts.append(element.input_type)
    states = sorted(state for state in element.states if state not in _QUIET_STATES)
    if states:
        parts.append(f"({', '.join(states)})")
    if element.hint:
        parts.append(f"— {_quoted(element.hint, _TEXT)}")
    if element.new:
        parts.append("*new*")
    return " ".join(parts)


@dataclass(frozen=True)
class _Line:
    group: str
    text: str


_WIDTH = 150
_SHORT = re.compile(r'(?P<role>\w+) (?P<rest>"[^"]*" \[\d+\])')


def _group_of(item: Element | TextRun) -> str:
    where = f"in {_quoted(item.container, _NAME)}" if item.container else ""
    frame = f"frame {item.frame[:80]}" if isinstance(item, Element) and item.frame else ""
    return ", ".join(filter(None, [where, frame]))


def _text_line(run: TextRun) -> str:
    head = f"{run.role}: " if run.role and run.role not in {"label", "cell"} else "text: "
    under = f" under {_quoted(run.column, 40)}" if run.column else ""
    return f"{head}{_quoted(run.text, _TEXT)}{under}"


def _joined(parts: Iterable[str]) -> list[str]:
    """Join neighbours of one role that have only a name and a mark: `link "A" [1], "B"
    [2]`."""
    lines: list[str] = []
    role = ""
    for part in parts:
        short = _SHORT.fullmatch(part)
        if short and short["role"] == role and len(lines[-1]) + len(short["rest"]) < _WIDTH:
            lines[-1] += f", {short['rest']}"
        else:
            lines.append(part)
            role = short["role"] if short else ""
    return lines


def _row_line(row: str, elements: Sequence[Element]) -> str:
    """Return a table row: its cells that are not just names of elements, then its
    elements."""
    names = {" ".join(element.name.split()) for element in elements}
    cells = []
    for cell in row.split(" | "):
        left = " ".join(cell.split())
        for name in sorted(names, key=len, reverse=True):
            left = left.replace(name, "") if name else left
        if left.strip():
            cells.append(" ".join(cell.split()))
    parts = _joined(element_line(e if not e.name else replace(e, column="")) for e in elements)
    return f"row {_quoted(' | '.join(cells), 200)}: {', '.join(parts)}"


def _lines(items: Iterable[Element | TextRun]) -> list[_Line]:
    lines: list[_Line] = []
    for (group, row), found in itertools.groupby(
        items, key=lambda item: (_group_of(item), item.row)
    ):
        members = list(found)
        elements = [item for item in members if isinstance(item, Element)]
        if row and elements:
            lines.append(_Line(group, _row_line(row, elements)))
            continue
        for is_element, run in itertools.groupby(
            members, key=lambda item: isinstance(item, Element)
        ):
            if is_element:
                lines += [
                    _Line(group, text)
                    for text in _joined(element_line(e) for e in run if isinstance(e, Element))
                ]
            else:
                lines += [_Line(group, _text_line(t)) for t in run if isinstance(t, TextRun)]
    return lines


def _worth(run: TextRun, elements: Sequence[Element]) -> bool:
    """Return True unless an element's own line, or its row, already has the text of a
    label or cell."""
    if run.role == "label":
        return not any(run.text.strip(" *:") == element.label for element in elements)
    if run.role == "cell":
        return not any(run.row and run.row == element.row for element in elements)
    return run.role not in {"alert", "tooltip", "columnheader"}


def render(observation: Observation, *, budget: int = 8000) -> str:
    """Return the observation as text of at most about `budget` characters."""
    head = [f"Page {_quoted(observation.title, _NAME)} {observation.url}"]
    if len(observation.tabs) > 1:
        head.append(
            "Tabs: "
            + ", ".join(
                f"{tab.index}{'*' if tab.active else ''} {_quoted(tab.title or tab.url, 40)}"
                for tab in observation.tabs
            )
        )
    if observation.browser_dialog:
        head.append(f"Browser dialog (answer it first): {_quoted(observation.browser_dialog, 300)}")
    if observation.modal:
        head.append(f"Dialog on top: {_quoted(observation.modal, _NAME)}")
    head.extend(f"Message: {_quoted(alert, 300)}" for alert in observation.alerts)
    if not observation.quiet:
        head.append("The page is still busy.")
    elements, texts = (
        observation.elements,
        [run for run in observation.texts if _worth(run, observation.elements)],
    )
    inside = [
        e
        for e in elements
        if not e.offscreen and observation.modal and e.container == observation.modal
    ]
    modal_texts = [t for t in texts if observation.modal and t.container == observation.modal]
    shown = [e for e in elements if not e.offscreen and e not in inside]
    page_texts = [t for t in texts if t not in modal_texts]
    sections: list[tuple[str, list[_Line]]] = [
        ("", _lines([*modal_texts, *inside])),
        ("New:", _lines([*(e for e in shown if e.new), *(t for t in page_texts if t.new)])),
        ("", _lines([*(t for t in page_texts if t.role == "heading" and not t.new)])),
        ("Elements:", _lines(e for e in shown if not e.new)),
        ("Texts:", _lines(t for t in page_texts if not t.new and t.role != "heading")),
        ("Scroll to reach:", _lines(e for e in elements if e.offscreen)),
    ]
    return _within(head, sections, budget)


def _within(head: list[str], sections: list[tuple[str, list[_Line]]], budget: int) -> str:
    """Return head and sections in order, until the budget is used up."""
    out, used, dropped = list(head), sum(len(line) + 1 for line in head), 0
    for title, lines in sections:
        group = ""
        for number, line in enumerate(lines):
            added = []
            if number == 0 and title:
                added.append(title)
            if line.group != group:
                group = line.group
                if group:
                    added.append(f"{group}:")
            added.append(f"  {line.text}" if group else line.text)
            size = sum(len(text) + 1 for text in added)
            if used + size > budget:
                dropped += len(lines) - number
                break
            out.extend(added)
            used += size
    if dropped:
        out.append(f"({dropped} more not listed)")
    return "\n".join(out)


def render_difference(before: Observation, now: Observation, *, budget: int = 4000) -> str:
    """Return what came, changed and went between two looks, as text of at most about
    `budget` characters."""
    old = {element.identity: element for element in before.elements}
    kept = {element.identity for element in now.elements}
    came = [e for e in now.elements if e.identity not in old]
    changed = [
        e for e in now.elements if e.identity in old and _state(e) != _state(old[e.identity])
    ]
    went = [e for e in before.elements if e.identity not in kept]
    said_before, said_now = ({(t.text, t.container) for t in look.texts} for look in (before, now))
    texts_came = [t for t in now.texts if (t.text, t.container) not in said_before]
    texts_went = [t for t in before.texts if (t.text, t.container) not in said_now]
    head = (
        []
        if (before.url, before.title) == (now.url, now.title)
        else [f"Page {_quoted(now.title, _NAME)} {now.url}"]
    )
    head += [
        f"Message: {_quoted(alert, 300)}" for alert in now.alerts if alert not in before.alerts
    ]
    sections = [
        ("Came:", _lines([*texts_came, *(replace(e, new=False) for e in came)])),
        ("Changed:", _lines(replace(e, new=False) for e in changed)),
        (
            "Went:",
            [_Line("", f"{e.role} {_quoted(e.name, _NAME)}") for e in went]
            + [_Line("", _text_line(t)) for t in texts_went],
        ),
    ]
    return _within(head, sections, budget) or "Nothing has changed."


def _state(element: Element) -> tuple[object, ...]:
    return (
        element.name,
        element.value,
        element.states,
        element.hint,
        element.container,
        element.offscreen,
    )
