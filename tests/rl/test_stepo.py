"""STEPO (EvoCUA §7): Eq. 3 to 5 by hand, and the update that follows from them."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from pydantic import ValidationError

from proofwalk.rl import rollouts
from proofwalk.rl.grpo import update
from proofwalk.rl.objectives import token_weights
from proofwalk.rl.optimizers import adamw
from proofwalk.rl.rollouts import Rollout, RolloutGroup
from proofwalk.rl.samples import Sample
from proofwalk.rl.settings import GrpoSettings, presets
from tests.rl.kit import assert_same_gradients, gradients, held_at_step, plain_logprobs, tiny_model

_SETTINGS = GrpoSettings(
    group_size=2,
    oversampling=1.0,
    credit="share",
    aggregation="step",
    batch_statistics="none",
    kl="k3",
    kl_coefficient=0.0,
    max_grad_norm=1e9,
)


def _group() -> RolloutGroup:
    """A walk of one step that was right, and one of three steps that was not."""

    def step(*completion: int) -> Sample:
        return Sample(prompt=(5, 6, 7), completion=completion, episode="")

    return RolloutGroup(
        task="t",
        rollouts=(
            Rollout(episode="right", reward=1.0, samples=(step(3, 4, 1),)),
            Rollout(
                episode="wrong", reward=0.0, samples=(step(8, 1), step(9, 9, 9, 1), step(2, 1))
            ),
        ),
    )


def test_steps_share_their_trajectory_s_advantage() -> None:
    """Eq. 3: Â is 1 and -1; Eq. 4: each of the three steps has -1/3."""
    batch = rollouts.batch([_group()], 0, _SETTINGS)
    assert [sample.advantage for sample in batch.samples] == pytest.approx(
        [1.0, -1 / 3, -1 / 3, -1 / 3], abs=1e-4
    )


def test_the_loss_sums_over_steps() -> None:
    """Eq. 5: 1/G over trajectories, 1/K_t over a step's tokens, no mean over steps."""
    weights = token_weights([3, 2, 4, 2], aggregation="step", episodes=["r", "w", "w", "w"])
    assert weights == pytest.approx([1 / 6, 1 / 4, 1 / 8, 1 / 4])


@pytest.mark.parametrize("kl_coefficient", [0.0, 0.2])
def test_an_update_descends_equation_5(kl_coefficient: float) -> None:
    model, reference = tiny_model(3), tiny_model(4)
    settings = _SETTINGS.model_copy(update={"kl_coefficient": kl_coefficient})
    samples = rollouts.batch([_group()], 0, settings).samples
    terms = []
    for sample in samples:
        own, frozen = plain_logprobs(model, sample), plain_logprobs(reference, sample).detach()
        surrogate = torch.exp(own - own.detach()) * sample.advantage
        k3 = torch.exp(frozen - own) - (frozen - own) - 1
        terms.append((surrogate - kl_coefficient * k3).mean())
    expected = -torch.stack(terms).sum() / 2
    expected.backward()
    gradient = gradients(model)
    optimizer = adamw(model, settings)
    held = held_at_step(model, optimizer)

    def scored(asked: Any) -> list[tuple[float, ...]]:
        return [tuple(plain_logprobs(reference, one).detach().tolist()) for one in asked]

    measured = update(
        model, scored if kl_coefficient else None, samples, settings, optimizer=optimizer
    )
    assert measured["loss"] == pytest.approx(float(expected.detach()), abs=1e-5)
    assert measured["ratio"] == pytest.approx(1.0), "what is watched stays a mean"
    assert_same_gradients(held, gradient)


def test_shares_go_with_sums() -> None:
    for changes in ({"credit": "share"}, {"aggregation": "step"}):
        with pytest.raises(ValidationError, match="go with each other"):
            GrpoSettings.model_validate(changes)
    preset = presets()["evocua-stepo"].settings
    assert isinstance(preset, GrpoSettings)
    assert (preset.credit, preset.aggregation, preset.batch_statistics) == ("share", "step", "none")
