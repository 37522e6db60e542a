"""A verification that many watch is asked for once."""

from __future__ import annotations

import asyncio

from proofwalk.kernel.clock import ManualClock
from proofwalk.rollout.pulses import POLL_S, Beat, Pulses


class Rows:
    """Beats by verification, and how often each was asked for."""

    def __init__(self) -> None:
        self.beats = {"ver_1": Beat(newest=1, is_finished=False)}
        self.reads = 0
        self.error: Exception | None = None

    async def read(self, verification_id: str) -> Beat:
        # What a read tells is what was there when it began.
        beat = self.beats[verification_id]
        self.reads += 1
        await asyncio.sleep(0)
        if self.error is not None:
            raise self.error
        return beat


async def test_watchers_share_what_was_asked_within_a_moment() -> None:
    rows, clock = Rows(), ManualClock()
    pulses = Pulses(read=rows.read, now=clock.monotonic)
    with pulses.of("ver_1") as one, pulses.of("ver_1") as other:
        assert one is other
        beats = await asyncio.gather(*(one.beat() for _ in range(100)))
        assert (set(beats), rows.reads) == ({rows.beats["ver_1"]}, 1)
        clock.advance(POLL_S)
        await asyncio.gather(*(other.beat() for _ in range(100)))
        assert rows.reads == 2


async def test_a_pulse_is_kept_while_somebody_watches() -> None:
    pulses = Pulses(read=Rows().read, now=ManualClock().monotonic)
    with pulses.of("ver_1") as one:
        with pulses.of("ver_1"):
            pass
        assert len(pulses) == 1
        with pulses.of("ver_1") as again:
            assert again is one
    assert len(pulses) == 0


async def test_a_watcher_goes_on_at_a_new_event_and_at_the_end() -> None:
    rows = Rows()
    pulses = Pulses(read=rows.read, now=ManualClock().monotonic)
    with pulses.of("ver_1") as pulse:
        await pulse.passed(0)
        rows.beats["ver_1"] = Beat(newest=1, is_finished=True)
    with pulses.of("ver_1") as pulse:
        await pulse.passed(1)


async def test_a_failure_reaches_each_watcher_and_is_asked_again() -> None:
    rows = Rows()
    rows.error = ConnectionError("away")
    pulses = Pulses(read=rows.read, now=ManualClock().monotonic)
    with pulses.of("ver_1") as pulse:
        told = await asyncio.gather(pulse.beat(), pulse.beat(), return_exceptions=True)
        assert [type(one) for one in told] == [ConnectionError, ConnectionError]
        rows.error = None
        assert await pulse.beat() == rows.beats["ver_1"]


async def test_of_many_that_wait_one_asks_and_all_go_on_together() -> None:
    rows = Rows()
    pulses = Pulses(read=rows.read, now=asyncio.get_running_loop().time)
    with pulses.of("ver_1") as pulse:
        waiting = [asyncio.create_task(pulse.passed(1)) for _ in range(50)]
        async with asyncio.timeout(20):
            while rows.reads < 3:
                await asyncio.sleep(0.01)
        asked = rows.reads
        rows.beats["ver_1"] = Beat(newest=2, is_finished=False)
        await asyncio.gather(*waiting)
        assert rows.reads == asked + 1


async def test_what_is_behind_a_place_is_read_once_for_all_who_come_there() -> None:
    rows, read = Rows(), list[int]()

    async def page(place: int) -> str:
        read.append(place)
        await asyncio.sleep(0)
        return f"behind {place}"

    clock = ManualClock()
    pulses = Pulses(read=rows.read, now=clock.monotonic)
    with pulses.of("ver_1") as pulse:
        await pulse.beat()
        found = await asyncio.gather(*(pulse.shared(1, lambda: page(1)) for _ in range(20)))
        assert (set(found), read) == ({"behind 1"}, [1])
        assert await pulse.shared(7, lambda: page(7)) == "behind 7"
        # The same place at another beat is read again: there is more behind it.
        rows.beats["ver_1"] = Beat(newest=2, is_finished=False)
        clock.advance(POLL_S)
        await pulse.beat()
        await pulse.shared(7, lambda: page(7))
        assert read == [1, 7, 7]
