"""The role over gRPC: its contract from a client's side, its rows over a restart, and
how it says no."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.message_factory import GetMessageClass

from proofwalk.api.inference.v1 import inference_pb2 as pb
from proofwalk.api.inference.v1.inference_pb2_grpc import InferenceStub
from proofwalk.chassis.role_process import Process
from proofwalk.chassis.settings import ProcessSettings
from proofwalk.inference import main
from proofwalk.inference.digests import digest_of
from proofwalk.inference.settings import InferenceSettings
from proofwalk.kernel.errors import ProofwalkError, Status
from tests.inference import tiny
from tests.inference.fake_vllm import FakeVllm
from tests.models.fake_endpoint import refuse, serving

pytestmark = pytest.mark.filterwarnings(tiny.PEFT_WARNING)
HELLO = [pb.Message(role="user", text="Say something.")]


@asynccontextmanager
async def running(
    process_settings: ProcessSettings, settings: InferenceSettings | None
) -> AsyncIterator[tuple[Any, Process]]:
    async with Process(process_settings, [main.role(settings)]) as process:
        channel = process.channel("inference")
        await channel.wait_until_ready(10)
        yield InferenceStub(channel.grpc), process


def embedded(folder: Path, **more: Any) -> InferenceSettings:
    return InferenceSettings(engine="embedded", weights=folder, **more)


async def refused(call: Any) -> ProofwalkError:
    with pytest.raises(ProofwalkError) as caught:
        await asyncio.wait_for(_all(call) if hasattr(call, "__aiter__") else call, 20)
    return caught.value


async def _all(stream: AsyncIterator[Any]) -> list[Any]:
    return [item async for item in stream]


async def test_without_an_engine_it_is_up_and_every_call_says_what_is_missing(
    process_settings: ProcessSettings,
) -> None:
    methods = pb.DESCRIPTOR.services_by_name["Inference"].methods
    assert len(methods) == 5
    async with running(process_settings, None) as (stub, _):
        for method in methods:
            error = await refused(
                getattr(stub, method.name)(GetMessageClass(method.input_type)(), timeout=5)
            )
            assert (error.code, error.status) == (
                "inference.no_engine",
                Status.FAILED_PRECONDITION,
            ), method.name
            assert "PROOFWALK_INFERENCE__ENGINE" in error.hint


async def test_an_answer_carries_tokens_logprobs_usage_and_its_price(
    process_settings: ProcessSettings, base_folder: Path, tmp_path: Path
) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text("currency: CNY\nmodels:\n  tiny: {input: 1000000, output: 2000000}\n")
    async with running(process_settings, embedded(base_folder, model="tiny", prices=prices)) as (
        stub,
        process,
    ):
        request = pb.GenerateRequest(
            messages=HELLO, n=2, max_tokens=5, temperature=1, seed=4, prompt_logprobs=True
        )
        found = await stub.Generate(request, timeout=20)
        again = await stub.Generate(request, timeout=20)
        metrics = process.metrics
        assert metrics.get_sample_value(
            "proofwalk_inference_cost_total", {"currency": "CNY"}
        ) == pytest.approx(2 * found.usage.cost)
        assert (
            metrics.get_sample_value("proofwalk_inference_tokens_total", {"direction": "out"})
            == 2 * found.usage.tokens_out
        )
        assert (
            metrics.get_sample_value("proofwalk_inference_seconds_count", {"call": "generate"}) == 2
        )
        assert metrics.get_sample_value("proofwalk_inference_queue_depth") == 0
    assert found.policy_version.startswith("tiny@")
    assert [list(sample.token_ids) for sample in found.samples] == [
        list(sample.token_ids) for sample in again.samples
    ]
    assert (
        len(found.prompt_logprobs) == len(found.prompt_token_ids) - 1 == found.usage.tokens_in - 1
    )
    assert found.usage.currency == "CNY"
    assert found.usage.cost == pytest.approx(found.usage.tokens_in + 2 * found.usage.tokens_out)
    for sample in found.samples:
        assert len(sample.token_ids) == len(sample.logprobs) == len(sample.constrained_logprobs)


async def test_without_a_seed_samples_differ_from_call_to_call(
    process_settings: ProcessSettings, base_folder: Path
) -> None:
    async with running(process_settings, embedded(base_folder)) as (stub, _):
        request = pb.GenerateRequest(messages=HELLO, max_tokens=20, temperature=1)
        first, second = [await stub.Generate(request, timeout=20) for _ in range(2)]
    assert list(first.samples[0].token_ids) != list(second.samples[0].token_ids)


async def test_a_stream_ends_with_the_whole_answer(
    process_settings: ProcessSettings, base_folder: Path
) -> None:
    async with running(process_settings, embedded(base_folder)) as (stub, _):
        request = pb.GenerateRequest(messages=HELLO, n=2, max_tokens=12, temperature=1, seed=1)
        events = await _all(stub.GenerateStream(request, timeout=20))
        plain = await stub.Generate(request, timeout=20)
    whole = events[-1].end
    assert whole.policy_version == plain.policy_version
    assert [list(sample.token_ids) for sample in whole.samples] == [
        list(sample.token_ids) for sample in plain.samples
    ]
    assert plain.usage.tokens_cached == plain.usage.tokens_in - 1
    for index, sample in enumerate(whole.samples):
        own = [event.delta for event in events[:-1] if event.delta.index == index]
        assert len(own) == len(sample.token_ids)
        assert "".join(delta.text for delta in own) == sample.text


async def test_loaded_weights_serve_are_listed_and_serve_again_after_a_restart(
    process_settings: ProcessSettings, base_folder: Path, other_folder: Path, adapter_folder: Path
) -> None:
    request = pb.GenerateRequest(messages=HELLO, max_tokens=8, seed=1)
    async with running(process_settings, embedded(base_folder)) as (stub, _):
        base = (await stub.ListVersions(pb.ListVersionsRequest(), timeout=5)).serving
        digest = digest_of(other_folder)
        load = pb.LoadWeightsRequest(
            policy_version="sft-1", uri=other_folder.as_uri(), digest=digest
        )
        for _ in range(2):
            assert await stub.LoadWeights(load, timeout=20) == pb.LoadWeightsResponse(
                policy_version="sft-1", digest=digest
            )
        await stub.LoadWeights(
            pb.LoadWeightsRequest(policy_version="grpo-1", uri=str(adapter_folder)), timeout=20
        )
        before = await stub.Generate(request, timeout=20)
    async with running(process_settings, embedded(base_folder)) as (stub, _):
        listed = await stub.ListVersions(pb.ListVersionsRequest(), timeout=5)
        assert await stub.Generate(request, timeout=20) == before
        await stub.LoadWeights(pb.LoadWeightsRequest(policy_version="sft-1"), timeout=20)
        assert (await stub.ListVersions(pb.ListVersionsRequest(), timeout=5)).serving == "sft-1"
    assert before.policy_version == listed.serving == "grpo-1"
    rows = {row.policy_version: row for row in listed.versions}
    assert list(rows) == [base, "sft-1", "grpo-1"]
    assert (rows["sft-1"].digest, rows["sft-1"].base, rows["sft-1"].uri) == (
        digest,
        base,
        other_folder.as_uri(),
    )


async def test_a_version_that_cannot_be_read_after_a_restart_serves_nothing_until_one_is_loaded(
    process_settings: ProcessSettings, base_folder: Path, other_folder: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "checkpoint"
    shutil.copytree(other_folder, folder)
    async with running(process_settings, embedded(base_folder)) as (stub, _):
        await stub.LoadWeights(
            pb.LoadWeightsRequest(policy_version="sft-1", uri=str(folder)), timeout=20
        )
    shutil.rmtree(folder)
    async with running(process_settings, embedded(base_folder)) as (stub, _):
        error = await refused(
            stub.Generate(pb.GenerateRequest(messages=HELLO, max_tokens=2), timeout=5)
        )
        assert (error.code, error.status) == ("inference.weights_lost", Status.FAILED_PRECONDITION)
        assert (error.details["policy_version"], error.details["cause"]) == (
            "sft-1",
            "inference.weights_not_found",
        )
        await stub.LoadWeights(
            pb.LoadWeightsRequest(policy_version="sft-2", uri=str(other_folder)), timeout=20
        )
        found = await stub.Generate(pb.GenerateRequest(messages=HELLO, max_tokens=2), timeout=5)
        assert found.policy_version == "sft-2"


async def test_another_base_serves_when_it_is_configured(
    process_settings: ProcessSettings, base_folder: Path, other_folder: Path
) -> None:
    async with running(process_settings, embedded(base_folder)) as (stub, _):
        first = (await stub.ListVersions(pb.ListVersionsRequest(), timeout=5)).serving
    async with running(process_settings, embedded(other_folder)) as (stub, _):
        listed = await stub.ListVersions(pb.ListVersionsRequest(), timeout=5)
    assert listed.serving.startswith("other@")
    assert [row.policy_version for row in listed.versions] == [first, listed.serving]


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        (pb.GenerateRequest(max_tokens=4), "inference.bad_request"),
        (
            pb.GenerateRequest(messages=HELLO, prompt_token_ids=[1], max_tokens=4),
            "inference.bad_request",
        ),
        (
            pb.GenerateRequest(messages=[pb.Message(role="tool", text="x")], max_tokens=4),
            "inference.bad_request",
        ),
        (pb.GenerateRequest(messages=HELLO), "inference.bad_request"),
        (pb.GenerateRequest(messages=HELLO, max_tokens=4, n=1000), "inference.bad_request"),
        (pb.GenerateRequest(messages=HELLO, max_tokens=4, n=-1), "inference.bad_request"),
        (pb.GenerateRequest(messages=HELLO, max_tokens=4, temperature=-1), "inference.bad_request"),
        (pb.GenerateRequest(messages=HELLO, max_tokens=4, top_p=1.5), "inference.bad_request"),
        (pb.GenerateRequest(messages=HELLO, max_tokens=4, stop=[""]), "inference.bad_request"),
        (pb.GenerateRequest(prompt_token_ids=[1, 264], max_tokens=4), "inference.bad_request"),
        (pb.GenerateRequest(messages=HELLO, max_tokens=4, json_schema="{"), "inference.bad_schema"),
        (
            pb.GenerateRequest(messages=HELLO, max_tokens=4, json_schema='{"type": "no such"}'),
            "inference.bad_schema",
        ),
        (pb.GenerateRequest(messages=HELLO, max_tokens=tiny.CONTEXT), "inference.context_exceeded"),
        (
            pb.GenerateRequest(
                messages=[pb.Message(role="user", images=[pb.Image(jpeg=b"x")])], max_tokens=4
            ),
            "inference.images_unsupported",
        ),
        (pb.ScoreRequest(), "inference.bad_request"),
        (
            pb.ScoreRequest(continuations=[pb.Continuation(prompt_token_ids=[1])]),
            "inference.bad_request",
        ),
        (
            pb.ScoreRequest(
                continuations=[pb.Continuation(prompt_token_ids=[1], completion_token_ids=[300])]
            ),
            "inference.bad_request",
        ),
        (pb.LoadWeightsRequest(policy_version="a b", uri="/x"), "inference.bad_request"),
        (pb.LoadWeightsRequest(policy_version="v", uri="s3://bucket/x"), "inference.bad_request"),
        (pb.LoadWeightsRequest(policy_version="v", uri="relative/x"), "inference.bad_request"),
        (pb.LoadWeightsRequest(policy_version="v"), "inference.unknown_version"),
        (
            pb.LoadWeightsRequest(policy_version="v", uri="/no/such/folder"),
            "inference.weights_not_found",
        ),
    ],
)
async def test_what_cannot_be_answered_is_refused_with_a_reason(
    api: Any, request_: Any, code: str
) -> None:
    kinds = {
        pb.GenerateRequest: api.Generate,
        pb.ScoreRequest: api.Score,
        pb.LoadWeightsRequest: api.LoadWeights,
    }
    error = await refused(kinds[type(request_)](request_, timeout=5))
    assert error.code == code
    assert error.message
    assert not error.retryable
    if type(request_) is pb.GenerateRequest:
        assert (await refused(api.GenerateStream(request_, timeout=5))).code == code


@pytest.fixture
async def api(process_settings: ProcessSettings, base_folder: Path) -> AsyncIterator[Any]:
    async with running(process_settings, embedded(base_folder)) as (stub, _):
        yield stub


async def test_weights_are_held_to_their_digest_and_a_name_to_its_weights(
    api: Any, base_folder: Path, other_folder: Path
) -> None:
    async def load(version: str, folder: Path, digest: str = "") -> ProofwalkError:
        return await refused(
            api.LoadWeights(
                pb.LoadWeightsRequest(policy_version=version, uri=str(folder), digest=digest),
                timeout=20,
            )
        )

    error = await load("v1", other_folder, digest="0" * 64)
    assert (error.code, error.details["found"]) == (
        "inference.digest_mismatch",
        digest_of(other_folder),
    )
    await api.LoadWeights(
        pb.LoadWeightsRequest(policy_version="v1", uri=str(other_folder)), timeout=20
    )
    error = await load("v1", base_folder)
    assert (error.code, error.status) == ("inference.version_taken", Status.ALREADY_EXISTS)
    assert (await api.ListVersions(pb.ListVersionsRequest(), timeout=5)).serving == "v1"


async def test_a_full_house_refuses_at_once_and_says_when_to_come_back(
    process_settings: ProcessSettings,
) -> None:
    async with serving(FakeVllm()) as server:
        server.held.clear()
        settings = InferenceSettings(engine="vllm", endpoint=server.url, model="tiny", queue=1)
        async with running(process_settings, settings) as (stub, process):
            request = pb.GenerateRequest(messages=HELLO, max_tokens=4)
            first = asyncio.ensure_future(stub.Generate(request, timeout=20))
            await asyncio.wait_for(server.waiting.wait(), 10)
            assert process.metrics.get_sample_value("proofwalk_inference_queue_depth") == 1
            error = await refused(stub.Generate(request, timeout=20))
            server.held.set()
            assert (await first).policy_version == "tiny"
            assert process.metrics.get_sample_value("proofwalk_inference_refused_total") == 1
    assert (error.code, error.status, error.retryable) == (
        "inference.overloaded",
        Status.RESOURCE_EXHAUSTED,
        True,
    )
    assert float(error.details["retry_after_s"]) > 0


async def test_a_caller_out_of_time_frees_its_place(process_settings: ProcessSettings) -> None:
    async with serving(FakeVllm()) as server:
        server.held.clear()
        settings = InferenceSettings(engine="vllm", endpoint=server.url, model="tiny", queue=1)
        async with running(process_settings, settings) as (stub, process):
            request = pb.GenerateRequest(messages=HELLO, max_tokens=4)
            # Long enough to be there before it is over, also beside other tests.
            error = await refused(stub.Generate(request, timeout=2))
            assert error.status is Status.DEADLINE_EXCEEDED
            # The server hears of it after the caller.
            async with asyncio.timeout(20):
                while process.metrics.get_sample_value("proofwalk_inference_given_up_total") != 1:
                    await asyncio.sleep(0.01)
            server.held.set()
            assert (await stub.Generate(request, timeout=20)).samples


async def test_an_engine_without_what_it_needs_does_not_start(
    process_settings: ProcessSettings, tmp_path: Path
) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "llama"}))
    for settings, code in [
        (InferenceSettings(engine="embedded"), "inference.bad_settings"),
        (InferenceSettings(engine="vllm", model="m"), "inference.bad_settings"),
        (
            InferenceSettings(engine="openai", endpoint="http://127.0.0.1:1/v1"),
            "inference.bad_settings",
        ),
        (embedded(tmp_path / "none"), "inference.weights_not_found"),
        (embedded(tmp_path), "inference.bad_weights"),
    ]:
        with pytest.raises(ProofwalkError) as caught:
            async with Process(process_settings, [main.role(settings)]):
                pass
        assert caught.value.code == code


async def test_a_version_is_restored_when_its_server_is_up_again(
    process_settings: ProcessSettings, adapter_folder: Path
) -> None:
    request = pb.GenerateRequest(messages=HELLO, max_tokens=11)
    async with serving(FakeVllm()) as server:
        settings = InferenceSettings(engine="vllm", endpoint=server.url, model="tiny")
        async with running(process_settings, settings) as (stub, _):
            await stub.LoadWeights(
                pb.LoadWeightsRequest(policy_version="step-1", uri=str(adapter_folder)), timeout=10
            )
        server.adapters.clear()
        server.load_faults = [refuse("starting", 503), refuse("starting", 503)]
        async with running(process_settings, settings) as (stub, _):
            error = await refused(stub.Generate(request, timeout=10))
            assert (error.code, error.status) == ("inference.engine_away", Status.UNAVAILABLE)
            found = await asyncio.gather(*(stub.Generate(request, timeout=10) for _ in range(3)))
    assert {answer.policy_version for answer in found} == {"step-1"}
    assert server.loads == ["step-1", "step-1"]
