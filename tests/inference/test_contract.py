"""The inference role says of itself that it is up, and of each of its calls that it is not built."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from google.protobuf.message_factory import GetMessageClass

from proofwalk.api.inference.v1 import inference_pb2 as pb
from proofwalk.api.inference.v1.inference_pb2_grpc import InferenceStub
from proofwalk.chassis.role import Process
from proofwalk.chassis.settings import ProcessSettings
from proofwalk.inference import main
from proofwalk.kernel.errors import ProofwalkError, Status


async def _all(stream: AsyncIterator[Any]) -> list[Any]:
    return [item async for item in stream]


async def test_it_is_serving_and_every_call_says_that_it_is_not_built(process_settings: ProcessSettings) -> None:
    methods = pb.DESCRIPTOR.services_by_name["Inference"].methods
    assert methods
    async with Process(process_settings, [main.role()]) as process:
        channel = process.channel("inference")
        await channel.wait_until_ready(10)
        stub = InferenceStub(channel.grpc)
        for method in methods:
            call = getattr(stub, method.name)(GetMessageClass(method.input_type)(), timeout=5)
            with pytest.raises(ProofwalkError) as caught:
                await (_all(call) if method.server_streaming else call)
            assert caught.value.code == "inference.not_built", method.name
            assert caught.value.status is Status.UNIMPLEMENTED
            assert not caught.value.retryable
            assert caught.value.message
