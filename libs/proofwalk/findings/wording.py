"""Other words in the place of a document's own: a label, a value, a way through a menu.

The words stand once in the finding's sentence, and once in its source so that reading
the result gives the sentence with the new words in the same type and nothing else; else
there is no edit. Of a way (`Network > VPCs`) only the labels that differ are replaced,
so that each keeps its type.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from proofwalk.findings.attempts import Attempts, NoPatch, Refusal
from proofwalk.findings.source import Edit
from proofwalk.findings.spelling import is_safe, pattern, spellings, standing
from proofwalk.findings.units import Place, Unit, visible
from proofwalk.procedures.model import Inline, InlineRole

_STEP_OF_WAY = re.compile(r"\s*(?:-->|->|>|→|›|»)\s*")


@dataclass(frozen=True, kw_only=True)
class Rewording:
    """`new` for the characters [begin, end) of a unit's visible text."""

    begin: int
    end: int
    old: str
    new: str


def reworded(
    attempts: Attempts, place: Place, asked: str, offered: str, *, is_way: bool
) -> tuple[Edit, ...]:
    """Return the edit that puts `offered` in the place of `asked`; `is_way` says that
    both may be labels with arrows between. Raises `NoPatch`."""
    if not asked or not offered:
        raise NoPatch(Refusal.NO_EVIDENCE, "the finding does not say what stands instead")
    if not is_safe(offered):
        raise NoPatch(Refusal.UNSAFE_LABEL, "the console's words cannot stand in a document")
    unit = attempts.unit(place)
    change = _change(unit, asked, offered, is_way=is_way)
    goal = attempts.reading.steps_with(place, attempts.units(place, _with_words(unit, change)))
    begin, end = attempts.source.lines(place.line, place.end_line)
    text = attempts.source.text
    standings = pattern(change.old, attempts.media_type).finditer(text, begin, end)
    spots = [(one.start(), one.end()) for one in standings]
    return attempts.only(_edits(spots, change.new, attempts.media_type), goal)


def _edits(
    spots: Sequence[tuple[int, int]], words: str, media_type: str
) -> Iterator[list[tuple[Edit, ...]]]:
    """Yield the spellings at each spot: of one spot, the first that fits."""
    for begin, end in spots:
        yield [
            (Edit(begin=begin, end=end, text=spelling),)
            for spelling in spellings(words, media_type)
        ]


def _change(unit: Unit, asked: str, offered: str, *, is_way: bool) -> Rewording:
    text = "".join(run.text for run in visible(unit.runs))
    standings = list(standing(asked).finditer(text))
    if len(standings) != 1:
        times = "not" if not standings else f"{len(standings)} times"
        raise NoPatch(Refusal.NOT_ONCE, f"“{asked}” stands {times} in the sentence")
    whole = standings[0]
    at = whole.start()
    steps = list(_steps(whole[0]))
    ways = _STEP_OF_WAY.split(offered)
    if len(steps) == 1 or not is_way:
        return Rewording(begin=at, end=whole.end(), old=whole[0], new=offered)
    labels = [whole[0][begin:end] for begin, end in steps]
    same = 0
    while same < min(len(labels), len(ways)) - 1 and labels[same] == ways[same]:
        same += 1
    tail = 0
    while tail < min(len(labels), len(ways)) - same - 1 and labels[-1 - tail] == ways[-1 - tail]:
        tail += 1
    first, last = steps[same], steps[len(steps) - 1 - tail]
    return Rewording(
        begin=at + first[0],
        end=at + last[1],
        old=whole[0][first[0] : last[1]],
        new=" > ".join(ways[same : len(ways) - tail]),
    )


def _steps(way: str) -> Iterator[tuple[int, int]]:
    at = 0
    for arrow in _STEP_OF_WAY.finditer(way):
        yield at, arrow.start()
        at = arrow.end()
    yield at, len(way)


def _with_words(unit: Unit, change: Rewording) -> Unit:
    """Return the unit with the new words in the run that has the old ones. Raises
    `NoPatch` if they stand in several."""
    runs: list[Inline] = []
    at, is_changed = 0, False
    for run in unit.runs:
        begin, end = change.begin - at, change.end - at
        if run.role is not InlineRole.IMAGE:
            at += len(run.text)
            if 0 <= begin < end <= len(run.text):
                run = replace(run, text=run.text[:begin] + change.new + run.text[end:])
                is_changed = True
        runs.append(run)
    if not is_changed:
        raise NoPatch(Refusal.ACROSS_TYPES, f"“{change.old}” is set in several types")
    return replace(unit, runs=tuple(runs))
