"""What every engine keeps to, run on each: the embedded one, vLLM's client and the
pass-through, the latter two on scripted servers; `make test-vllm` runs vLLM's client on
a real one too, with a LoRA adapter and with full weights as what is loaded."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from proofwalk.inference.domain import Ask, Continuation, Delta, Weights
from proofwalk.inference.engines.embedded import open_embedded
from proofwalk.inference.engines.engine import Engine
from proofwalk.inference.engines.limits import Limits
from proofwalk.inference.engines.openai import open_openai
from proofwalk.inference.engines.vllm import VllmEngine, open_vllm
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.models.client import Message
from proofwalk.models.endpoint import Access
from proofwalk.rl.devices import Device
from tests.fixtures.devices import ON_CUDA
from tests.inference import tiny
from tests.inference.fake_vllm import FakeVllm
from tests.inference.real_vllm import RealVllm
from tests.models.fake_endpoint import FakeEndpoint, Reply, serving

pytestmark = pytest.mark.filterwarnings(tiny.PEFT_WARNING)

HELLO = (Message(role="system", text="Be brief."), Message(role="user", text="Say something."))
SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {"ok": {"type": "boolean"}},
        "required": ["ok"],
        "additionalProperties": False,
    }
)


@dataclass
class Case:
    """An engine, and what it offers."""

    engine: Engine
    knows_tokens: bool = True
    scores: bool = True
    """False: its server would end (`real_vllm`)."""
    weights: Weights | None = None


def _answering(asked: dict[str, Any]) -> Reply:
    """An endpoint that knows nothing of n."""
    if "response_format" in asked:
        return Reply(text='{"ok":true}')
    return Reply(
        text="abc" * 20,
        finish_reason="length",
        usage={"prompt_tokens": 20, "completion_tokens": asked["max_tokens"]},
    )


@pytest.fixture(
    params=[
        "embedded",
        pytest.param("embedded-cuda", marks=ON_CUDA),
        "openai",
        "vllm",
        "vllm-full-weights",
        pytest.param("real-vllm", marks=pytest.mark.vllm),
        pytest.param("real-vllm-full-weights", marks=pytest.mark.vllm),
    ]
)
async def case(
    request: pytest.FixtureRequest, base_folder: Path, adapter_folder: Path, tmp_path: Path
) -> AsyncIterator[Case]:
    full = request.param.endswith("full-weights")
    weights = Weights(version="step-1", folder=adapter_folder, digest="")
    if request.param.startswith("embedded"):
        device: Device = "cuda" if request.param.endswith("cuda") else "cpu"
        async with open_embedded(
            base_folder, name="", dtype="float32", limits=Limits(), device=device
        ) as embedded:
            yield Case(embedded, weights=weights)
    elif request.param == "openai":
        async with (
            serving(FakeEndpoint(answering=_answering)) as endpoint,
            open_openai(Access(url=endpoint.url, retries=0), model="fake-vl") as engine,
        ):
            yield Case(engine, knows_tokens=False)
    elif request.param.startswith("real-vllm"):
        name = "vllm_server" if full else "lora_vllm_server"
        real: RealVllm = request.getfixturevalue(name)
        version = "full" if full else "adapted"
        given = Weights(version=version, folder=real.other if full else real.adapter, digest="")
        async with _driving(real.url, scores=full) as vllm:
            yield Case(vllm, weights=given, scores=full)
    else:
        # Its model has an output layer of its own, which full weights need.
        base = tiny.save(tmp_path / "base", tied=False)
        if full:
            other = tiny.save(tmp_path / "other", seed=7, tied=False)
            weights = Weights(version="step-1", folder=other, digest="")
        fake = FakeVllm(str(base), takes_full_weights=full)
        async with serving(fake) as server, _driving(server.url) as vllm:
            yield Case(vllm, weights=weights)


def _driving(url: str, *, scores: bool = True) -> AbstractAsyncContextManager[VllmEngine]:
    return open_vllm(url, key=SecretStr(""), model="tiny", timeout_s=60, scores_answers=scores)


def ask(**more: Any) -> Ask:
    return Ask(**{"messages": HELLO, "max_tokens": 8, "seed": 1, **more})


async def test_there_are_as_many_samples_as_were_asked_for_and_they_end_where_they_must(
    case: Case,
) -> None:
    found = await case.engine.generate(ask(n=3, max_tokens=6))
    assert len(found.samples) == 3
    assert all(sample.finish_reason in ("stop", "length") for sample in found.samples)
    assert found.spent.tokens_in > 0
    assert 3 <= found.spent.tokens_out <= 18


async def test_an_answer_names_the_version_that_acted(case: Case) -> None:
    assert case.engine.base.version
    assert (await case.engine.generate(ask())).version == case.engine.base.version


async def test_tokens_and_logprobs_belong_together(case: Case) -> None:
    found = await case.engine.generate(ask(n=2))
    for sample in found.samples:
        assert (len(sample.token_ids) > 0) == case.knows_tokens
        if case.knows_tokens:
            assert len(sample.logprobs) == len(sample.token_ids)
            assert all(value <= 0 for value in sample.logprobs)
    assert (len(found.prompt_token_ids) > 0) == case.knows_tokens


async def test_a_schema_binds(case: Case) -> None:
    found = await case.engine.generate(ask(n=2, max_tokens=40, schema=SCHEMA))
    for sample in found.samples:
        assert sample.finish_reason == "stop"
        assert list(json.loads(sample.text)) == ["ok"]
        if case.knows_tokens:
            assert len(sample.constrained_logprobs) == len(sample.token_ids)
        if case.knows_tokens and case.scores:
            # What a form forces is certain under it, and may be unlikely without.
            pairs = zip(sample.logprobs, sample.constrained_logprobs, strict=True)
            apart = [bound - raw for raw, bound in pairs]
            assert min(apart) > -1e-3
            assert max(apart) > 0.1


async def test_deltas_make_up_the_samples(case: Case) -> None:
    deltas: list[Delta] = []
    found = await case.engine.generate(ask(n=2), on_delta=deltas.append)
    for index, sample in enumerate(found.samples):
        own = [delta for delta in deltas if delta.index == index]
        assert "".join(delta.text for delta in own) == sample.text
        assert sum((delta.token_ids for delta in own), ()) == sample.token_ids
        assert sum((delta.logprobs for delta in own), ()) == sample.logprobs
        assert [delta.finish_reason for delta in own if delta.finish_reason] == [
            sample.finish_reason
        ]


async def test_prompts_of_tokens_are_answered_or_said_to_be_none_of_its_business(
    case: Case,
) -> None:
    _scoring(case)
    question = ask(messages=(), token_ids=(72, 101, 108, 108, 111), prompt_logprobs=True)
    if not case.knows_tokens:
        await _not_offered(case.engine.generate(question))
        return
    found = await case.engine.generate(question)
    assert found.prompt_token_ids == question.token_ids
    assert len(found.prompt_logprobs) == len(question.token_ids) - 1


async def test_given_tokens_are_scored_or_said_to_be_none_of_its_business(case: Case) -> None:
    _scoring(case)
    rows = [
        Continuation(prompt=(72, 101), completion=(108, 108, 111)),
        Continuation(prompt=(72,), completion=(101,)),
    ]
    if not case.knows_tokens:
        await _not_offered(case.engine.score(rows))
        return
    found = await case.engine.score(rows)
    assert found.version == case.engine.base.version
    assert [len(row) for row in found.logprobs] == [3, 1]


async def test_loaded_weights_act_from_then_on_and_the_base_can_come_back(case: Case) -> None:
    if case.weights is None:
        await _not_offered(
            case.engine.load(Weights(version="step-1", folder=Path("/nowhere"), digest=""))
        )
        return
    before = await case.engine.generate(ask(temperature=0.0))
    await case.engine.load(case.weights)
    await case.engine.load(case.weights)
    after = await case.engine.generate(ask(temperature=0.0))
    assert after.version == case.weights.version
    assert after.samples[0].text != before.samples[0].text
    await case.engine.load(case.engine.base)
    again = await case.engine.generate(ask(temperature=0.0))
    assert (again.version, again.samples[0].text) == (before.version, before.samples[0].text)


async def test_a_question_whose_caller_goes_away_is_given_up_and_harms_no_other(case: Case) -> None:
    going = asyncio.create_task(case.engine.generate(ask(n=4, max_tokens=400)))
    await asyncio.sleep(0)
    going.cancel()
    with pytest.raises(asyncio.CancelledError):
        await going
    assert len((await case.engine.generate(ask())).samples) == 1


def _scoring(case: Case) -> None:
    if not case.scores:
        pytest.skip("vLLM 0.32 with adapters ends on a CPU when it is asked for scores")


async def _not_offered(call: Any) -> None:
    with pytest.raises(ProofwalkError) as caught:
        await call
    assert (caught.value.code, caught.value.status) == (
        "inference.not_offered",
        Status.UNIMPLEMENTED,
    )
