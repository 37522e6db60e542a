"""GRPO raises the reward of a bandit, holds to its reference, and goes on after a crash
as if nothing had been."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from proofwalk.kernel.clock import ManualClock
from proofwalk.rl.adapters import adapted, fingerprint
from proofwalk.rl.grpo import reference_scorer, run_grpo, update
from proofwalk.rl.logprobs import score
from proofwalk.rl.optimizers import adamw
from proofwalk.rl.runs import RunResult
from proofwalk.rl.samples import Sample
from proofwalk.rl.settings import GrpoSettings
from tests.rl.kit import curve, ignore, never, ragged_samples, tiny_model
from tests.rl.toy import Bandit

_SETTINGS = GrpoSettings(
    learning_rate=5e-3,
    group_size=16,
    steps=12,
    kl_coefficient=0.01,
    checkpoint_every=4,
    microbatch_tokens=64,
    validate_every=5,
)


def _settings(**changes: Any) -> GrpoSettings:
    return GrpoSettings.model_validate({**_SETTINGS.model_dump(), **changes})


def _run(
    folder: Path, settings: GrpoSettings = _SETTINGS, source: Bandit | None = None, **more: Any
) -> RunResult:
    arguments: dict[str, Any] = {
        "on_metrics": ignore,
        "should_stop": never,
        "clock": ManualClock(),
        **more,
    }
    model = arguments.pop("model", None) or tiny_model(1)
    return run_grpo(model, None, source or Bandit(), settings, folder, **arguments)


@pytest.mark.parametrize(
    ("changes", "least"),
    [
        ({}, 0.8),
        ({"kl": "k3", "minibatches": 3, "epochs": 2, "learning_rate": 1e-3}, 0.8),
        # random embeddings, which adapters leave alone, set a bound
        ({"adaptation": "lora"}, 0.35),
    ],
)
def test_the_reward_rises(tmp_path: Path, changes: dict[str, Any], least: float) -> None:
    bandit = Bandit()
    result = _run(
        tmp_path,
        _settings(steps=40, **changes),
        bandit,
        validate=lambda step, model: bandit.chance_of_right(model),
    )
    rewards = curve(result.metrics, "reward")
    assert sum(rewards[:4]) / 4 < 0.2
    assert sum(rewards[-4:]) / 4 > least
    assert curve(result.metrics, "validation")[-1] > least
    assert curve(result.metrics, "entropy")[-1] < curve(result.metrics, "entropy")[0]
    assert curve(result.metrics, "kl")[-1] > 0.1


def test_environment_failures_are_counted_and_the_reward_rises_all_the_same(tmp_path: Path) -> None:
    result = _run(tmp_path, _settings(steps=40), Bandit(breaks=0.2))
    assert sum(curve(result.metrics, "reward")[-4:]) / 4 > 0.8
    lost = sum(curve(result.metrics, "excluded")) / (
        sum(curve(result.metrics, "counted")) + sum(curve(result.metrics, "excluded"))
    )
    assert 0.1 < lost < 0.3


def test_a_strong_penalty_holds_the_policy_to_its_reference(tmp_path: Path) -> None:
    free = _run(tmp_path / "free", _settings(steps=25, kl_coefficient=0.0))
    held = _run(tmp_path / "held", _settings(steps=25, kl_coefficient=5.0))
    assert curve(held.metrics, "reward")[-1] < curve(free.metrics, "reward")[-1]
    assert set(curve(free.metrics, "kl")) == {0.0}


@pytest.mark.parametrize("changes", [{}, {"adaptation": "lora"}, {"minibatches": 2}])
def test_a_killed_run_resumes_to_the_same_curve_bit_for_bit(
    tmp_path: Path, changes: dict[str, Any]
) -> None:
    class Killed(BaseException):
        pass

    settings = _settings(steps=8, **changes)
    whole = _run(tmp_path / "whole", settings)

    def kill(step: int, values: Mapping[str, float]) -> None:
        if step == 6:
            raise Killed

    with pytest.raises(Killed):
        _run(tmp_path / "killed", settings, on_metrics=kill)
    bandit = Bandit()
    resumed = _run(tmp_path / "killed", settings, bandit)
    assert resumed.metrics == whole.metrics
    assert bandit.versions[0] == "step-00000004"
    weights = "adapter_model.safetensors" if settings.adaptation == "lora" else "model.safetensors"
    assert (resumed.last / weights).read_bytes() == (whole.last / weights).read_bytes()


def test_validation_comes_before_the_first_step_and_the_best_checkpoint_is_kept(
    tmp_path: Path,
) -> None:
    scores = {0: 0.5, 5: 0.8, 10: 0.4, 12: 0.7}
    result = _run(tmp_path, validate=lambda step, model: scores[step])
    assert {
        row["step"]: row["validation"] for row in result.metrics if "validation" in row
    } == scores
    assert result.best is not None
    assert (result.best.name, result.last.name) == ("step-00000005", "step-00000012")


def test_a_stopped_run_has_a_checkpoint_and_every_update_was_published(tmp_path: Path) -> None:
    bandit, asked = Bandit(), iter([False, False, True])
    stopped = _run(tmp_path, source=bandit, should_stop=lambda: next(asked))
    assert (stopped.status, stopped.step, stopped.last.name) == ("stopped", 2, "step-00000002")
    assert bandit.versions == ["step-00000000", "step-00000001", "step-00000002"]


def test_a_batch_without_information_moves_nothing(tmp_path: Path) -> None:
    class Hopeless(Bandit):
        def roll(self, wanted: Mapping[str, int], step: int) -> Any:
            return [
                replace(
                    group,
                    rollouts=tuple(replace(rollout, reward=0.0) for rollout in group.rollouts),
                )
                for group in super().roll(wanted, step)
            ]

    model = tiny_model(1)
    before = fingerprint(model)
    result = _run(tmp_path, _settings(steps=2), Hopeless(), model=model)
    assert fingerprint(model) == before
    assert curve(result.metrics, "informative") == [0.0, 0.0]
    assert curve(result.metrics, "loss") == []


def _scored(model: Any, count: int = 6) -> list[Sample]:
    samples = ragged_samples(count, seed=4)
    return [
        replace(sample, advantage=1.0 if number % 3 else -1.0, old_logprobs=values)
        for number, (sample, values) in enumerate(
            zip(samples, score(model, samples, microbatch_tokens=100), strict=True)
        )
    ]


def test_the_first_update_of_a_policy_that_acted_itself_by_hand() -> None:
    """ρ = 1 and π = π_ref: the loss is -Σ w Â, nothing is clipped, every distance is
    0."""
    model, settings = tiny_model(2), _settings(aggregation="sequence")
    samples = _scored(model)
    found = update(
        model,
        reference_scorer(model, settings, fresh_adapter=False),
        samples,
        settings,
        optimizer=adamw(model, settings),
    )
    assert found["loss"] == pytest.approx(
        -sum(sample.advantage for sample in samples) / 6, abs=1e-5
    )
    assert found["ratio"] == pytest.approx(1.0, abs=1e-5)
    assert (found["clip_share"], found["samples"], found["optimizer_steps"]) == (0.0, 6.0, 1.0)
    assert found["kl"] == pytest.approx(0.0, abs=1e-9)
    assert found["approximate_kl"] == pytest.approx(0.0, abs=1e-6)


def test_unreported_probabilities_are_those_of_the_policy_before_the_update() -> None:
    results = []
    for reported in (True, False):
        for changes in ({}, {"minibatches": 3}, {"epochs": 2}):
            model, settings = tiny_model(2), _settings(**changes)
            samples = _scored(model)
            if not reported:
                samples = [replace(sample, old_logprobs=()) for sample in samples]
            reference = reference_scorer(model, settings, fresh_adapter=False)
            results.append(
                update(model, reference, samples, settings, optimizer=adamw(model, settings))
            )
    for left, right in zip(results[:3], results[3:], strict=True):
        assert left == pytest.approx(right, abs=1e-4)


def test_several_steps_a_batch_clip_what_has_moved_far() -> None:
    model, settings = tiny_model(2), _settings(epochs=6, learning_rate=2e-2, kl_coefficient=0.0)
    found = update(model, None, _scored(model), settings, optimizer=adamw(model, settings))
    assert found["clip_share"] > 0.1
    assert found["approximate_kl"] > 0.01


def test_the_reference_of_an_adapter_is_the_model_without_it_and_of_weights_a_copy() -> None:
    samples = ragged_samples(4)
    for adaptation in ("full", "lora"):
        base = tiny_model(2)
        expected = score(base, samples, microbatch_tokens=100)
        settings = _settings(adaptation=adaptation)
        model = adapted(base, settings)
        reference = reference_scorer(model, settings, fresh_adapter=adaptation == "lora")
        assert reference is not None
        with torch.no_grad():
            for parameter in model.parameters():
                if parameter.requires_grad:
                    parameter.add_(0.1)
        assert abs(score(model, samples, microbatch_tokens=100)[0][0] - expected[0][0]) > 1e-2
        for found, values in zip(reference(samples), expected, strict=True):
            assert found == pytest.approx(values, abs=1e-5)


def test_a_run_ends_when_its_steps_of_the_environment_are_used_and_a_resumed_one_counts_on(
    tmp_path: Path,
) -> None:
    each = 3 * 20  # three tasks, 1.25 × 16 episodes of one step
    bounded = _settings(environment_steps=3 * each - 1)
    result = _run(tmp_path / "one", bounded)
    assert (result.status, result.step) == ("finished", 3)
    assert curve(result.metrics, "environment_steps") == [each] * 3
    asked = iter([False, False, True])
    stopped = _run(tmp_path / "two", bounded, should_stop=lambda: next(asked))
    assert (stopped.status, stopped.step) == ("stopped", 2)
    again = _run(tmp_path / "two", bounded)
    assert (again.status, again.step) == ("finished", 3)
    assert _run(tmp_path / "two", bounded).step == 3
