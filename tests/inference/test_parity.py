"""Log-probabilities of the embedded engine against a plain forward pass over each
sequence alone: within 1e-4, ragged batches included."""

from __future__ import annotations

import asyncio
import json
import random
from pathlib import Path

import pytest
import torch

from proofwalk.inference.domain import Ask, Continuation
from proofwalk.inference.engines import scoring
from proofwalk.inference.engines.decoding import Prefill
from proofwalk.inference.engines.embedded import EmbeddedEngine
from proofwalk.inference.engines.weights import read_model
from tests.inference import tiny

CLOSE = 1e-4
SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {
            "thought": {"type": "string", "maxLength": 20},
            "id": {"type": "integer", "minimum": 1, "maximum": 99},
        },
        "required": ["thought", "id"],
        "additionalProperties": False,
    }
)


def prompt_of(length: int, seed: int) -> tuple[int, ...]:
    draws = random.Random(seed)
    return tuple(draws.randrange(256) for _ in range(length))


async def test_what_was_sampled_in_a_ragged_batch_has_the_plain_passes_logprobs(
    engine: EmbeddedEngine, base_folder: Path
) -> None:
    """Eleven samples of five prompts of 1 to 180 tokens, joining and leaving while
    others are decoded, with and without a schema."""
    asks = [
        Ask(
            token_ids=prompt_of(length, length),
            n=n,
            max_tokens=most,
            seed=length,
            schema=schema,
            temperature=temperature,
        )
        for length, n, most, schema, temperature in [
            (1, 2, 40, "", 1.0),
            (180, 3, 9, "", 0.7),
            (37, 1, 60, SCHEMA, 1.0),
            (90, 4, 25, SCHEMA, 1.3),
            (12, 1, 3, "", 0.0),
        ]
    ]
    found = await asyncio.gather(*(engine.generate(ask) for ask in asks))
    compared = 0
    for ask, generation in zip(asks, found, strict=True):
        for sample in generation.samples:
            plain = tiny.logprobs_of(base_folder, ask.token_ids, sample.token_ids)
            assert list(sample.logprobs) == pytest.approx(plain, abs=CLOSE)
            if not ask.schema:
                assert sample.constrained_logprobs == sample.logprobs
            compared += len(plain)
    assert compared > 200


async def test_scores_of_a_ragged_batch_are_the_plain_passes(
    engine: EmbeddedEngine, base_folder: Path
) -> None:
    lengths = [(1, 1), (1, 60), (200, 3), (33, 33), (150, 150), (7, 2), (64, 1)]
    rows = [
        Continuation(prompt=prompt_of(before, before), completion=prompt_of(after, before + after))
        for before, after in lengths
    ]
    found = await engine.score(rows)
    for row, logprobs in zip(rows, found.logprobs, strict=True):
        assert list(logprobs) == pytest.approx(
            tiny.logprobs_of(base_folder, row.prompt, row.completion), abs=CLOSE
        )


async def test_what_was_sampled_scores_the_same(engine: EmbeddedEngine) -> None:
    found = await engine.generate(Ask(token_ids=prompt_of(50, 1), n=6, max_tokens=30, seed=1))
    scored = await engine.score(
        [
            Continuation(prompt=found.prompt_token_ids, completion=sample.token_ids)
            for sample in found.samples
        ]
    )
    for sample, logprobs in zip(found.samples, scored.logprobs, strict=True):
        assert list(logprobs) == pytest.approx(list(sample.logprobs), abs=CLOSE)


@pytest.mark.parametrize("length", [2, 100, 600])
async def test_a_prompts_logprobs_are_the_plain_passes_over_the_seams_of_its_chunks(
    tmp_path: Path, length: int
) -> None:
    loaded = read_model(tiny.save(tmp_path / "long", context=1024), "float32")
    prompt = prompt_of(length, 5)
    with torch.inference_mode():
        prefill = Prefill(loaded.model, prompt, logprobs=True)
        passes = 1
        while prefill.advance() is None:
            passes += 1
    assert passes == (1 if length <= 512 else 2)
    plain = tiny.logprobs_of(tmp_path / "long", prompt[:1], prompt[1:])
    assert prefill.logprobs == pytest.approx(plain, abs=CLOSE)


def test_scores_do_not_depend_on_how_rows_are_put_together(base_folder: Path) -> None:
    model = read_model(base_folder, "float32").model
    rows = [
        Continuation(
            prompt=prompt_of(3 + 11 * place, place), completion=prompt_of(1 + 5 * place, 90 + place)
        )
        for place in range(9)
    ]
    together = scoring.score(model, rows)
    one_by_one = scoring.score(model, rows, pass_tokens=1)
    for left, right in zip(together, one_by_one, strict=True):
        assert list(left) == pytest.approx(list(right), abs=CLOSE)
