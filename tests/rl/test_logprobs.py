"""A sample's log-probabilities do not depend on padding, packing or company."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import pytest
import torch

from proofwalk.rl.logprobs import computing, score, selected, token_scores
from proofwalk.rl.objectives import entropy
from proofwalk.rl.samples import Sample, collate
from proofwalk.rl.settings import Precision
from tests.rl.kit import plain_logprobs, ragged_samples, tiny_model

_SAMPLES = ragged_samples(9, seed=2)


def _worst(model: Any, found: list[tuple[float, ...]], samples: list[Sample]) -> float:
    with torch.no_grad():
        return max(
            float((torch.tensor(values) - plain_logprobs(model, sample)).abs().max())
            for values, sample in zip(found, samples, strict=True)
        )


@pytest.mark.parametrize("packing", [False, True])
@pytest.mark.parametrize("tokens", [1, 24, 1000])
def test_a_batch_agrees_with_one_by_one(packing: bool, tokens: int) -> None:
    model = tiny_model(1)
    assert (
        _worst(model, score(model, _SAMPLES, microbatch_tokens=tokens, packing=packing), _SAMPLES)
        < 1e-5
    )


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("rows", [[[n] for n in range(9)], [[0, 1, 2], [3], [4, 5, 6, 7, 8]]])
def test_padding_on_either_side_and_rows_of_several_agree(
    side: Literal["left", "right"], rows: list[list[int]]
) -> None:
    model = tiny_model(1)
    batch = collate(_SAMPLES, rows, weights=[1.0] * 9, pad=7, side=side)
    with torch.no_grad():
        found = token_scores(model, batch).logprobs
    values = [tuple(found[batch.sample == number].tolist()) for number in range(9)]
    assert _worst(model, values, _SAMPLES) < 1e-5
    assert found.dtype is torch.float32


def _begun_alike(beginning: tuple[int, ...], count: int = 5) -> list[Sample]:
    return [replace(one, prompt=(*beginning, *one.prompt)) for one in ragged_samples(count, seed=3)]


@pytest.mark.parametrize("beginning", [(5,), (5, 6, 7, 8, 9, 10, 11)])
def test_a_beginning_that_is_computed_once_gives_the_same_scores_and_gradient(
    beginning: tuple[int, ...],
) -> None:
    samples = _begun_alike(beginning)
    rows = [[number] for number in range(len(samples))]
    gradients = []
    for share_prefix in (False, True):
        model = tiny_model(1)
        batch = collate(samples, rows, weights=[1.0] * len(samples), share_prefix=share_prefix)
        assert tuple(batch.prefix.tolist()) == (beginning if share_prefix else ())
        scores = token_scores(model, batch)
        (scores.logprobs * torch.linspace(-1, 1, len(scores.logprobs))).sum().backward()
        gradients.append([scores.logprobs.detach(), *[one.grad for one in model.parameters()]])
    for apart, together in zip(*gradients, strict=True):
        assert torch.allclose(apart, together, atol=2e-5)


def test_one_token_of_each_prompt_stays_in_its_row() -> None:
    samples = [
        Sample(prompt=(5, 6, 7), completion=(8,)),
        Sample(prompt=(5, 6, 7), completion=(9, 4)),
        Sample(prompt=(5, 6, 7, 8), completion=(3,)),
    ]
    batch = collate(samples, [[0], [1], [2]], weights=[1.0] * 3, share_prefix=True)
    assert (batch.prefix.tolist(), batch.tokens) == ([5, 6], 4 + 5 + 5)
    assert batch.input_ids.tolist() == [[7, 8, 0], [7, 9, 4], [7, 8, 3]]
    assert batch.position_ids.tolist() == [[2, 3, 4]] * 3
    assert batch.predictors.tolist() == [
        [True, False, False],
        [True, True, False],
        [False, True, False],
    ]


@pytest.mark.parametrize("rows", [[[0, 1]], [[0]]])
def test_a_packed_row_and_a_single_one_share_nothing(rows: list[list[int]]) -> None:
    samples = _begun_alike((5, 6, 7), 2)
    assert not len(collate(samples, rows, weights=[1.0] * 2, share_prefix=True).prefix)


@pytest.mark.parametrize("native", [True, False])
def test_auto_computes_in_what_the_device_multiplies_fast(
    monkeypatch: pytest.MonkeyPatch, native: bool
) -> None:
    monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: native)
    monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda: False)
    cases: list[tuple[Precision, bool]] = [("auto", native), ("bf16", True), ("fp32", False)]
    for precision, wanted in cases:
        with computing(precision, "cpu"):
            product = torch.ones(2, 2) @ torch.ones(2, 2)
        assert product.dtype is (torch.bfloat16 if wanted else torch.float32)


def test_logits_are_computed_for_learned_tokens_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    model = tiny_model(1)
    seen: list[tuple[int, ...]] = []
    model.lm_head.register_forward_hook(lambda module, given, out: seen.append(tuple(out.shape)))
    batch = collate(_SAMPLES, [[n] for n in range(9)], weights=[1.0] * 9)
    token_scores(model, batch)
    assert seen == [(sum(len(sample.completion) for sample in _SAMPLES), 40)]


def test_tokens_outside_the_mask_are_not_scored_and_do_not_move_the_others() -> None:
    model = tiny_model(1)
    sample = Sample(prompt=(5, 6), completion=(7, 8, 9), mask=(False, True, False))
    (values,) = score(model, [sample], microbatch_tokens=100)
    with torch.no_grad():
        whole = plain_logprobs(model, Sample(prompt=(5, 6), completion=(7, 8, 9)))
    assert (values[0], values[2]) == (0.0, 0.0)
    assert values[1] == pytest.approx(float(whole[1]), abs=1e-5)


def test_bfloat16_computes_near_and_answers_in_float32() -> None:
    model = tiny_model(1)
    batch = collate(_SAMPLES, [[n] for n in range(9)], weights=[1.0] * 9)
    with torch.no_grad():
        exact, near = (
            token_scores(model, batch).logprobs,
            token_scores(model, batch, precision="bf16").logprobs,
        )
    assert near.dtype is torch.float32
    assert 0 < float((exact - near).abs().max()) < 0.2


def test_temperature_and_entropy_are_of_the_distribution_sampled_from() -> None:
    logits = torch.randn(4, 6, generator=torch.Generator().manual_seed(0))
    targets = torch.tensor([0, 5, 2, 2])
    found = selected(logits, targets, temperature=0.8, with_entropy=True)
    logs = torch.log_softmax(logits / 0.8, -1)
    assert torch.allclose(found.logprobs, logs.gather(-1, targets[:, None])[:, 0], atol=1e-6)
    assert torch.allclose(found.entropy, entropy(logits / 0.8), atol=1e-6)
