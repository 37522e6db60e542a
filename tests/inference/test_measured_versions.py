"""What `proofwalk learn` measures is what answers: it says which version is to serve,
the base included, and looks again afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from proofwalk.api.inference.v1 import inference_pb2 as pb
from proofwalk.api.inference.v1.inference_pb2_grpc import InferenceStub
from proofwalk.chassis.role_process import Process
from proofwalk.chassis.settings import ProcessSettings
from proofwalk.experiments.learn.evaluation import check_serving, serve
from proofwalk.inference import main
from proofwalk.inference.settings import InferenceSettings
from proofwalk.kernel.errors import ProofwalkError
from tests.inference import tiny

pytestmark = pytest.mark.filterwarnings(tiny.PEFT_WARNING)


async def test_the_base_is_measured_although_another_version_served_before_a_restart(
    process_settings: ProcessSettings, base_folder: Path, other_folder: Path
) -> None:
    settings = InferenceSettings(engine="embedded", weights=base_folder, model="tiny")
    async with Process(process_settings, [main.role(settings)]) as process:
        channel = process.channel("inference").grpc
        base = await serve(channel, "", None)
        assert await serve(channel, "step-1", other_folder) == "step-1"
    async with Process(process_settings, [main.role(settings)]) as process:
        channel = process.channel("inference").grpc
        await check_serving(channel, "step-1")
        assert await serve(channel, "", None) == base
        await check_serving(channel, base)
        request = pb.GenerateRequest(
            messages=[pb.Message(role="user", text="Say it.")], max_tokens=3
        )
        assert (await InferenceStub(channel).Generate(request, timeout=20)).policy_version == base


async def test_a_version_that_was_replaced_while_it_was_measured_is_no_result(
    process_settings: ProcessSettings, base_folder: Path, other_folder: Path
) -> None:
    settings = InferenceSettings(engine="embedded", weights=base_folder, model="tiny")
    async with Process(process_settings, [main.role(settings)]) as process:
        channel = process.channel("inference").grpc
        base = await serve(channel, "", None)
        await serve(channel, "a-run@step-3", other_folder)
        with pytest.raises(ProofwalkError, match="a-run@step-3 answers") as raised:
            await check_serving(channel, base)
    assert raised.value.code == "learn.version_replaced"
