"""Asks a model for the thought of one step, and takes no other than one that may stand
there.

An answer that cannot be read, or in which `thought_checks` finds a fault, is told so
and asked for again, a bounded number of times. Where none can be taken the step keeps
the thought that it has (`thoughts`): that is an answer too, and is kept with the
reasons. What keeps the endpoint from answering passes through.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict, ValidationError

from proofwalk.console.looking.prompt_text import render
from proofwalk.console.safety.redaction import Secrets
from proofwalk.datasets.collection import Episode
from proofwalk.datasets.hindsight.horizon import horizon_of
from proofwalk.datasets.hindsight.privacy import hidden_in
from proofwalk.datasets.hindsight.questions import HindsightQuestion, Recalled, question, target_of
from proofwalk.datasets.hindsight.schemata import StepSchema
from proofwalk.datasets.hindsight.thought_checks import fault_in
from proofwalk.datasets.step_actions import action_of
from proofwalk.datasets.turns import Played, turns_of
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.models.asking import Model, Room, Usage, ask
from proofwalk.models.client import CONTEXT_EXCEEDED, Completion, Message
from proofwalk.models.fence import Fence

_ANSWER = 2000
"""Characters of an answer that are shown again when it could not be taken."""


class _Answer(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)

    thought: str


@dataclass(kw_only=True)
class WrittenThought:
    """What the questions about a step came to."""

    text: str = ""
    """Empty where no answer could be taken."""
    model: str = ""
    """As the endpoint names what answered last."""
    refused: list[str] = field(default_factory=list)
    """Why answers were not taken."""
    usage: Usage = field(default_factory=Usage)


class ThoughtWriter:
    """A model that writes thoughts. `mask` takes the process's own secrets out of a
    text."""

    def __init__(self, model: Model, *, mask: Callable[[str], str] = str) -> None:
        self._model = model
        self._mask = mask

    async def write(self, episode: Episode, at: int, schema: StepSchema) -> WrittenThought:
        """The thought of the step at a position; its page and action have to be known.
        Thoughts of earlier steps are shown as `episode.thoughts` has them.

        Raises what keeps the endpoint from answering.
        """
        turns = turns_of(episode)
        number = next(number for number, one in enumerate(turns) if one.at == at)
        played, hidden = turns[number], hidden_in(episode)
        recalled = Recalled(
            played=played,
            schema=schema,
            before=turns[number - 1].turn.observation if number else None,
            targets=tuple(
                target_of(step) for step in episode.steps[:at] if action_of(step) is not None
            ),
            raw_screenshot=self._picture(episode, played, hidden),
        )
        code = hashlib.sha256(f"hindsight/{episode.about.episode_id}/{at}".encode())
        fence = Fence(code.hexdigest()[:16], lambda line: self._mask(hidden.mask(line)))
        written = WrittenThought()
        try:
            await self._until_taken(written, episode, recalled, fence)
        except ProofwalkError as error:
            if error.code != CONTEXT_EXCEEDED:
                raise
            written.refused.append(error.message)
        return written

    async def _until_taken(
        self, written: WrittenThought, episode: Episode, recalled: Recalled, fence: Fence
    ) -> None:
        room = Room(self._model.settings)
        horizon = horizon_of(episode, recalled.played)
        again: tuple[Message, ...] = ()
        for _ in range(self._model.settings.malformed_retries + 1):
            completion = await self._ask(recalled, fence, room, again)
            written.model = completion.model
            written.usage.count(completion, self._model)
            thought = _read(completion.text)
            fault = (
                "it is no JSON object with a thought"
                if thought is None
                else "it holds what may not be written"
                if fence.mask(thought) != thought
                else fault_in(thought, recalled.played, recalled.schema.schema, horizon)
            )
            if thought is not None and not fault:
                written.text = thought
                return
            written.usage.malformed += 1
            written.refused.append(fault)
            again = (
                Message(
                    role="assistant", text=fence.mask(completion.text[:_ANSWER]) or "(nothing)"
                ),
                Message(role="user", text=fence.mask(_again(fault))),
            )

    async def _ask(
        self, recalled: Recalled, fence: Fence, room: Room, again: tuple[Message, ...]
    ) -> Completion:
        """The answer to the question, with the latest answer that was not taken."""

        def build(_: object) -> HindsightQuestion:
            first = question(recalled, fence, self._model.settings, room)
            return HindsightQuestion(messages=(*first.messages, *again))

        schema = _Answer.model_json_schema()
        _, completion = await ask(self._model, build, schema=schema, room=room)
        return completion

    def _picture(self, episode: Episode, played: Played, hidden: Secrets) -> bytes:
        """The page as a picture, where the model looks at pictures and nothing on it is
        to be hidden."""
        if not self._model.settings.vision or hidden.shows(
            render(played.turn.observation, budget=1_000_000)
        ):
            return b""
        return episode.image(played.step.raw_screenshot)


def _read(text: str) -> str | None:
    """The thought of an answer, without what a model has thought aloud before it."""
    text = text.rpartition("</think>")[2]
    begin, end = text.find("{"), text.rfind("}")
    if begin < 0 or end < begin:
        return None
    try:
        answer = _Answer.model_validate_json(text[begin : end + 1])
    except ValidationError:
        return None
    return " ".join(answer.thought.split())


def _again(fault: str) -> str:
    return f"That thought cannot be taken: {fault}. Write it again, as the JSON object alone."
