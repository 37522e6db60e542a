"""Checks a claimed finding against the document, which it must quote.

A model that blames a document which says nothing of the kind must not reach a writer.
So the quote must be in a sentence, a table row or a bullet of the procedure (spaces,
case, quotation marks and markup set aside), and long enough to say which one. In the
current sub-step, a label in bold or code is enough. What the console is said to offer
instead must be on the page; other candidates are dropped. What the document asks for is
the one label that the quote holds: the answer has no member for it. If the page has an
enabled control of exactly that name, in no row of a table, the claim that it is not
there is contradicted by what can be seen, whoever had the model make it. That something
else follows than the document says can only be claimed of a sentence that tells what
follows, of what was done in its sub-step, and not of what is in view (`promises`). Of a
sub-step that was done, or is still to come, something can only be missing where what
stands in its place is in view.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass

from proofwalk.agent.core.policy import Turn
from proofwalk.agent.page.differences import as_written, in_front
from proofwalk.agent.policies.llm.answers import ClaimedFinding
from proofwalk.agent.policies.llm.promises import is_kept, tells_what_follows
from proofwalk.console.actions import (
    AnswerDialog,
    CallApi,
    Click,
    ClickAt,
    ConfirmTyped,
    Drag,
    DragTo,
    Press,
    Select,
    SetChecked,
    SetDate,
    SetSlider,
    Type,
    TypeFocused,
    Upload,
)
from proofwalk.console.observation import Observation, State
from proofwalk.kernel.outcomes import Finding, FindingKind
from proofwalk.procedures.model import Inline, InlineRole, SubStep

_NOISE = re.compile(r"[\s*`_\"'“”‘’«»]+")
_SHORTEST = 12
"""Least characters of a quote that is not a whole sentence. A shorter one could stand
anywhere."""
_SHORTEST_HERE = 6
"""The same for a quote of the current sub-step."""
_MESSAGE_CHARS = 500
_STANDS_FOR = frozenset(
    {FindingKind.RENAMED, FindingKind.WRONG_VALUE, FindingKind.MISSING_STEP, FindingKind.MOVED}
)
"""Kinds whose first candidate is what the console has instead; of the others it is
merely near."""
_EFFECTIVE = (
    Click,
    ClickAt,
    Type,
    TypeFocused,
    ConfirmTyped,
    Select,
    SetDate,
    SetChecked,
    SetSlider,
    Drag,
    DragTo,
    Press,
    Upload,
    AnswerDialog,
    CallApi,
)
"""Actions that something may follow from."""
_ABSENT = frozenset({FindingKind.RENAMED, FindingKind.MISSING})
"""Kinds that say of a label that the console has nothing of that name."""


class Unfounded(Exception):
    """The claim is not supported; the message says why."""


@dataclass(frozen=True, kw_only=True)
class _Passage:
    file: str
    line: int
    text: str
    labels: tuple[str, ...] = ()
    """The parts set in bold or as code."""


def check(claim: ClaimedFinding, turn: Turn) -> Finding:
    """Return the finding at the sentence that it quotes. The current sub-step is
    searched first, then earlier ones from the latest on, then later ones. Raises
    `Unfounded`."""
    quote = _bare(claim.quote)
    if not quote:
        raise Unfounded("it quotes nothing")
    substeps = turn.task.procedure.substeps
    for substep in [turn.substep, *reversed(substeps[: turn.index]), *substeps[turn.index + 1 :]]:
        for passage in _passages(substep):
            if _quotes(quote, passage, here=substep is turn.substep):
                if claim.kind is FindingKind.WRONG_OUTCOME:
                    _check_outcome(passage, substep, turn)
                if claim.kind in _ABSENT:
                    _check_absence(claim, substep, turn)
                return _founded(claim, passage, turn.observation)
    raise Unfounded(f"“{claim.quote[:120]}” is not in the document")


def _founded(claim: ClaimedFinding, passage: _Passage, page: Observation) -> Finding:
    asked = _quoted_label(claim, passage)
    if asked and claim.kind in _ABSENT and _is_there(asked, page):
        raise Unfounded(f"the page has “{asked}”, which it says is not there")
    candidates = tuple(one for one in dict.fromkeys(claim.candidates) if _on_page(one, page))
    return Finding(
        file=passage.file,
        line=passage.line,
        sentence=passage.text,
        kind=claim.kind,
        message=_message_of(claim),
        candidates=candidates,
        asked=asked,
        offered=candidates[0] if candidates and claim.kind in _STANDS_FOR else "",
        place=in_front(page).name,
    )


def _check_absence(claim: ClaimedFinding, substep: SubStep, turn: Turn) -> None:
    """Raise `Unfounded` where another sub-step was done, or is still to come, and
    nothing in view stands for what it says is not there: the page is another one."""
    earlier = turn.task.procedure.substeps[: turn.index]
    is_open = substep in earlier and not _acted_in(turn, {substep.number})
    if substep is turn.substep or is_open:
        return
    if not any(_on_page(one, turn.observation) for one in claim.candidates):
        raise Unfounded("it is not this sub-step's, and nothing in view stands in its place")


def _check_outcome(passage: _Passage, substep: SubStep, turn: Turn) -> None:
    """Raise `Unfounded` where the passage promises nothing, nothing was done for it, or
    what it promises is in view."""
    if not tells_what_follows(passage.text):
        raise Unfounded("the sentence does not say that anything follows")
    if not _was_acted(passage, substep, turn):
        raise Unfounded("nothing was done yet for what it says did not follow")
    if is_kept(passage.text, passage.labels, turn.observation):
        raise Unfounded("the page shows what it says did not follow")


def _was_acted(passage: _Passage, substep: SubStep, turn: Turn) -> bool:
    """Whether something that has an effect was done in the sub-step. For what it begins
    with, also in the one before it: a document may tell in the next item what
    follows."""
    substeps = turn.task.procedure.substeps
    at = substeps.index(substep)
    begins = bool(substep.sentences) and substep.sentences[0].text == passage.text
    return _acted_in(turn, {one.number for one in substeps[max(0, at - begins) : at + 1]})


def _acted_in(turn: Turn, numbers: Container[str]) -> bool:
    """Whether something that has an effect was done in one of these sub-steps."""
    return any(
        past.ok and past.substep in numbers and isinstance(past.action, _EFFECTIVE)
        for past in turn.history
    )


def _is_there(label: str, page: Observation) -> bool:
    """Whether an enabled control in view, and in no row, has exactly this name. One of
    a row may be another row's."""
    return any(
        _bare(one.name) == _bare(label)
        and not (one.row or one.offscreen or State.DISABLED in one.states)
        for one in page.elements
    )


def _quoted_label(claim: ClaimedFinding, passage: _Passage) -> str:
    """Return the one label of the passage that the quote holds; empty if it holds
    several or none, or the document lacks what is asked."""
    quote = _bare(claim.quote)
    quoted = dict.fromkeys(one for one in passage.labels if _bare(one) and _bare(one) in quote)
    if claim.kind is FindingKind.MISSING_STEP or len(quoted) != 1:
        return ""
    return as_written(next(iter(quoted)), passage.text)


def _message_of(claim: ClaimedFinding) -> str:
    message = " ".join(claim.observed.split())
    if not message:
        raise Unfounded("it does not say what the console shows")
    return message[:_MESSAGE_CHARS]


def _quotes(quote: str, passage: _Passage, *, here: bool) -> bool:
    text, least = _bare(passage.text), _SHORTEST_HERE if here else _SHORTEST
    if not text:
        return False
    if here and quote in (_bare(label) for label in passage.labels):
        return True
    return (
        quote == text
        or (len(quote) >= least and quote in text)
        or (len(text) >= _SHORTEST and text in quote)
    )


def _passages(substep: SubStep) -> Iterator[_Passage]:
    for sentence in substep.sentences:
        yield _Passage(
            file=sentence.span.file,
            line=sentence.span.line,
            text=sentence.text,
            labels=_labels(sentence.inlines),
        )
    for block in substep.blocks:
        text = "".join(inline.text for inline in block.inlines).strip()
        if text:
            yield _Passage(
                file=block.span.file, line=block.span.line, text=text, labels=_labels(block.inlines)
            )
        entries = [" | ".join(row) for row in block.rows] or [
            "".join(inline.text for inline in item) for item in block.items
        ]
        for index, entry in enumerate(entries):
            line = block.row_lines[index] if index < len(block.row_lines) else block.span.line
            yield _Passage(file=block.span.file, line=line, text=entry)


def _labels(inlines: tuple[Inline, ...]) -> tuple[str, ...]:
    return tuple(
        inline.text for inline in inlines if inline.role in (InlineRole.STRONG, InlineRole.CODE)
    )


def _bare(text: str) -> str:
    return _NOISE.sub(" ", text.casefold()).strip(" .。")


def _on_page(name: str, page: Observation) -> bool:
    wanted = _bare(name)
    shown = (page.title, page.modal, *page.alerts)
    elements = (
        text
        for one in page.elements
        for text in (one.name, one.label, one.value, one.placeholder, one.group)
    )
    return bool(wanted) and any(
        wanted in _bare(text) for text in (*shown, *elements, *(run.text for run in page.texts))
    )
