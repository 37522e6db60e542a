"""Rollouts of a policy that was shown pictures: they are kept with the run, learned
from as the engine saw them, and never taken for text."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from functools import partial
from random import Random

import pytest
import torch

from proofwalk.kernel.errors import ProofwalkError
from proofwalk.rl.images import Eyes
from proofwalk.rl.logprobs import score
from proofwalk.trainer.group_pictures import pictures_in
from proofwalk.trajectories.records import MessageRecord
from proofwalk.trajectories.trajectory import image_in
from tests.inference import tiny_vision
from tests.rl.vision import IMAGE, LEFT, RIGHT, asked, image_processor, picture, vision_model
from tests.trainer.group_fakes import Ending, answer
from tests.trainer.group_place import Place

CHANCE = Random(2)
PICTURES = [picture(LEFT, CHANCE, width=16), picture(RIGHT, CHANCE, width=32)]
JPEGS = [tiny_vision.encoded(one).jpeg for one in PICTURES]
ADDRESSES = tuple(hashlib.sha256(one).hexdigest() for one in JPEGS)
EXPECTED = asked(LEFT, PICTURES)
"""What the engine read: two pictures, as many tokens as they have patches."""


def ending(**more: object) -> Ending:
    """An episode of one answer to a question with two pictures."""
    told = answer("", prompt_token_ids=tuple(EXPECTED.prompt))
    message = MessageRecord(role="user", text="where is it", images=ADDRESSES)
    images = dict(zip(ADDRESSES, JPEGS, strict=True))
    made = Ending(steps=((replace(told, messages=(message,)),),), images=images)
    return replace(made, **more)  # type: ignore[arg-type]


@pytest.fixture
def looking(place: Place) -> Place:
    read = partial(image_in, pictures_in(place.folder / "run"))
    place.eyes = Eyes(processor=image_processor(), image_token=IMAGE, read=read)
    place.model = vision_model()
    return place


async def test_an_answer_is_learned_with_what_it_looked_at(looking: Place) -> None:
    looking.roles.rollout.ending = lambda group, number: ending()
    (group,) = await looking.roll(await looking.source(), stop_1=2)
    (sample,) = group.rollouts[0].samples
    assert sample.prompt == tuple(EXPECTED.prompt)
    assert sample.token_types == EXPECTED.token_types
    for name, tensor in EXPECTED.images.items():
        assert torch.equal(sample.images[name], tensor)
    model = looking.model.eval()
    [values] = score(model, [sample], microbatch_tokens=500)
    blank = {**sample.images, "pixel_values": 0 * sample.images["pixel_values"]}
    [others] = score(model, [replace(sample, images=blank)], microbatch_tokens=500)
    assert values != pytest.approx(others, abs=1e-3)


async def test_a_trainer_that_begins_again_finds_the_pictures_with_the_episodes(
    looking: Place,
) -> None:
    looking.roles.rollout.ending = lambda group, number: ending()
    (first,) = await looking.roll(await looking.source(), stop_1=2)
    kept = [path for path in pictures_in(looking.folder / "run").rglob("*") if path.is_file()]
    assert sorted(path.name for path in kept) == sorted(ADDRESSES)
    fetched = list(looking.roles.rollout.fetched)
    (again,) = await looking.roll(await looking.source(), stop_1=2)
    assert looking.roles.rollout.fetched == fetched
    assert again == first


async def test_an_episode_whose_picture_is_missing_is_left_out(looking: Place) -> None:
    [[told]] = ending().steps or ()
    message = MessageRecord(role="user", text="where is it", images=(ADDRESSES[0], "0" * 64))
    lost = ending(steps=((replace(told, messages=(message,)),),))
    looking.roles.rollout.ending = lambda group, number: lost if number == 1 else ending()
    source = await looking.source()
    (group,) = await looking.roll(source, stop_1=3)
    assert [rollout.reward for rollout in group.rollouts] == [1.0, None, 1.0]
    assert source.excluded == {"corrupt": 1}


async def test_other_patches_than_the_engine_saw_are_an_error(looking: Place) -> None:
    """The trainer's image processor is not the engine's: nothing that is learned would
    be what was seen."""
    short = tuple(token for token in EXPECTED.prompt if token != IMAGE)
    [[told]] = ending().steps or ()
    other = replace(told, prompt_token_ids=short)
    looking.roles.rollout.ending = lambda group, number: ending(steps=((other,),))
    source = await looking.source()
    with pytest.raises(ProofwalkError) as caught:
        await looking.roll(source, stop_1=2)
    assert caught.value.code == "rl.images_unfit"
