"""The pass-through engine: any endpoint that speaks OpenAI's protocol answers, through
the policies' own client for them.

Such an endpoint (`models.endpoint`) says neither which weights act nor, mostly, which
tokens: the version is the model's name, token ids are what it gives of its own accord,
and nothing is scored or loaded. A whole sample is one delta.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from proofwalk.inference.domain import (
    Ask,
    Continuation,
    Delta,
    Generation,
    OnDelta,
    Sampled,
    Scored,
    Spent,
    Weights,
    bad_request,
    form_refused,
    not_offered,
)
from proofwalk.kernel.errors import ProofwalkError, invalid
from proofwalk.models.client import CONTEXT_EXCEEDED
from proofwalk.models.endpoint import REFUSED, Access, Endpoint, open_endpoint
from proofwalk.models.endpoint_messages import text_of, wire
from proofwalk.models.endpoint_replies import Choice, Reply
from proofwalk.models.tokens import count, count_text

_FORM = re.compile(r"response_format|json_schema|schema|structured|guided|grammar", re.IGNORECASE)


class OpenAiEngine:
    """Answers `engine.Engine`. Made by `open_openai`."""

    name = "openai"

    def __init__(self, endpoint: Endpoint, *, model: str) -> None:
        self._endpoint = endpoint
        self._base = Weights(version=model, folder=None, digest="")

    @property
    def base(self) -> Weights:
        return self._base

    async def generate(self, ask: Ask, *, on_delta: OnDelta | None = None) -> Generation:
        """Endpoints that give one choice whatever n says are asked again, with the next
        seed, for the samples that are missing."""
        if ask.token_ids:
            raise not_offered(
                self.name,
                "prompts of token ids",
                hint="send messages, or serve the model with vllm or embedded",
            )
        if ask.prompt_logprobs:
            raise not_offered(self.name, "log-probabilities of prompts")
        choices: list[Choice] = []
        spent = Spent(tokens_in=0, tokens_out=0)
        prompt: tuple[int, ...] = ()
        while len(choices) < ask.n:
            reply = await self._chat(
                ask, missing=ask.n - len(choices), seed=ask.seed + len(choices)
            )
            spent = _added(spent, ask, reply)
            choices += reply.choices
            prompt = tuple(reply.prompt_token_ids or ())
        samples = tuple(_sample(choice) for choice in choices[: ask.n])
        for index, sample in enumerate(samples):
            if on_delta is not None:
                on_delta(whole(index, sample))
        return Generation(
            version=self._base.version, prompt_token_ids=prompt, samples=samples, spent=spent
        )

    async def score(self, rows: Sequence[Continuation]) -> Scored:
        raise not_offered(
            self.name, "scores of given tokens", hint="serve the model with vllm or embedded"
        )

    async def load(self, weights: Weights) -> None:
        if weights.version != self._base.version:
            raise not_offered(
                self.name, "way to load weights", hint="serve the model with vllm or embedded"
            )

    async def _chat(self, ask: Ask, *, missing: int, seed: int) -> Reply:
        body: dict[str, Any] = {
            "model": self._base.version,
            "messages": [wire(message) for message in ask.messages],
            "max_tokens": ask.max_tokens,
            "temperature": ask.temperature,
            "seed": seed,
            "logprobs": True,
        }
        if missing > 1:
            body["n"] = missing
        if ask.top_p < 1:
            body["top_p"] = ask.top_p
        if ask.stop:
            body["stop"] = list(ask.stop)
        if ask.schema:
            body["response_format"] = response_format(ask.schema)
        try:
            return await self._endpoint.chat(body)
        except ProofwalkError as error:
            raise _told(error, ask) from error


def _told(error: ProofwalkError, ask: Ask) -> ProofwalkError:
    """The endpoint's refusals in the contract's words; everything else as it is."""
    if error.code == CONTEXT_EXCEEDED:
        return invalid("inference.context_exceeded", error.message, hint="show it less")
    if error.code == REFUSED:
        if ask.schema and _FORM.search(error.details.get("said", "")):
            return form_refused(error.message)
        return bad_request(error.message)
    return error


def _added(spent: Spent, ask: Ask, reply: Reply) -> Spent:
    """The prompt is paid for at every call; where the endpoint does not count, tokens
    are estimated."""
    usage = reply.usage
    if usage is None:
        out = sum(count_text(text_of(choice.message.content)) for choice in reply.choices)
        return Spent(
            tokens_in=spent.tokens_in + count(ask.messages),
            tokens_out=spent.tokens_out + out,
            tokens_cached=spent.tokens_cached,
        )
    cached = (usage.prompt_tokens_details.cached_tokens or 0) if usage.prompt_tokens_details else 0
    return Spent(
        tokens_in=spent.tokens_in + usage.prompt_tokens,
        tokens_out=spent.tokens_out + usage.completion_tokens,
        tokens_cached=spent.tokens_cached + cached,
    )


def _sample(choice: Choice) -> Sampled:
    content = choice.logprobs.content if choice.logprobs else None
    ids = tuple(choice.token_ids or ())
    logprobs = tuple(token.logprob for token in content or ())
    if ids and logprobs and len(ids) != len(logprobs):
        # Not of the same tokens: neither can be told which belongs to which.
        logprobs = ()
    return Sampled(
        text=text_of(choice.message.content),
        token_ids=ids,
        logprobs=logprobs,
        finish_reason=choice.finish_reason or "stop",
    )


def response_format(schema: str) -> dict[str, Any]:
    """A schema as the protocol has it."""
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": json.loads(schema)}}


def whole(index: int, sample: Sampled) -> Delta:
    """A sample as its only delta."""
    return Delta(
        index=index,
        text=sample.text,
        token_ids=sample.token_ids,
        logprobs=sample.logprobs,
        constrained_logprobs=sample.constrained_logprobs,
        finish_reason=sample.finish_reason,
    )


@asynccontextmanager
async def open_openai(access: Access, *, model: str) -> AsyncIterator[OpenAiEngine]:
    """Asks nothing yet. Raises `model.bad_endpoint`."""
    async with open_endpoint(access) as endpoint:
        yield OpenAiEngine(endpoint, model=model)
