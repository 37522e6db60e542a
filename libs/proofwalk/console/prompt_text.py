"""An observation as text for a model: `role "name" [mark] …`, within a budget of characters.

What matters first: the open dialog, then messages, then what is new, then the rest in reading order, then what needs scrolling. Elements of
one table row or one container stand under one heading line, so that a row's words are written once. When the budget runs out, the
least of this is dropped from the end, and a line says how much. Text of the page is data: it is quoted, and line breaks are gone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from proofwalk.console.observation import Element, Observation, State, TextRun

_QUIET_STATES = frozenset({State.COLLAPSED})
_NAME = 80
_TEXT = 160


def _quoted(text: str, limit: int) -> str:
    text = " ".join(text.split()).replace('"', "'")
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


def _group_of(item: Element | TextRun) -> str:
    where = f"in {_quoted(item.container, _NAME)}" if item.container else ""
    row = f"row {_quoted(item.row, 120)}" if item.row else ""
    frame = f"frame {item.frame[:80]}" if isinstance(item, Element) and item.frame else ""
    return ", ".join(filter(None, [where, row, frame]))


def _text_line(run: TextRun) -> str:
    head = f"{run.role}: " if run.role and run.role not in {"label", "cell"} else "text: "
    under = f" under {_quoted(run.column, 40)}" if run.column else ""
    return f"{head}{_quoted(run.text, _TEXT)}{under}"


def _lines(items: Iterable[Element | TextRun]) -> list[_Line]:
    return [_Line(_group_of(item), element_line(item) if isinstance(item, Element) else _text_line(item)) for item in items]


def _worth(run: TextRun, elements: Sequence[Element]) -> bool:
    """Labels and cells that an element's own line, or its row, tells already are left out."""
    if run.role == "label":
        return not any(run.text.strip(" *:") == element.label for element in elements)
    if run.role == "cell":
        return not any(run.row and run.row == element.row for element in elements)
    return run.role not in {"alert", "tooltip", "columnheader"}


def render(observation: Observation, *, budget: int = 8000) -> str:
    """The observation as text of at most about `budget` characters."""
    head = [f"Page {_quoted(observation.title, _NAME)} {observation.url}"]
    if len(observation.tabs) > 1:
        head.append(
            "Tabs: "
            + ", ".join(f"{tab.index}{'*' if tab.active else ''} {_quoted(tab.title or tab.url, 40)}" for tab in observation.tabs)
        )
    if observation.browser_dialog:
        head.append(f"Browser dialog (answer it first): {_quoted(observation.browser_dialog, 300)}")
    if observation.modal:
        head.append(f"Dialog on top: {_quoted(observation.modal, _NAME)}")
    head.extend(f"Message: {_quoted(alert, 300)}" for alert in observation.alerts)
    if not observation.quiet:
        head.append("The page is still busy.")
    elements, texts = observation.elements, [run for run in observation.texts if _worth(run, observation.elements)]
    inside = [e for e in elements if not e.offscreen and observation.modal and e.container == observation.modal]
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
