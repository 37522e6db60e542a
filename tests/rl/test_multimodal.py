"""Pictures in, the same trainers: images through Qwen's processor on Pillow, then
`run_sft` and `run_grpo` on a tiny Qwen3-VL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
import torch

from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.rl.grpo import reference_scorer, run_grpo, update
from proofwalk.rl.images import with_images
from proofwalk.rl.logprobs import score
from proofwalk.rl.optimizers import adamw
from proofwalk.rl.rollouts import Rollout, RolloutGroup
from proofwalk.rl.samples import Sample, collate
from proofwalk.rl.settings import GrpoSettings, SftSettings
from proofwalk.rl.sft import run_sft
from tests.rl.kit import curve, ignore, never
from tests.rl.vision import (
    IMAGE,
    LEFT,
    RIGHT,
    asked,
    image_processor,
    picture,
    pictured_samples,
    vision_model,
    vision_tokenizer,
)

_SFT = SftSettings(
    learning_rate=5e-3,
    batch_size=16,
    epochs=8,
    microbatch_tokens=400,
    checkpoint_every=50,
    validate_every=50,
)
_GRPO = GrpoSettings(
    learning_rate=5e-3,
    group_size=16,
    steps=14,
    kl_coefficient=0.02,
    microbatch_tokens=1000,
    validate_every=50,
    checkpoint_every=50,
)


def _sft(
    folder: Path,
    settings: SftSettings = _SFT,
    *,
    model: Any = None,
    samples: Sequence[Sample] = (),
    **more: Any,
) -> Any:
    arguments: dict[str, Any] = {
        "on_metrics": ignore,
        "should_stop": never,
        "clock": ManualClock(),
        **more,
    }
    data = samples or pictured_samples(64)
    return run_sft(model or vision_model(), vision_tokenizer(), data, settings, folder, **arguments)


def _rights(model: Any, samples: Sequence[Sample]) -> float:
    """Share of samples whose right side is more likely than the other."""
    other = [
        replace(sample, completion=(LEFT + RIGHT - sample.completion[0], *sample.completion[1:]))
        for sample in samples
    ]
    right, wrong = (
        score(model.eval(), chosen, microbatch_tokens=1000) for chosen in (samples, other)
    )
    model.train()
    return sum(one[0] > two[0] for one, two in zip(right, wrong, strict=True)) / len(samples)


def test_a_place_becomes_as_many_tokens_as_its_image_has_merged_patches() -> None:
    chance = Random(0)
    sample = asked(LEFT, [picture(LEFT, chance, width=16), picture(RIGHT, chance, width=32)])
    grids = sample.images["image_grid_thw"]
    assert grids.tolist() == [[1, 4, 4], [1, 4, 8]]
    assert sample.images["pixel_values"].shape == (16 + 32, 3 * 4 * 4)
    assert list(sample.prompt).count(IMAGE) == 4 + 8
    assert [token == IMAGE for token in sample.prompt] == [
        bool(kind) for kind in sample.token_types
    ]
    assert sample.completion == (LEFT, 1)
    text = vision_tokenizer().decode([token for token in sample.prompt if token != IMAGE])
    assert text.startswith(
        "<|im_start|> user <|vision_start|> <|vision_end|> <|vision_start|> <|vision_end|> where"
        " is it"
    )


@pytest.mark.parametrize(
    ("prompt", "completion", "count"),
    [((5, IMAGE, 6), (7,), 2), ((5, 6), (7,), 1), ((5, IMAGE), (IMAGE,), 1), ((IMAGE,), (7,), 0)],
)
def test_images_without_a_place_and_places_without_an_image_are_refused(
    prompt: tuple[int, ...], completion: tuple[int, ...], count: int
) -> None:
    images = [picture(LEFT, Random(1)) for _ in range(count)]
    with pytest.raises(ProofwalkError) as caught:
        with_images(
            Sample(prompt=prompt, completion=completion),
            images,
            image_processor(),
            image_token=IMAGE,
        )
    assert caught.value.code == "rl.images_unfit"


def test_a_completion_with_an_image_token_is_refused_before_the_model_takes_it_for_an_image() -> (
    None
):
    sample = asked(LEFT, [picture(LEFT, Random(0))])
    with pytest.raises(ProofwalkError) as caught:
        replace(sample, completion=(LEFT, IMAGE))
    assert caught.value.code == "rl.sample_invalid"


def test_a_sample_without_images_stays_as_it_is() -> None:
    sample = Sample(prompt=(5, 6), completion=(7,))
    assert with_images(sample, [], image_processor(), image_token=IMAGE) is sample


def test_sft_on_pictures_lowers_the_loss_and_reads_pictures_it_has_not_seen(tmp_path: Path) -> None:
    model, held_out = vision_model(), pictured_samples(24, seed=9)
    losses = curve(_sft(tmp_path, model=model).metrics, "loss")
    assert losses[-1] < 0.2 < 3.0 < losses[0]
    assert _rights(model, held_out) > 0.9
    blank = [
        replace(one, images={**one.images, "pixel_values": 0 * one.images["pixel_values"]})
        for one in held_out
    ]
    assert _rights(model, blank) < 0.75  # the text says nothing about the side


@pytest.mark.filterwarnings("ignore:.is_gradient_checkpointing. is deprecated:FutureWarning")
def test_adapters_learn_beside_a_frozen_vision_tower(tmp_path: Path) -> None:
    settings = SftSettings.model_validate(
        {**_SFT.model_dump(), "adaptation": "lora", "learning_rate": 2e-2, "epochs": 2}
    )
    losses = curve(_sft(tmp_path, settings).metrics, "loss")
    # random embeddings, which adapters leave alone, set a bound
    assert losses[-1] < 1.5 < 3.0 < losses[0]


def test_a_killed_run_on_pictures_resumes_to_the_same_curve(tmp_path: Path) -> None:
    class Killed(BaseException):
        pass

    def kill(step: int, values: Mapping[str, float]) -> None:
        if step == 3:
            raise Killed

    data, settings = (
        pictured_samples(16),
        SftSettings.model_validate(
            {**_SFT.model_dump(), "batch_size": 4, "epochs": 1, "checkpoint_every": 2}
        ),
    )
    whole = _sft(tmp_path / "whole", settings, samples=data)
    with pytest.raises(Killed):
        _sft(tmp_path / "killed", settings, samples=data, on_metrics=kill)
    assert _sft(tmp_path / "killed", settings, samples=data).metrics == whole.metrics


def test_pictures_are_refused_where_rows_are_packed(tmp_path: Path) -> None:
    with pytest.raises(ProofwalkError) as caught:
        _sft(tmp_path, SftSettings.model_validate({**_SFT.model_dump(), "packing": True}))
    assert caught.value.code == "rl.images_packed"
    assert "packing" in str(caught.value)


class _Looking:
    """A source of rollouts: a task is a picture, an episode one word sampled from the
    policy that sees it."""

    def __init__(self) -> None:
        self._samples = {
            side: asked(side, [picture(side, Random(side), width=16)]) for side in (LEFT, RIGHT)
        }
        self._model: Any = None
        self._version = ""
        self._rolled = 0

    def tasks(self, step: int) -> Sequence[str]:
        return [str(side) for side in self._samples]

    def publish(self, version: str, model: Any) -> None:
        self._model, self._version = model, version

    def roll(self, wanted: Mapping[str, int], step: int) -> Sequence[RolloutGroup]:
        return [
            RolloutGroup(task=task, rollouts=self._group(task, count))
            for task, count in wanted.items()
        ]

    def _group(self, task: str, count: int) -> tuple[Rollout, ...]:
        sample = self._samples[int(task)]
        batch = collate([replace(sample, completion=sample.completion[:1])], [[0]], weights=[1.0])
        with torch.no_grad():
            logits = self._model(
                input_ids=batch.input_ids,
                use_cache=False,
                logits_to_keep=batch.predictors,
                **batch.images,
            ).logits
        logits = logits.flatten(0, -2)[0]
        logits[IMAGE:] = -torch.inf  # as engines are told: places of images are nothing to say
        logs = torch.log_softmax(logits, -1)
        made = []
        for token in torch.multinomial(logs.exp(), count, replacement=True).tolist():
            self._rolled += 1
            acted = replace(
                sample,
                completion=(token,),
                old_logprobs=(float(logs[token]),),
                policy_version=self._version,
            )
            made.append(
                Rollout(
                    episode=str(self._rolled),
                    reward=float(token == sample.completion[0]),
                    samples=(acted,),
                )
            )
        return tuple(made)


def test_grpo_on_pictures_raises_the_reward(tmp_path: Path) -> None:
    """From the middle of the scale: a model that has learned to name a side, and not
    yet which."""
    model, source = vision_model(), _Looking()
    coin = [
        replace(sample, completion=(side, 1))
        for sample in pictured_samples(8)
        for side in (LEFT, RIGHT)
    ]
    _sft(
        tmp_path / "sft",
        SftSettings.model_validate({**_SFT.model_dump(), "epochs": 12}),
        model=model,
        samples=coin,
    )
    result = run_grpo(
        model,
        vision_tokenizer(),
        source,
        _GRPO,
        tmp_path / "grpo",
        ignore,
        never,
        clock=ManualClock(),
    )
    rewards = curve(result.metrics, "reward")
    assert sum(rewards[:2]) / 2 < 0.6
    assert sum(rewards[-3:]) / 3 > 0.8
    assert curve(result.metrics, "kl")[-1] > 0


def test_the_frozen_policy_sees_the_pictures(tmp_path: Path) -> None:
    """Before the first update both policies are one, so the penalty is 0 and the ratio
    1; after it they are not."""
    model = vision_model()
    samples = [
        replace(sample, advantage=(-1.0) ** number, episode=str(number))
        for number, sample in enumerate(pictured_samples(6))
    ]
    acted = score(model, samples, microbatch_tokens=1)
    samples = [
        replace(sample, old_logprobs=values) for sample, values in zip(samples, acted, strict=True)
    ]
    reference, optimizer = reference_scorer(model, _GRPO, fresh_adapter=False), adamw(model, _GRPO)
    assert reference is not None
    for values, same in zip(reference(samples), acted, strict=True):
        assert values == pytest.approx(same, abs=1e-5)
    swapped = [
        replace(sample, images={**sample.images, "pixel_values": -sample.images["pixel_values"]})
        for sample in samples
    ]
    assert (
        max(abs(one[0] - two[0]) for one, two in zip(reference(swapped), acted, strict=True)) > 1e-4
    )
    first = update(model, reference, samples, _GRPO, optimizer=optimizer)
    assert first["ratio"] == pytest.approx(1.0, abs=1e-5)
    assert first["kl"] == pytest.approx(0.0, abs=1e-9)
    assert update(model, reference, samples, _GRPO, optimizer=optimizer)["kl"] > 1e-8
