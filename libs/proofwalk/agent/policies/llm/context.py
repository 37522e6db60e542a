"""The conversation that a model is asked with: the task, older steps as a line each,
the latest turns in full, the page now.

The latest k turns have page text, thought and action, as messages of their own; older
ones, and those that another policy took, are lines `Step n: …` (EvoCUA §5.1: full turns
for the latest steps, semantic actions before them). Only the page now has a screenshot:
an old one costs a thousand tokens a question, and what it showed is over. What does not
fit into the context is left out in this order: full turns, oldest step lines, page
text, far sub-steps of the document, the screenshot. `Conversation` keeps what was seen;
`messages` is built anew for each question, since what fits changes."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from proofwalk.agent.core.policy import PastStep, Turn
from proofwalk.agent.policies.llm import prompts
from proofwalk.agent.policies.llm.answers import Prompt, json_answer
from proofwalk.console.looking.prompt_text import render
from proofwalk.console.observation import Observation
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.kernel.json_values import JsonObject
from proofwalk.models.client import CONTEXT_EXCEEDED, AnswerForm, Image, Message
from proofwalk.models.fence import Fence
from proofwalk.models.settings import ModelSettings
from proofwalk.models.tokens import Estimator

_PAST_PAGE = 1500
"""Characters of page text in an earlier turn."""
_RESULT = 300
_LATEST_RESULT = 4000
"""Characters of the latest result, which may be a text read from the page."""
_THOUGHT = 400
_DOCUMENT = 24_000
_ANSWER = 2000
_EVERY_STEP = 200


@dataclass(frozen=True, kw_only=True)
class Failed:
    """An unusable answer to the current question."""

    text: str
    error: str


@dataclass(frozen=True, kw_only=True)
class _Seen:
    """What the page showed when a step of the history was decided."""

    step: int
    page: str


@dataclass(frozen=True, kw_only=True)
class _Layout:
    """How much of each part is shown."""

    turns: int
    pictured: bool
    steps: int
    page: int
    document: int


class Conversation:
    """Stores what one episode has shown, and builds its questions."""

    def __init__(self, settings: ModelSettings, fence: Fence, *, actions: str) -> None:
        self._settings = settings
        self._prompt: Prompt = settings.prompt
        self._fence = fence
        self._actions = actions
        self._seen: deque[_Seen] = deque(maxlen=settings.latest_turns or 1)

    def keep(self, turn: Turn) -> None:
        """Store what is on show in `turn`, for when its step is part of the history."""
        step = len(turn.history)
        while self._seen and self._seen[-1].step >= step:
            self._seen.pop()
        self._seen.append(_Seen(step=step, page=render(turn.observation, budget=_PAST_PAGE)))

    def messages(
        self,
        turn: Turn,
        form: AnswerForm,
        *,
        room: int,
        estimator: Estimator,
        advice: str = "",
        failed: Sequence[Failed] = (),
    ) -> tuple[Message, ...]:
        """Return the fullest conversation of at most `room` tokens. Raises
        `model.context_exceeded` if the shortest is longer."""
        for layout in self._layouts():
            conversation = self._lay_out(turn, form, layout, advice, failed)
            if estimator.count(conversation) <= room:
                return conversation
        raise ProofwalkError(
            CONTEXT_EXCEEDED,
            f"the page and the sub-step alone are longer than the {room} tokens that the model has"
            " room for",
            status=Status.UNAVAILABLE,
            hint="raise the model's context_tokens, and serve it with as much",
        )

    def _layouts(self) -> Iterator[_Layout]:
        settings = self._settings
        layout = _Layout(
            turns=settings.latest_turns,
            pictured=settings.vision,
            steps=_EVERY_STEP,
            page=settings.page_chars,
            document=_DOCUMENT,
        )
        yield layout
        for turns in range(layout.turns - 1, -1, -1):
            layout = replace(layout, turns=turns)
            yield layout
        for steps in (40, 20, 10, 5):
            layout = replace(layout, steps=steps)
            yield layout
        for page in (4000, 2000, 1000):
            layout = replace(layout, page=min(layout.page, page))
            yield layout
        for document in (6000, 2000):
            layout = replace(layout, document=document)
            yield layout
        if layout.pictured:
            yield replace(layout, pictured=False)

    def _lay_out(
        self, turn: Turn, form: AnswerForm, layout: _Layout, advice: str, failed: Sequence[Failed]
    ) -> tuple[Message, ...]:
        settings = self._settings
        system = prompts.system_prompt(
            self._prompt,
            form,
            actions=self._actions,
            vision=settings.vision,
            batches=settings.batched,
            purpose=turn.task.purpose,
        )
        task = prompts.task_text(turn.task, self._fence, chars=layout.document, index=turn.index)
        past, pieces = self._past(turn.history, form, layout, task)
        pieces += self._present(turn, form, layout, advice)
        image = self._image(turn.observation) if layout.pictured else None
        return (
            Message(role="system", text=system),
            *past,
            Message(
                role="user", text="\n\n".join(pieces), images=(image,) if image is not None else ()
            ),
            *self._corrections(failed, form),
        )

    def _past(
        self, history: Sequence[PastStep], form: AnswerForm, layout: _Layout, task: str
    ) -> tuple[list[Message], list[str]]:
        """Return the turns that are shown in full, each as a question and an answer,
        and the pieces that open the next question. The task opens the first one."""
        count = len(history)
        full = {seen.step: seen for seen in self._seen if count - layout.turns <= seen.step < count}
        messages: list[Message] = []
        pieces = [task]
        first = _first(len(history), layout.steps)
        lines = [f"({first} earlier steps are not shown)"] if first else []
        for step in range(first, len(history)):
            past, seen = history[step], full.get(step)
            latest = step + 1 == len(history)
            if seen is None:
                lines.append(_line(step, past, latest=latest))
                continue
            pieces += self._steps(lines)
            pieces.append(
                f"Step {step + 1}, sub-step {past.substep}. The"
                f" page:\n{self._fence.enclose('page', seen.page)}"
            )
            messages.append(Message(role="user", text="\n\n".join(pieces)))
            messages.append(
                Message(role="assistant", text=self._fence.mask(_answer(past, self._prompt, form)))
            )
            pieces, lines = [], [f"Result of step {step + 1}: {_result(past, latest=latest)}"]
        return messages, [*pieces, *self._steps(lines)]

    def _present(self, turn: Turn, form: AnswerForm, layout: _Layout, advice: str) -> list[str]:
        """Return the pieces of the question itself: reports, advice, the sub-step, the
        page now."""
        pieces: list[str] = []
        if turn.reports:
            pieces.append(
                "Provided on request:\n"
                + self._fence.enclose("reports", "\n".join(one.text for one in turn.reports))
            )
        if advice:
            pieces.append(
                "A simpler reader of the document came this far:\n"
                + self._fence.enclose("reader", advice)
            )
        total = len(turn.task.procedure.substeps)
        return [
            *pieces,
            f"You are at sub-step {turn.substep.number}, {turn.index + 1} of {total};"
            f" {turn.steps_left} steps are left for it:\n"
            + self._fence.enclose("document", prompts.substep_text(turn.substep)),
            "The page now:\n"
            + self._fence.enclose("page", render(turn.observation, budget=layout.page)),
            prompts.reminder(self._prompt, form),
        ]

    def _corrections(self, failed: Sequence[Failed], form: AnswerForm) -> list[Message]:
        """Return each unusable answer to the question, and what was wrong with it."""
        messages: list[Message] = []
        for one in failed:
            messages.append(
                Message(role="assistant", text=self._fence.mask(one.text[:_ANSWER]) or "(nothing)")
            )
            again = f"That could not be used: {one.error}. {prompts.reminder(self._prompt, form)}"
            messages.append(Message(role="user", text=self._fence.mask(again)))
        return messages

    def _steps(self, lines: list[str]) -> list[str]:
        return (
            ["Earlier steps:\n" + self._fence.enclose("steps", "\n".join(lines))] if lines else []
        )

    def _image(self, page: Observation) -> Image | None:
        if not self._settings.vision or not page.screenshot:
            return None
        width, height = page.viewport
        return Image(jpeg=page.screenshot, width=width, height=height)


def _first(steps: int, shown: int) -> int:
    """Return the first step that is shown of `steps`, at most `shown` of them. Lines
    are dropped half of that at a time: what a question begins with stays the same for
    many questions, and an endpoint's prefix cache holds."""
    block = max(1, shown // 2)
    return max(0, -(-(steps - shown) // block) * block)


def _line(step: int, past: PastStep, *, latest: bool) -> str:
    thought = " ".join(past.thought.split())[:_THOUGHT]
    return (
        f"Step {step + 1} (sub-step {past.substep}): {thought} →"
        f" {json.dumps(_action(past), ensure_ascii=False)} → {_result(past, latest=latest)}"
    )


def _action(past: PastStep) -> JsonObject:
    return {"type": past.action.type, **past.action.model_dump(mode="json", exclude_defaults=True)}


def _result(past: PastStep, *, latest: bool) -> str:
    result = ("" if past.ok else "failed: ") + " ".join(past.result.split())[
        : _LATEST_RESULT if latest else _RESULT
    ]
    return result + (f"; on offer: {', '.join(past.options)[:_RESULT]}" if past.options else "")


def _answer(past: PastStep, prompt: Prompt, form: AnswerForm) -> str:
    """Return a past step in the form of an answer to the model's present prompt."""
    action = _action(past)
    if form is AnswerForm.TEXT:
        name = {"normal": "Thought", "flash": "Memory"}[prompt]
        return f"{name}: {past.thought}\nAction: {json.dumps(action, ensure_ascii=False)}"
    name = {"normal": "thought", "flash": "memory"}[prompt]
    return json_answer({name: past.thought, "action": action})
