"""Asks a model for META records, round by round: `writing.Writer` over any endpoint
that speaks OpenAI's protocol.

An answer is read here, within bounds, and believed in nothing: what it holds is a
proposal as any other. One that holds no record is a failed round, and the model is told
so. What was asked is counted, also where it led to nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from proofwalk.authoring.model_question import Question, question
from proofwalk.authoring.record_reading import BOUNDS
from proofwalk.authoring.resources import World
from proofwalk.authoring.writing import Attempt, Failure, Need, Proposal
from proofwalk.models.asking import Model, Room, Usage, ask
from proofwalk.models.client import AnswerForm, Completion
from proofwalk.models.fence import Fence

UNREADABLE = "author.answer_unreadable"
_RECORD_TOKENS = 6000
"""Tokens of an answer, where the settings have less: a record is longer than a step."""


class Answer(BaseModel):
    """What a model answers with."""

    model_config = ConfigDict(extra="forbid")

    why: str = Field(default="", max_length=4000)
    record: str = Field(min_length=1, max_length=BOUNDS.max_bytes)


class ModelWriter:
    """Proposes what a model writes.

    `code` gives a text that nobody who writes a document can know, another one for each
    question; `mask` takes secrets out of what is shown.
    """

    def __init__(
        self,
        model: Model,
        world: World,
        *,
        code: Callable[[], str],
        mask: Callable[[str], str],
    ) -> None:
        answer = max(model.settings.max_tokens, _RECORD_TOKENS)
        most = min(answer, model.settings.context_tokens // 2)
        self._model = replace(
            model, settings=model.settings.model_copy(update={"max_tokens": most})
        )
        self._world = world
        self._code = code
        self._mask = mask
        self.spent = Usage()
        """Of all documents, those that got no record as well."""

    async def propose(self, need: Need, attempts: Sequence[Attempt]) -> Proposal | None:
        fence = Fence(self._code(), self._mask)
        room = Room(self._model.settings)

        def build(_: AnswerForm) -> Question:
            return question(need, attempts, self._world, fence=fence, room=room)

        _, completion = await ask(self._model, build, schema=Answer.model_json_schema(), room=room)
        usage = Usage()
        usage.count(completion, self._model)
        record, why_not = read_answer(completion)
        usage.malformed = int(bool(why_not))
        self.spent.add(usage)
        failure = Failure(code=UNREADABLE, message=why_not) if why_not else None
        return Proposal(yaml=record, failure=failure, usage=usage)


def read_answer(completion: Completion) -> tuple[str, str]:
    """The record that an answer holds, or why there is none."""
    text = completion.text
    if completion.finish_reason == "length":
        return "", f"the answer was cut off after {completion.tokens_out} tokens; be shorter"
    begin, end = text.find("{"), text.rfind("}")
    if begin < 0 or end < begin:
        return "", "there is no JSON object in the answer"
    try:
        return Answer.model_validate_json(text[begin : end + 1]).record, ""
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        return "", f"{'.'.join(map(str, first['loc'])) or 'the answer'}: {first['msg']}"
