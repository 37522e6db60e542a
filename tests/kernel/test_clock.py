"""What measures a walk keeps its order when the wall clock is set."""

from __future__ import annotations

from datetime import timedelta

from proofwalk.kernel.clock import ManualClock, SteadyClock
from tests.fixtures.clocks import set_wall


def test_a_steady_clock_does_not_follow_a_wall_clock_that_is_set() -> None:
    wall = ManualClock()
    began = wall.now()
    steady = SteadyClock(wall)
    wall.advance(2.5)
    set_wall(wall, -3600)
    wall.advance(1)
    assert steady.now() == began + timedelta(seconds=3.5)
    assert steady.monotonic() == wall.monotonic()
    assert SteadyClock(wall).now() == wall.now()
