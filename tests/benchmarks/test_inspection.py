"""The simulated documentation: what is drawn, and what each way of inspecting finds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks import record
from benchmarks.inspection.ways import delays, everything, interpolated, what_is_due
from benchmarks.inspection.world import DAYS, PAGES, PRODUCTS, RATES, Measured, World

PERFECT = Measured(
    seconds=[20.0],
    walkable=1.0,
    recall=1.0,
    visible=1.0,
    map_recall=1.0,
    map_precision=1.0,
    handed_over=0.0,
    replay_time=1.0,
)
CALM = replace(RATES, lost_to_environment=0.0)


def test_what_was_measured_can_be_read() -> None:
    measured = Measured.read(record.RESULTS)
    assert 0 < measured.visible < measured.walkable < measured.recall <= 1
    assert len(measured.seconds) > 200


def test_a_world_is_its_seed_s_whatever_is_asked_of_it() -> None:
    once, twice = (World(3, PERFECT, CALM) for _ in range(2))
    everything(once, DAYS)
    everything(twice, 7)
    first = {(one.page, one.since) for one in once.drifts}
    # Pages that were mended can become wrong once more; until then all is the same.
    assert first <= {(one.page, one.since) for one in twice.drifts}


@pytest.mark.parametrize("interval", [1, 7, 35])
def test_full_inspection_finds_drift_within_its_interval(interval: int) -> None:
    world = World(1, PERFECT, CALM)
    spent = everything(world, interval)
    assert spent.walks == PRODUCTS * PAGES * -(-DAYS // interval)
    assert spent.by_model == spent.walks
    assert max(delays(world)) <= interval


def test_what_a_map_shows_is_found_the_next_day() -> None:
    world = World(1, PERFECT, CALM)
    spent = what_is_due(world, 1000, maps=True)
    assert max(delays(world)) == 0
    assert set(spent.due) == {"new", "changed"}


def test_without_maps_drift_waits_until_its_page_is_stale() -> None:
    world = World(1, PERFECT, CALM)
    spent = what_is_due(world, 20, maps=False)
    assert 0 < max(delays(world)) <= 20
    assert spent.replays == spent.due["stale"]


def test_drift_that_no_walk_can_find_delays_nothing() -> None:
    world = World(1, replace(PERFECT, walkable=0.0), CALM)
    everything(world, 7)
    assert world.drifts
    assert not delays(world)


@pytest.mark.parametrize(
    ("delay", "amount"), [(1.0, 100.0), (2.0, 75.0), (3.0, 50.0), (0.5, None), (9.0, None)]
)
def test_full_inspection_s_need_is_read_between_its_points(
    delay: float, amount: float | None
) -> None:
    assert interpolated({1.0: 100.0, 3.0: 50.0}, delay) == amount
