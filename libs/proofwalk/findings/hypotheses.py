"""Edits that nothing speaks for yet: each may be right, and a walk of the patched
document says whether it is.

A walk that was blocked tells what the console lacks at one step, not what the document
should say there. What a writer would try is offered in the order of how much it leaves:
a value that the console offers in the place of the one it lacks, the step behind the
next one if that one opens something, then an act, the step or the sentence taken out.
Only a finding with two witnesses has any, since a sentence that one walk alone could
not follow may be right. `proving` walks them; without a walk that the audit log
confirms none is shown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from proofwalk.findings import steps
from proofwalk.findings.attempts import MAX_ATTEMPTS, Attempts, NoPatch
from proofwalk.findings.clauses import act_out, joins_acts
from proofwalk.findings.source import Edit
from proofwalk.findings.units import Place
from proofwalk.findings.wording import reworded
from proofwalk.kernel.outcomes import Finding, FindingKind
from proofwalk.procedures.model import Document

MAX_CANDIDATES = 3
"""Most edits that are offered for one finding, those with evidence included."""
_VALUES = 2
"""Most values of a field that are offered."""
_EXCHANGED = (FindingKind.MISSING, FindingKind.RENAMED, FindingKind.DISABLED)
_TAKEN_OUT = (
    FindingKind.MISSING,
    FindingKind.RENAMED,
    FindingKind.DISABLED,
    FindingKind.WRONG_VALUE,
    FindingKind.WRONG_OUTCOME,
)
_OPENS = re.compile(r"\b(?:click|choose|open|select|go|press)\b|[单点]击|选择|打开|进入", re.I)
_SETS_OR_SENDS = re.compile(
    r"\b(?:enter|set|specify|type|fill)\b|\b(?:OK|Submit|Save|Confirm|Apply|Finish)\b"
    r"|输入|填写|设置|确[定认]|提交|保存|完成"
)
Make = Callable[[], tuple[Edit, ...]]


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """Edits for a finding, and what they do in a few words. A hypothesis has no
    evidence but a walk that proves it."""

    edits: tuple[Edit, ...]
    what: str
    is_hypothesis: bool = False


def hypotheses(
    attempts: Attempts,
    document: Document,
    place: Place,
    finding: Finding,
    *,
    values: tuple[str, ...] = (),
) -> Iterator[Candidate]:
    """Yield the hypotheses about a finding, the one that changes least first. `values`
    may stand for a field that the document leaves out."""
    for what, make in _makers(attempts, document, place, finding, values):
        attempts.left = MAX_ATTEMPTS
        try:
            yield Candidate(edits=make(), what=what, is_hypothesis=True)
        except NoPatch:
            continue


def _makers(
    attempts: Attempts,
    document: Document,
    place: Place,
    finding: Finding,
    values: tuple[str, ...],
) -> Iterator[tuple[str, Make]]:
    if finding.kind is FindingKind.WRONG_VALUE:
        for choice in [one for one in finding.candidates if one != finding.offered][:_VALUES]:
            yield f"the choice “{choice}”", _words(attempts, place, finding, choice)
    if finding.kind is FindingKind.MISSING_STEP:
        for value in values[:_VALUES]:
            yield (
                f"a step with the value “{value}”",
                _step(attempts, document, place, finding, value),
            )
    exchange = ("the step behind the next one", lambda: steps.exchanged(attempts, document, place))
    is_exchanged = finding.kind in (*_EXCHANGED, FindingKind.MISSING_STEP)
    next_opens = _next_opens(attempts, place)
    if is_exchanged and next_opens:
        yield exchange
    if finding.kind in _TAKEN_OUT:
        yield from _less(attempts, document, place, finding.asked)
    if is_exchanged and not next_opens:
        yield exchange


def _less(
    attempts: Attempts, document: Document, place: Place, asked: str
) -> Iterator[tuple[str, Make]]:
    """Yield what takes something out. A sentence of several acts loses the one that
    cannot be done, and none that can."""
    if joins_acts(attempts, place, asked):
        yield "the act taken out of its sentence", lambda: act_out(attempts, place, asked)
        return
    yield "the step taken out", lambda: steps.removed(attempts, document, place)
    yield "the sentence taken out", lambda: steps.unsaid(attempts, place)


def _next_opens(attempts: Attempts, place: Place) -> bool:
    """True if the next step may open what the one of `place` works in: it has things
    clicked, and neither sets a field nor sends a form."""
    following = attempts.reading.procedures[place.procedure][place.step + 1 : place.step + 2]
    text = " ".join(unit.text for step in following for unit in step)
    return bool(_OPENS.search(text)) and not _SETS_OR_SENDS.search(text)


def _words(attempts: Attempts, place: Place, finding: Finding, choice: str) -> Make:
    words = " ".join(choice.split())
    return lambda: reworded(attempts, place, finding.asked, words, is_way=False)


def _step(
    attempts: Attempts, document: Document, place: Place, finding: Finding, value: str
) -> Make:
    field = " ".join(finding.offered.split())
    return lambda: steps.inserted(attempts, document, place, field, value)
