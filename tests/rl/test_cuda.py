"""On a CUDA device SFT, GRPO and DPO compute what they compute on the processor: the
same first update in float32, and a run that ends and goes on there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from proofwalk.kernel.clock import ManualClock
from proofwalk.rl.dpo import dpo_step, with_reference
from proofwalk.rl.grpo import reference_scorer, update
from proofwalk.rl.logprobs import score
from proofwalk.rl.optimizers import adamw
from proofwalk.rl.preferences import Pair
from proofwalk.rl.processes import Single
from proofwalk.rl.samples import Sample
from proofwalk.rl.settings import DpoSettings, GrpoSettings, SftSettings
from proofwalk.rl.sft import run_sft, sft_step
from tests.fixtures.devices import ON_CUDA
from tests.rl.kit import ragged_samples, tiny_model, tiny_tokenizer

pytestmark = [*ON_CUDA]

Update = Callable[[Any], dict[str, float]]


def _acted(count: int) -> list[Sample]:
    return [
        replace(sample, advantage=(-1.0) ** place, episode=str(place))
        for place, sample in enumerate(ragged_samples(count, 3))
    ]


def _sft(model: Any) -> dict[str, float]:
    settings = SftSettings(learning_rate=1e-3, batch_size=8, microbatch_tokens=48)
    return sft_step(
        model, adamw(model, settings), ragged_samples(8), settings, process=Single(), pad=0
    )


def _shared(model: Any) -> dict[str, float]:
    settings = SftSettings(learning_rate=1e-3, batch_size=8, share_prefix=True)
    begun = [replace(one, prompt=(5, 6, 7, *one.prompt)) for one in ragged_samples(8)]
    return sft_step(model, adamw(model, settings), begun, settings, process=Single(), pad=0)


def _grpo(model: Any) -> dict[str, float]:
    settings = GrpoSettings(learning_rate=1e-3, kl_coefficient=0.1, microbatch_tokens=48)
    reference = reference_scorer(model, settings, fresh_adapter=False, pad=0)
    return update(model, reference, _acted(8), settings, optimizer=adamw(model, settings), pad=0)


def _dpo(model: Any) -> dict[str, float]:
    settings = DpoSettings(learning_rate=1e-3, batch_size=4, microbatch_tokens=48)
    samples = ragged_samples(8, 5)
    pairs = [
        Pair(chosen=one, rejected=replace(other, prompt=one.prompt))
        for one, other in zip(samples[::2], samples[1::2], strict=True)
    ]
    known = with_reference(tiny_model(9).to(model.device), pairs, settings, pad=0)
    return dpo_step(model, adamw(model, settings), known, settings, process=Single(), pad=0)


@pytest.mark.parametrize("step", [_sft, _shared, _grpo, _dpo])
def test_an_update_is_the_processors(step: Update) -> None:
    there, here = tiny_model().to("cuda"), tiny_model()
    on_cuda, on_cpu = step(there), step(here)
    assert on_cuda["loss"] == pytest.approx(on_cpu["loss"], rel=1e-4, abs=1e-6)
    assert on_cuda["grad_norm"] == pytest.approx(on_cpu["grad_norm"], rel=1e-3)
    samples = ragged_samples(6, 11)
    for one, other in zip(
        score(there, samples, microbatch_tokens=99),
        score(here, samples, microbatch_tokens=99),
        strict=True,
    ):
        assert one == pytest.approx(other, abs=2e-3)


def test_a_run_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    """Sums on a GPU have no fixed order, so the curves agree by rounding."""
    settings = SftSettings(
        learning_rate=1e-3, batch_size=8, epochs=3, checkpoint_every=2, precision="bf16"
    )

    def curve(folder: Path, *, stops_after: int) -> list[float]:
        losses: list[float] = []
        for limit in (stops_after, 1000):

            def over(limit: int = limit) -> bool:
                return len(losses) >= limit

            run_sft(
                tiny_model().to("cuda"),
                tiny_tokenizer(),
                ragged_samples(40),
                settings,
                folder,
                lambda _step, values: losses.append(values["loss"]),
                over,
                clock=ManualClock(),
            )
        return losses

    whole = curve(tmp_path / "whole", stops_after=1000)
    parts = curve(tmp_path / "parts", stops_after=7)
    assert len(whole) == len(parts) == 15
    assert parts == pytest.approx(whole, abs=5e-3)
    assert whole[-1] < whole[0]


def test_bfloat16_is_what_auto_takes_on_this_device() -> None:
    from proofwalk.rl.precision import resolved

    assert resolved("auto", torch.device("cuda")) == "bf16"
