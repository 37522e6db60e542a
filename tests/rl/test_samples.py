"""Samples, rows and batches."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from proofwalk.kernel.errors import ProofwalkError
from proofwalk.rl.logprobs import token_scores
from proofwalk.rl.objectives import cross_entropy, token_weights
from proofwalk.rl.samples import Sample, collate, digest, from_messages, microbatches, shuffled
from tests.rl.kit import ragged_samples, tiny_model, tiny_tokenizer


def test_rows_hold_tokens_positions_and_what_predicts_what() -> None:
    samples = [
        Sample(
            prompt=(10, 11),
            completion=(12, 13),
            mask=(True, False),
            advantage=2.0,
            old_logprobs=(-1.0, -2.0),
        ),
        Sample(prompt=(20,), completion=(21,), advantage=-1.0, old_logprobs=(-3.0,)),
    ]
    batch = collate(samples, [[0, 1], [1]], weights=[0.5, 0.25], pad=9)
    assert batch.input_ids.tolist() == [[10, 11, 12, 13, 20, 21], [20, 21, 9, 9, 9, 9]]
    assert batch.position_ids.tolist() == [[0, 1, 2, 3, 0, 1], [0, 1, 2, 3, 4, 5]]
    assert batch.predictors.nonzero().tolist() == [[0, 1], [0, 4], [1, 0]]
    assert batch.targets.tolist() == [12, 21, 21]
    assert batch.weights.tolist() == [0.5, 0.25, 0.25]
    assert batch.advantages.tolist() == [2.0, -1.0, -1.0]
    assert batch.old_logprobs is not None
    assert batch.old_logprobs.tolist() == [-1.0, -3.0, -3.0]
    assert batch.reference_logprobs is None
    assert batch.tokens == 8
    assert collate(
        samples, [[0], [1]], weights=[1, 1], pad=9, side="left"
    ).position_ids.tolist() == [[0, 1, 2, 3], [0, 1, 0, 1]]


@pytest.mark.parametrize("aggregation", ["token", "sequence", "episode"])
def test_packed_losses_and_gradients_equal_unpacked_ones(aggregation: str) -> None:
    samples, model = ragged_samples(8, seed=1), tiny_model(2)
    weights = token_weights(
        [len(sample.learned) for sample in samples],
        aggregation=aggregation,  # type: ignore[arg-type]
        episodes=[sample.episode for sample in samples],
    )
    results = []
    for tokens, packing in ((1, False), (30, True), (1000, True), (40, False)):
        model.zero_grad(set_to_none=True)
        total = 0.0
        for rows in microbatches(
            [sample.length for sample in samples], tokens=tokens, packing=packing
        ):
            batch = collate(samples, rows, weights=weights)
            loss = cross_entropy(token_scores(model, batch).logprobs, batch.weights)
            loss.backward()
            total += float(loss.detach())
        results.append(
            (total, torch.cat([parameter.grad.flatten() for parameter in model.parameters()]))
        )
    for total, gradient in results[1:]:
        assert total == pytest.approx(results[0][0], abs=1e-5)
        assert torch.allclose(gradient, results[0][1], atol=1e-6)


@given(st.lists(st.integers(1, 50), min_size=1, max_size=30), st.integers(1, 120), st.booleans())
def test_a_cut_holds_each_sample_once_and_keeps_the_bound(
    lengths: list[int], tokens: int, packing: bool
) -> None:
    cuts = microbatches(lengths, tokens=tokens, packing=packing)
    assert sorted(index for rows in cuts for row in rows for index in row) == list(
        range(len(lengths))
    )
    for rows in cuts:
        width = max(sum(lengths[index] for index in row) for row in rows)
        assert width * len(rows) <= tokens or sum(map(len, rows)) == 1


@given(st.integers(0, 60), st.integers(0, 1000), st.integers(0, 5))
def test_the_order_is_a_function_of_seed_and_epoch(count: int, seed: int, epoch: int) -> None:
    order = shuffled(count, seed=seed, epoch=epoch)
    assert sorted(order) == list(range(count))
    assert order == shuffled(count, seed=seed, epoch=epoch)
    if count > 20:
        assert order != shuffled(count, seed=seed, epoch=epoch + 1)
        assert order != shuffled(count, seed=seed + 1, epoch=epoch)


def test_a_sample_that_cannot_be_learned_is_refused() -> None:
    for fields in (
        {"prompt": (), "completion": (1,)},
        {"prompt": (1,), "completion": ()},
        {"prompt": (1,), "completion": (1, 2), "mask": (True,)},
        {"prompt": (1,), "completion": (1, 2), "mask": (False, False)},
        {"prompt": (1,), "completion": (1, 2), "old_logprobs": (-1.0,)},
    ):
        with pytest.raises(ProofwalkError) as caught:
            Sample(**fields)
        assert caught.value.code == "rl.sample_invalid"


def test_the_digest_is_of_content_and_order() -> None:
    samples = ragged_samples(4)
    assert digest(samples) == digest(ragged_samples(4))
    assert len({digest(samples), digest(samples[::-1]), digest(samples[:3])}) == 3


def test_the_answer_alone_is_learned_up_to_the_token_that_ends_the_turn() -> None:
    tokenizer = tiny_tokenizer()
    messages = [
        {"role": "system", "content": "secret"},
        {"role": "user", "content": "Release secret 18"},
    ]
    sample = from_messages(tokenizer, messages, "click 18", episode="e")
    assert tokenizer.decode(list(sample.completion)) == "click 18 <|im_end|>"
    assert sample.completion[-1] == tokenizer.eos_token_id
    asked = tokenizer.apply_chat_template(
        messages, add_generation_prompt=True, tokenize=True, return_dict=False
    )
    assert list(sample.prompt) == list(asked)
    assert len(sample.learned) == len(sample.completion) == 3


def test_a_template_that_rewrites_the_past_is_refused() -> None:
    tokenizer = tiny_tokenizer()
    tokenizer.chat_template = (
        "{{ messages | length }} {% for m in messages %}{{ m['content'] }} {% endfor %}"
    )
    with pytest.raises(ProofwalkError) as caught:
        from_messages(tokenizer, [{"role": "user", "content": "click"}], "done")
    assert caught.value.code == "rl.template_unfit"
