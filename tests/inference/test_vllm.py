"""The vLLM engine against a scripted server: what is sent, adapters' lives, and whose
failure a failure is."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from proofwalk.inference.domain import Ask, Continuation, Weights
from proofwalk.inference.engines.vllm import VllmEngine, open_vllm
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.models.client import Image, Message
from tests.inference.fake_vllm import CONTEXT, FakeVllm, logprob_at
from tests.models.fake_endpoint import Reply, refuse, serving

KEY = "sk-canary-0123456789"
HELLO = (Message(role="user", text="Hello."),)


def ask(**more: Any) -> Ask:
    return Ask(**{"messages": HELLO, "max_tokens": 6, "seed": 3, **more})


@pytest.fixture
def adapter(tmp_path: Path) -> Path:
    folder = tmp_path / "adapter"
    folder.mkdir()
    (folder / "adapter_config.json").write_text("{}")
    return folder


@asynccontextmanager
async def driving(server: FakeVllm) -> AsyncIterator[VllmEngine]:
    async with (
        serving(server),
        open_vllm(server.url, key=SecretStr(KEY), model="tiny", timeout_s=10) as engine,
    ):
        yield engine


async def failing(call: Any) -> ProofwalkError:
    with pytest.raises(ProofwalkError) as caught:
        await call
    return caught.value


async def test_a_conversation_goes_out_in_vllms_form_and_its_tokens_come_back() -> None:
    server = FakeVllm()
    image = Image(jpeg=b"\xff\xd8", width=10, height=10)
    async with driving(server) as engine:
        question = ask(
            messages=(*HELLO, Message(role="user", text="Look.", images=(image,))),
            n=2,
            top_p=0.9,
            stop=("###",),
        )
        found = await engine.generate(question)
    asked = server.asked[0]
    assert asked["path"] == "/v1/chat/completions"
    assert (asked["n"], asked["seed"], asked["top_p"], asked["stop"], asked["max_tokens"]) == (
        2,
        3,
        0.9,
        ["###"],
        6,
    )
    assert (
        asked["logprobs"]
        is asked["return_token_ids"]
        is asked["return_tokens_as_token_ids"]
        is True
    )
    assert asked["messages"][1]["content"][1]["image_url"]["url"] == "data:image/jpeg;base64,/9g="
    assert found.samples[0].text == "I am t"
    assert found.samples[1].token_ids == tuple(b"I am t")
    assert found.samples[0].logprobs == tuple(logprob_at(place) for place in range(6))
    assert (found.spent.tokens_in, found.spent.tokens_out) == (len(found.prompt_token_ids), 12)


async def test_tokens_are_named_by_id_where_no_ids_are_returned() -> None:
    """Servers older than `return_token_ids` ignore it."""
    server = FakeVllm()
    choice = {
        "index": 0,
        "message": {"content": "ab"},
        "finish_reason": "stop",
        "logprobs": {
            "content": [
                {"token": "token_id:97", "logprob": -0.5},
                {"token": "token_id:98", "logprob": -0.25},
            ]
        },
    }
    server.faults = [_completed([choice])]
    async with driving(server) as engine:
        found = await engine.generate(ask())
    assert (found.samples[0].token_ids, found.samples[0].logprobs) == ((97, 98), (-0.5, -0.25))


async def test_a_prompt_of_tokens_and_its_logprobs() -> None:
    server = FakeVllm()
    async with driving(server) as engine:
        found = await engine.generate(
            ask(messages=(), token_ids=(65, 66, 67), prompt_logprobs=True)
        )
    assert (server.asked[0]["path"], server.asked[0]["prompt"]) == ("/v1/completions", [65, 66, 67])
    assert found.prompt_logprobs == (logprob_at(1), logprob_at(2))
    assert found.samples[0].logprobs == tuple(logprob_at(place) for place in range(6))


async def test_scores_are_the_completions_part_of_the_prompts_logprobs() -> None:
    server = FakeVllm()
    rows = [
        Continuation(prompt=(65, 66), completion=(67, 68, 69)),
        Continuation(prompt=(65,), completion=(70,)),
    ]
    async with driving(server) as engine:
        found = await engine.score(rows)
    assert found.logprobs == ((logprob_at(2), logprob_at(3), logprob_at(4)), (logprob_at(1),))
    assert server.asked[0]["prompt"] == [[65, 66, 67, 68, 69], [65, 70]]
    assert len(server.asked) == 1


SCHEMA = json.dumps({"type": "object"})


async def test_under_a_schema_what_the_server_tells_is_of_the_form_and_the_rest_is_asked_for() -> (
    None
):
    server = FakeVllm()
    async with driving(server) as engine:
        found = await engine.generate(ask(n=2, schema=SCHEMA))
    prompt, said = found.prompt_token_ids, found.samples[0].token_ids
    assert server.asked[1]["prompt"] == [[*prompt, *said]] * 2
    for sample in found.samples:
        assert set(sample.constrained_logprobs) == {0.0}
        assert sample.logprobs == tuple(logprob_at(len(prompt) + at) for at in range(len(said)))


async def test_raw_log_probabilities_are_not_told_where_they_would_be_of_another_question() -> None:
    """With pictures, whose places tokens alone do not fill, and at the end of the
    context, where no further token fits."""
    image = Image(jpeg=b"\xff\xd8", width=10, height=10)
    looking = ask(messages=(Message(role="user", text="L", images=(image,)),), schema=SCHEMA)
    full = ask(token_ids=(7,) * (CONTEXT - 6), messages=(), schema=SCHEMA)
    server = FakeVllm()
    async with driving(server) as engine:
        for question in (looking, full):
            [sample] = (await engine.generate(question)).samples
            assert sample.logprobs == ()
            assert len(sample.constrained_logprobs) == len(sample.token_ids) > 0


async def test_a_request_keeps_its_adapter_until_it_has_ended(adapter: Path) -> None:
    server = FakeVllm()
    async with driving(server) as engine:
        await engine.load(Weights(version="step-1", folder=adapter, digest=""))
        server.held.clear()
        under_way = asyncio.create_task(engine.generate(ask(max_tokens=11)))
        await asyncio.wait_for(server.waiting.wait(), 10)
        await engine.load(Weights(version="step-2", folder=adapter, digest=""))
        assert set(server.adapters) == {"step-1", "step-2"}
        server.held.set()
        old = await under_way
        assert (old.version, old.samples[0].text) == ("step-1", "I am step-1")
        new = await engine.generate(ask(max_tokens=11))
        assert (new.version, new.samples[0].text) == ("step-2", "I am step-2")
    assert server.unloads == ["step-1"]


async def test_a_server_that_forgot_its_adapters_gets_the_serving_one_again(adapter: Path) -> None:
    server = FakeVllm()
    async with driving(server) as engine:
        await engine.load(Weights(version="step-1", folder=adapter, digest=""))
        server.adapters.clear()
        found = await asyncio.gather(*(engine.generate(ask()) for _ in range(3)))
    assert {generation.version for generation in found} == {"step-1"}
    assert len(server.loads) == 2


async def test_a_server_that_still_has_the_adapter_is_content(adapter: Path) -> None:
    server = FakeVllm()
    server.adapters["step-1"] = str(adapter)
    async with driving(server) as engine:
        await engine.load(Weights(version="step-1", folder=adapter, digest=""))
        assert (await engine.generate(ask())).version == "step-1"


async def test_an_adapter_that_cannot_be_loaded_leaves_the_old_weights_serving(
    tmp_path: Path,
) -> None:
    missing = tmp_path / "missing"
    missing.mkdir()
    (missing / "adapter_config.json").write_text("{}")
    async with driving(FakeVllm()) as engine:
        error = await failing(engine.load(Weights(version="step-1", folder=missing, digest="")))
        assert error.code == "inference.bad_weights"
        assert (await engine.generate(ask())).version == "tiny"


@pytest.mark.parametrize(
    ("fault", "code", "status"),
    [
        (
            refuse("temperature must be non-negative"),
            "inference.bad_request",
            Status.INVALID_ARGUMENT,
        ),
        (
            refuse("The decoder prompt is longer than the maximum model length of 512"),
            "inference.context_exceeded",
            Status.INVALID_ARGUMENT,
        ),
        (
            refuse("max_tokens must be at least 1, got 0."),
            "inference.context_exceeded",
            Status.INVALID_ARGUMENT,
        ),
        (
            refuse("slow down", 429, retry_after="7"),
            "inference.overloaded",
            Status.RESOURCE_EXHAUSTED,
        ),
        (refuse(f"bad key {KEY}", 401), "model.unauthenticated", Status.UNAUTHENTICATED),
        (refuse("engine dead", 500), "inference.engine_away", Status.UNAVAILABLE),
        (refuse("no such model", 404), "inference.engine_away", Status.UNAVAILABLE),
        (Reply(body=b"<html>"), "inference.engine_away", Status.UNAVAILABLE),
        (
            Reply(body=b'{"choices": [], "usage": {"prompt_tokens": 1}}'),
            "inference.engine_away",
            Status.UNAVAILABLE,
        ),
    ],
)
async def test_failures_are_told_in_the_contracts_words(
    fault: Reply, code: str, status: Status
) -> None:
    server = FakeVllm()
    server.faults = [fault]
    async with driving(server) as engine:
        error = await failing(engine.generate(ask()))
        assert (error.code, error.status) == (code, status)
        assert KEY not in str(error)
        if code == "inference.overloaded":
            assert float(error.details["retry_after_s"]) == 7
        assert (await engine.generate(ask())).samples


async def test_a_context_that_is_too_long_is_told_with_its_numbers() -> None:
    async with driving(FakeVllm()) as engine:
        error = await failing(engine.generate(ask(messages=(), token_ids=(65,) * 510)))
    assert (error.code, error.details) == (
        "inference.context_exceeded",
        {"tokens": "516", "limit": "512"},
    )


async def test_logprobs_that_do_not_belong_to_the_tokens_are_no_answer() -> None:
    server = FakeVllm()
    choice = {
        "index": 0,
        "text": "ab",
        "token_ids": [97, 98],
        "logprobs": {"tokens": ["token_id:97"], "token_logprobs": [-1.0]},
    }
    server.faults = [
        _completed([choice]),
        _completed([{"index": 0, "text": "", "prompt_logprobs": [None, {"5": {"logprob": -1.0}}]}]),
    ]
    async with driving(server) as engine:
        assert (
            await failing(engine.generate(ask(messages=(), token_ids=(1,))))
        ).code == "inference.engine_away"
        assert (
            await failing(engine.score([Continuation(prompt=(1,), completion=(2,))]))
        ).code == "inference.engine_away"


async def test_a_server_that_is_not_there_is_away() -> None:
    async with open_vllm(
        "http://127.0.0.1:9/v1", key=SecretStr(""), model="tiny", timeout_s=5
    ) as engine:
        error = await failing(engine.generate(ask()))
    assert (error.code, error.retryable) == ("inference.engine_away", True)


def _completed(choices: list[dict[str, Any]]) -> Reply:
    return Reply(
        body=json.dumps(
            {"choices": choices, "usage": {"prompt_tokens": 1, "completion_tokens": 1}}
        ).encode()
    )
