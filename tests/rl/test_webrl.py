"""WebRL raises the reward of a bandit, descends Eq. 5 with both signs of the advantage,
and goes on after a crash, critic and replay included, as if nothing had been."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.rl.adapters import fingerprint
from proofwalk.rl.advantages import mixed
from proofwalk.rl.hooks import Hooks
from proofwalk.rl.logprobs import score
from proofwalk.rl.objectives import kl_constrained, per_answer, value_loss
from proofwalk.rl.optimizers import adamw
from proofwalk.rl.rollouts import Rollout, RolloutGroup, RolloutSource
from proofwalk.rl.runs import RunResult
from proofwalk.rl.samples import Sample
from proofwalk.rl.settings import WebrlSettings
from proofwalk.rl.webrl import run_webrl, update
from tests.rl.kit import (
    assert_same_gradients,
    curve,
    gradients,
    held_at_step,
    ignore,
    never,
    plain_logprobs,
    ragged_samples,
    tiny_model,
)
from tests.rl.toy import Bandit

_SETTINGS = WebrlSettings(
    learning_rate=3e-3,
    critic_learning_rate=1e-2,
    critic="head",
    group_size=16,
    steps=12,
    beta=0.1,
    checkpoint_every=4,
    validate_every=50,
    microbatch_tokens=64,
    replay_capacity=60,
    replay_candidates=40,
    replay_confidence=(0.05, 0.95),
)


class _Killed(BaseException):
    """As if the process were gone."""


def _settings(**changes: Any) -> WebrlSettings:
    return WebrlSettings.model_validate({**_SETTINGS.model_dump(), **changes})


def _run(
    folder: Path,
    settings: WebrlSettings = _SETTINGS,
    source: RolloutSource | None = None,
    **more: Any,
) -> RunResult:
    model = more.pop("model", None) or tiny_model(1)
    hooks = Hooks(
        on_metrics=more.pop("on_metrics", ignore),
        should_stop=more.pop("should_stop", never),
        clock=ManualClock(),
        validate=more.pop("validate", None),
    )
    return run_webrl(model, None, source or Bandit(), settings, folder, hooks)


def test_the_actors_loss_is_eq_5_by_hand() -> None:
    """(0.5·2 - 0.4)² = 0.36, (0.5·(-1) - (-0.7))² = 0.04; the gradient in the log-ratio
    is 2β(β·ratio - A), as Eq. 6 has it."""
    ratios = torch.tensor([2.0, -1.0], requires_grad=True)
    losses = kl_constrained(ratios, torch.tensor([0.4, -0.7]), beta=0.5)
    assert losses.tolist() == pytest.approx([0.36, 0.04])
    losses.sum().backward()
    assert ratios.grad is not None
    assert ratios.grad.tolist() == pytest.approx([0.6, 0.2])


def test_the_probability_of_an_action_is_that_of_all_its_tokens() -> None:
    owners = torch.tensor([3, 3, 1, 3])
    assert per_answer(torch.tensor([-1.0, -2.0, -5.0, -0.5]), owners).tolist() == [-5.0, -3.5]


def test_the_critics_loss_is_eq_7_by_hand() -> None:
    """V = 0.8 costs -log 0.8 in a success and -log 0.2 in a failure."""
    logits = torch.logit(torch.tensor([0.8, 0.8]))
    found = value_loss(logits, torch.tensor([1.0, 0.0])).tolist()
    assert found == pytest.approx([0.2231436, 1.6094379])


def test_advantages_are_eq_15_by_hand() -> None:
    """V = 0.2, 0.5, 0.8 and a success, γ = 0.9:
    next step  0.45 - 0.2 = 0.25,  0.72 - 0.5 = 0.22,  1 - 0.8 = 0.2
    final step 0.81 - 0.2 = 0.61,  0.9 - 0.5 = 0.4,    1 - 0.8 = 0.2"""
    values = [0.2, 0.5, 0.8]
    assert mixed(values, 1.0, mixing=0.5, discount=0.9) == pytest.approx([0.43, 0.31, 0.2])
    assert mixed(values, 1.0, mixing=1.0, discount=0.9) == pytest.approx([0.25, 0.22, 0.2])
    assert mixed(values, 1.0, mixing=0.0, discount=0.9) == pytest.approx([0.61, 0.4, 0.2])
    # A failure, Eq. 8: 0.5·(0.5 - 0.2) + 0.5·(0 - 0.2), …
    assert mixed(values, 0.0, mixing=0.5, discount=1.0) == pytest.approx([0.05, -0.1, -0.8])


def _known(model: Any, samples: list[Sample]) -> list[Sample]:
    scores = score(model, samples, microbatch_tokens=100)
    return [
        replace(sample, reference_logprobs=values)
        for sample, values in zip(samples, scores, strict=True)
    ]


@pytest.mark.parametrize("changes", [{}, {"packing": True}, {"share_prefix": True}])
def test_an_update_descends_the_definition(changes: dict[str, Any]) -> None:
    """Against Eq. 5 an action at a time, with a reference that differs from the actor;
    tokens outside the mask count nothing."""
    model, other = tiny_model(3), tiny_model(4)
    samples = [
        replace(sample, advantage=0.6 - 0.2 * number)
        for number, sample in enumerate(ragged_samples(5, seed=2))
    ]
    samples[0] = replace(samples[0], completion=(7, 8, 9), mask=(True, False, True))
    settings = _settings(max_grad_norm=1e9, beta=0.3, **changes)

    def lost(sample: Sample) -> torch.Tensor:
        own = plain_logprobs(model, sample) - plain_logprobs(other, sample).detach()
        return (0.3 * own[list(sample.learned)].sum() - sample.advantage) ** 2

    expected = torch.stack([lost(sample) for sample in samples]).mean()
    expected.backward()
    gradient, optimizer = gradients(model), adamw(model, settings)
    held = held_at_step(model, optimizer)
    measured = update(model, _known(other, samples), settings, optimizer=optimizer)
    assert measured["loss"] == pytest.approx(float(expected.detach()), abs=1e-5)
    assert measured["optimizer_steps"] == 1
    assert_same_gradients(held, gradient)


@pytest.mark.parametrize(
    ("advantage", "ahead", "rises"),
    [(0.8, 0.0, True), (-0.8, 0.0, False), (0.8, 12.0, False), (-0.8, -12.0, True)],
)
def test_an_action_moves_towards_its_advantage_from_where_the_constraint_holds_it(
    advantage: float, ahead: float, rises: bool
) -> None:
    """`ahead` is the log-ratio to the reference before the update. The probability
    rises where A is above β·log-ratio and falls where it is below, whatever A's
    sign."""
    model, settings = tiny_model(2), _settings(learning_rate=1e-4)
    sample = Sample(prompt=(5, 6, 7), completion=(20, 1), advantage=advantage)
    before = score(model, [sample], microbatch_tokens=100)[0]
    known = replace(sample, reference_logprobs=[value - ahead / 2 for value in before])
    update(model, [known], settings, optimizer=adamw(model, settings))
    moved = sum(score(model, [sample], microbatch_tokens=100)[0]) - sum(before)
    assert (moved > 0) == rises
    assert abs(moved) > 1e-4


@pytest.mark.parametrize(
    ("changes", "least"),
    [
        ({}, 0.75),
        ({"critic": "whole", "critic_learning_rate": 5e-4}, 0.75),
        ({"replay_capacity": 0}, 0.75),
        # random embeddings, which adapters leave alone, set a bound
        ({"adaptation": "lora", "learning_rate": 5e-3}, 0.3),
    ],
)
def test_the_reward_rises(tmp_path: Path, changes: dict[str, Any], least: float) -> None:
    bandit = Bandit()
    result = _run(
        tmp_path,
        _settings(steps=40, microbatch_tokens=1024, **changes),
        bandit,
        validate=lambda step, model: bandit.chance_of_right(model),
    )
    rewards = curve(result.metrics, "reward")
    assert sum(rewards[:4]) / 4 < 0.2
    assert sum(rewards[-4:]) / 4 > least
    assert curve(result.metrics, "validation")[-1] > least
    replayed = sum(curve(result.metrics, "replayed"))
    assert (replayed > 0) == (result.metrics[-1]["replay_steps"] > 0)
    assert max(curve(result.metrics, "replay_steps")) <= 60
    assert all(row["replayed"] <= 2 * row["counted"] for row in result.metrics if "replayed" in row)


@pytest.mark.parametrize(
    "changes", [{}, {"critic": "whole"}, {"adaptation": "lora"}, {"batch_size": 20, "epochs": 2}]
)
def test_a_killed_run_resumes_to_the_same_curve_bit_for_bit(
    tmp_path: Path, changes: dict[str, Any]
) -> None:
    settings = _settings(steps=8, **changes)
    whole = _run(tmp_path / "whole", settings)
    assert sum(curve(whole.metrics, "replayed")) > 0

    def kill(step: int, values: Mapping[str, float]) -> None:
        if step == 6:
            raise _Killed

    with pytest.raises(_Killed):
        _run(tmp_path / "killed", settings, on_metrics=kill)
    bandit = Bandit()
    resumed = _run(tmp_path / "killed", settings, bandit)
    assert resumed.metrics == whole.metrics
    assert bandit.versions[0] == "step-00000004"
    weights = "adapter_model.safetensors" if settings.adaptation == "lora" else "model.safetensors"
    for name in (weights, "critic.pt"):
        assert (resumed.last / name).read_bytes() == (whole.last / name).read_bytes(), name
    ours, theirs = (
        torch.load(run.last / "replay.pt", weights_only=True) for run in (resumed, whole)
    )
    # The bandit of the resumed run counts its episodes anew.
    for name in ("steps", "sizes", "tokens", "masks"):
        assert torch.equal(torch.as_tensor(ours[name]), torch.as_tensor(theirs[name])), name


class _Corridor:
    """Walks of two steps: the first token alone decides how the walk ends, and the
    second question tells which it was."""

    def __init__(self) -> None:
        self._bandit = Bandit()

    def tasks(self, step: int) -> Sequence[str]:
        return self._bandit.tasks(step)

    def publish(self, version: str, model: Any) -> None:
        self._bandit.publish(version, model)

    def roll(self, wanted: Mapping[str, int], step: int) -> Sequence[RolloutGroup]:
        return [
            replace(group, rollouts=tuple(map(self._longer, group.rollouts)))
            for group in self._bandit.roll(wanted, step)
        ]

    def _longer(self, walk: Rollout) -> Rollout:
        (first,) = walk.samples
        second = replace(
            first, prompt=(*first.prompt, *first.completion, 5), completion=(9,), old_logprobs=()
        )
        return replace(walk, samples=(first, second))


def test_the_first_step_of_two_learns_from_the_second_ones_value(tmp_path: Path) -> None:
    """With λ = 1 an outcome reaches the first step through the critic alone."""
    settings = _settings(
        steps=40,
        microbatch_tokens=1024,
        advantage_mixing=1.0,
        critic="whole",
        critic_learning_rate=1e-3,
        critic_epochs=4,
    )
    result = _run(tmp_path, settings, _Corridor())
    rewards = curve(result.metrics, "reward")
    assert sum(rewards[:4]) / 4 < 0.2
    assert sum(rewards[-4:]) / 4 > 0.35
    assert set(curve(result.metrics, "episode_steps")) == {2.0}


def test_a_checkpoint_without_its_critic_is_refused(tmp_path: Path) -> None:
    result = _run(tmp_path, _settings(steps=2))
    (result.last / "critic.pt").unlink()
    with pytest.raises(ProofwalkError) as caught:
        _run(tmp_path, _settings(steps=2))
    assert caught.value.code == "rl.checkpoint_damaged"


class _Rewarding(Bandit):
    """Every episode has the same reward."""

    def __init__(self, reward: float | None) -> None:
        super().__init__()
        self._reward = reward

    def roll(self, wanted: Mapping[str, int], step: int) -> Any:
        return [
            replace(
                group,
                rollouts=tuple(replace(one, reward=self._reward) for one in group.rollouts),
            )
            for group in super().roll(wanted, step)
        ]


def test_episodes_that_say_nothing_move_nothing(tmp_path: Path) -> None:
    model = tiny_model(1)
    before = fingerprint(model)
    result = _run(tmp_path, _settings(steps=2), _Rewarding(None), model=model)
    assert fingerprint(model) == before
    assert curve(result.metrics, "counted") == [0.0, 0.0]
    assert curve(result.metrics, "loss") == []


def test_failures_alone_teach_and_are_not_replayed(tmp_path: Path) -> None:
    model = tiny_model(1)
    before = fingerprint(model)
    result = _run(tmp_path, _settings(steps=3), _Rewarding(0.0), model=model)
    assert fingerprint(model) != before
    assert curve(result.metrics, "advantage")[0] < 0
    assert set(curve(result.metrics, "replay_steps")) == {0.0}


def test_a_reward_between_failure_and_success_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ProofwalkError) as caught:
        _run(tmp_path, _settings(steps=1), _Rewarding(0.3))
    assert caught.value.code == "rl.reward_invalid"


def test_walks_that_looked_at_images_are_refused(tmp_path: Path) -> None:
    class Looking(Bandit):
        def roll(self, wanted: Mapping[str, int], step: int) -> Any:
            return [
                replace(group, rollouts=tuple(map(_looking, group.rollouts)))
                for group in super().roll(wanted, step)
            ]

    def _looking(walk: Rollout) -> Rollout:
        (sample,) = walk.samples
        images = {"pixel_values": torch.zeros(1)}
        return replace(walk, samples=(replace(sample, images=images, token_types=(0, 0)),))

    with pytest.raises(ProofwalkError) as caught:
        _run(tmp_path, _settings(steps=1), Looking())
    assert caught.value.code == "rl.images_unsupported"
