"""vLLM itself, on the CPU: what it says of tokens is what the embedded engine says of
them, under the base, an adapter and full weights; and it bears what the scripted server
is made to bear."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import SecretStr

from proofwalk.inference.domain import Ask, Continuation, Generation, Weights
from proofwalk.inference.engines.embedded import EmbeddedEngine, open_embedded
from proofwalk.inference.engines.engine import Engine
from proofwalk.inference.engines.limits import Limits
from proofwalk.inference.engines.vllm import VllmEngine, open_vllm
from proofwalk.kernel.errors import ProofwalkError
from tests.inference import tiny
from tests.inference.real_vllm import RealVllm

pytestmark = [pytest.mark.vllm, pytest.mark.filterwarnings(tiny.PEFT_WARNING)]
_CLOSE = 1e-3
PROMPT = tuple(b"Open the console and ")
QUESTION = Ask(token_ids=PROMPT, max_tokens=24, seed=5, n=4)


@pytest.fixture
async def vllm(vllm_server: RealVllm) -> AsyncIterator[VllmEngine]:
    async with driving(vllm_server) as engine:
        yield engine


def driving(server: RealVllm) -> AbstractAsyncContextManager[VllmEngine]:
    return open_vllm(server.url, key=SecretStr(""), model="tiny", timeout_s=60)


def embedding(server: RealVllm) -> AbstractAsyncContextManager[EmbeddedEngine]:
    return open_embedded(server.base, name="", dtype="float32", limits=Limits())


@pytest.fixture
def full(vllm_server: RealVllm) -> Weights:
    return Weights(version="full", folder=vllm_server.other, digest="")


@pytest.fixture
def adapter(lora_vllm_server: RealVllm) -> Weights:
    return Weights(version="adapter", folder=lora_vllm_server.adapter, digest="")


async def scored(engine: Engine, answers: Sequence[Generation]) -> list[float]:
    """What an engine says of the answers' tokens."""
    rows = [
        Continuation(prompt=PROMPT, completion=sample.token_ids)
        for one in answers
        for sample in one.samples
    ]
    return [value for row in (await engine.score(rows)).logprobs for value in row]


def told(answers: Sequence[Generation]) -> list[float]:
    """What was told of them when they were sampled."""
    return [value for one in answers for sample in one.samples for value in sample.logprobs]


async def test_both_engines_say_the_same_of_the_base_and_of_full_weights(
    vllm: VllmEngine, vllm_server: RealVllm, full: Weights
) -> None:
    async with embedding(vllm_server) as embedded:
        for weights in (vllm.base, full):
            await vllm.load(weights)
            if weights is full:
                await embedded.load(full)
            found = [await vllm.generate(QUESTION)]
            assert found[0].version == weights.version
            assert await scored(embedded, found) == pytest.approx(told(found), abs=_CLOSE)
            assert await scored(vllm, found) == pytest.approx(told(found), abs=_CLOSE)


async def test_under_a_schema_the_raw_log_probabilities_are_the_models_own(
    vllm: VllmEngine, vllm_server: RealVllm
) -> None:
    """vLLM tells those among the tokens that the form left; the raw ones are asked
    for."""
    words = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    schema = json.dumps({**words, "additionalProperties": False})
    async with embedding(vllm_server) as embedded:
        found = [await vllm.generate(replace(QUESTION, schema=schema))]
        assert await scored(embedded, found) == pytest.approx(told(found), abs=_CLOSE)
    first = found[0].samples[0]
    assert first.constrained_logprobs[0] == pytest.approx(0, abs=_CLOSE)
    assert first.logprobs[0] < -1


async def test_both_engines_say_the_same_of_an_adapter_that_is_loaded_while_serving(
    lora_vllm_server: RealVllm, adapter: Weights
) -> None:
    async with driving(lora_vllm_server) as vllm, embedding(lora_vllm_server) as embedded:
        for weights in (vllm.base, adapter):
            await vllm.load(weights)
            if weights is adapter:
                await embedded.load(adapter)
            found = await asyncio.gather(*(vllm.generate(QUESTION) for _ in range(4)))
            assert {one.version for one in found} == {weights.version}
            assert await scored(embedded, found) == pytest.approx(told(found), abs=_CLOSE)


async def test_full_weights_loaded_while_questions_are_asked_split_none_of_them(
    vllm: VllmEngine, vllm_server: RealVllm, full: Weights
) -> None:
    asked = [asyncio.create_task(vllm.generate(QUESTION)) for _ in range(4)]
    change = asyncio.create_task(vllm.load(full))
    while not change.done():
        asked.append(asyncio.create_task(vllm.generate(QUESTION)))
        await asyncio.sleep(0.01)
    answers = await asyncio.gather(*asked)
    await change
    old = [one for one in answers if one.version == "tiny"]
    new = [one for one in answers if one.version == "full"]
    assert old
    assert len(old) + len(new) == len(answers)
    async with embedding(vllm_server) as embedded:
        assert await scored(embedded, old) == pytest.approx(told(old), abs=_CLOSE)
        await embedded.load(full)
        assert await scored(embedded, new) == pytest.approx(told(new), abs=_CLOSE)


async def test_weights_of_another_shape_leave_the_server_up(
    vllm: VllmEngine, tmp_path: Path
) -> None:
    wider = tiny.save(tmp_path / "wider", hidden=256, tied=False)
    with pytest.raises(ProofwalkError) as caught:
        await vllm.load(Weights(version="wider", folder=wider, digest=""))
    assert caught.value.code == "inference.bad_weights"
    assert (await vllm.generate(QUESTION)).version == "tiny"


@pytest.mark.parametrize("tokens", [tiny.CONTEXT, tiny.CONTEXT + 2])
async def test_what_does_not_fit_the_context_is_refused(vllm: VllmEngine, tokens: int) -> None:
    with pytest.raises(ProofwalkError) as caught:
        await vllm.generate(Ask(token_ids=(65,) * tokens, max_tokens=4, seed=1))
    assert caught.value.code == "inference.context_exceeded", caught.value


async def test_an_answer_ends_where_the_context_does(vllm: VllmEngine) -> None:
    """vLLM shortens what was asked for; the embedded engine would refuse it."""
    found = await vllm.generate(Ask(token_ids=(65,) * (tiny.CONTEXT - 2), max_tokens=4, seed=1))
    (sample,) = found.samples
    assert (len(sample.token_ids), sample.finish_reason) == (2, "length")
