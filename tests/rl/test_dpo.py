"""Preference optimisation: Eq. 2 by hand, learns what is preferred, is a function of
its seed and not of how a batch is cut, and goes on after a crash as if nothing had
been."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
import torch

from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.rl.dpo import dpo_step, preference_loss, preferring, run_dpo, with_reference
from proofwalk.rl.hooks import Hooks
from proofwalk.rl.optimizers import adamw
from proofwalk.rl.preferences import Pair
from proofwalk.rl.processes import Single
from proofwalk.rl.runs import RunResult
from proofwalk.rl.samples import Sample
from proofwalk.rl.settings import DpoSettings
from tests.rl.kit import (
    assert_same_gradients,
    curve,
    gradients,
    held_at_step,
    ignore,
    never,
    plain_logprobs,
    tiny_model,
    tiny_tokenizer,
)

_SETTINGS = DpoSettings(
    learning_rate=2e-3, batch_size=8, epochs=3, checkpoint_every=4, microbatch_tokens=40
)


class _Killed(BaseException):
    """As if the process were gone."""


def pairs_of(count: int, seed: int = 0) -> list[Pair]:
    """A taste that can be learned: the prompt's last token is right, the one before it
    wrong; what is rejected goes on longer."""
    chance, pairs = Random(seed), []
    for _ in range(count):
        prompt = tuple(chance.sample(range(2, 12), chance.randint(2, 5)))
        pairs.append(
            Pair(
                chosen=Sample(prompt=prompt, completion=(prompt[-1], 1)),
                rejected=Sample(
                    prompt=prompt, completion=(prompt[-2],) * chance.randint(1, 3) + (1,)
                ),
            )
        )
    return pairs


def _run(folder: Path, settings: DpoSettings = _SETTINGS, **more: Any) -> RunResult:
    hooks = Hooks(
        on_metrics=more.pop("on_metrics", ignore),
        should_stop=more.pop("should_stop", never),
        clock=ManualClock(),
        validate=more.pop("validate", None),
    )
    pairs = more.pop("pairs", pairs_of(32))
    model = more.pop("model", None) or tiny_model()
    return run_dpo(model, tiny_tokenizer(), pairs, settings, folder, hooks)


def test_the_loss_is_eq_2_by_hand() -> None:
    """Rewards of 0.5 and -0.25: J = -log σ(0.75) = log(1 + e^-0.75)."""
    loss = preference_loss(torch.tensor([0.5]), torch.tensor([-0.25]))
    assert float(loss) == pytest.approx(math.log(1 + math.exp(-0.75)))
    assert float(preference_loss(torch.zeros(1), torch.zeros(1))) == pytest.approx(math.log(2))


def test_a_step_measures_and_descends_the_definition() -> None:
    """Against the plain definition, a pair at a time, with a reference that differs
    from the policy; tokens outside the mask count nothing."""
    model, other = tiny_model(3), tiny_model(4)
    pairs = pairs_of(5)
    masked = replace(pairs[0].rejected, completion=(7, 8, 1), mask=(True, False, True))
    pairs[0] = Pair(chosen=pairs[0].chosen, rejected=masked)
    settings = _SETTINGS.model_copy(update={"max_grad_norm": 1e9, "beta": 0.7})
    known = with_reference(other, pairs, settings)

    def reward(sample: Sample) -> torch.Tensor:
        own = plain_logprobs(model, sample) - plain_logprobs(other, sample).detach()
        return 0.7 * own[list(sample.learned)].sum()

    expected = torch.stack(
        [preference_loss(reward(one.chosen)[None], reward(one.rejected)[None])[0] for one in pairs]
    ).mean()
    expected.backward()
    gradient = gradients(model)
    optimizer = adamw(model, settings)
    held = held_at_step(model, optimizer)
    measured = dpo_step(model, optimizer, known, settings, process=Single())
    assert measured["loss"] == pytest.approx(float(expected.detach()), abs=1e-6)
    assert measured["margin"] == pytest.approx(
        measured["chosen_reward"] - measured["rejected_reward"], abs=1e-6
    )
    assert measured["learned_tokens"] == sum(
        len(one.learned) for pair in pairs for one in (pair.chosen, pair.rejected)
    )
    assert_same_gradients(held, gradient)


def test_the_policy_comes_to_prefer_what_is_preferred(tmp_path: Path) -> None:
    settings = _SETTINGS.model_copy(
        update={"batch_size": 32, "epochs": 8, "microbatch_tokens": 1000}
    )
    model = tiny_model()
    held_out = with_reference(model, pairs_of(24, seed=9), settings)
    result = _run(
        tmp_path,
        settings,
        model=model,
        pairs=pairs_of(256),
        validate=preferring(held_out, settings),
    )
    losses, accuracy = curve(result.metrics, "loss"), curve(result.metrics, "accuracy")
    assert losses[0] == pytest.approx(math.log(2), abs=1e-5), "it begins as its reference"
    assert losses[-1] < 0.45
    assert accuracy[-1] > 0.9
    assert curve(result.metrics, "rejected_reward")[-1] < 0
    assert curve(result.metrics, "validation")[-1] > -0.5


@pytest.mark.parametrize(
    "changes", [{}, {"packing": True}, {"share_prefix": True}, {"adaptation": "lora"}]
)
def test_a_killed_run_resumes_to_the_same_curve_bit_for_bit(
    tmp_path: Path, changes: dict[str, Any]
) -> None:
    settings = DpoSettings.model_validate({**_SETTINGS.model_dump(), **changes})
    whole = _run(tmp_path / "whole", settings)

    def kill(step: int, values: Mapping[str, float]) -> None:
        if step == 6:
            raise _Killed

    with pytest.raises(_Killed):
        _run(tmp_path / "killed", settings, on_metrics=kill)
    resumed = _run(tmp_path / "killed", settings)
    assert resumed.metrics == whole.metrics
    weights = "adapter_model.safetensors" if settings.adaptation == "lora" else "model.safetensors"
    assert (resumed.last / weights).read_bytes() == (whole.last / weights).read_bytes()


def test_how_a_batch_is_cut_does_not_change_the_curve(tmp_path: Path) -> None:
    cuts: tuple[dict[str, Any], ...] = (
        {},
        {"microbatch_tokens": 500},
        {"packing": True},
        {"share_prefix": True},
    )
    first, *others = (
        curve(_run(tmp_path / str(n), _SETTINGS.model_copy(update=changes)).metrics, "loss")
        for n, changes in enumerate(cuts)
    )
    for other in others:
        assert other == pytest.approx(first, abs=1e-4)


def test_what_is_no_pair_is_refused(tmp_path: Path) -> None:
    one = Sample(prompt=(2, 3), completion=(4, 1))
    for other, says in (
        (replace(one, prompt=(2, 4)), "different questions"),
        (one, "the same"),
    ):
        with pytest.raises(ProofwalkError) as caught:
            Pair(chosen=one, rejected=other)
        assert caught.value.code == "rl.pair_invalid"
        assert says in str(caught.value)
    with pytest.raises(ProofwalkError) as caught:
        _run(tmp_path, pairs=[])
    assert caught.value.code == "rl.data_empty"


def test_another_runs_pairs_are_refused(tmp_path: Path) -> None:
    asked = iter([False, True])
    _run(tmp_path, should_stop=lambda: next(asked))
    with pytest.raises(ProofwalkError) as caught:
        _run(tmp_path, pairs=pairs_of(31))
    assert caught.value.code == "rl.run_differs"
    assert "data" in str(caught.value)
