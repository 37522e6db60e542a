"""The embedded engine's own ways: seeds, batches, constraints, stops, bounds, and
weights that change while answers are decoded."""

from __future__ import annotations

import asyncio
import json
import math
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from proofwalk.agent.policies.llm.answers import answer_schema
from proofwalk.inference.domain import Ask, Continuation, Delta, Generation, Weights
from proofwalk.inference.engines.decoding import choose
from proofwalk.inference.engines.embedded import EmbeddedEngine
from proofwalk.inference.engines.limits import Limits
from proofwalk.inference.engines.weights import read_model, stage
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.models.client import Message
from tests.inference import tiny

pytestmark = pytest.mark.filterwarnings(tiny.PEFT_WARNING)
HELLO = (Message(role="user", text="Say something."),)


def ask(**more: Any) -> Ask:
    return Ask(**{"messages": HELLO, "max_tokens": 12, "seed": 1, **more})


def tokens_of(found: Generation) -> list[tuple[int, ...]]:
    return [sample.token_ids for sample in found.samples]


@asynccontextmanager
async def gated(folder: Path, **limits: int) -> AsyncIterator[tuple[EmbeddedEngine, tiny.Gate]]:
    """An engine whose forward passes a test can hold back and count."""
    loaded = read_model(folder, "float32")
    gate = tiny.Gate(loaded.model)
    base = Weights(version="base", folder=folder, digest="")
    engine = EmbeddedEngine(loaded, base=base, limits=Limits(**limits))
    try:
        yield engine, gate
    finally:
        gate.open.set()
        await engine.close()


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not condition():
            await asyncio.sleep(0.005)


async def test_a_seed_gives_the_same_samples_and_each_sample_its_own(
    engine: EmbeddedEngine,
) -> None:
    first, again, other = [await engine.generate(ask(n=4, seed=seed)) for seed in (5, 5, 6)]
    assert tokens_of(first) == tokens_of(again) != tokens_of(other)
    assert len(set(tokens_of(first))) == 4
    fewer = await engine.generate(ask(n=2, seed=5))
    assert tokens_of(fewer) == tokens_of(first)[:2]


async def test_a_sample_does_not_depend_on_what_is_decoded_beside_it(
    engine: EmbeddedEngine,
) -> None:
    sizes = enumerate((3, 40, 1, 90), 1)
    asks = [
        ask(messages=(), token_ids=(9,) * length, n=n, seed=length, max_tokens=5 * n)
        for n, length in sizes
    ]
    together = await asyncio.gather(*(engine.generate(one) for one in asks))
    alone = [await engine.generate(one) for one in asks]
    assert [tokens_of(found) for found in together] == [tokens_of(found) for found in alone]


async def test_samples_share_the_prompts_one_pass(base_folder: Path) -> None:
    async with gated(base_folder) as (engine, gate):
        found = await engine.generate(ask(n=8, max_tokens=6))
        longest = max(map(len, tokens_of(found)))
        # One pass for the prompt, one for every token but the last.
        assert gate.passes == longest


async def test_what_a_prompt_has_in_common_with_earlier_ones_is_not_read_again(
    engine: EmbeddedEngine, base_folder: Path, other_folder: Path
) -> None:
    shared = tuple(range(1, 101))
    first, second = [
        ask(messages=(), token_ids=(*shared, *rest), n=2) for rest in ((7, 7, 7), (8, 9))
    ]
    cold = await engine.generate(first)
    warm = await engine.generate(second)
    same = await engine.generate(second)
    assert [found.spent.tokens_cached for found in (cold, warm, same)] == [0, 100, 101]
    assert tokens_of(warm) == tokens_of(same)
    for sample in warm.samples:
        plain = tiny.logprobs_of(base_folder, second.token_ids, sample.token_ids)
        assert list(sample.logprobs) == pytest.approx(plain, abs=1e-4)
    await engine.load(Weights(version="v2", folder=other_folder, digest=""))
    after = await engine.generate(second)
    assert after.spent.tokens_cached == 0
    for sample in after.samples:
        plain = tiny.logprobs_of(other_folder, second.token_ids, sample.token_ids)
        assert list(sample.logprobs) == pytest.approx(plain, abs=1e-4)


async def test_only_so_many_tokens_of_prompts_are_kept(base_folder: Path) -> None:
    async with gated(base_folder, prefix_tokens=100) as (engine, _):
        prompts = [ask(messages=(), token_ids=(number,) * 60, max_tokens=1) for number in range(3)]
        cached = [
            (await engine.generate(prompts[number])).spent.tokens_cached for number in (0, 1, 1, 0)
        ]
    assert cached == [0, 0, 59, 0]


async def test_temperature_nought_takes_the_likeliest(
    engine: EmbeddedEngine, base_folder: Path
) -> None:
    found = await engine.generate(ask(temperature=0.0, n=2))
    assert tokens_of(found)[0] == tokens_of(found)[1]
    model = read_model(base_folder, "float32").model
    tokens = list(found.prompt_token_ids)
    with torch.no_grad():
        for token in found.samples[0].token_ids:
            assert token == int(model(torch.tensor([tokens])).logits[0, -1].argmax())
            tokens.append(token)


def test_choices_follow_the_distribution() -> None:
    logits = torch.log(torch.tensor([[0.5, 0.0, 0.2, 0.3]]))
    draws = [(place + 0.5) / 1000 for place in range(1000)]
    plain = Counter(
        int(choose(logits, temperatures=[1.0], top_ps=[1.0], draws=[draw])) for draw in draws
    )
    assert plain == {0: 500, 2: 200, 3: 300}
    nucleus = Counter(
        int(choose(logits, temperatures=[1.0], top_ps=[0.7], draws=[draw])) for draw in draws
    )
    assert nucleus == {0: 625, 3: 375}
    cold = Counter(
        int(choose(logits, temperatures=[0.5], top_ps=[1.0], draws=[draw])) for draw in draws
    )
    assert cold[0] == pytest.approx(1000 * 0.25 / 0.38, abs=2)


async def test_constrained_logprobs_are_normalised_over_what_is_allowed(
    engine: EmbeddedEngine, base_folder: Path
) -> None:
    found = await engine.generate(ask(n=4, schema=json.dumps({"enum": [1, 7]}), max_tokens=4))
    model = read_model(base_folder, "float32").model
    with torch.no_grad():
        raw = model(torch.tensor([found.prompt_token_ids])).logits[0, -1].log_softmax(dim=-1)
    one, seven = (
        int(engine_token)
        for engine_token in read_model(base_folder, "float32").tokenizer.convert_tokens_to_ids(
            ["1", "7"]
        )
    )
    total = math.exp(raw[one]) + math.exp(raw[seven])
    for sample in found.samples:
        first = sample.token_ids[0]
        assert first in (one, seven)
        assert sample.logprobs[0] == pytest.approx(float(raw[first]), abs=1e-4)
        assert sample.constrained_logprobs[0] == pytest.approx(
            float(raw[first]) - math.log(total), abs=1e-4
        )


async def test_the_policies_own_schema_can_be_decoded(engine: EmbeddedEngine) -> None:
    schema = json.dumps(answer_schema("normal"))
    found = await engine.generate(ask(n=3, schema=schema, max_tokens=300))
    ended = [sample for sample in found.samples if sample.finish_reason == "stop"]
    for sample in ended:
        assert {"thought", "action"} <= json.loads(sample.text).keys()
    for sample in found.samples:
        assert sample.text.startswith('{"')


async def test_a_stop_text_ends_a_sample_before_it_and_never_shows_in_a_delta(
    engine: EmbeddedEngine,
) -> None:
    whole = (
        (await engine.generate(ask(temperature=0.0, schema='{"const": "abcdef"}', max_tokens=20)))
        .samples[0]
        .text
    )
    assert whole == '"abcdef"'
    deltas: list[Delta] = []
    question = ask(temperature=0.0, schema='{"const": "abcdef"}', max_tokens=20, stop=("xyz", "de"))
    found = await engine.generate(question, on_delta=deltas.append)
    assert (found.samples[0].text, found.samples[0].finish_reason) == ('"abc', "stop")
    assert len(found.samples[0].token_ids) == len('"abcde')
    assert "".join(delta.text for delta in deltas) == '"abc'


async def test_deltas_hold_whole_characters(engine: EmbeddedEngine) -> None:
    deltas: list[Delta] = []
    await engine.generate(ask(schema='{"const": "né — 云"}', max_tokens=40), on_delta=deltas.append)
    assert "".join(delta.text for delta in deltas) == '"né — 云"'
    assert not any("\ufffd" in delta.text for delta in deltas)


async def test_what_does_not_fit_the_context_is_refused_with_the_numbers(
    engine: EmbeddedEngine,
) -> None:
    for call in (
        engine.generate(ask(messages=(), token_ids=(5,) * 500, max_tokens=13)),
        engine.score([Continuation(prompt=(5,) * 500, completion=(5,) * 13)]),
    ):
        with pytest.raises(ProofwalkError) as caught:
            await call
        assert caught.value.code == "inference.context_exceeded"
        assert caught.value.details == {"tokens": "513", "limit": "512"}
    found = await engine.generate(ask(messages=(), token_ids=(5,) * 500, max_tokens=12))
    assert len(found.prompt_token_ids) == 500


async def test_a_full_inbox_refuses(base_folder: Path) -> None:
    async with gated(base_folder, rows=1, waiting=1) as (engine, gate):
        gate.open.clear()
        first = asyncio.create_task(engine.generate(ask()))
        await until(lambda: gate.passes == 1)
        second = asyncio.create_task(engine.score([Continuation(prompt=(1,), completion=(2,))]))
        third = asyncio.create_task(engine.generate(ask()))
        done, _ = await asyncio.wait(
            {second, third}, timeout=10, return_when=asyncio.FIRST_COMPLETED
        )
        with pytest.raises(ProofwalkError) as caught:
            await done.pop()
        assert caught.value.code == "inference.overloaded"
        gate.open.set()
        assert len((await first).samples) == 1
        await asyncio.gather(second, third, return_exceptions=True)


async def test_what_was_given_up_is_not_decoded_any_further(base_folder: Path) -> None:
    async with gated(base_folder) as (engine, gate):
        gate.open.clear()
        going = asyncio.create_task(engine.generate(ask(max_tokens=400)))
        waiting = asyncio.create_task(engine.generate(ask(max_tokens=400)))
        await until(lambda: gate.passes == 1)
        for task in (going, waiting):
            task.cancel()
        await asyncio.gather(going, waiting, return_exceptions=True)
        gate.open.set()
        await engine.generate(ask(max_tokens=2))
        assert gate.passes < 10


async def test_new_weights_wait_for_what_has_begun_and_act_on_what_comes_after(
    base_folder: Path, other_folder: Path
) -> None:
    async with gated(base_folder) as (engine, gate):
        question = ask(n=3, max_tokens=40)
        undisturbed = await engine.generate(question)
        gate.passes = 0
        gate.open.clear()
        under_way = asyncio.create_task(engine.generate(question))
        await until(lambda: gate.passes == 1)
        loading = asyncio.create_task(
            engine.load(Weights(version="v2", folder=other_folder, digest=""))
        )
        behind = asyncio.create_task(engine.generate(question))
        gate.open.set()
        kept = await under_way
        assert (kept.version, tokens_of(kept)) == ("base", tokens_of(undisturbed))
        await loading
        after = await engine.generate(question)
        assert after.version == "v2"
        assert tokens_of(after) != tokens_of(undisturbed)
        # Whether it came before the weights were read or after: it is of one version,
        # the one that it names.
        other = await behind
        assert tokens_of(other) == tokens_of({"base": undisturbed, "v2": after}[other.version])
    async with gated(other_folder) as (engine, _):
        fresh = await engine.generate(question)
    assert after == replace(fresh, version="v2")


async def test_an_adapter_is_merged_as_peft_does(
    engine: EmbeddedEngine, base_folder: Path, adapter_folder: Path
) -> None:
    from peft import PeftModel
    from transformers import LlamaForCausalLM

    await engine.load(Weights(version="lora", folder=adapter_folder, digest=""))
    row = Continuation(prompt=(5, 6, 7), completion=(8, 9, 10, 11))
    model = PeftModel.from_pretrained(
        LlamaForCausalLM.from_pretrained(base_folder), adapter_folder
    ).eval()
    with torch.no_grad():
        logits = model(torch.tensor([[*row.prompt, *row.completion]])).logits[0].log_softmax(dim=-1)
    unmerged = [float(logits[2 + place, token]) for place, token in enumerate(row.completion)]
    assert list((await engine.score([row])).logprobs[0]) == pytest.approx(unmerged, abs=1e-4)
    assert unmerged != pytest.approx(
        tiny.logprobs_of(base_folder, row.prompt, row.completion), abs=0.05
    )


async def test_weights_that_are_not_the_models_change_nothing(
    engine: EmbeddedEngine, tmp_path: Path, adapter_folder: Path
) -> None:
    before = await engine.generate(ask())
    cut = tmp_path / "cut"
    tiny.save(cut)
    (cut / "model.safetensors").write_bytes((cut / "model.safetensors").read_bytes()[:-100])
    pickled = tmp_path / "pickled"
    tiny.save(pickled)
    (pickled / "model.safetensors").rename(pickled / "pytorch_model.bin")
    strange = tmp_path / "strange"
    strange.mkdir()
    for file in adapter_folder.iterdir():
        (strange / file.name).write_bytes(file.read_bytes())
    config = json.loads((strange / "adapter_config.json").read_text())
    (strange / "adapter_config.json").write_text(
        json.dumps({**config, "target_modules": ["q_proj"]})
    )
    wrong = [
        tiny.save(tmp_path / "wide", hidden=64),
        tiny.save(tmp_path / "deep", layers=3),
        cut,
        pickled,
        strange,
    ]
    for folder in wrong:
        with pytest.raises(ProofwalkError) as caught:
            await engine.load(Weights(version="v2", folder=folder, digest=""))
        assert caught.value.code == "inference.bad_weights", folder.name
    after = await engine.generate(ask())
    assert (after.version, tokens_of(after)) == (before.version, tokens_of(before))


async def test_bfloat16_serves_and_stages_in_its_own_precision(
    base_folder: Path, other_folder: Path
) -> None:
    loaded = read_model(base_folder, "bfloat16")
    base = Weights(version="base", folder=base_folder, digest="")
    engine = EmbeddedEngine(loaded, base=base, limits=Limits())
    try:
        found = await engine.generate(ask(n=2))
        assert all(value <= 0 for sample in found.samples for value in sample.logprobs)
        await engine.load(Weights(version="v2", folder=other_folder, digest=""))
        assert {parameter.dtype for parameter in loaded.model.parameters()} == {torch.bfloat16}
    finally:
        await engine.close()
    assert {
        parameter.dtype
        for parameter in stage(other_folder, base=base_folder, dtype=torch.float32).values()
    } == {torch.float32}


async def test_a_closed_engine_fails_what_is_left(base_folder: Path) -> None:
    async with gated(base_folder, rows=1) as (engine, gate):
        gate.open.clear()
        tasks = [asyncio.create_task(engine.generate(ask(max_tokens=400))) for _ in range(2)]
        await until(lambda: gate.passes == 1)
        closing = asyncio.create_task(engine.close())
        await asyncio.sleep(0.05)
        gate.open.set()
        await closing
        for found in await asyncio.gather(*tasks, return_exceptions=True):
            assert isinstance(found, ProofwalkError)
            assert found.code == "inference.engine_away"
        with pytest.raises(ProofwalkError):
            await engine.generate(ask())


async def test_a_failing_pass_fails_what_is_under_way_and_no_more(base_folder: Path) -> None:
    async with gated(base_folder, rows=1) as (engine, gate):
        gate.open.clear()
        under_way = asyncio.create_task(engine.generate(ask(max_tokens=400)))
        await until(lambda: gate.passes == 1)
        waiting = asyncio.create_task(engine.generate(ask()))
        gate.fault = MemoryError("no room")
        gate.open.set()
        with pytest.raises(MemoryError):
            await under_way
        assert len((await waiting).samples) == 1
