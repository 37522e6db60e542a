"""The inference role as a model: `InferenceClient` answers `client.ModelClient` over
its contract (proto/proofwalk/api/inference/v1).

A completion's model is the policy version that acted, and token ids and raw
log-probabilities come with it. When the role is full its hint says when to ask again,
and it is asked again until the deadline; a role that is away is asked again `retries`
times. Asking twice costs tokens and changes nothing, though the contract's Generate is
not idempotent: the answers differ.

The form `JSON` asks for any JSON object; a schema that the engine's endpoint refuses is
`model.form_refused`, as with `endpoint`.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from json import dumps
from typing import Any

import grpc

from proofwalk.api.inference.v1 import inference_pb2 as pb
from proofwalk.api.inference.v1.inference_pb2_grpc import InferenceStub
from proofwalk.chassis.rpc import deadlines
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, Status, unavailable
from proofwalk.kernel.json_values import JsonObject
from proofwalk.models.asking import Model
from proofwalk.models.client import CONTEXT_EXCEEDED, FORM_REFUSED, AnswerForm, Completion, Message
from proofwalk.models.prices import PriceTable, read_prices
from proofwalk.models.settings import ModelSettings

_ANY_OBJECT = dumps({"type": "object"})
_PAUSE_S = 0.2
_LONGEST_S = 30.0
_ENVIRONMENT = (Status.UNAVAILABLE, Status.RESOURCE_EXHAUSTED, Status.UNAUTHENTICATED)


class InferenceClient:
    """Answers `client.ModelClient`. One is shared by the episodes of a process."""

    def __init__(self, channel: grpc.aio.Channel, settings: ModelSettings, *, clock: Clock) -> None:
        self._stub = InferenceStub(channel)
        self._settings = settings
        self._clock = clock
        self._fixed = settings.answers != "auto"
        self._form = (
            AnswerForm.SCHEMA if settings.answers == "auto" else AnswerForm(settings.answers)
        )

    @property
    def form(self) -> AnswerForm:
        return self._form

    async def generate(
        self,
        messages: Sequence[Message],
        *,
        schema: JsonObject,
        max_tokens: int,
        seed: int | None = None,
    ) -> Completion:
        """Raises what `client` says; the code of the role's own error is in the details
        as `cause`."""
        form = self._form
        wanted = {
            AnswerForm.SCHEMA: dumps(schema),
            AnswerForm.JSON: _ANY_OBJECT,
            AnswerForm.TEXT: "",
        }
        request = pb.GenerateRequest(
            messages=[_message(message) for message in messages],
            json_schema=wanted[form],
            max_tokens=max_tokens,
            temperature=self._settings.temperature,
            seed=seed,
        )
        started = self._clock.monotonic()
        try:
            async with asyncio.timeout(self._settings.deadline_s):
                reply = await self._generate(request)
        except TimeoutError as error:
            raise unavailable(
                "model.timeout",
                "the inference role did not answer in time",
                hint="raise the model's deadline_s, or see whether it is overloaded",
            ) from error
        except ProofwalkError as error:
            raise self._policy_error(error, form) from error
        if not reply.samples:
            raise unavailable("model.bad_answer", "the inference role's answer holds no sample")
        sample, usage = reply.samples[0], reply.usage
        return Completion(
            text=sample.text,
            finish_reason=sample.finish_reason,
            model=reply.policy_version,
            tokens_in=usage.tokens_in,
            tokens_out=usage.tokens_out,
            tokens_cached=usage.tokens_cached,
            prompt_token_ids=tuple(reply.prompt_token_ids),
            token_ids=tuple(sample.token_ids),
            logprobs=tuple(sample.logprobs),
            constrained_logprobs=tuple(sample.constrained_logprobs),
            seconds=self._clock.monotonic() - started,
        )

    async def _generate(self, request: pb.GenerateRequest) -> Any:
        """With repeats; whoever calls bounds them."""
        away = 0
        while True:
            try:
                return await self._stub.Generate(request, timeout=self._settings.timeout_s)
            except ProofwalkError as error:
                if error.code == "inference.overloaded":
                    pause = _seconds(error.details.get("retry_after_s", ""))
                elif (
                    error.status is Status.UNAVAILABLE
                    and error.retryable
                    and away < self._settings.retries
                ):
                    pause = _PAUSE_S * 2**away
                    away += 1
                else:
                    raise
                if deadlines.bounded(math.inf) <= pause:
                    # Whoever is served by this has gone by then.
                    raise
            await asyncio.sleep(pause)

    def _policy_error(self, error: ProofwalkError, form: AnswerForm) -> ProofwalkError:
        """The role's error as `client` says: never the policy's fault, with the two
        codes that a policy acts on."""
        details = {**error.details, "cause": error.code}

        def with_code(code: str, status: Status = Status.UNAVAILABLE) -> ProofwalkError:
            return ProofwalkError(
                code,
                error.message,
                status=status,
                hint=error.hint,
                retryable=error.retryable,
                details=details,
            )

        if error.code == "inference.context_exceeded":
            return with_code(CONTEXT_EXCEEDED)
        if error.code in ("inference.form_refused", "inference.bad_schema"):
            weaker = None if self._fixed else form.weaker
            if weaker is None:
                return with_code("model.refused_request")
            if self._form is form:  # else another episode has learned it meanwhile
                self._form = weaker
            return with_code(FORM_REFUSED)
        if error.status is Status.DEADLINE_EXCEEDED:
            return with_code("model.timeout")
        if error.status in _ENVIRONMENT:
            return error
        return with_code("model.refused_request")


def _seconds(text: str) -> float:
    try:
        return min(max(float(text), 0.0), _LONGEST_S)
    except ValueError:
        return _PAUSE_S


def _message(message: Message) -> pb.Message:
    images = [
        pb.Image(jpeg=image.jpeg, width=image.width, height=image.height)
        for image in message.images
    ]
    return pb.Message(role=message.role, text=message.text, images=images)


async def served_model(
    channel: grpc.aio.Channel, settings: ModelSettings, *, clock: Clock
) -> Model:
    """The inference role's model. Asks nothing yet. Raises `prices.invalid`."""
    prices = (
        await asyncio.to_thread(read_prices, settings.prices) if settings.prices else PriceTable()
    )
    return Model(
        client=InferenceClient(channel, settings, clock=clock), settings=settings, prices=prices
    )
