"""Decides whether the facts on which a script rests still hold. They are taken from a
page when a walk is compiled, and compared with another page at replay.

Facts are about what the document speaks of, so that a page may change elsewhere: its
path and dialog; the marked-up words of the sub-step and where they stand on the page;
the fields that the document mentions, their values and choices; the labels of all
required fields; the states and rows that the sub-step says will be seen. Each fact that
does not hold is a `Broken` with what was expected and what was seen. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from proofwalk.agent.page import grounding, page_fields, page_rows, regions
from proofwalk.agent.page.grounding import OPTION_ROLES
from proofwalk.agent.page.page_fields import Field
from proofwalk.agent.page.words import Match, match, normalise
from proofwalk.agent.policies.literal.substeps import read_substep
from proofwalk.agent.policies.replay.script import Expectation, FieldFact, PageFact, Step
from proofwalk.agent.policies.replay.targets import candidates, labels_of, near, path_of, resolve
from proofwalk.agent.policies.replay.templates import EpisodeValues, holds
from proofwalk.agent.reading.intents import IntentKind
from proofwalk.console.observation import Element, Observation, State
from proofwalk.procedures.model import Inline, InlineRole, SubStep

_ERROR = re.compile(
    r"\b(?:error|fail(?:ed|ure)?|invalid|denied|cannot|not"
    r" (?:allowed|supported|valid|found))\b|失败|错误|无效|不允许",
    re.I,
)
_LONGEST_WORD = 80
_EXPECTING = frozenset({IntentKind.EXPECT_STATUS, IntentKind.EXPECT_ROW, IntentKind.EXPECT_TEXT})


@dataclass(frozen=True, kw_only=True)
class Broken:
    """A guard that does not hold."""

    guard: str
    expected: str
    seen: str
    text: str = ""
    """A text that may still come up on the page, so that waiting for it can help."""


def marked_words(substep: SubStep) -> tuple[str, ...]:
    """Return the words of a sub-step that its writer set apart: labels, values, cells
    of tables."""
    runs: list[Inline] = [one for sentence in substep.sentences for one in sentence.inlines]
    for block in substep.blocks:
        runs += [*block.inlines, *(one for item in block.items for one in item)]
    texts = [run.text for run in runs if run.role not in (InlineRole.TEXT, InlineRole.IMAGE)]
    texts += [cell for block in substep.blocks for row in block.rows for cell in row]
    pieces = [piece.strip() for text in texts for piece in re.split(r"\s>\s|→|»", text)]
    return tuple(dict.fromkeys(piece for piece in pieces if piece and len(piece) <= _LONGEST_WORD))


def expected_by(substep: SubStep) -> tuple[tuple[str, str], ...]:
    """Return what the sub-step says will be seen: kind (`status`, `row`, `tab`) and
    text."""
    found = []
    for intent in read_substep(substep).intents:
        if intent.kind is IntentKind.EXPECT_TEXT and intent.noun != "tab":
            continue  # a message passes by unseen
        if intent.kind in _EXPECTING:
            kind = {IntentKind.EXPECT_STATUS: "status", IntentKind.EXPECT_ROW: "row"}.get(
                intent.kind, "tab"
            )
            found.append((kind, intent.value or ("" if kind == "row" else intent.label)))
    return tuple(found)


def page_fact(
    page: Observation, substep: SubStep, values: EpisodeValues, *, words: bool = True
) -> PageFact:
    """Return the facts of a page in a sub-step."""
    fields = _fields(page)
    return PageFact(
        path=path_of(page.url, values),
        modal=values.template(page.modal),
        words=(
            {word: places for word in marked_words(substep) if (places := _places(page, word))}
            if words
            else {}
        ),
        fields=tuple(
            _fact(one, values)
            for one in fields
            if one.label and values.spoken(normalise(one.label))
        ),
        required=tuple(dict.fromkeys(values.template(label) for label in _required(fields))),
        expects=_expectations(page, substep, values),
    )


def offered(page: Observation, element: Element, values: EpisodeValues) -> tuple[str, ...]:
    """Return all options of the list that an option belongs to; empty if they differ
    from episode to episode."""
    if element.role not in OPTION_ROLES or not element.container:
        return ()
    names = labels_of(
        [
            one
            for one in page.elements
            if one.role == element.role and one.container == element.container
        ]
    )
    templates = tuple(sorted({values.template(name) for name in names}))
    return () if any("<" in one for one in templates) else templates


def alert_kind(before: Observation, page: Observation) -> str:
    """Return what was announced since `before`: `error`, `notice` or an empty text."""
    fresh = [alert for alert in page.alerts if alert not in before.alerts]
    if any(_ERROR.search(alert) for alert in fresh):
        return "error"
    return "notice" if fresh else ""


def check_step(step: Step, page: Observation, values: EpisodeValues) -> Broken | None:
    """Return the first guard of a step that does not hold on this page; None if the
    step may be taken."""
    broken = check_page(step.page, page, values)
    if broken is not None and broken.guard in ("path", "dialog"):
        return broken
    if step.target is not None:
        element = resolve(page, step.target, values)
        if element is None:
            return _no_target(step, page, values)
        if State.DISABLED in element.states:
            return Broken(
                guard="state",
                expected=f"“{element.name or element.label}” enabled",
                seen="disabled",
            )
        if step.options:
            names = labels_of(
                [
                    one
                    for one in page.elements
                    if one.role == element.role and one.container == element.container
                ]
            )
            if {normalise(name) for name in names} != {normalise(name) for name in step.options}:
                return Broken(
                    guard="options",
                    expected=", ".join(step.options)[:300],
                    seen=", ".join(names)[:300],
                )
    return broken


def check_page(fact: PageFact, page: Observation, values: EpisodeValues) -> Broken | None:
    """Return the first fact of a page that does not hold."""
    if fact.path != path_of(page.url, values) and not values.matches(
        fact.path, urlsplit(page.url).path
    ):
        return Broken(guard="path", expected=fact.path, seen=urlsplit(page.url).path)
    if not (values.matches(fact.modal, page.modal) if fact.modal else not page.modal):
        return Broken(
            guard="dialog", expected=fact.modal, seen=page.modal, text=values.fill(fact.modal) or ""
        )
    return (
        _check_words(fact, page)
        or _check_fields(fact, page, values)
        or check_expectations(fact.expects, page, values)
    )


def check_expectations(
    expects: Iterable[Expectation], page: Observation, values: EpisodeValues
) -> Broken | None:
    """Return the first expectation that is not seen."""
    for one in expects:
        if not _is_seen(one, page, values):
            text = values.fill(one.text) or next((values.fill(row) or "" for row in one.row), "")
            shown = page_rows.rows(page)[:2] if one.place == "row" else []
            return Broken(
                guard="outcome",
                expected=f"{one.text} {' '.join(one.row)}".strip(),
                seen=" / ".join(shown)[:200],
                text=text,
            )
    return None


def _no_target(step: Step, page: Observation, values: EpisodeValues) -> Broken:
    assert step.target is not None
    target = step.target
    found = len(candidates(page, target, values))
    what = f"{target.role} “{target.label or target.name}”"
    if found:
        return Broken(guard="target", expected=f"{target.among} × {what}", seen=f"{found}")
    return Broken(
        guard="target",
        expected=what,
        seen=near(page, target),
        text=values.fill(target.label or target.name) or "",
    )


def _places(page: Observation, word: str) -> tuple[str, ...]:
    """Return where a word stands on the page outside of rows: roles of elements,
    `label`, `group`, `heading`…"""
    places: set[str] = set()
    for element in regions.reachable(page, page.elements):
        if element.row:
            continue
        if match(word, element.name) is not Match.NONE:
            places.add(element.role)
        if (
            element.label
            and element.role in page_fields.FIELD_ROLES
            and match(word, element.label) is not Match.NONE
        ):
            places.add("label")
        if element.group and match(word, element.group) is not Match.NONE:
            places.add("group")
    titles = [
        run
        for run in regions.texts_in_front(page)
        if run.role in ("heading", "label", "columnheader")
    ]
    places |= {run.role for run in titles if match(word, run.text) is not Match.NONE}
    if page.modal and match(word, page.modal) is not Match.NONE:
        places.add("dialog")
    return tuple(sorted(places))


def _check_words(fact: PageFact, page: Observation) -> Broken | None:
    for word, places in fact.words.items():
        seen = _places(page, word)
        if not set(places) <= set(seen):
            return Broken(
                guard="words",
                expected=f"“{word}” as {', '.join(places)}",
                seen=", ".join(seen) or "nowhere",
                text=word,
            )
    return None


def _fields(page: Observation) -> list[Field]:
    return [
        one for one in page_fields.all_fields(page) if not one.first.row and one.role != "searchbox"
    ]


def _fact(found: Field, values: EpisodeValues) -> FieldFact:
    options = (
        tuple(sorted(values.template(one.name) for one in found.elements))
        if found.role == "radio"
        else ()
    )
    return FieldFact(
        label=values.template(found.label),
        role=found.role,
        shown=tuple(values.template(one) for one in page_fields.shown_value(found)),
        options=() if any("<" in one for one in options) else options,
    )


def _required(fields: Sequence[Field]) -> list[str]:
    return [
        one.label or one.first.name
        for one in fields
        if (one.label or one.first.name)
        and any(State.REQUIRED in element.states for element in one.elements)
    ]


def _check_fields(fact: PageFact, page: Observation, values: EpisodeValues) -> Broken | None:
    present = _fields(page)
    demanded = [
        label
        for label in _required(present)
        if not any(values.matches(one, label) for one in fact.required)
    ]
    if demanded:
        return Broken(
            guard="required",
            expected=", ".join(fact.required) or "none",
            seen=", ".join(dict.fromkeys(demanded)),
        )
    left = list(present)
    for one in fact.fields:
        found = next(
            (
                each
                for each in left
                if each.role == one.role
                and values.matches(one.label, each.label)
                and _stands(one, each, values)
            ),
            None,
        )
        if found is None:
            same = [each for each in present if values.matches(one.label, each.label)]
            shown = [value for each in same for value in page_fields.shown_value(each)]
            expected = f"“{one.label}” at “{', '.join(one.shown)}”"
            return Broken(
                guard="field", expected=expected, seen=", ".join(shown) if same else "no such field"
            )
        left.remove(found)
        if one.options and {normalise(each.name) for each in found.elements} != {
            normalise(name) for name in one.options
        }:
            seen = ", ".join(each.name for each in found.elements)
            return Broken(guard="options", expected=", ".join(one.options), seen=seen)
    return None


def _stands(fact: FieldFact, found: Field, values: EpisodeValues) -> bool:
    shown = page_fields.shown_value(found)
    return len(shown) == len(fact.shown) and all(
        values.matches(one, value) for one, value in zip(fact.shown, shown, strict=True)
    )


def _expectations(
    page: Observation, substep: SubStep, values: EpisodeValues
) -> tuple[Expectation, ...]:
    """Return the sub-step's expectations that the page meets."""
    expectations: list[Expectation] = []
    rows = page_rows.rows(page)
    for kind, text in expected_by(substep):
        if kind == "tab":
            if grounding.tabs(page, text):
                expectations.append(Expectation(text=text, place="tab"))
            continue
        holding = [row for row in rows if text and holds(row, text)]
        anchored = [
            row for row in (holding if kind == "status" else rows) if values.anchors_in(row)
        ]
        if kind == "status" and holding:
            row = anchored[0] if anchored else ""
            expectations.append(
                Expectation(text=text, row=values.anchors_in(row) if row else (), place="row")
            )
        elif kind == "status" and grounding.seen(page, text):
            expectations.append(Expectation(text=text))
        elif kind == "row" and (holding or anchored):
            row = (holding or anchored)[0]
            expectations.append(
                Expectation(row=values.anchors_in(row), text=text if holding else "", place="row")
            )
        elif kind == "row" and rows:
            expectations.append(Expectation(place="row"))
    return tuple(expectations)


def _is_seen(one: Expectation, page: Observation, values: EpisodeValues) -> bool:
    if one.place == "tab":
        return bool(grounding.tabs(page, one.text))
    if one.place == "row":
        return any(
            (not one.text or holds(row, one.text)) and values.holds_all(row, one.row)
            for row in page_rows.rows(page)
        )
    return grounding.seen(page, one.text)
