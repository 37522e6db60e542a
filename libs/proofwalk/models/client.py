"""What a policy asks of a model: messages in, one completion out. `endpoint` answers
over HTTP; the inference role's contract (proto/proofwalk/api/inference/v1) has the same
shape, so that it can answer as well.

Failures are `ProofwalkError`s whose status says "not now" or "not with this model"
(UNAVAILABLE, RESOURCE_EXHAUSTED, UNAUTHENTICATED): failures of the environment, never
of the policy. Two of them are the policy's to act on: `FORM_REFUSED` (ask again in the
client's other form) and `CONTEXT_EXCEEDED` (ask again with less).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, Protocol

from proofwalk.kernel.json_values import JsonObject

FORM_REFUSED = "model.form_refused"
CONTEXT_EXCEEDED = "model.context_exceeded"


class AnswerForm(StrEnum):
    """How an answer is constrained, strictest first."""

    SCHEMA = "schema"
    """By a JSON schema, while it is decoded."""
    JSON = "json"
    """To be one JSON object."""
    TEXT = "text"
    """Not at all: `Thought: … Action: {json}`."""

    @property
    def weaker(self) -> AnswerForm | None:
        """The next one that asks less of an endpoint."""
        return {AnswerForm.SCHEMA: AnswerForm.JSON, AnswerForm.JSON: AnswerForm.TEXT}.get(self)


@dataclass(frozen=True, kw_only=True)
class Image:
    """A JPEG and its size in pixels."""

    jpeg: bytes
    width: int
    height: int


@dataclass(frozen=True, kw_only=True)
class Message:
    """One message of a conversation: a text, then images."""

    role: Literal["system", "user", "assistant"]
    text: str
    images: tuple[Image, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Completion:
    """What a model answered."""

    text: str
    finish_reason: str
    """`stop`, `length`, or what else the endpoint says; empty when it says nothing."""
    model: str
    """As the endpoint names it."""
    tokens_in: int
    tokens_out: int
    tokens_cached: int = 0
    """Those of `tokens_in` that the endpoint had in its cache."""
    counted: bool = True
    """Whether the endpoint counted the tokens; else they are estimated."""
    prompt_token_ids: tuple[int, ...] = ()
    token_ids: tuple[int, ...] = ()
    logprobs: tuple[float, ...] = ()
    """Natural logarithms, one for each token of the answer, where they were asked for
    and served."""
    constrained_logprobs: tuple[float, ...] = ()
    """Likewise, of the distribution that was sampled from: over the tokens that the
    answer's form left."""
    seconds: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """One question to a model and its answer, exactly as they went over the wire but
    for the images' encoding."""

    messages: tuple[Message, ...]
    form: AnswerForm
    completion: Completion
    error: str = ""
    """Why the answer could not be used; empty when it could."""


class ModelClient(Protocol):
    """Generates completions. One is shared by many episodes."""

    @property
    def form(self) -> AnswerForm:
        """The form in which answers are to be asked for; it may become weaker when the
        endpoint refuses it."""
        ...

    async def generate(
        self,
        messages: Sequence[Message],
        *,
        schema: JsonObject,
        max_tokens: int,
        seed: int | None = None,
    ) -> Completion:
        """One completion of at most `max_tokens` tokens, constrained by `form`
        (`schema` binds in the form `SCHEMA` alone).

        The same question with the same `seed`, from 0 to 2⁶³ − 1, gets the same sample
        of the same weights where the model can do that; without one it is left to
        chance.
        """
        ...
