"""The inference contract. No engine is built: every call ends in UNIMPLEMENTED `inference.not_built`."""

from __future__ import annotations

from typing import Any

import grpc

from proofwalk.api.inference.v1 import inference_pb2 as pb
from proofwalk.api.inference.v1.inference_pb2_grpc import InferenceServicer
from proofwalk.kernel.errors import ProofwalkError, unimplemented


def _not_built() -> ProofwalkError:
    return unimplemented(
        "inference.not_built",
        "no inference engine is built into this release",
        hint="use the literal policy, which needs no model",
    )


class InferenceApi(InferenceServicer):
    """Answers health, and nothing else yet."""

    async def Generate(self, request: pb.GenerateRequest, context: grpc.aio.ServicerContext[Any, Any]) -> pb.GenerateResponse:
        raise _not_built()

    async def Score(self, request: pb.ScoreRequest, context: grpc.aio.ServicerContext[Any, Any]) -> pb.ScoreResponse:
        raise _not_built()

    async def LoadWeights(
        self, request: pb.LoadWeightsRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> pb.LoadWeightsResponse:
        raise _not_built()

    async def ListVersions(
        self, request: pb.ListVersionsRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> pb.ListVersionsResponse:
        raise _not_built()
