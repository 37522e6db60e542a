"""Makes an `Observation` of what the scripts report: puts frames together, masks
secrets, numbers marks, flags what is new.

Pure: `page.py` gathers the reports of all documents and the screenshot; this module
decides nothing about the browser. Every text passes `Secrets.mask` here, and the boxes
of what showed a secret (or is a password) are returned for blacking out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from proofwalk.console.observation import (
    Box,
    BrowserTab,
    Element,
    HiddenText,
    Observation,
    State,
    TextRun,
)
from proofwalk.console.safety.redaction import Secrets

_TEXT_LIMIT = 400
_SHORTEST_CUT = 78
"""Texts shorter than this were not cut by the scripts, which cut at 80 characters or
more."""


@dataclass(frozen=True, kw_only=True)
class FrameReport:
    """What `look()` reported about one document, and where its box lies in the
    viewport."""

    key: str
    main: bool
    look: dict[str, Any]
    x: float = 0.0
    y: float = 0.0
    reached: frozenset[int] | None = None
    """Ids of the elements that a pointer in the parent document reaches; None for the
    main document."""


@dataclass(frozen=True, kw_only=True)
class Assembled:
    """An observation without its picture, and the boxes that the picture must not
    show."""

    observation: Observation
    hidden: tuple[Box, ...]
    shows: bool
    """A secret was read somewhere; `spots` says where else a picture shows it."""


class _Masker:
    def __init__(self, secrets: Secrets) -> None:
        self._secrets = secrets
        self.hidden: list[Box] = []
        self.shows = False

    def text(self, text: str, limit: int = _TEXT_LIMIT) -> str:
        # The scripts cut their texts, and a cut may go through a value.
        masked = (
            self._secrets.mask_cut(text) if len(text) >= _SHORTEST_CUT else self._secrets.mask(text)
        )
        self.shows |= masked != text
        return masked[:limit]

    def look_across(self, texts: Iterable[str]) -> None:
        """Look for values that several texts spell together."""
        self.shows |= self._secrets.shows("".join(texts))

    def boxed(self, text: str, box: Box, limit: int = _TEXT_LIMIT) -> str:
        if self._secrets.shows(text):
            self.hidden.append(box)
        return self.text(text, limit)


def _element(
    raw: dict[str, Any], report: FrameReport, mask: _Masker, mark: int, known: frozenset[str] | None
) -> Element:
    x, y, width, height = raw["box"]
    box = Box(x=x + report.x, y=y + report.y, width=width, height=height)
    identity = f"{report.key}-{raw['id']}"
    if raw["type"] == "password" and raw["value"]:
        mask.hidden.append(box)
    mask.boxed(raw["listed"], box)
    return Element(
        mark=mark,
        identity=identity,
        role=raw["role"],
        tag=raw["tag"],
        name=mask.boxed(raw["name"], box),
        value=mask.boxed(raw["value"], box),
        placeholder=mask.boxed(raw["placeholder"], box),
        input_type=raw["type"],
        states=frozenset(State(state) for state in raw["states"]),
        box=box,
        label=mask.text(raw["label"]),
        hint=mask.text(raw["hint"]),
        container=mask.text(raw["container"]),
        row=mask.text(raw["row"]),
        column=mask.text(raw["column"]),
        group=mask.text(raw["group"]),
        frame="" if report.main else mask.text(report.look["url"]),
        new=known is not None and identity not in known,
        offscreen=raw["off"] or (report.reached is not None and raw["id"] not in report.reached),
    )


def _covered(raw: dict[str, Any], report: FrameReport, main: FrameReport) -> bool:
    """Return True if an element of a child frame lies in view, but under something of
    the parent document."""
    if report.reached is None or raw["off"] or raw["id"] in report.reached:
        return False
    x, y, width, height = raw["box"]
    across, down = report.x + x + width / 2, report.y + y + height / 2
    view_width, view_height = main.look["viewport"]
    return bool(0 <= across < view_width and 0 <= down < view_height)


def _elements(
    reports: list[FrameReport], mask: _Masker, previous: Observation | None
) -> list[Element]:
    """Return the elements of all documents, numbered in document order, those that need
    scrolling last."""
    known = frozenset(element.identity for element in previous.elements) if previous else None
    pairs = [
        (raw, report)
        for report in reports
        for raw in report.look["elements"]
        if not _covered(raw, report, reports[0])
    ]
    pairs.sort(key=lambda pair: bool(pair[0]["off"]))
    return [
        _element(raw, report, mask, number, known)
        for number, (raw, report) in enumerate(pairs, start=1)
    ]


def _texts(
    reports: list[FrameReport], mask: _Masker, previous: Observation | None
) -> list[TextRun]:
    """Return the texts of all documents. A text is new if `previous` does not have it
    in the same container."""
    known = frozenset((text.text, text.container) for text in previous.texts) if previous else None
    texts: list[TextRun] = []
    for report in reports:
        for raw in report.look["texts"]:
            x, y, width, height = raw["box"]
            box = Box(x=x + report.x, y=y + report.y, width=width, height=height)
            text, container = mask.boxed(raw["text"], box), mask.text(raw["container"])
            texts.append(
                TextRun(
                    text=text,
                    box=box,
                    role=raw["role"],
                    container=container,
                    row=mask.text(raw["row"]),
                    column=mask.text(raw["column"]),
                    new=known is not None and (text, container) not in known,
                )
            )
    return texts


def _with_tips(elements: list[Element], texts: list[TextRun], hovered: str) -> list[Element]:
    """Return the elements, the hovered one with the tooltips on show in its hint."""
    tips = [text.text for text in texts if text.role == "tooltip"]
    if not tips:
        return elements
    return [
        (
            replace(e, hint="; ".join(dict.fromkeys(filter(None, [e.hint, *tips]))))
            if e.identity == hovered
            else e
        )
        for e in elements
    ]


def assemble(
    reports: list[FrameReport],
    *,
    secrets: Secrets,
    tabs: tuple[BrowserTab, ...],
    taken_at: datetime,
    quiet: bool,
    dialog: str = "",
    previous: Observation | None = None,
    hovered: str = "",
) -> Assembled:
    """Return one observation of all documents. `previous` tells what is new; `hovered`
    is the identity of the element under the pointer."""
    mask = _Masker(secrets)
    elements = _elements(reports, mask, previous)
    texts = _texts(reports, mask, previous)
    alerts = [mask.text(alert) for report in reports for alert in report.look["alerts"]]
    for report in reports:
        mask.look_across(raw["text"] for raw in report.look["texts"])
        mask.look_across(report.look["drawn"])
    if hovered:
        elements = _with_tips(elements, texts, hovered)
    main = reports[0].look if reports else {}
    observation = Observation(
        url=mask.text(main.get("url", ""), 2000),
        title=mask.text(main.get("title", "")),
        taken_at=taken_at,
        elements=tuple(elements),
        texts=tuple(texts),
        tabs=masked_tabs(tabs, secrets),
        viewport=tuple(main.get("viewport", (0, 0))),
        scroll=tuple(main.get("scroll", (0.0, 0.0, 0.0, 0.0))),
        modal=mask.text(
            next((report.look["modal"] for report in reports if report.look["modal"]), "")
        ),
        alerts=tuple(dict.fromkeys(alerts)),
        hidden=tuple(
            HiddenText(text=mask.text(raw["text"]), why=raw["why"])
            for report in reports
            for raw in report.look["unseen"]
        ),
        browser_dialog=mask.text(dialog),
        quiet=quiet,
    )
    return Assembled(observation=observation, hidden=tuple(mask.hidden), shows=mask.shows)


def masked_tabs(tabs: tuple[BrowserTab, ...], secrets: Secrets) -> tuple[BrowserTab, ...]:
    """Return the tabs with secrets masked in their addresses and titles."""
    return tuple(
        replace(tab, url=secrets.mask(tab.url)[:2000], title=secrets.mask(tab.title)[:_TEXT_LIMIT])
        for tab in tabs
    )


def without_look(
    *,
    url: str,
    title: str,
    secrets: Secrets,
    tabs: tuple[BrowserTab, ...],
    taken_at: datetime,
    dialog: str,
    viewport: tuple[int, int],
) -> Observation:
    """Return what can be seen while a browser dialog stops the page: its text."""
    return Observation(
        url=secrets.mask(url),
        title=secrets.mask(title),
        taken_at=taken_at,
        elements=(),
        texts=(),
        tabs=masked_tabs(tabs, secrets),
        viewport=viewport,
        scroll=(0.0, 0.0, float(viewport[0]), float(viewport[1])),
        browser_dialog=secrets.mask(dialog) or "(empty)",
    )
