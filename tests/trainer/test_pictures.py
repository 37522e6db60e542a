"""SFT on samples with pictures, as the role's process runs it: what they show is
learned, the checkpoint is served by the engine, and both compute the same."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
import torch
import yaml
from PIL import Image as Pillow
from transformers import AutoModelForImageTextToText

from proofwalk.datasets.chat_samples import ChatMessage, ChatSample
from proofwalk.datasets.sample_pictures import pictures_of
from proofwalk.inference.domain import Ask, Generation
from proofwalk.inference.engines.embedded import open_embedded
from proofwalk.inference.engines.limits import Limits
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.models.client import Message
from proofwalk.rl.logprobs import score
from proofwalk.trainer.child import Order
from proofwalk.trainer.configuration import parse_configuration
from proofwalk.trainer.examination import examine
from proofwalk.trainer.folder import RunFolder
from proofwalk.trainer.leaks import Leaks
from proofwalk.trainer.learning import train
from tests.inference import tiny_vision
from tests.rl.vision import LEFT, RIGHT, picture
from tests.trainer import kit

WORDS = {LEFT: "l", RIGHT: "r"}


def pictured(path: Path, count: int, *, seed: int) -> Sequence[ChatSample]:
    """Questions whose answer their picture alone tells."""
    chance = Random(seed)
    made = []
    for sample in kit.chat_samples(count):
        side = chance.choice((LEFT, RIGHT))
        image = tiny_vision.encoded(picture(side, chance, width=16)).jpeg
        address = hashlib.sha256(image).hexdigest()
        place = pictures_of(path) / address[:2] / address
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(image)
        message = ChatMessage(role="user", text="side", images=(address,))
        made.append(replace(sample, messages=(message,), answer=WORDS[side]))
    kit.write_data(path, made)
    return made


def configuration(model: Path, path: Path) -> str:
    settings = {
        "learning_rate": 5e-3,
        "batch_size": 16,
        "epochs": 16,
        "checkpoint_every": 100,
        "microbatch_tokens": 600,
    }
    return yaml.safe_dump(
        {"method": "sft", "model": str(model), "data": str(path), "settings": settings}
    )


async def _asked(folder: Path, images: Sequence[Pillow.Image]) -> list[Generation]:
    async with open_embedded(folder, name="", dtype="float32", limits=Limits()) as engine:
        return [
            await engine.generate(
                Ask(
                    messages=(
                        Message(role="user", text="side", images=(tiny_vision.encoded(one),)),
                    ),
                    max_tokens=2,
                    temperature=0.0,
                    seed=0,
                )
            )
            for one in images
        ]


async def test_what_pictures_show_is_learned_and_served(tmp_path: Path) -> None:
    model, path = tiny_vision.save(tmp_path / "model"), tmp_path / "samples.parquet"
    pictured(path, 64, seed=1)
    folder = RunFolder(tmp_path / "run")
    folder.prepare(configuration(model, path), stopping=False)
    order = Order(folder=folder, rollout="", inference="", threads=1)
    result = train(order, should_stop=lambda: False, clock=ManualClock())
    assert result.status == "finished"
    assert result.last is not None

    chance = Random(9)
    sides = [chance.choice((LEFT, RIGHT)) for _ in range(24)]
    unseen = [picture(side, chance, width=16) for side in sides]
    found = await _asked(result.last, unseen)
    right = [
        one.samples[0].text.startswith(WORDS[side]) for one, side in zip(found, sides, strict=True)
    ]
    assert sum(right) >= 21
    trained = AutoModelForImageTextToText.from_pretrained(result.last, dtype=torch.float32).eval()
    samples = [
        tiny_vision.acted([image], "side", one)[0] for image, one in zip(unseen, found, strict=True)
    ]
    scored = score(trained, samples, microbatch_tokens=600)
    for sample, values in zip(samples, scored, strict=True):
        assert list(values) == pytest.approx(sample.old_logprobs, abs=1e-4)


def test_a_sample_without_its_picture_is_refused_before_the_run(tmp_path: Path) -> None:
    model, path = tiny_vision.save(tmp_path / "model"), tmp_path / "samples.parquet"
    [first, *_] = pictured(path, 4, seed=1)
    config = parse_configuration(configuration(model, path))
    assert examine(config, Leaks(()), ManualClock()) == 16
    [address] = first.messages[0].images
    (pictures_of(path) / address[:2] / address).unlink()
    with pytest.raises(ProofwalkError) as caught:
        examine(config, Leaks(()), ManualClock())
    assert caught.value.code == "trajectory.image_missing"


def test_a_model_that_reads_text_learns_from_no_pictures(
    tmp_path: Path, model_folder: Path
) -> None:
    path = tmp_path / "samples.parquet"
    pictured(path, 4, seed=1)
    with pytest.raises(ProofwalkError, match="text alone") as caught:
        examine(parse_configuration(configuration(model_folder, path)), Leaks(()), ManualClock())
    assert caught.value.code == "trainer.not_built"
