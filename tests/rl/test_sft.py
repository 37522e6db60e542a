"""Supervised fine-tuning learns a toy task, is a function of its seed, and goes on
after a crash as if nothing had been."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import torch

from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.rl.runs import RunResult
from proofwalk.rl.settings import SftSettings
from proofwalk.rl.sft import run_sft
from tests.rl.kit import copying_samples, curve, ignore, never, tiny_model, tiny_tokenizer

_SETTINGS = SftSettings(
    learning_rate=5e-3,
    batch_size=8,
    epochs=3,
    warmup_share=0.1,
    checkpoint_every=4,
    microbatch_tokens=24,
)


class _Killed(BaseException):
    """As if the process were gone."""


def _run(
    folder: Path, settings: SftSettings = _SETTINGS, *, model_seed: int = 0, **more: Any
) -> RunResult:
    arguments: dict[str, Any] = {
        "on_metrics": ignore,
        "should_stop": never,
        "clock": ManualClock(),
        **more,
    }
    samples = arguments.pop("samples", copying_samples(32))
    return run_sft(tiny_model(model_seed), tiny_tokenizer(), samples, settings, folder, **arguments)


def test_the_loss_falls_and_the_task_is_learned(tmp_path: Path) -> None:
    settings = SftSettings(learning_rate=1e-2, batch_size=32, epochs=12, microbatch_tokens=1000)
    model = tiny_model()
    result = run_sft(
        model,
        None,
        copying_samples(256),
        settings,
        tmp_path,
        on_metrics=ignore,
        should_stop=never,
        clock=ManualClock(),
    )
    losses = curve(result.metrics, "loss")
    assert losses[0] > 2.5
    assert losses[-1] < 0.3
    held_out = copying_samples(20, seed=9)
    with torch.no_grad():
        right = sum(
            int(model(input_ids=torch.tensor([list(sample.prompt)])).logits[0, -1].argmax())
            == sample.completion[0]
            for sample in held_out
        )
    assert right >= 15


def test_steps_end_the_run_and_its_schedule(tmp_path: Path) -> None:
    result = _run(tmp_path, _SETTINGS.model_copy(update={"steps": 7}))
    assert (result.status, result.step) == ("finished", 7)
    rates = curve(result.metrics, "learning_rate")
    assert rates == sorted(rates, reverse=True), "the warm-up's share of seven steps is none"
    assert rates[-1] < 0.1 * rates[0]
    assert _run(tmp_path / "all", _SETTINGS.model_copy(update={"steps": 99})).step == 12, (
        "never more than the epochs have"
    )


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"packing": True},
        {"adaptation": "lora"},
        {"precision": "bf16"},
        {"adaptation": "lora", "lora": {"dropout": 0.2}},
    ],
)
def test_a_killed_run_resumes_to_the_same_curve_bit_for_bit(
    tmp_path: Path, changes: dict[str, Any]
) -> None:
    settings = SftSettings.model_validate({**_SETTINGS.model_dump(), **changes})
    whole = _run(tmp_path / "whole", settings)

    def kill(step: int, values: Mapping[str, float]) -> None:
        if step == 6:
            raise _Killed

    with pytest.raises(_Killed):
        _run(tmp_path / "killed", settings, on_metrics=kill)
    seen: list[int] = []
    resumed = _run(tmp_path / "killed", settings, on_metrics=lambda step, values: seen.append(step))
    assert seen == [5, 6, 7, 8, 9, 10, 11, 12]  # from the checkpoint at 4
    assert resumed.metrics == whole.metrics
    assert (tmp_path / "killed" / "metrics.jsonl").read_text() == (
        tmp_path / "whole" / "metrics.jsonl"
    ).read_text()
    weights = "adapter_model.safetensors" if settings.adaptation == "lora" else "model.safetensors"
    assert (resumed.last / weights).read_bytes() == (whole.last / weights).read_bytes()


def test_the_same_seed_gives_the_same_losses_and_another_does_not(tmp_path: Path) -> None:
    first, same = _run(tmp_path / "a").metrics, _run(tmp_path / "b").metrics
    other = _run(
        tmp_path / "c", SftSettings.model_validate({**_SETTINGS.model_dump(), "seed": 1})
    ).metrics
    assert first == same
    assert curve(first, "loss") != curve(other, "loss")


def test_how_a_batch_is_cut_does_not_change_the_curve(tmp_path: Path) -> None:
    cuts: tuple[dict[str, Any], ...] = ({}, {"microbatch_tokens": 500}, {"packing": True})
    curves = [
        curve(
            _run(
                tmp_path / str(n), SftSettings.model_validate({**_SETTINGS.model_dump(), **changes})
            ).metrics,
            "loss",
        )
        for n, changes in enumerate(cuts)
    ]
    assert curves[1] == pytest.approx(curves[0], abs=1e-4)
    assert curves[2] == pytest.approx(curves[0], abs=1e-4)


def test_a_run_that_is_stopped_saves_and_goes_on_later(tmp_path: Path) -> None:
    asked = iter([False, False, True])
    stopped = _run(tmp_path, should_stop=lambda: next(asked))
    assert (stopped.status, stopped.step) == ("stopped", 2)
    finished = _run(tmp_path)
    assert (finished.status, finished.step) == ("finished", 12)
    assert finished.metrics == _run(tmp_path.with_name("whole")).metrics
    assert _run(tmp_path).metrics == finished.metrics  # nothing left to do


def test_the_best_validated_checkpoint_is_kept(tmp_path: Path) -> None:
    scores = {5: 0.3, 10: 0.9, 12: 0.6}
    asked: list[bool] = []

    def validate(step: int, model: Any) -> float:
        asked.append(model.training)
        return scores[step]

    result = _run(tmp_path, validate=validate)
    assert result.best is not None
    assert (result.best.name, result.last.name) == ("step-00000010", "step-00000012")
    assert asked == [False] * 3
    assert {
        row["step"]: row["validation"] for row in result.metrics if "validation" in row
    } == scores
    lines = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    assert lines == list(result.metrics)


def test_another_runs_folder_is_refused(tmp_path: Path) -> None:
    asked = iter([False, True])
    _run(tmp_path, should_stop=lambda: next(asked))
    for changes, says in (
        ({"settings": SftSettings(epochs=9)}, "epochs"),
        ({"samples": copying_samples(31)}, "data"),
        ({"model_seed": 5}, "weights"),
    ):
        with pytest.raises(ProofwalkError) as caught:
            _run(tmp_path, **changes)
        assert caught.value.code == "rl.run_differs"
        assert says in str(caught.value)
    with pytest.raises(ProofwalkError) as caught:
        _run(tmp_path, samples=[])
    assert caught.value.code == "rl.data_empty"


def test_lora_leaves_the_weights_it_adapts_alone(tmp_path: Path) -> None:
    model = tiny_model()
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    settings = SftSettings.model_validate({**_SETTINGS.model_dump(), "adaptation": "lora"})
    result = run_sft(
        model,
        None,
        copying_samples(32),
        settings,
        tmp_path,
        on_metrics=ignore,
        should_stop=never,
        clock=ManualClock(),
    )
    after = {
        name.replace(".base_layer", ""): tensor
        for name, tensor in model.state_dict().items()
        if "lora_" not in name
    }
    assert all(torch.equal(before[name], after[name]) for name in before)
    assert curve(result.metrics, "loss")[-1] < curve(result.metrics, "loss")[0]


def test_only_matrices_decay(tmp_path: Path) -> None:
    from proofwalk.rl.optimizers import adamw

    model = tiny_model()
    groups = adamw(model, SftSettings(weight_decay=0.1)).param_groups
    assert [group["weight_decay"] for group in groups] == [0.1, 0.0]
    assert all(parameter.ndim >= 2 for parameter in groups[0]["params"])
    assert len(groups[1]["params"]) == 5  # two norms a layer and the last
    for parameter in model.parameters():
        parameter.requires_grad_(False)
    with pytest.raises(ProofwalkError) as caught:
        adamw(model, SftSettings())
    assert caught.value.code == "rl.nothing_to_train"
