"""The inference contract over the service: mapping only."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from datetime import UTC
from typing import Any, Literal

import grpc
from google.protobuf.timestamp_pb2 import Timestamp

from proofwalk.api.inference.v1 import inference_pb2 as pb
from proofwalk.api.inference.v1.inference_pb2_grpc import InferenceServicer
from proofwalk.chassis.tasks import end
from proofwalk.inference.domain import (
    Ask,
    Continuation,
    Delta,
    Generation,
    Sampled,
    Version,
    bad_request,
    no_engine,
)
from proofwalk.inference.service import InferenceService
from proofwalk.models.client import Image, Message

Context = grpc.aio.ServicerContext[Any, Any]
_ROLES: Mapping[str, Literal["system", "user", "assistant"]] = {
    "system": "system",
    "user": "user",
    "assistant": "assistant",
}


class InferenceApi(InferenceServicer):
    """Serves the contract; without a service every call says `inference.no_engine`.
    `seeds` draws a seed for who gave none."""

    def __init__(self, service: InferenceService | None, *, seeds: Callable[[], int]) -> None:
        self._service = service
        self._seeds = seeds

    async def Generate(self, request: pb.GenerateRequest, context: Context) -> pb.GenerateResponse:
        service = self._serving()
        return self._generated(await service.generate(self._ask(request)))

    async def GenerateStream(
        self, request: pb.GenerateRequest, context: Context
    ) -> AsyncIterator[pb.GenerateStreamResponse]:
        service, ask = self._serving(), self._ask(request)
        # Every token of every sample, and the end of each: an answer cannot have more
        # deltas, so a slow reader costs no more than the answer itself.
        deltas: asyncio.Queue[Delta | None] = asyncio.Queue(
            maxsize=max(1, ask.n) * (max(1, ask.max_tokens) + 1) + 1
        )

        async def generate() -> Generation:
            try:
                return await service.generate(ask, on_delta=deltas.put_nowait)
            finally:
                deltas.put_nowait(None)

        task = asyncio.create_task(generate(), name="generate for a stream")
        try:
            while (delta := await deltas.get()) is not None:
                yield pb.GenerateStreamResponse(delta=_delta(delta))
            yield pb.GenerateStreamResponse(end=self._generated(await task))
        finally:
            await end([task])

    async def Score(self, request: pb.ScoreRequest, context: Context) -> pb.ScoreResponse:
        rows = [
            Continuation(
                prompt=tuple(row.prompt_token_ids), completion=tuple(row.completion_token_ids)
            )
            for row in request.continuations
        ]
        scored = await self._serving().score(rows)
        return pb.ScoreResponse(
            policy_version=scored.version,
            continuations=[pb.TokenLogprobs(logprobs=row) for row in scored.logprobs],
        )

    async def LoadWeights(
        self, request: pb.LoadWeightsRequest, context: Context
    ) -> pb.LoadWeightsResponse:
        version = await self._serving().load(
            request.policy_version, uri=request.uri, digest=request.digest
        )
        return pb.LoadWeightsResponse(policy_version=version.version, digest=version.digest)

    async def ListVersions(
        self, request: pb.ListVersionsRequest, context: Context
    ) -> pb.ListVersionsResponse:
        found = await self._serving().versions()
        serving = next((version.version for version in found if version.serving), "")
        return pb.ListVersionsResponse(
            versions=[_version(version) for version in found], serving=serving
        )

    def _serving(self) -> InferenceService:
        if self._service is None:
            raise no_engine()
        return self._service

    def _ask(self, request: pb.GenerateRequest) -> Ask:
        return Ask(
            messages=tuple(_message(message) for message in request.messages),
            token_ids=tuple(request.prompt_token_ids),
            schema=request.json_schema,
            n=request.n or 1,
            max_tokens=request.max_tokens,
            temperature=request.temperature,
            top_p=request.top_p or 1.0,
            seed=request.seed if request.HasField("seed") else self._seeds(),
            stop=tuple(request.stop),
            prompt_logprobs=request.prompt_logprobs,
        )

    def _generated(self, found: Generation) -> pb.GenerateResponse:
        cost, currency = self._serving().price(found.spent, found.version)
        return pb.GenerateResponse(
            policy_version=found.version,
            prompt_token_ids=found.prompt_token_ids,
            samples=[_sample(sample) for sample in found.samples],
            prompt_logprobs=found.prompt_logprobs,
            usage=pb.Usage(
                tokens_in=found.spent.tokens_in,
                tokens_cached=found.spent.tokens_cached,
                tokens_out=found.spent.tokens_out,
                cost=cost,
                currency=currency,
            ),
        )


def _message(message: pb.Message) -> Message:
    role = _ROLES.get(message.role)
    if role is None:
        raise bad_request(
            f"a message's role is {message.role[:40]!r}, and {', '.join(_ROLES)} are possible"
        )
    images = tuple(
        Image(jpeg=image.jpeg, width=image.width, height=image.height) for image in message.images
    )
    return Message(role=role, text=message.text, images=images)


def _sample(sample: Sampled) -> pb.Sample:
    return pb.Sample(
        text=sample.text,
        token_ids=sample.token_ids,
        logprobs=sample.logprobs,
        constrained_logprobs=sample.constrained_logprobs,
        finish_reason=sample.finish_reason,
    )


def _delta(delta: Delta) -> pb.Delta:
    return pb.Delta(
        index=delta.index,
        text=delta.text,
        token_ids=delta.token_ids,
        logprobs=delta.logprobs,
        constrained_logprobs=delta.constrained_logprobs,
        finish_reason=delta.finish_reason,
    )


def _version(version: Version) -> pb.Version:
    loaded_at = Timestamp()
    loaded_at.FromDatetime(version.loaded_at.astimezone(UTC))
    return pb.Version(
        policy_version=version.version,
        uri=version.uri,
        digest=version.digest,
        base=version.base,
        loaded_at=loaded_at,
    )
