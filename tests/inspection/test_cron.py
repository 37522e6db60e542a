"""Times of a schedule, over changes of clocks too."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofwalk.inspection.cron import Cron, time_zone
from proofwalk.kernel.errors import ProofwalkError

BERLIN = "Europe/Berlin"


def times(expression: str, start: str, count: int, *, zone: str = BERLIN) -> list[str]:
    """The next times, as the zone's clocks show them."""
    moment, found = datetime.fromisoformat(start).astimezone(UTC), []
    for _ in range(count):
        moment = Cron(expression).after(moment, time_zone(zone))
        found.append(moment.astimezone(time_zone(zone)).strftime("%m-%d %H:%M %z"))
    return found


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("30 3 * * *", ["01-01 03:30", "01-02 03:30"]),
        ("*/20 22-23 * * *", ["01-01 22:00", "01-01 22:20", "01-01 22:40", "01-01 23:00"]),
        ("0 0 1 jan,JUL *", ["07-01 00:00", "01-01 00:00"]),
        ("0 9 * * mon-fri", ["01-01 09:00", "01-02 09:00", "01-05 09:00"]),
        ("0 9 * * 7", ["01-04 09:00"]),
        ("0 9 13 * 5", ["01-02 09:00", "01-09 09:00", "01-13 09:00", "01-16 09:00"]),
        ("0 0 29 2 *", ["02-29 00:00"]),
        ("5-15/5 0 31 * *", ["01-31 00:05", "01-31 00:10", "01-31 00:15", "03-31 00:05"]),
        ("50/5 8 * * *", ["01-01 08:50", "01-01 08:55", "01-02 08:50"]),
    ],
)
def test_times_are_those_of_cron(expression: str, expected: list[str]) -> None:
    found = times(expression, "2026-01-01T00:00:00+00:00", len(expected), zone="UTC")
    assert found == [f"{one} +0000" for one in expected]


def test_a_time_that_clocks_leap_over_comes_once_and_as_much_later() -> None:
    # On 29 March 2026, 02:00 is followed by 03:00.
    assert times("30 2 * * *", "2026-03-28T00:00:00+01:00", 3) == [
        "03-28 02:30 +0100",
        "03-29 03:30 +0200",
        "03-30 02:30 +0200",
    ]
    assert times("0 * * * *", "2026-03-29T00:30:00+01:00", 3) == [
        "03-29 01:00 +0100",
        "03-29 03:00 +0200",
        "03-29 04:00 +0200",
    ]


def test_a_time_that_clocks_show_twice_comes_once_but_every_hour_counts() -> None:
    # On 25 October 2026, 03:00 is followed by 02:00.
    assert times("30 2 * * *", "2026-10-24T12:00:00+02:00", 2) == [
        "10-25 02:30 +0200",
        "10-26 02:30 +0100",
    ]
    assert times("0 * * * *", "2026-10-25T01:30:00+02:00", 3) == [
        "10-25 02:00 +0200",
        "10-25 02:00 +0100",
        "10-25 03:00 +0100",
    ]


@pytest.mark.parametrize(
    "expression",
    [
        "", "* * * *", "* * * * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *",
        "* * * * 8", "*/0 * * * *", "5-1 * * * *", "x * * * *", "1,,2 * * * *", "-1 * * * *",
        "0 0 30 2 *", "@daily", "0 0 * * mon" + " " * 500, "٣ * * * *",
    ],
)  # fmt: skip
def test_what_is_no_time_is_refused(expression: str) -> None:
    with pytest.raises(ProofwalkError) as caught:
        Cron(expression).after(datetime(2026, 1, 1, tzinfo=UTC), time_zone("UTC"))
    assert caught.value.code == "schedule.bad_cron"


@pytest.mark.parametrize("name", ["Mars/Olympus", "../../etc/passwd", "/etc/localtime", "a\0b"])
def test_a_zone_that_nobody_knows_is_refused(name: str) -> None:
    with pytest.raises(ProofwalkError) as caught:
        time_zone(name)
    assert caught.value.code == "schedule.bad_time_zone"


@given(
    days=st.integers(0, 5000),
    second=st.integers(0, 86399),
    zone=st.sampled_from(
        ["UTC", BERLIN, "America/St_Johns", "Australia/Lord_Howe", "Asia/Kolkata"]
    ),
    minute=st.integers(0, 59),
    hour=st.sampled_from(["*", "*/6", "2", "1-3"]),
)
def test_times_go_on_and_no_day_is_left_out(
    days: int, second: int, zone: str, minute: int, hour: str
) -> None:
    start = datetime(2020, 1, 1, tzinfo=UTC) + timedelta(days=days, seconds=second)
    cron, moment, found = Cron(f"{minute} {hour} * * *"), start, [start]
    for _ in range(12):
        moment = cron.after(moment, time_zone(zone))
        found.append(moment)
    gaps = [later - earlier for earlier, later in pairwise(found)]
    assert all(timedelta(0) < gap <= timedelta(hours=25) for gap in gaps)
    if hour == "*":
        assert all(gap <= timedelta(hours=2) for gap in gaps)
