"""The same trainer on a vision-language model: a tiny Qwen3-VL with random weights that
names the brighter half of a picture."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
import torch

from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.rl.logprobs import score
from proofwalk.rl.samples import Sample, collate, digest
from proofwalk.rl.settings import SftSettings
from proofwalk.rl.sft import run_sft
from tests.rl.kit import curve, ignore, never, tiny_model
from tests.rl.vision import END, IMAGE, LEFT, RIGHT, START, vision_model


def _picture(bright: int, seed: int) -> torch.Tensor:
    """4 x 4 patches of 4 x 4 pixels of 3 colours, merged 2 x 2 to four tokens; one half
    is bright."""
    noise = 0.3 * torch.randn(4, 4, 3 * 4 * 4, generator=torch.Generator().manual_seed(seed))
    noise[:, :2] += 2.0 if bright == LEFT else -2.0
    noise[:, 2:] += 2.0 if bright == RIGHT else -2.0
    # Qwen3-VL lists patches by merged block
    return noise.view(2, 2, 2, 2, -1).permute(0, 2, 1, 3, 4).reshape(16, -1)


def _samples(count: int, seed: int = 0) -> list[Sample]:
    chance = Random(seed)
    made = []
    for number in range(count):
        bright, words = (
            chance.choice((LEFT, RIGHT)),
            tuple(chance.randrange(2, 9) for _ in range(chance.randint(1, 5))),
        )
        made.append(
            Sample(
                prompt=(*words, START, *[IMAGE] * 4, END, 9),
                completion=(bright, 1),
                token_types=(*[0] * (len(words) + 1), *[1] * 4, 0, 0),
                images={
                    "pixel_values": _picture(bright, 100 * seed + number),
                    "image_grid_thw": torch.tensor([[1, 4, 4]]),
                },
            )
        )
    return made


def test_a_ragged_batch_of_pictures_agrees_with_one_by_one() -> None:
    model, samples = vision_model(), _samples(7)
    together, apart = (score(model, samples, microbatch_tokens=tokens) for tokens in (1000, 1))
    for left, right in zip(together, apart, strict=True):
        assert left == pytest.approx(right, abs=1e-5)
    swapped = replace(
        samples[0], images={**samples[0].images, "pixel_values": -samples[0].images["pixel_values"]}
    )
    assert abs(score(model, [swapped], microbatch_tokens=1)[0][0] - apart[0][0]) > 1e-6


def test_the_loss_falls_and_the_picture_is_what_decides(tmp_path: Path) -> None:
    model = vision_model()
    settings = SftSettings(learning_rate=5e-3, batch_size=16, epochs=8, microbatch_tokens=400)
    result = run_sft(
        model, None, _samples(64), settings, tmp_path, ignore, never, clock=ManualClock()
    )
    losses = curve(result.metrics, "loss")
    assert losses[-1] < 0.1 < 2.0 < losses[0]
    held_out = _samples(16, seed=7)
    values = score(model, held_out, microbatch_tokens=1000)
    # better than even odds on what a coin would get half of
    assert sum(first > -0.5 for first, _ in values) >= 14


def test_text_alone_goes_through_the_same_model(tmp_path: Path) -> None:
    texts = [Sample(prompt=(3, 4, 5), completion=(6, 1)), Sample(prompt=(7,), completion=(8, 9, 1))]
    packed, apart = (
        score(vision_model(), texts, microbatch_tokens=100, packing=packing)
        for packing in (True, False)
    )
    for left, right in zip(packed, apart, strict=True):
        assert left == pytest.approx(right, abs=1e-5)


def test_pictures_are_not_packed_and_need_the_types_of_their_tokens() -> None:
    samples = _samples(2)
    with pytest.raises(ProofwalkError) as caught:
        collate(samples, [[0, 1]], weights=[1, 1])
    assert caught.value.code == "rl.images_packed"
    with pytest.raises(ProofwalkError) as caught:
        replace(samples[0], token_types=())
    assert caught.value.code == "rl.sample_invalid"


def test_the_digest_sees_the_pictures() -> None:
    samples = _samples(2)
    other = replace(samples[0], images={**samples[0].images, "pixel_values": torch.zeros(16, 48)})
    assert digest(samples) == digest(_samples(2)) != digest([other, samples[1]])


def test_a_text_model_never_sees_an_image_argument() -> None:
    batch = collate([Sample(prompt=(3,), completion=(4,))], [[0]], weights=[1])
    assert batch.images == {}
    assert (
        len(score(tiny_model(), [Sample(prompt=(3,), completion=(4,))], microbatch_tokens=9)[0])
        == 1
    )
