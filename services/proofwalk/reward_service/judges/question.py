"""What a judge is told: the rules of judging (`instructions`), the procedure, three
sources of evidence (steps, page, events), and the free text that is to be judged, if
any. Pure.

Everything that others wrote stands between fences with a random code
(`models.fence.Fence`). What does not fit into the model's context is cut by the layouts
below, the same for all sources, and a line says that it was. `Question.sources` is
exactly what was shown: a quote counts only if it is found there. Free text and what the
rule says of it are never cut: half an expectation would be another one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from proofwalk.kernel.answers import AnsweredField
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.models.client import CONTEXT_EXCEEDED, Message
from proofwalk.models.fence import Fence
from proofwalk.models.tokens import Estimator
from proofwalk.reward_service.judges import instructions
from proofwalk.reward_service.judges.case import Case, LogState, Step, SubStep, event_line

_LOG = {
    LogState.COMPLETE: "The log of this time is complete",
    LogState.LATE: "The log has not caught up: what is not here may still have happened",
    LogState.ABSENT: "This console has no audit log",
}


class Source(StrEnum):
    """Where evidence may stand."""

    ANSWER = "answer"
    """The free text that is judged; absent where none is."""
    STEPS = "steps"
    PAGE = "page"
    EVENTS = "events"


@dataclass(frozen=True, kw_only=True)
class Failed:
    """An answer that could not be used."""

    text: str
    error: str


@dataclass(frozen=True, kw_only=True)
class Question:
    """The messages, and the sources as they were shown."""

    messages: tuple[Message, ...]
    sources: Mapping[Source, str]


@dataclass(frozen=True, kw_only=True)
class _Layout:
    """How much is shown: characters of page, result, sub-step and event; numbers of
    steps and events."""

    page: int
    result: int
    substep: int
    event: int
    steps: int
    events: int
    picture: bool


_SIZES = (
    (12_000, 1200, 4000, 2000, 400, 200),
    (8000, 600, 2000, 1200, 200, 100),
    (6000, 300, 1000, 800, 100, 60),
    (4000, 200, 600, 500, 60, 40),
    (2500, 120, 300, 400, 30, 20),
    (1500, 80, 160, 300, 15, 12),
)
_ANSWER = 2000


def build_question(
    case: Case,
    fence: Fence,
    *,
    room: int,
    estimator: Estimator,
    vision: bool,
    failed: Sequence[Failed] = (),
) -> Question:
    """The fullest question of at most `room` tokens. Raises `model.context_exceeded`
    when even the least is longer."""
    for layout in _layouts(vision and case.walk.screenshot is not None):
        question = _lay_out(case, fence, layout, failed)
        if estimator.count(question.messages) <= room:
            return question
    raise ProofwalkError(
        CONTEXT_EXCEEDED,
        f"the procedure and the least of the evidence are longer than the {room} tokens that the"
        " judge has room for",
        status=Status.UNAVAILABLE,
        hint="raise the judge's context_tokens, and serve it with as much",
    )


def _layouts(picture: bool) -> Iterator[_Layout]:
    for shown in (True, False) if picture else (False,):
        for page, result, substep, event, steps, events in _SIZES:
            yield _Layout(
                page=page,
                result=result,
                substep=substep,
                event=event,
                steps=steps,
                events=events,
                picture=shown,
            )


def _lay_out(case: Case, fence: Fence, layout: _Layout, failed: Sequence[Failed]) -> Question:
    walk = case.walk
    sources = {
        Source.STEPS: fence.mask(_steps(walk.steps, layout)),
        Source.PAGE: fence.mask(_page(walk.page, layout.page)),
        Source.EVENTS: fence.mask(_events(case, layout)),
    }
    pieces = [f"The code of this conversation is {fence.code}."]
    if walk.console:
        pieces.append(fence.enclose("console", walk.console))
    procedure = [walk.title, *(_substep(one, layout.substep) for one in walk.substeps)]
    pieces += ["The procedure:", fence.enclose("document", "\n".join(procedure))]
    prepared = [walk.prepared] if walk.prepared else []
    prepared += [f"“{phrase}” in the document is {value}" for phrase, value in walk.binds.items()]
    if prepared:
        pieces += ["Prepared for the agent:", fence.enclose("prepared", "\n".join(prepared))]
    for source, text in sources.items():
        pieces.append(f"{source.value}:\n{fence.enclose(source.value, text)}")
    rules, reminder = instructions.PROCEDURE, instructions.PROCEDURE_REMINDER
    if case.free_text:
        rules, reminder = instructions.FREE_TEXT, instructions.FREE_TEXT_REMINDER
        sources[Source.ANSWER] = fence.mask("\n".join(one.value for one in case.free_text))
        pieces += [_field(one, fence) for one in case.free_text]
    pieces.append(reminder)
    pictures = " The screenshot shows the same page." if layout.picture else ""
    seen = " So was everything on the screenshot." if layout.picture else ""
    image = (walk.screenshot,) if layout.picture and walk.screenshot is not None else ()
    messages = [
        Message(role="system", text=rules.format(pictures=pictures, seen=seen)),
        Message(role="user", text="\n\n".join(pieces), images=image),
    ]
    for one in failed:
        messages.append(
            Message(role="assistant", text=fence.mask(one.text[:_ANSWER]) or "(nothing)")
        )
        messages.append(
            Message(
                role="user", text=fence.mask(f"That could not be used: {one.error}. {reminder}")
            )
        )
    return Question(messages=tuple(messages), sources=sources)


def _field(field: AnsweredField, fence: Fence) -> str:
    """One field in fences of its own: no answer can look like another field's."""
    expectation = fence.enclose("expectation", field.criterion)
    return f"field {field.name}:\n{expectation}\n{fence.enclose('answer', field.value)}"


def _substep(substep: SubStep, limit: int) -> str:
    return (
        f"Sub-step {substep.number}{' (optional)' if substep.optional else ''}:"
        f" {_short(substep.text, limit)}"
    )


def _steps(steps: Sequence[Step], layout: _Layout) -> str:
    if not steps:
        return "The agent took no step."
    shown = steps[-layout.steps :]
    left = len(steps) - len(shown)
    lines = [f"({left} earlier steps are not shown)"] if left else []
    return "\n".join([*lines, *(_step(one, layout.result) for one in shown)])


def _step(step: Step, limit: int) -> str:
    element = f" on {_line(step.element, limit)}" if step.element else ""
    result = ("" if step.ok else "failed: ") + _line(step.result, limit)
    return (
        f"Step {step.number} (sub-step {step.substep}): {_line(step.action, limit * 2)}{element} →"
        f" {result}"
    )


def _page(page: str, limit: int) -> str:
    if not page:
        return "No page was seen at the end."
    if len(page) <= limit:
        return page
    return page[:limit].rpartition("\n")[0] + "\n(more of the page is not shown)"


def _events(case: Case, layout: _Layout) -> str:
    writes = [event for event in case.events if event.write]
    shown = writes[-layout.events :]
    count = (
        ""
        if case.log is LogState.ABSENT
        else f": {len(writes)} writing operation{'' if len(writes) == 1 else 's'}"
    )
    left = (
        [f"({len(writes) - len(shown)} earlier ones are not shown)"]
        if len(writes) > len(shown)
        else []
    )
    return "\n".join(
        [
            f"{_LOG[case.log]}{count}.",
            *left,
            *(_line(event_line(event), layout.event) for event in shown),
        ]
    )


def _line(text: str, limit: int) -> str:
    """Text on one line: what a page says must not look like a step or an event of its
    own."""
    return _short(" ".join(text.split()), limit)


def _short(text: str, limit: int) -> str:
    text = text.strip()
    return text if len(text) <= limit else text[:limit] + "…"
