"""The trainer contract. No method is built: every call ends in UNIMPLEMENTED `trainer.not_built`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import grpc

from proofwalk.api.trainer.v1 import trainer_pb2 as pb
from proofwalk.api.trainer.v1.trainer_pb2_grpc import TrainerServicer
from proofwalk.kernel.errors import ProofwalkError, unimplemented


def _not_built() -> ProofwalkError:
    return unimplemented("trainer.not_built", "no training method is built into this release")


def _none() -> tuple[pb.Metric, ...]:
    """Makes the streaming call a generator, as the contract has it."""
    return ()


class TrainerApi(TrainerServicer):
    """Answers health, and nothing else yet."""

    async def StartRun(self, request: pb.StartRunRequest, context: grpc.aio.ServicerContext[Any, Any]) -> pb.StartRunResponse:
        raise _not_built()

    async def WatchRun(
        self, request: pb.WatchRunRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> AsyncIterator[pb.Metric]:
        for metric in _none():
            yield metric
        raise _not_built()

    async def StopRun(self, request: pb.StopRunRequest, context: grpc.aio.ServicerContext[Any, Any]) -> pb.StopRunResponse:
        raise _not_built()

    async def ListCheckpoints(
        self, request: pb.ListCheckpointsRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> pb.ListCheckpointsResponse:
        raise _not_built()
