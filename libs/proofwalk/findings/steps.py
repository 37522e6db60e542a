"""A step that a document lacks, one that its console has no more, and two in the wrong
order.

A missing step becomes an item before the one whose sentence failed. If that sentence is
not the first of its item, the ones before it may be what opens the form, so the new
sentence goes between them. A step is taken out only if it says nothing else; a sentence
among others is taken out of its step (`unsaid`). None is done where the document speaks
of steps by their numbers and those would change.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from proofwalk.findings import html_items, list_items
from proofwalk.findings.attempts import Attempts, NoPatch, Refusal
from proofwalk.findings.source import Edit
from proofwalk.findings.spelling import is_safe
from proofwalk.findings.styles import sentences_for, style_near
from proofwalk.findings.units import Place, Step, Unit
from proofwalk.procedures.loading import HTML
from proofwalk.procedures.model import Document, Procedure

_NUMBERED = re.compile(
    r"\bsteps?\s+(?P<number>\d+)|第\s*(?P<ordinal>\d+)\s*步|步骤\s*(?P<last>\d+)", re.I
)
_SENTENCE_END = re.compile(r"[.!?。！？][\"'”’)\]»*_`]*(?:</[a-z]+>)*(?P<gap>\s*)", re.I)

_OPENING = re.compile(r"[ \t>]*(?:(?:\(?(?:\d{1,9}|#)[.)]|[-*+•])[ \t]+|(?:<[^<>]+>\s*)+)?")
"""What stands before a step's first sentence."""


def inserted(
    attempts: Attempts, document: Document, place: Place, field: str, value: str = ""
) -> tuple[Edit, ...]:
    """Return the edits that add a step which sets `field`, to `value` if there is one.
    Raises `NoPatch`."""
    if not field:
        raise NoPatch(Refusal.NO_EVIDENCE, "the finding does not name what the console demands")
    if not is_safe(field) or (value and not is_safe(value)):
        raise NoPatch(Refusal.UNSAFE_LABEL, "the console's words cannot stand in a document")
    style = style_near(attempts, document, place)
    like = attempts.unit(place).text
    sentences = list(sentences_for(field, value, style, attempts, like=like))
    steps = list(attempts.reading.procedures[place.procedure])
    if place.unit:
        units = list(steps[place.step])
        units.insert(place.unit, sentences[0][1])
        goal = attempts.reading.steps_with(place, units)
        return attempts.only(_within(attempts, place, sentences), goal)
    _check_references(attempts, document, place)
    steps.insert(place.step, (sentences[0][1],))
    goal = attempts.reading.with_steps(place.procedure, steps)
    return attempts.only(_items(attempts, document, place, sentences), goal)


def removed(attempts: Attempts, document: Document, place: Place) -> tuple[Edit, ...]:
    """Return the edits that take the step of `place` out. Raises `NoPatch`."""
    procedure = document.procedures[place.procedure]
    steps: list[Step] = list(attempts.reading.procedures[place.procedure])
    if len(steps[place.step]) > 1 or _has_steps(procedure, place.step):
        raise NoPatch(Refusal.SAYS_MORE, "the step says more than what is gone")
    _check_references(attempts, document, place)
    del steps[place.step]
    goal = attempts.reading.with_steps(place.procedure, steps)
    if attempts.media_type == HTML:
        choices = [[edits] for edits in html_items.removed(attempts.source, place.line)]
    else:
        choices = [[list_items.removed(attempts.source, procedure, place.step)]]
    return attempts.only(choices, goal)


def unsaid(attempts: Attempts, place: Place) -> tuple[Edit, ...]:
    """Return the edits that take the sentence of `place` out of a step that says more.
    Raises `NoPatch`."""
    units = list(attempts.reading.procedures[place.procedure][place.step])
    if len(units) == 1 or units[place.unit].kind != "sentence":
        raise NoPatch(Refusal.SAYS_MORE, "the step says nothing else, or not in sentences")
    del units[place.unit]
    goal = attempts.reading.steps_with(place, units)
    source = attempts.source
    begin, end = source.lines(place.line, place.end_line)
    opening = _OPENING.match(source.text, begin, end)
    first = opening.end() if opening else begin
    stops = list(_SENTENCE_END.finditer(source.text, first, end))
    ends = [stop.start("gap") if place.unit else stop.end() for stop in stops]
    spans = zip([first, *ends], ends, strict=False)
    return attempts.only([[(Edit(begin=one, end=other, text=""),)] for one, other in spans], goal)


def exchanged(attempts: Attempts, document: Document, place: Place) -> tuple[Edit, ...]:
    """Return the edits that put the step of `place` behind the next one. Raises
    `NoPatch`."""
    procedure = document.procedures[place.procedure]
    steps: list[Step] = list(attempts.reading.procedures[place.procedure])
    at, following = place.step, place.step + 1
    if (
        following == len(steps)
        or _level(procedure, at) != _level(procedure, following)
        or _has_steps(procedure, at)
        or _has_steps(procedure, following)
    ):
        raise NoPatch(Refusal.NOT_A_LIST, "no step follows in the same list")
    _check_references(attempts, document, place)
    steps[at], steps[following] = steps[following], steps[at]
    goal = attempts.reading.with_steps(place.procedure, steps)
    if attempts.media_type == HTML:
        other = procedure.substeps[following].span.line
        line = procedure.substeps[at].span.line
        return attempts.only(
            [[edits] for edits in html_items.exchanged(attempts.source, line, other)], goal
        )
    return attempts.only([[list_items.exchanged(attempts.source, procedure, at)]], goal)


def _has_steps(procedure: Procedure, at: int) -> bool:
    number = procedure.substeps[at].number
    return any(one.number.startswith(f"{number}.") for one in procedure.substeps[at + 1 : at + 2])


def _level(procedure: Procedure, at: int) -> str:
    return procedure.substeps[at].number.rpartition(".")[0]


def _items(
    attempts: Attempts, document: Document, place: Place, sentences: Sequence[tuple[str, Unit]]
) -> list[list[tuple[Edit, ...]]]:
    source, procedure = attempts.source, document.procedures[place.procedure]
    if attempts.media_type == HTML:
        return [
            [edits]
            for sentence, _ in sentences
            for edits in html_items.inserted(source, place.line, sentence)
        ]
    return [
        [list_items.inserted(source, procedure, place.step, sentence) for sentence, _ in sentences]
    ]


def _within(
    attempts: Attempts, place: Place, sentences: Sequence[tuple[str, Unit]]
) -> Iterator[list[tuple[Edit, ...]]]:
    """Yield the edits that put a sentence behind another one on the lines of the
    place."""
    begin, end = attempts.source.lines(max(1, place.line - 1), place.end_line)
    for stop in _SENTENCE_END.finditer(attempts.source.text, begin, end):
        at, gap = stop.start("gap"), "" if stop[0][:1] in "。！？" else " "
        yield [(Edit(begin=at, end=at, text=f"{gap}{sentence}"),) for sentence, _ in sentences]


def _check_references(attempts: Attempts, document: Document, place: Place) -> None:
    """Raise `NoPatch` if the procedure speaks of a step from this one on by its
    number."""
    number = document.procedures[place.procedure].substeps[place.step].number
    first = int(number.partition(".")[0])
    for step in attempts.reading.procedures[place.procedure]:
        for reference in (one for unit in step for one in _NUMBERED.finditer(unit.text)):
            digits = next(group for group in reference.groups() if group)
            if int(digits) >= first:
                reason = f"“{reference[0]}” is in the text, and that number would change"
                raise NoPatch(Refusal.NUMBERS_REFERRED, reason)
