"""Validation on groups: the share of successes, and when there is none."""

from __future__ import annotations

import asyncio

import pytest

from proofwalk.trainer.configuration import ValidationConfig
from tests.trainer.group_fakes import (
    Ending,
)
from tests.trainer.group_place import BROKEN, FAILED, Place, code_of


async def test_validation_is_the_share_of_successes_among_what_is_told(place: Place) -> None:
    place.validation = ValidationConfig(tasks=("stop-1", "stop-3"), runs=3)
    endings = {
        "stop-1": [Ending(), FAILED, BROKEN],
        "stop-3": [BROKEN, BROKEN, BROKEN, FAILED, FAILED, FAILED],
    }
    place.roles.rollout.ending = lambda group, number: endings[group.rpartition(".")[2]][number]
    source = await place.source()
    assert await asyncio.to_thread(source.validate, 2, place.model) == pytest.approx(1 / 5)
    assert place.roles.inference.serving == "run_1@step-00000002"
    assert place.roles.rollout.asked == [
        ("run_1.v2.stop-1", 3),
        ("run_1.v2.stop-3", 3),
        ("run_1.v2.stop-3", 6),
    ]
    assert not place.roles.rollout.requests["run_1.v2.stop-1"].HasField("temperature")
    assert place.roles.rollout.fetched == []


async def test_a_validation_that_says_nothing_is_an_error_and_no_score(place: Place) -> None:
    place.validation = ValidationConfig(tasks=("stop-1",), runs=2)
    place.roles.rollout.ending = lambda group, number: BROKEN
    source = await place.source()
    assert (
        await code_of(asyncio.to_thread(source.validate, 0, place.model))
        == "trainer.validation_untold"
    )


async def test_what_other_weights_did_is_no_validation(place: Place) -> None:
    place.validation = ValidationConfig(tasks=("stop-1",), runs=2)
    source = await place.source()
    await asyncio.to_thread(source.validate, 3, place.model)
    place.roles.rollout.members["run_1.v3.stop-1"][0].version = "run_1@step-00000002"
    place.roles.rollout.members["run_1.v3.stop-1"][1].ending = FAILED
    (place.folder / "run" / "rollouts" / "v00000003.sqlite3").unlink()
    assert await asyncio.to_thread((await place.source()).validate, 3, place.model) == 0.0
