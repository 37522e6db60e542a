"""A model that is asked: one question until there is an answer, in a weaker form or
with less in it where the endpoint wants that; what it cost.

A question is built for a form and for the tokens that it may have (`Room`), so it is
built anew for each try. What an answer is worth is read by who asked (`policy`, the
judges, the explorer); whatever keeps the endpoint from answering passes through.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.json_values import JsonObject
from proofwalk.models.client import (
    CONTEXT_EXCEEDED,
    FORM_REFUSED,
    AnswerForm,
    Completion,
    Message,
    ModelClient,
)
from proofwalk.models.prices import PriceTable
from proofwalk.models.settings import ModelSettings
from proofwalk.models.tokens import Estimator

_TRIES = 5
"""How often one question may be built anew because of its form or its length."""
_SHRINK = 0.8


@dataclass(frozen=True, kw_only=True)
class Model:
    """A model that can be asked, with what it costs. Shared by the episodes of a
    process."""

    client: ModelClient
    settings: ModelSettings
    prices: PriceTable = field(default_factory=PriceTable)


@dataclass(kw_only=True)
class Usage:
    """What was asked so far."""

    calls: int = 0
    malformed: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    cost: float = 0.0
    currency: str = ""
    """Empty while nothing that was asked has a price."""

    def count(self, completion: Completion, model: Model) -> float:
        """Adds an answer, whatever it is worth; its cost."""
        self.calls += 1
        self.tokens_in += completion.tokens_in
        self.tokens_out += completion.tokens_out
        self.tokens_cached += completion.tokens_cached
        price = model.prices.find(completion.model, model.settings.name)
        if price is None:
            return 0.0
        cost = price.of(
            tokens_in=completion.tokens_in,
            tokens_out=completion.tokens_out,
            tokens_cached=completion.tokens_cached,
        )
        self.currency = model.prices.currency
        self.cost += cost
        return cost

    def add(self, other: Usage) -> None:
        """Count what was asked elsewhere, too, at the prices of one table."""
        self.calls += other.calls
        self.malformed += other.malformed
        self.tokens_in += other.tokens_in
        self.tokens_out += other.tokens_out
        self.tokens_cached += other.tokens_cached
        self.cost += other.cost
        self.currency = self.currency or other.currency


class Question(Protocol):
    """What is asked; who builds it may keep more in it."""

    @property
    def messages(self) -> Sequence[Message]: ...


class Room:
    """The tokens that a question may have: what the settings leave beside an answer,
    and less once the endpoint found one too long."""

    def __init__(self, settings: ModelSettings) -> None:
        self.tokens = settings.context_tokens - settings.max_tokens
        self.estimator = Estimator()

    def shrink(self, messages: Sequence[Message]) -> None:
        self.tokens = math.floor(min(self.tokens, self.estimator.count(messages)) * _SHRINK)


Q = TypeVar("Q", bound=Question)


async def ask(
    model: Model,
    build: Callable[[AnswerForm], Q],
    *,
    schema: JsonObject,
    room: Room | None = None,
    seed: int | None = None,
) -> tuple[Q, Completion]:
    """The question as it was taken, and its answer. `build` looks at `room`; without
    one a question that is too long cannot be shortened.

    Raises what `build` raises, and what keeps the endpoint from answering (`client`).
    """
    tries = 0
    while True:
        tries += 1
        question = build(model.client.form)
        try:
            completion = await model.client.generate(
                question.messages, schema=schema, max_tokens=model.settings.max_tokens, seed=seed
            )
        except ProofwalkError as error:
            if tries < _TRIES and error.code == FORM_REFUSED:
                continue
            if tries < _TRIES and error.code == CONTEXT_EXCEEDED and room is not None:
                room.shrink(question.messages)
                continue
            raise
        if room is not None:
            room.estimator.learn(question.messages, completion)
        return question, completion


@dataclass(frozen=True, kw_only=True)
class _Fixed:
    messages: Sequence[Message]


async def answered(model: Model, messages: Sequence[Message], *, schema: JsonObject) -> Completion:
    """The answer to a question that is the same in every form. Raises what keeps the
    endpoint from answering."""
    _, completion = await ask(model, lambda _: _Fixed(messages=messages), schema=schema)
    return completion
