"""Each formula against numbers worked by hand, and the whole loss against TRL's."""

from __future__ import annotations

import math

import pytest
import torch

from proofwalk.kernel.errors import ProofwalkError
from proofwalk.rl import objectives as o


def _t(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64)


def _all(found: torch.Tensor, *expected: float) -> bool:
    return bool(torch.allclose(found.double(), _t(*expected), rtol=0, atol=1e-9))


def test_the_ratio_is_of_probabilities() -> None:
    assert _all(
        o.importance_ratio(_t(math.log(0.6), math.log(0.1)), _t(math.log(0.3), math.log(0.2))),
        2.0,
        0.5,
    )


def test_the_clipped_surrogate_takes_the_pessimistic_branch() -> None:
    # A > 0: 1.5 is cut to 1.2, 0.5 is not. A < 0: 1.5 counts whole, 0.5 is cut to 0.8.
    found = o.clipped_surrogate(_t(1.5, 0.5, 1.5, 0.5, 1.1), _t(2, 2, -2, -2, 2), low=0.2, high=0.2)
    assert _all(found, -2.4, -1.0, 3.0, 1.6, -2.2)
    assert _all(o.clipped_surrogate(_t(1.5), _t(2.0), low=0.2, high=0.28), -2.56)


def test_clipped_tokens_are_those_without_a_gradient() -> None:
    ratio, advantages = _t(1.5, 0.5, 1.5, 0.5, 1.1).requires_grad_(), _t(2, 2, -2, -2, 2)
    assert _all(o.clipped(ratio, advantages, low=0.2, high=0.2), 1, 0, 0, 1, 0)
    o.clipped_surrogate(ratio, advantages, low=0.2, high=0.2).sum().backward()
    assert ratio.grad is not None
    assert (ratio.grad == 0).tolist() == [True, False, False, True, False]


def test_the_penalties_of_a_policy_that_doubled_and_one_that_halved() -> None:
    policy, reference = (
        _t(math.log(0.4), math.log(0.1), math.log(0.5)),
        _t(math.log(0.2), math.log(0.2), math.log(0.5)),
    )
    half = 0.5 * math.log(2) ** 2
    assert _all(o.mse_kl(policy, reference), half, half, 0.0)
    assert _all(o.k3_kl(policy, reference), 0.5 + math.log(2) - 1, 2 - math.log(2) - 1, 0.0)


def test_the_mse_penalty_pulls_in_proportion_where_k3_explodes() -> None:
    policy = _t(-10.0).requires_grad_()
    (mse,) = torch.autograd.grad(o.mse_kl(policy, _t(0.0)).sum(), policy)
    (k3,) = torch.autograd.grad(o.k3_kl(policy, _t(0.0)).sum(), policy)
    assert _all(mse, -10.0)
    assert _all(k3, 1 - math.exp(10))


def test_equation_2_of_a_token() -> None:
    found = o.policy_loss(
        _t(math.log(0.6)),
        _t(math.log(0.4)),
        _t(2.0),
        _t(math.log(0.3)),
        clip_low=0.2,
        clip_high=0.2,
        kl="mse",
        kl_coefficient=0.1,
    )
    assert _all(found, -2.4 + 0.1 * 0.5 * math.log(2) ** 2)


def test_a_penalty_without_a_reference_is_refused_and_none_needs_none() -> None:
    arguments = {"clip_low": 0.2, "clip_high": 0.2, "kl": "mse"}
    assert _all(
        o.policy_loss(_t(0.0), _t(0.0), _t(1.0), None, kl_coefficient=0.0, **arguments),  # type: ignore[arg-type]
        -1.0,
    )
    with pytest.raises(ProofwalkError) as caught:
        o.policy_loss(_t(0.0), _t(0.0), _t(1.0), None, kl_coefficient=0.1, **arguments)  # type: ignore[arg-type]
    assert caught.value.code == "rl.reference_missing"


def test_the_entropy_of_a_fair_and_of_a_loaded_coin() -> None:
    found = o.entropy(torch.tensor([[0.0, 0.0], [math.log(3), 0.0]]))
    assert torch.allclose(
        found, torch.tensor([math.log(2), -(0.75 * math.log(0.75) + 0.25 * math.log(0.25))])
    )


def test_the_distance_to_the_policy_that_acted() -> None:
    assert _all(
        o.approximate_kl(_t(math.log(0.4), 0.0), _t(math.log(0.2), 0.0)), 1 - math.log(2), 0.0
    )


@pytest.mark.parametrize(
    ("aggregation", "expected"),
    [
        ("token", [1 / 6, 1 / 6, 1 / 6]),
        ("sequence", [1 / 3, 1 / 6, 1 / 9]),
        # a has 1 + 2 tokens, b has 3: a half each, by chance the same
        ("episode", [1 / 6, 1 / 6, 1 / 6]),
    ],
)
def test_weights_of_tokens_add_up_to_one(aggregation: str, expected: list[float]) -> None:
    found = o.token_weights([1, 2, 3], aggregation=aggregation, episodes=["a", "a", "b"])  # type: ignore[arg-type]
    assert found == pytest.approx(expected)
    assert sum(n * w for n, w in zip([1, 2, 3], found, strict=True)) == pytest.approx(1)


def test_a_long_episode_weighs_no_more_than_a_short_one() -> None:
    assert o.token_weights(
        [4, 4, 2], aggregation="episode", episodes=["a", "a", "b"]
    ) == pytest.approx([1 / 16, 1 / 16, 1 / 4])
    assert o.token_weights([4, 4, 2], aggregation="sequence") == pytest.approx(
        [1 / 12, 1 / 12, 1 / 6]
    )


def test_samples_of_more_weight_take_a_larger_share() -> None:
    assert o.token_weights([2, 2], aggregation="token", weights=[3, 1]) == pytest.approx(
        [3 / 8, 1 / 8]
    )
    assert o.token_weights([2, 4], aggregation="sequence", weights=[3, 1]) == pytest.approx(
        [3 / 8, 1 / 16]
    )
    assert o.token_weights(
        [2, 2, 2], aggregation="episode", episodes=["a", "a", "b"], weights=[1, 0, 1]
    ) == pytest.approx([1 / 4, 0, 1 / 4])


def test_a_draw_of_an_episode_is_measured_by_the_whole_of_it() -> None:
    # Of a's 12 tokens 4 are here, each standing for three; all of b is.
    found = o.token_weights(
        [4, 2], aggregation="episode", episodes=["a", "b"], weights=[3, 1], episode_tokens={"a": 12}
    )
    assert found == pytest.approx([3 / 24, 1 / 4])


def test_a_batch_of_nothing_is_refused() -> None:
    for learned, weights in (([], []), ([0], [1.0]), ([1], [0.0])):
        with pytest.raises(ProofwalkError) as caught:
            o.token_weights(learned, aggregation="token", weights=weights)
        assert caught.value.code == "rl.batch_empty"


def test_cross_entropy_is_the_usual_mean_of_torch() -> None:
    logits, targets = (
        torch.randn(5, 7, generator=torch.Generator().manual_seed(0)),
        torch.tensor([0, 6, 3, 3, 1]),
    )
    logs = torch.log_softmax(logits, -1).gather(-1, targets[:, None])[:, 0]
    found = o.cross_entropy(logs, torch.full((5,), 1 / 5))
    assert torch.allclose(found, torch.nn.functional.cross_entropy(logits, targets))
