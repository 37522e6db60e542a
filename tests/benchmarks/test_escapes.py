"""Which probes count, and whose an arrival is (`benchmarks.escapes`)."""

from __future__ import annotations

import asyncio
from typing import cast

import pytest

from benchmarks.escapes.counting import Outcome, figures_of
from benchmarks.escapes.listening import DNS, Arrival, Hosts
from tests.security.escape_probes import all_probes


def outcome(name: str, *, control: str = "", walled: str = "", refused: int = 0) -> Outcome:
    return Outcome(
        name=name,
        kind="hint",
        control=(control,) if control else (),
        walled=(walled,) if walled else (),
        refused=refused,
    )


def test_a_probe_whose_control_is_silent_is_listed_and_not_counted() -> None:
    figures = figures_of([outcome("a", control="tcp", refused=2), outcome("b")], backend="local")
    assert (figures["probes"], figures["escaped"], figures["refused"]) == (1, 0, 1)
    assert figures["without_a_control"] == ["b"]
    assert figures["by_kind"] == {"hint": {"probes": 1, "escaped": 0}}


def test_what_is_heard_with_the_wall_counts_whatever_its_control() -> None:
    figures = figures_of([outcome("a", walled="udp")], backend="local")
    assert (figures["probes"], figures["escaped"]) == (1, 1)
    assert figures["escapes"] == {"a": ["udp"]}


def test_an_arrival_is_of_the_probe_that_it_names_or_of_the_one_being_tried() -> None:
    named = Arrival(port=80, protocol="tcp", first=b"GET /probe007/a HTTP/1.1")
    assert named.is_of("probe007")
    assert not named.is_of("probe008")
    assert Arrival(port=80, protocol="tcp", first=b"").is_of("probe008")
    asked = Arrival(port=DNS, protocol="udp", first=b"\x01\x08probe007\x04test")
    assert asked.is_of("probe007")
    assert not Arrival(port=DNS, protocol="udp", first=b"\x01\x06update").is_of("probe007")


class Answered:
    """The writing end of a connection to port 80."""

    def get_extra_info(self, name: str) -> tuple[str, int]:
        return ("127.0.0.1", 80)

    def write(self, data: bytes) -> None:
        pass

    async def drain(self) -> None:
        pass

    def close(self) -> None:
        pass


@pytest.mark.parametrize(("another_began", "heard"), [(True, []), (False, ["probe001"])])
async def test_a_connection_is_of_the_try_in_which_it_was_opened(
    another_began: bool, heard: list[str]
) -> None:
    hosts, reader = Hosts(port=80), asyncio.StreamReader()
    serving = asyncio.create_task(hosts.serve(reader, cast(asyncio.StreamWriter, Answered())))
    await asyncio.sleep(0)
    if another_began:
        hosts.begin()
    reader.feed_data(b"GET /probe001/ HTTP/1.1")
    await serving
    assert [one.probe for one in hosts.of("probe001")] == heard


def test_every_probe_can_be_filled_in_and_has_a_name_of_its_own() -> None:
    probes = all_probes()
    assert len({one.name for one in probes}) == len(probes) >= 100
    for one in probes:
        for text in (one.html, one.script, *one.headers.values()):
            text.format(u="http://h/", host="h", own="o", port=1, name="probe001")
