"""A console's clock is told to be off where its answers prove it, and only there."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from email.utils import format_datetime

import pytest

from proofwalk.console.session.console_session import ConsoleSession
from proofwalk.console.session.server_clock import TOLERATED_S, ServerClock
from proofwalk.kernel.clock import ManualClock
from tests.console.conftest import See, Site, pressed

URL = "https://console.test/keys"


def exchange(
    server: ServerClock,
    clock: ManualClock,
    *,
    off_s: float,
    waits: tuple[float, float] = (0.01, 0.01),
    method: str = "POST",
    url: str = URL,
) -> None:
    """One request whose answer is dated between the two waits."""
    reported = server.begin("r1", method, url)
    clock.advance(waits[0])
    dated = (clock.now() + timedelta(seconds=off_s)).replace(microsecond=0)
    clock.advance(waits[1])
    if reported:
        server.compare("r1", format_datetime(dated, usegmt=True))


@pytest.mark.parametrize("off_s", [90.0, 3600.0, -90.0, -600.0])
def test_a_clock_that_is_off_is_told_by_less_than_two_seconds_too_little(off_s: float) -> None:
    clock = ManualClock()
    server = ServerClock(clock)
    exchange(server, clock, off_s=off_s)
    assert abs(off_s) - 2 <= abs(server.off_s) <= abs(off_s)
    assert (server.off_s > 0) == (off_s > 0)


@pytest.mark.parametrize("off_s", [0.0, TOLERATED_S - 1, 1 - TOLERATED_S])
@pytest.mark.parametrize("waits", [(0.0, 0.0), (45.0, 0.2), (0.2, 45.0), (30.0, 30.0)])
def test_a_slow_network_or_server_is_no_wrong_clock(
    off_s: float, waits: tuple[float, float]
) -> None:
    clock = ManualClock()
    server = ServerClock(clock)
    exchange(server, clock, off_s=off_s, waits=waits)
    assert server.off_s == 0


def test_the_largest_difference_stays() -> None:
    clock = ManualClock()
    server = ServerClock(clock)
    exchange(server, clock, off_s=60)
    exchange(server, clock, off_s=0)
    exchange(server, clock, off_s=-600)
    exchange(server, clock, off_s=90)
    assert server.off_s < -500


@pytest.mark.parametrize(
    "date",
    ["", "tomorrow", "Fri, 99 Foo 2026 99:99:99 GMT", "1" * 100_000],
    ids=["none", "word", "numbers", "long"],
)
def test_a_date_that_is_none_tells_nothing(date: str) -> None:
    server = ServerClock(ManualClock())
    assert server.begin("r1", "POST", URL)
    server.compare("r1", date)
    server.compare("never sent", date)
    assert server.off_s == 0


def test_an_origin_that_is_passed_over_tells_nothing_before_or_after() -> None:
    clock = ManualClock()
    server = ServerClock(clock)
    provider = "https://id.test/password"
    exchange(server, clock, off_s=600, url=provider)
    exchange(server, clock, off_s=-90)
    server.pass_over({"https://id.test:443"})
    assert -90 <= server.off_s <= -88
    exchange(server, clock, off_s=900, url=provider)
    assert -90 <= server.off_s <= -88


def test_requests_without_an_answer_are_bounded() -> None:
    server = ServerClock(ManualClock())
    for number in range(10_000):
        server.begin(f"r{number}", "POST", URL)
    assert len(server._sent) <= 200


CHANGES = {
    "fetch": "fetch('/keys', {method: 'DELETE'})",
    "form": "document.forms[0].submit()",
    "form that is sent on": (
        "document.forms[0].action = '/redirect?to=/keys'; document.forms[0].submit()"
    ),
    "request": "const r = new XMLHttpRequest(); r.open('PUT', '/keys'); r.send('{}')",
}


@pytest.mark.browser
@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("off_s", [600.0, -600.0])
@pytest.mark.parametrize("way", CHANGES)
async def test_a_console_whose_clock_is_off_is_told(
    see: See, session: ConsoleSession, site: Site, way: str, off_s: float
) -> None:
    site.clock_off_s = off_s
    site.show("Keys", "/keys")
    await pressed(see, session, CHANGES[way])
    async with asyncio.timeout(5):
        while not session.guard.server_clock.off_s:
            await asyncio.sleep(0.02)
    assert abs(session.guard.server_clock.off_s - off_s) < 5
    if way == "form that is sent on":
        assert (await session.observe(screenshot=False)).url == site.url("/keys")


@pytest.mark.browser
@pytest.mark.asyncio(loop_scope="session")
async def test_what_is_only_read_tells_no_time(
    see: See, session: ConsoleSession, site: Site
) -> None:
    site.clock_off_s = 600.0
    await pressed(see, session, "fetch('/keys')")
    assert "/keys" in site.hits
    assert session.guard.server_clock.off_s == 0


@pytest.mark.browser
@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("way", CHANGES)
async def test_a_console_whose_clock_is_ours_is_not(
    see: See, session: ConsoleSession, site: Site, way: str
) -> None:
    site.show("Keys", "/keys")
    await pressed(see, session, CHANGES[way])
    async with asyncio.timeout(5):
        while not site.writes:
            await asyncio.sleep(0.02)
    assert session.guard.server_clock.off_s == 0
