"""One of the acts that a sentence asks for, taken out of it.

*In the Owner field, enter ops and click OK* asks for two acts, of which the console may
lack one. The sentence is divided at the words that join acts, and the part that names
what is gone is taken out with the joint. Of the first part the next one takes the
capital.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from proofwalk.findings.attempts import Attempts, NoPatch, Refusal
from proofwalk.findings.source import Edit
from proofwalk.findings.spelling import standing
from proofwalk.findings.units import Place, Unit, visible
from proofwalk.procedures.model import Inline

_VERBS = (
    "add|check|choose|clear|click|close|confirm|configure|copy|create|delete|enter|expand|find"
    "|go|hover|locate|move|open|press|refresh|remove|save|select|set|specify|submit|switch|turn"
    "|type|upload|wait"
)
_JOINT = re.compile(
    rf"(?:,?\s+and(?:\s+then)?\s+|,\s+then\s+)(?=(?:{_VERBS})\b)|，(?:并|然后|再)?|并(?=[单点]击)"
)
_BEGINNING = re.compile(
    r"(?m:^)[ \t>]*(?:\(?(?:\d{1,9}|#)[.)][ \t]+|[-*+•][ \t]+)?(?:<[^<>]+>\s*)*|[.!?。！？]\s*"
)
_FULL_STOP = re.compile(r"[.!?。！？]")
_END = re.compile(r"[.!?。！？][\"'”’)\]»]*\s*$")


@dataclass(frozen=True, kw_only=True)
class Cut:
    """The characters [begin, end) of a unit's visible text, to be taken out. With
    `capital` the next one becomes a capital."""

    begin: int
    end: int
    capital: bool


def joins_acts(attempts: Attempts, place: Place, asked: str) -> bool:
    """True if the sentence asks for another act than the one that names `asked`."""
    try:
        _cut(_text(attempts.unit(place)), asked)
    except NoPatch:
        return False
    return True


def act_out(attempts: Attempts, place: Place, asked: str) -> tuple[Edit, ...]:
    """Return the edits that take the act which names `asked` out of its sentence.
    Raises `NoPatch` if the sentence is one act."""
    unit = attempts.unit(place)
    cut = _cut(_text(unit), asked)
    goal = attempts.reading.steps_with(place, attempts.units(place, _without(unit, cut)))
    return attempts.only(_edits(attempts, place, cut), goal)


def _text(unit: Unit) -> str:
    return "".join(run.text for run in visible(unit.runs))


def _cut(text: str, asked: str) -> Cut:
    spots = list(standing(asked).finditer(text)) if asked else []
    joints = list(_JOINT.finditer(text))
    stop = _END.search(text)
    if len(spots) != 1 or not joints:
        raise NoPatch(Refusal.SAYS_MORE, "the sentence does not join acts that can be told apart")
    before = [joint for joint in joints if joint.end() <= spots[0].start()]
    behind = [joint for joint in joints if joint.start() >= spots[0].end()]
    if not before:
        return Cut(begin=0, end=behind[0].end(), capital=True)
    last = behind[0].start() if behind else stop.start() if stop else len(text)
    return Cut(begin=before[-1].start(), end=last, capital=False)


def _without(unit: Unit, cut: Cut) -> Unit:
    """Return the unit without the characters of the cut."""
    runs: list[Inline] = []
    at = 0
    for run in unit.runs:
        if run not in visible((run,)):
            runs.append(run)
            continue
        begin, end = max(cut.begin - at, 0), max(cut.end - at, 0)
        text = run.text[:begin] + run.text[end:]
        if cut.capital and at <= cut.end < at + len(run.text):
            text = text[:1].upper() + text[1:]
        at += len(run.text)
        if runs and text and replace(runs[-1], text="") == replace(run, text=""):
            runs[-1] = replace(runs[-1], text=runs[-1].text + text)
        elif text:
            runs.append(replace(run, text=text))
    return replace(unit, runs=tuple(runs))


def _edits(attempts: Attempts, place: Place, cut: Cut) -> Iterator[list[tuple[Edit, ...]]]:
    """Yield the cuts in the source: from any place where the sentence may begin to the
    joint, or from a joint to the next one or to a full stop."""
    source = attempts.source
    begin, end = source.lines(place.line, place.end_line)
    joints = list(_JOINT.finditer(source.text, begin, end))
    if cut.capital:
        starts = [one.end() for one in _BEGINNING.finditer(source.text, begin, end)]
        for joint in joints:
            for start in starts:
                if start < joint.start():
                    first = source.text[joint.end() : joint.end() + 1].upper()
                    yield [(Edit(begin=start, end=joint.end() + 1, text=first),)]
        return
    ends = [one.start() for one in joints]
    ends += [one.start() for one in _FULL_STOP.finditer(source.text, begin, end)]
    for joint in joints:
        for stop in ends:
            if joint.end() < stop:
                yield [(Edit(begin=joint.start(), end=stop, text=""),)]
