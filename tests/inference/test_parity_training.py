"""Log-probabilities of the inference role against the trainer's (`rl.logprobs`): what
acted and what is differentiated are one distribution.

The contract is 1e-3 a token in float32; what rounding leaves is smaller, and so is the
bound here. In bfloat16 both sides round, each in its own order of sums: the bounds are
what was seen over five seeds, doubled, with weights that are ten times as large as a
model's to begin with.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import pytest
import torch
from peft import PeftModel
from transformers import LlamaForCausalLM

from proofwalk.api.inference.v1 import inference_pb2 as pb
from proofwalk.api.inference.v1.inference_pb2_grpc import InferenceStub
from proofwalk.chassis.role_process import Process
from proofwalk.chassis.settings import ProcessSettings
from proofwalk.inference import main
from proofwalk.inference.domain import Ask, Continuation, Weights
from proofwalk.inference.engines.embedded import EmbeddedEngine, open_embedded
from proofwalk.inference.engines.limits import Limits
from proofwalk.inference.settings import InferenceSettings
from proofwalk.kernel.clock import ManualClock
from proofwalk.rl.grpo import reference_scorer, update
from proofwalk.rl.logprobs import score
from proofwalk.rl.optimizers import adamw
from proofwalk.rl.samples import Sample
from proofwalk.rl.settings import GrpoSettings, SftSettings
from proofwalk.rl.sft import run_sft
from tests.inference import tiny

pytestmark = pytest.mark.filterwarnings(tiny.PEFT_WARNING)
CLOSE = 1e-4
SHAPES = [(1, 3, 30), (170, 2, 7), (41, 4, 18), (96, 1, 40), (12, 2, 1)]
"""Tokens of the prompt, samples of it, tokens of each at most."""


def _asks(seed: int = 0) -> list[Ask]:
    draws = random.Random(seed)
    return [
        Ask(
            token_ids=tuple(draws.randrange(256) for _ in range(length)),
            n=n,
            max_tokens=most,
            seed=seed,
            temperature=1.0,
        )
        for length, n, most in SHAPES
    ]


class _Answered(Protocol):
    """What the engine and the contract both say of a question."""

    @property
    def samples(self) -> Sequence[Any]: ...


def _acted(asks: Sequence[Ask], found: Sequence[_Answered]) -> list[Sample]:
    """What a rollout hands to the trainer, in an order that mixes lengths."""
    samples = [
        Sample(
            prompt=ask.token_ids,
            completion=tuple(sampled.token_ids),
            old_logprobs=tuple(sampled.logprobs),
            episode=f"{number}-{place}",
            advantage=(-1.0) ** place,
        )
        for number, (ask, generation) in enumerate(zip(asks, found, strict=True))
        for place, sampled in enumerate(generation.samples)
    ]
    random.Random(1).shuffle(samples)
    return samples


async def _rollouts(engine: EmbeddedEngine, seed: int = 0) -> list[Sample]:
    asks = _asks(seed)
    return _acted(asks, await asyncio.gather(*(engine.generate(ask) for ask in asks)))


def _distances(left: Sequence[Sequence[float]], right: Sequence[Sequence[float]]) -> list[float]:
    found = [
        abs(one - other)
        for row, same in zip(left, right, strict=True)
        for one, other in zip(row, same, strict=True)
    ]
    assert len(found) > 100
    return found


def _model(folder: Path, dtype: Any = torch.float32) -> Any:
    return LlamaForCausalLM.from_pretrained(folder, dtype=dtype).train()


@pytest.mark.parametrize("packing", [False, True])
@pytest.mark.parametrize("tokens", [1, 300, 4096])
async def test_what_the_engine_sampled_the_trainer_scores_the_same(
    engine: EmbeddedEngine, base_folder: Path, tokens: int, packing: bool
) -> None:
    samples = await _rollouts(engine)
    assert len({sample.length for sample in samples}) == len(SHAPES)
    trainer = score(_model(base_folder), samples, microbatch_tokens=tokens, packing=packing)
    assert max(_distances([sample.old_logprobs for sample in samples], trainer)) < CLOSE
    scored = await engine.score(
        [
            Continuation(prompt=tuple(sample.prompt), completion=tuple(sample.completion))
            for sample in samples
        ]
    )
    assert max(_distances(scored.logprobs, trainer)) < CLOSE


async def test_over_the_wire_generate_and_score_agree_with_the_trainer(
    process_settings: ProcessSettings, base_folder: Path
) -> None:
    """The role as rollouts meet it: gRPC, several questions at once, floats of 32
    bits."""
    async with Process(
        process_settings, [main.role(InferenceSettings(engine="embedded", weights=base_folder))]
    ) as process:
        channel = process.channel("inference")
        await channel.wait_until_ready(10)
        stub: Any = InferenceStub(channel.grpc)
        asks = _asks(3)
        found = await asyncio.gather(
            *(
                stub.Generate(
                    pb.GenerateRequest(
                        prompt_token_ids=ask.token_ids,
                        n=ask.n,
                        max_tokens=ask.max_tokens,
                        temperature=1,
                        seed=ask.seed,
                    ),
                    timeout=20,
                )
                for ask in asks
            )
        )
        samples = _acted(asks, found)
        rows = [
            pb.Continuation(prompt_token_ids=sample.prompt, completion_token_ids=sample.completion)
            for sample in samples
        ]
        scored = await stub.Score(pb.ScoreRequest(continuations=rows), timeout=20)
    trainer = score(_model(base_folder), samples, microbatch_tokens=500)
    assert max(_distances([sample.old_logprobs for sample in samples], trainer)) < CLOSE
    assert max(_distances([row.logprobs for row in scored.continuations], trainer)) < CLOSE


@pytest.mark.parametrize("adaptation", ["full", "lora"])
async def test_a_checkpoint_that_the_engine_loads_acts_as_the_trained_model_does(
    engine: EmbeddedEngine, base_folder: Path, tmp_path: Path, adaptation: str
) -> None:
    """LoRA: the trainer computes with the adapter beside the weights, the engine with
    it merged into them."""
    before = await _rollouts(engine)
    settings = SftSettings.model_validate(
        {"adaptation": adaptation, "learning_rate": 0.02, "batch_size": 4, "epochs": 2}
    )
    model = _model(base_folder)
    result = run_sft(
        model,
        tiny.tokenizer_of(),
        before,
        settings,
        tmp_path,
        lambda step, values: None,
        lambda: False,
        clock=ManualClock(),
    )
    await engine.load(Weights(version="trained", folder=result.last, digest=""))
    after = await _rollouts(engine, 5)
    trained = (
        PeftModel.from_pretrained(_model(base_folder), result.last)
        if adaptation == "lora"
        else _model(result.last)
    )
    trainer = score(trained, after, microbatch_tokens=600)
    assert max(_distances([sample.old_logprobs for sample in after], trainer)) < CLOSE
    untrained = score(_model(base_folder), after, microbatch_tokens=600)
    assert max(_distances([sample.old_logprobs for sample in after], untrained)) > 0.1


@pytest.mark.parametrize(
    ("weights", "precision", "worst", "mean"),
    [("bfloat16", "fp32", 0.4, 0.03), ("float32", "bf16", 0.9, 0.07)],
)
async def test_in_bfloat16_the_two_sides_differ_by_rounding(
    base_folder: Path, weights: str, precision: Any, worst: float, mean: float
) -> None:
    """The engine holds bfloat16 weights; the trainer holds the same, or float32 and
    computes under autocast, which is how it trains."""
    async with open_embedded(base_folder, name="", dtype="bfloat16", limits=Limits()) as engine:
        samples = await _rollouts(engine)
        scored = await engine.score(
            [
                Continuation(prompt=tuple(sample.prompt), completion=tuple(sample.completion))
                for sample in samples
            ]
        )
    trainer = score(
        _model(base_folder, getattr(torch, weights)),
        samples,
        microbatch_tokens=300,
        precision=precision,
    )
    for reported in ([sample.old_logprobs for sample in samples], scored.logprobs):
        found = _distances(reported, trainer)
        assert 0 < max(found) < worst
        assert sum(found) / len(found) < mean


async def test_the_first_update_on_the_engines_log_probabilities_has_ratio_one(
    engine: EmbeddedEngine, base_folder: Path
) -> None:
    samples = await _rollouts(engine)
    settings = GrpoSettings(microbatch_tokens=300)
    model = _model(base_folder)
    reference = reference_scorer(model, settings, fresh_adapter=False)
    measured = update(model, reference, samples, settings, optimizer=adamw(model, settings))
    assert measured["ratio"] == pytest.approx(1.0, abs=1e-5)
    assert measured["approximate_kl"] == pytest.approx(0.0, abs=1e-8)
    assert measured["kl"] == measured["clip_share"] == 0.0
