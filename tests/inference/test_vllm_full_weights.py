"""Full weights of a vLLM server, changed while it serves: who waits, what a restart
does to answers, and what is refused before the server is touched."""

from __future__ import annotations

import asyncio
import json
import struct
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from pydantic import SecretStr

from proofwalk.chassis.trust import system_trust
from proofwalk.inference.domain import Ask, Generation, Weights
from proofwalk.inference.engines.vllm import VllmEngine, open_vllm
from proofwalk.inference.engines.vllm_server import VllmServer
from proofwalk.inference.engines.vllm_weights import FullWeights, shapes
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.models.client import Message
from tests.inference.fake_vllm import FakeVllm
from tests.models.fake_endpoint import refuse, serving

CHANGE = ["/pause", "/collective_rpc", "/reset_prefix_cache", "/resume"]
QUESTION = Ask(messages=(Message(role="user", text="Hello."),), max_tokens=11, seed=3)


def folder_of(parent: Path, name: str, shapes: Mapping[str, list[int]]) -> Path:
    """A folder with one safetensors file of zeros."""
    folder = parent / name
    folder.mkdir()
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    end = 0
    for tensor, shape in shapes.items():
        begin, end = end, end + 4 * shape[0] * shape[1]
        header[tensor] = {"dtype": "F32", "shape": shape, "data_offsets": [begin, end]}
    told = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(told)) + told + bytes(end))
    return folder


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return folder_of(tmp_path, "base", {"embed": [4, 2], "lm_head.weight": [2, 4]})


@pytest.fixture
def step_1(tmp_path: Path) -> Weights:
    folder = folder_of(tmp_path, "step-1", {"embed": [4, 2], "lm_head.weight": [2, 4]})
    return Weights(version="step-1", folder=folder, digest="")


@pytest.fixture
def server(base: Path) -> FakeVllm:
    return FakeVllm(str(base), takes_full_weights=True)


@asynccontextmanager
async def driving(server: FakeVllm) -> AsyncIterator[VllmEngine]:
    async with (
        serving(server),
        open_vllm(server.url, key=SecretStr(""), model="tiny", timeout_s=10) as engine,
    ):
        yield engine


def said(found: Generation) -> tuple[str, str]:
    return found.version, found.samples[0].text


async def refused(call: Any) -> ProofwalkError:
    with pytest.raises(ProofwalkError) as caught:
        await call
    return caught.value


async def test_they_act_from_then_on_and_the_base_can_come_back(
    server: FakeVllm, step_1: Weights
) -> None:
    async with driving(server) as engine:
        await engine.load(step_1)
        assert said(await engine.generate(QUESTION)) == ("step-1", "I am step-1")
        assert server.orders == CHANGE
        await engine.load(engine.base)
        assert said(await engine.generate(QUESTION)) == ("tiny", "I am tiny. ")
        assert server.orders == CHANGE * 2


async def test_the_same_again_changes_nothing(server: FakeVllm, step_1: Weights) -> None:
    async with driving(server) as engine:
        await engine.load(step_1)
        await engine.load(step_1)
    assert server.orders == CHANGE


async def test_what_a_server_was_left_with_is_put_back_before_the_first_answer(
    server: FakeVllm, step_1: Weights
) -> None:
    """This process may have been restarted, and the server not."""
    server.full, server.is_paused = str(step_1.folder), True
    async with driving(server) as engine:
        found = await asyncio.gather(*(engine.generate(QUESTION) for _ in range(3)))
    assert {said(one) for one in found} == {("tiny", "I am tiny. ")}
    assert server.orders == CHANGE


@pytest.mark.parametrize("status", [404, 405, 403])
async def test_a_server_that_takes_none_is_asked_once_and_keeps_its_base(
    base: Path, step_1: Weights, status: int
) -> None:
    server = FakeVllm(str(base))
    server.order_faults["/pause"] = refuse("not here", status)
    async with driving(server) as engine:
        await engine.generate(QUESTION)
        await engine.generate(QUESTION)
        assert server.orders == ["/pause"]
        server.order_faults["/pause"] = refuse("not here", status)
        error = await refused(engine.load(step_1))
        assert (error.code, error.status) == ("inference.not_offered", Status.UNIMPLEMENTED)
        assert "VLLM_SERVER_DEV_MODE" in error.hint
        assert said(await engine.generate(QUESTION)) == ("tiny", "I am tiny. ")


async def test_a_change_waits_for_questions_and_those_that_come_wait_for_it(
    server: FakeVllm, step_1: Weights
) -> None:
    came: list[str] = []
    leave = asyncio.Event()
    async with (
        serving(server),
        httpx2.AsyncClient(trust_env=False, verify=system_trust()) as client,
    ):
        base = Weights(version="tiny", folder=None, digest="")
        full = FullWeights(VllmServer(client, url=server.url), base)

        async def ask(name: str) -> None:
            async with full.question():
                came.append(name)
                await leave.wait()

        async def change() -> None:
            async with full.change(step_1):
                came.append("change")

        tasks = []
        for one in (ask("before"), change(), ask("after")):
            tasks.append(asyncio.create_task(one))
            await asyncio.sleep(0)
        assert (came, server.orders) == (["before"], [])
        leave.set()
        await asyncio.gather(*tasks)
    assert came == ["before", "change", "after"]
    assert server.orders == CHANGE


async def test_a_question_that_is_given_up_holds_up_no_change(
    server: FakeVllm, step_1: Weights
) -> None:
    async with driving(server) as engine:
        server.held.clear()
        given_up = asyncio.create_task(engine.generate(QUESTION))
        await asyncio.wait_for(server.waiting.wait(), 10)
        given_up.cancel()
        await engine.load(step_1)
        server.held.set()
        assert said(await engine.generate(QUESTION)) == ("step-1", "I am step-1")


async def test_an_answer_of_a_server_that_was_restarted_does_not_count(
    server: FakeVllm, step_1: Weights
) -> None:
    async with driving(server) as engine:
        await engine.load(step_1)
        server.restart()
        found = await asyncio.gather(*(engine.generate(QUESTION) for _ in range(3)))
    assert {said(one) for one in found} == {("step-1", "I am step-1")}
    assert server.orders == CHANGE * 2


async def test_an_adapter_is_of_the_base_and_gets_it_back(
    server: FakeVllm, step_1: Weights, tmp_path: Path
) -> None:
    adapter = tmp_path / "adapter"
    adapter.mkdir()
    (adapter / "adapter_config.json").write_text("{}")
    async with driving(server) as engine:
        await engine.load(step_1)
        await engine.load(Weights(version="step-2", folder=adapter, digest=""))
        assert server.full == server.root
        assert said(await engine.generate(QUESTION)) == ("step-2", "I am step-2")
        await engine.load(step_1)
        assert said(await engine.generate(QUESTION)) == ("step-1", "I am step-1")
    assert server.unloads == ["step-2"]


@pytest.mark.parametrize("path", ["/metrics", "/collective_rpc", "/reset_prefix_cache"])
@pytest.mark.parametrize("status", [500, 404])
async def test_after_a_change_that_failed_the_old_weights_are_put_back(
    server: FakeVllm, step_1: Weights, path: str, status: int
) -> None:
    server.order_faults[path] = refuse("the worker failed", status)
    async with driving(server) as engine:
        error = await refused(engine.load(step_1))
        assert (error.code, error.status) == ("inference.engine_away", Status.UNAVAILABLE)
        assert said(await engine.generate(QUESTION)) == ("tiny", "I am tiny. ")
        await engine.load(step_1)
        assert said(await engine.generate(QUESTION)) == ("step-1", "I am step-1")


async def test_a_server_that_stays_paused_is_resumed_by_the_next_question(
    server: FakeVllm, step_1: Weights
) -> None:
    server.order_faults["/resume"] = refuse("busy", 500)
    async with driving(server) as engine:
        assert (await refused(engine.load(step_1))).code == "inference.engine_away"
        assert server.is_paused
        assert said(await engine.generate(QUESTION)) == ("tiny", "I am tiny. ")
    assert not server.is_paused


@pytest.mark.parametrize(
    ("tensors", "why"),
    [
        ({"embed": [4, 2]}, "lm_head.weight: missing instead of (2, 4)"),
        ({"embed": [4, 2], "lm_head.weight": [2, 3]}, "lm_head.weight: (2, 3) instead of (2, 4)"),
        (
            {"embed": [4, 2], "lm_head.weight": [2, 4], "more": [1, 1]},
            "more: (1, 1) instead of none",
        ),
    ],
)
async def test_weights_of_another_model_are_refused_before_the_server_is_touched(
    server: FakeVllm, tmp_path: Path, tensors: Mapping[str, list[int]], why: str
) -> None:
    folder = folder_of(tmp_path, "other", tensors)
    async with driving(server) as engine:
        error = await refused(engine.load(Weights(version="o", folder=folder, digest="")))
    assert (error.code, error.status) == ("inference.bad_weights", Status.INVALID_ARGUMENT)
    assert why in error.message
    assert server.orders == []


async def test_a_model_whose_output_layer_is_its_embedding_is_refused(tmp_path: Path) -> None:
    base = folder_of(tmp_path, "tied", {"embed": [4, 2]})
    server = FakeVllm(str(base), takes_full_weights=True)
    async with driving(server) as engine:
        error = await refused(engine.load(Weights(version="o", folder=base, digest="")))
    assert (error.code, error.status) == ("inference.not_offered", Status.UNIMPLEMENTED)
    assert "LoRA" in error.hint
    assert server.orders == []


async def test_a_base_that_cannot_be_seen_is_said(tmp_path: Path, step_1: Weights) -> None:
    server = FakeVllm(str(tmp_path / "elsewhere"), takes_full_weights=True)
    async with driving(server) as engine:
        error = await refused(engine.load(step_1))
    assert error.code == "inference.bad_weights"
    assert "elsewhere" in error.message


@pytest.mark.parametrize(
    "content", [b"", b"\0" * 7, b"\xff" * 40, struct.pack("<Q", 4) + b"[1]\n", b"\2" + bytes(9)]
)
def test_a_file_that_is_no_safetensors_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "model.safetensors").write_bytes(content)
    with pytest.raises(ProofwalkError) as caught:
        shapes(tmp_path)
    assert caught.value.code == "inference.bad_weights"


def test_a_file_that_is_cut_off_is_refused(base: Path) -> None:
    path = base / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ProofwalkError, match="bytes instead of"):
        shapes(base)


def test_a_folder_without_weights_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ProofwalkError, match="no safetensors file"):
        shapes(tmp_path)
