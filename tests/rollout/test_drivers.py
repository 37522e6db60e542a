"""Drivers are shared up to their bound, started when all are full, and dropped when
they may be broken."""

from __future__ import annotations

from contextlib import AsyncExitStack

import pytest
from playwright.async_api import Error as PlaywrightError

from proofwalk.rollout import drivers
from proofwalk.rollout.drivers import Drivers


class FakeDriver:
    def __init__(self) -> None:
        self.stopped = False

    async def stop(self) -> None:
        self.stopped = True


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[FakeDriver]:
    made: list[FakeDriver] = []

    async def start() -> FakeDriver:
        made.append(FakeDriver())
        return made[-1]

    monkeypatch.setattr(drivers, "_start", start)
    return made


async def test_sessions_share_a_driver_and_a_full_one_gets_company(
    started: list[FakeDriver],
) -> None:
    async with Drivers(sessions=2) as pool:
        async with AsyncExitStack() as stack:
            held = [await stack.enter_async_context(pool.driver()) for _ in range(3)]
            assert list(map(id, held)) == [id(started[0]), id(started[0]), id(started[1])]
        assert [one.stopped for one in started] == [False, True]
        async with pool.driver() as again:
            assert id(again) == id(started[0])
    assert all(one.stopped for one in started)


async def test_a_driver_with_which_a_session_failed_is_not_used_again(
    started: list[FakeDriver],
) -> None:
    async with Drivers(sessions=4) as pool:
        with pytest.raises(PlaywrightError):
            async with pool.driver():
                raise PlaywrightError("the connection was closed")
        assert started[0].stopped
        async with pool.driver() as fresh:
            assert id(fresh) == id(started[1])
