"""Questions with pictures, on a tiny Qwen3-VL: the engine's log-probabilities are the
trainer's, pictures decide them, and what cannot be looked at is refused."""

from __future__ import annotations

import asyncio
import struct
import zlib
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
import torch
from PIL import Image as Pillow
from transformers import AutoModelForImageTextToText

from proofwalk.inference.domain import Ask, Weights
from proofwalk.inference.engines.embedded import EmbeddedEngine, open_embedded
from proofwalk.inference.engines.limits import Limits
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.models.client import Image, Message
from proofwalk.rl.images import MOST_PIXELS
from proofwalk.rl.logprobs import score
from tests.fixtures.devices import DEVICES
from tests.inference import tiny_vision
from tests.inference.tiny_vision import IMAGE, VIDEO
from tests.rl.vision import LEFT, RIGHT, picture

CLOSE = 1e-4


@pytest.fixture(params=DEVICES)
async def looking(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[EmbeddedEngine]:
    async with open_embedded(
        tiny_vision.save(tmp_path / "vision"),
        name="",
        dtype="float32",
        limits=Limits(rows=16),
        device=request.param,
    ) as engine:
        yield engine


def ask(*images: Pillow.Image, words: str = " where is it", **more: Any) -> Ask:
    message = Message(role="user", text=words, images=tuple(map(tiny_vision.encoded, images)))
    return Ask(**{"messages": (message,), "max_tokens": 9, "seed": 4, "n": 3, **more})


def _loaded(folder: Path) -> Any:
    return AutoModelForImageTextToText.from_pretrained(folder, dtype=torch.float32).eval()


async def test_what_the_engine_saw_and_said_the_trainer_scores_the_same(
    looking: EmbeddedEngine, tmp_path: Path
) -> None:
    """One picture, two of different sizes, none: read side by side and decoded in one
    batch, beside each other's padding."""
    chance = Random(3)
    asked: list[tuple[tuple[Pillow.Image, ...], str]] = [
        ((picture(LEFT, chance, width=16),), " where is it"),
        ((picture(LEFT, chance, width=32), picture(RIGHT, chance, width=16)), " is it"),
        ((), " where"),
    ]
    found = await asyncio.gather(
        *(looking.generate(ask(*pictures, words=words)) for pictures, words in asked)
    )
    samples = [
        sample
        for (pictures, words), one in zip(asked, found, strict=True)
        for sample in tiny_vision.acted(pictures, words, one)
    ]
    scored = score(_loaded(tmp_path / "vision"), samples, microbatch_tokens=100)
    for sample, values in zip(samples, scored, strict=True):
        assert list(values) == pytest.approx(sample.old_logprobs, abs=CLOSE)


async def test_another_picture_is_another_question(looking: EmbeddedEngine) -> None:
    dark, bright = (Pillow.new("RGB", (16, 16), (shade,) * 3) for shade in (0, 255))
    found = [await looking.generate(ask(one, seed=1, n=1)) for one in (dark, bright, dark)]
    first = [one.samples[0].logprobs[0] for one in found]
    assert found[0] == found[2]
    assert abs(first[0] - first[1]) > 1e-3
    assert found[0].spent.tokens_cached == 0


async def test_an_answer_has_no_token_that_stands_for_a_picture(
    looking: EmbeddedEngine,
) -> None:
    found = await looking.generate(
        ask(picture(LEFT, Random(0)), n=16, max_tokens=40, temperature=2.0)
    )
    spoken = {token for one in found.samples for token in one.token_ids}
    assert len(spoken) > 20
    assert not spoken & {IMAGE, VIDEO}


async def test_new_weights_look_too(looking: EmbeddedEngine, tmp_path: Path) -> None:
    other = tiny_vision.save(tmp_path / "other", seed=5)
    await looking.load(Weights(version="step-1", folder=other, digest=""))
    pictures = (picture(RIGHT, Random(1), width=24),)
    found = await looking.generate(ask(*pictures))
    assert found.version == "step-1"
    samples = tiny_vision.acted(pictures, " where is it", found)
    scored = score(_loaded(other), samples, microbatch_tokens=100)
    for sample, values in zip(samples, scored, strict=True):
        assert list(values) == pytest.approx(sample.old_logprobs, abs=CLOSE)


async def test_what_cannot_be_looked_at_is_refused(looking: EmbeddedEngine) -> None:
    broken = Message(role="user", text="is it", images=(Image(jpeg=b"GIF8", width=4, height=4),))
    huge = Pillow.new("L", (MOST_PIXELS // 1000 + 1, 1000))
    good = Pillow.new("RGB", (16, 16))
    # Pillow refuses such a size itself, before anybody can ask for it.
    bomb = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in (
            (b"IHDR", struct.pack(">IIBBBBB", 30_000, 30_000, 8, 2, 0, 0, 0)),
            (b"IDAT", zlib.compress(b"")),
        )
    )
    vast = Message(role="user", text="is it", images=(Image(jpeg=bomb, width=4, height=4),))
    for question, told in (
        (ask(messages=(broken,)), "cannot be read"),
        (ask(messages=(vast,)), "cannot be read"),
        (ask(huge), "pixels"),
        (ask(good, words="<|image_pad|> is it"), "2 places for 1 images"),
    ):
        with pytest.raises(ProofwalkError, match=told) as caught:
            await looking.generate(question)
        assert caught.value.code == "inference.bad_request"
    assert (await looking.generate(ask(good))).samples


async def test_a_folder_without_its_image_processor_is_refused(tmp_path: Path) -> None:
    folder = tiny_vision.save(tmp_path / "vision")
    (folder / "preprocessor_config.json").unlink()
    with pytest.raises(ProofwalkError, match="image processor") as caught:
        async with open_embedded(folder, name="", dtype="float32", limits=Limits()):
            pass
    assert caught.value.code == "inference.bad_weights"
