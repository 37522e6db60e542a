"""The walk's own eyes: whether an expectation holds on an observation, and what that
proves.

A policy only names what is to be seen; `Lookout` looks for it. It keeps the latest
pages on which the walk acted, without their pictures. A sighting is `grounded` if its
words come from the task, and `fresh` if it did not hold before: the name of a page that
is always in view proves nothing, nor does a field that shows what was just typed into
it. Nothing here touches the page.
"""

from __future__ import annotations

import re
import unicodedata
from collections import deque
from collections.abc import Iterable
from dataclasses import replace

from proofwalk.agent.core.policy import Task
from proofwalk.console import actions as a
from proofwalk.console.actions import Action
from proofwalk.console.observation import Observation
from proofwalk.kernel.expectations import Expectation, SaidBy, Seen, Sighting

LOOKING = (
    a.Wait,
    a.Scroll,
    a.Hover,
    a.MoveTo,
    a.FindRow,
    a.ListOptions,
    a.Extract,
    a.GoTo,
    a.GoBack,
    a.GoForward,
    a.Reload,
    a.SwitchTab,
    a.OpenTab,
    a.CloseTab,
    a.Note,
    a.Provision,
    a.SubStepComplete,
    a.TaskComplete,
    a.TaskUnachievable,
)
"""Actions that change nothing in the console: they look, move the view, or end
something."""
_FILLING = (
    a.Type,
    a.TypeFocused,
    a.Clear,
    a.ConfirmTyped,
    a.Select,
    a.SetDate,
    a.SetChecked,
    a.SetSlider,
    a.Upload,
)
_KEPT = 16
"""How many pages before an act are kept: more than one operation needs with its form
and its confirmation."""
_EDGES = " \t:*.,;\"'`<>|“”‘’"


def acts(action: Action) -> bool:
    """Return True if an action may change something in the console."""
    return not isinstance(action, LOOKING)


def seen(expectation: Expectation, page: Observation) -> str:
    """Return the page's words that show the expectation; empty if it does not hold."""
    text, subject = expectation.text, expectation.subject
    match expectation.kind:
        case Seen.TEXT if expectation.said_by is SaidBy.OPERATION:
            return _first(text, page.alerts)  # the effect of an operation is told by a message
        case Seen.TEXT:
            return _first(text, _texts(page))
        case Seen.ROW:
            return _first(text, _rows(page))
        case Seen.STATE if subject:
            row = next((row for row in _rows(page) if _says(row, subject) and _says(row, text)), "")
            return row or _value(page, "", text, subject)
        case Seen.STATE:
            return _first(text, _texts(page))
        case Seen.VALUE:
            return _value(page, subject, text, "")
        case Seen.GONE:
            rows = _rows(page)
            return (
                f"no row “{text}”"
                if not page.modal and page.quiet and not _first(text, rows)
                else ""
            )


class Lookout:
    """What the walk has done so far, as far as sightings depend on it."""

    def __init__(self, task: Task) -> None:
        self._words = [_plain(text) for text in _texts_of(task)]
        self._names = [*task.binds.values()]
        self._rows: list[str] = []
        """The rows in which the walk acted."""
        self._before: deque[Observation] = deque(maxlen=_KEPT)
        self._last: Action | None = None
        self.last_act = 0
        """Number of the step that acted last; 0 before the first."""

    def acted(self, step: int, action: Action, page: Observation) -> None:
        """Record that step `step` did `action` to `page`."""
        if not acts(action):
            return
        self.last_act, self._last = step, action
        self._before.append(replace(page, screenshot=b"", raw_screenshot=b""))
        element = (
            page.element(mark) if isinstance(mark := getattr(action, "id", None), int) else None
        )
        self._rows += [element.row] if element is not None and element.row else []
        typed = getattr(action, "text", "") or getattr(action, "value", "")
        if isinstance(action, _FILLING) and isinstance(typed, str) and typed.strip():
            self._names.append(typed)

    def look(
        self, step: int, expectations: Iterable[Expectation], page: Observation
    ) -> list[Sighting]:
        """Look for each expectation on `page`, the observation of step `step`."""
        return [
            Sighting(
                expectation=one,
                seen=seen(one, page),
                step=step,
                grounded=self._grounded(one),
                fresh=self._fresh(one),
            )
            for one in expectations
        ]

    def _grounded(self, one: Expectation) -> bool:
        said = self._is_said(one.text)
        match one.kind:
            case Seen.ROW | Seen.GONE:
                return said or self._is_named(one.text)
            case Seen.TEXT:
                return said or one.said_by is SaidBy.OPERATION
            case Seen.STATE | Seen.VALUE:
                of_the_task = (
                    not one.subject or self._is_said(one.subject) or self._is_named(one.subject)
                )
                return of_the_task and (said or one.said_by is SaidBy.OPERATION)

    def _is_said(self, text: str) -> bool:
        return bool(text) and any(_says(words, text) for words in self._words)

    def _is_named(self, text: str) -> bool:
        """True if the text was provisioned or typed, or stands in a row in which the
        walk acted."""
        return any(_says(name, text) or _says(text, name) for name in self._names) or any(
            _says(row, text) for row in self._rows
        )

    def _fresh(self, one: Expectation) -> bool:
        """True if the expectation did not hold on a page before one of the latest
        acts."""
        if not self._before:
            return False
        match one.kind:
            case Seen.TEXT | Seen.ROW:
                return any(not seen(one, page) for page in self._before)
            case Seen.GONE:
                return any(_first(one.text, _rows(page)) for page in self._before)
            case Seen.VALUE if isinstance(self._last, _FILLING):
                return False
            case Seen.STATE | Seen.VALUE:
                of_it = [
                    page
                    for page in self._before
                    if not one.subject or _first(one.subject, _texts(page))
                ]
                return not of_it or any(not seen(one, page) for page in of_it)


def _texts_of(task: Task) -> Iterable[str]:
    for substep in task.procedure.substeps:
        yield substep.text
        for block in substep.blocks:
            yield "".join(inline.text for inline in block.inlines)
            yield from (cell for row in block.rows for cell in row)
            yield from ("".join(inline.text for inline in item) for item in block.items)


def _rows(page: Observation) -> list[str]:
    """Return the texts of the rows in view, each once."""
    found = [element.row for element in page.elements] + [run.row for run in page.texts]
    return [row for row in dict.fromkeys(found) if row]


def _texts(page: Observation) -> list[str]:
    """Return every text in view, without the content of fields."""
    named = [element.name for element in page.elements]
    return [
        page.modal,
        *page.alerts,
        *(run.text for run in page.texts),
        *_rows(page),
        *named,
        page.title,
    ]


def _value(page: Observation, label: str, text: str, subject: str) -> str:
    """Return a field called `label` with the value `text`, as `label: value`. Without
    one, return a line like `Status: Stopped` if the page shows `subject`."""
    for element in page.elements:
        if label and _says(element.label or element.name, label) and _says(element.value, text):
            return f"{element.label or element.name}: {element.value}"
    texts = _texts(page)
    if subject and not _first(subject, texts):
        return ""
    for run in page.texts:
        if (
            not run.row
            and _says(run.text, text)
            and (not label or _says(run.text, label) or _beside(page, label, run.box.y))
        ):
            return run.text
    return ""


def _beside(page: Observation, label: str, y: float) -> bool:
    """True if the label stands on the same line."""
    return any(_says(run.text, label) and abs(run.box.y - y) <= 12 for run in page.texts)


def _first(text: str, shown: Iterable[str]) -> str:
    return next((one for one in shown if one and _says(one, text)), "")


def _says(shown: str, wanted: str) -> bool:
    """True if the words of `wanted` stand in `shown`, in this order and as whole
    words."""
    return (
        bool(_plain(wanted))
        and re.search(rf"(?<!\w){re.escape(_plain(wanted))}(?!\w)", _plain(shown)) is not None
    )


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split()).strip(_EDGES)
