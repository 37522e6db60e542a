"""Asks a model for a part of a function, and believes its answer in nothing but its
form.

An answer that has another form, or that a stage cannot use, is told so and asked for
again, a bounded number of times. What was asked is counted. Secrets that the process
knows are taken out of every question (`models.fence`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.models.asking import Model, Usage, answered
from proofwalk.models.client import Completion, Message
from proofwalk.models.fence import Fence

UNREADABLE = "apis.answer_unreadable"
_TRIES = 3
_ANSWER_TOKENS = 6000
"""Tokens of an answer, where the settings have less: code is longer than a step."""
_SHOWN = 4000
Form = TypeVar("Form", bound=BaseModel)


class Author:
    """A model that writes parts of functions. `code` gives a text that nobody who wrote
    a task can know, another one for each question; `mask` takes secrets out."""

    def __init__(
        self, model: Model, *, code: Callable[[], str], mask: Callable[[str], str]
    ) -> None:
        answer = max(model.settings.max_tokens, _ANSWER_TOKENS)
        most = min(answer, model.settings.context_tokens // 2)
        self._model = replace(
            model, settings=model.settings.model_copy(update={"max_tokens": most})
        )
        self._code = code
        self._mask = mask
        self.spent = Usage()
        self.name = model.settings.name
        """The model, as its endpoint names it once it has answered."""

    async def ask(
        self,
        system: str,
        question: Callable[[Fence], str],
        form: type[Form],
        *,
        complaint: Callable[[Form], str] = lambda _: "",
    ) -> Form:
        """An answer of this form that `complaint` has nothing against. Raises
        `apis.answer_unreadable`, and what keeps the endpoint from answering."""
        fence = Fence(self._code(), self._mask)
        first = (
            Message(role="system", text=system),
            Message(role="user", text=question(fence)),
        )
        messages: tuple[Message, ...] = first
        wrong = ""
        for _ in range(_TRIES):
            completion = await answered(self._model, messages, schema=form.model_json_schema())
            self.spent.count(completion, self._model)
            self.name = completion.model or self.name
            answer, wrong = _read(completion, form)
            if answer is not None:
                wrong = complaint(answer)
                if not wrong:
                    return answer
            self.spent.malformed += 1
            # Only the latest answer is shown, so that a question stays short.
            messages = (
                *first,
                Message(role="assistant", text=fence.mask(completion.text[:_SHOWN]) or "(nothing)"),
                Message(
                    role="user", text=fence.mask(f"That cannot be used: {wrong}. Answer again.")
                ),
            )
        raise ProofwalkError(
            UNREADABLE,
            f"the model gave no answer that can be used in {_TRIES} tries; the last time: {wrong}",
            status=Status.FAILED_PRECONDITION,
            hint="take a model that keeps to a form (`proofwalk doctor --endpoint URL`)",
        )


def _read(completion: Completion, form: type[Form]) -> tuple[Form | None, str]:
    """The answer, or why there is none."""
    text = completion.text
    if completion.finish_reason == "length":
        return None, f"it was cut off after {completion.tokens_out} tokens; be shorter"
    begin, end = text.find("{"), text.rfind("}")
    if begin < 0 or end < begin:
        return None, "there is no JSON object in it"
    try:
        return form.model_validate_json(text[begin : end + 1]), ""
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        return None, f"{'.'.join(map(str, first['loc'])) or 'the answer'}: {first['msg']}"
