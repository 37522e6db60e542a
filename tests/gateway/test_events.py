"""Events as server-sent events and as a list: resumed where the client was, ended when
the verification is."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from dataclasses import dataclass

import httpx2
import pytest

from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.kernel.errors import unavailable
from tests.gateway.conftest import Gateway

SSE = {"Accept": "text/event-stream"}


@dataclass
class Sent:
    """One server-sent event."""

    event: str = ""
    id: str = ""
    data: str = ""
    retry: str = ""


async def read(response: httpx2.Response, *, until: int = 1000) -> list[Sent]:
    found, current = list[Sent](), Sent()
    async for line in response.aiter_lines():
        if not line:
            if current.event:
                found.append(current)
            current = Sent()
            if len(found) >= until:
                break
        elif not line.startswith(":"):
            name, _, value = line.partition(": ")
            setattr(current, name, value)
    return found


@pytest.fixture
def watched(gateway: Gateway) -> Gateway:
    """A verification with three events."""
    gateway.has()
    gateway.rollout.events = [
        pb.Event(
            sequence=number, type=f"thing_{number}", data_json=json.dumps({"wörd": f"é\n{number}"})
        )
        for number in (1, 2, 3)
    ]
    return gateway


async def nobody_watches(gateway: Gateway) -> None:
    """Behind the gateway, too, every stream has ended."""
    async with asyncio.timeout(10):
        while gateway.rollout.watchers:
            await asyncio.sleep(0.01)


async def test_a_finished_verification_streams_its_events_and_the_end(watched: Gateway) -> None:
    watched.rollout.finished.set()
    async with watched.client.stream(
        "GET", "/v1/verifications/ver_1/events", headers=SSE
    ) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        events = await read(response)
    assert [(one.event, one.id) for one in events] == [
        ("thing_1", "1"),
        ("thing_2", "2"),
        ("thing_3", "3"),
        ("end", ""),
    ]
    assert json.loads(events[0].data)["data"] == {"wörd": "é\n1"}


@pytest.mark.parametrize(
    ("headers", "query"),
    [({"Last-Event-ID": "2"}, ""), ({}, "?after=2"), ({"Last-Event-ID": "2"}, "?after=0")],
    ids=str,
)
async def test_a_stream_is_resumed_behind_the_last_event(
    watched: Gateway, headers: dict[str, str], query: str
) -> None:
    watched.rollout.finished.set()
    path = f"/v1/verifications/ver_1/events{query}"
    async with watched.client.stream("GET", path, headers={**SSE, **headers}) as response:
        events = await read(response)
    assert [one.event for one in events] == ["thing_3", "end"]


async def test_a_live_stream_goes_on_and_leaves_nothing_when_its_reader_goes(
    watched: Gateway,
) -> None:
    async with watched.client.stream(
        "GET", "/v1/verifications/ver_1/events", headers=SSE
    ) as response:
        assert [one.event for one in await read(response, until=3)] == [
            "thing_1",
            "thing_2",
            "thing_3",
        ]
        assert watched.rollout.watchers == 1
    await nobody_watches(watched)


async def test_a_stream_whose_source_fails_asks_to_come_again(watched: Gateway) -> None:
    watched.rollout.errors["WatchEvents"] = deque(
        [unavailable("rollout.restarting", "in a moment")]
    )
    async with watched.client.stream(
        "GET", "/v1/verifications/ver_1/events", headers=SSE
    ) as response:
        events = await read(response)
    assert [one.event for one in events] == ["thing_1", "thing_2", "thing_3", "reconnect"]
    assert events[-1].retry == "1000"


async def test_the_life_of_a_stream_is_bounded(watched: Gateway) -> None:
    async with watched.client.stream(
        "GET", "/v1/verifications/ver_1/events", headers=SSE
    ) as response:
        events = await asyncio.wait_for(read(response), 15)
    assert events[-1].event == "reconnect"
    await nobody_watches(watched)


async def test_who_wants_json_gets_what_is_stored(watched: Gateway) -> None:
    response = await watched.client.get(
        "/v1/verifications/ver_1/events?after=1", headers={"Accept": "application/json"}
    )
    events = response.json()["events"]
    assert [one["type"] for one in events] == ["thing_2", "thing_3"]
    assert events[0]["data"] == {"wörd": "é\n2"}


async def test_an_id_that_was_never_given_is_refused(watched: Gateway) -> None:
    for text in ("x", "-1", "1.5", "9" * 30, "²"):
        headers = [(b"Accept", b"text/event-stream"), (b"Last-Event-ID", text.encode("latin-1"))]
        response = await watched.client.get("/v1/verifications/ver_1/events", headers=headers)
        assert (response.status_code, response.json()["code"]) == (422, "events.bad_id"), text


async def test_a_place_that_cannot_be_is_refused(watched: Gateway) -> None:
    for after in ("-1", "9" * 30):
        response = await watched.client.get(
            f"/v1/verifications/ver_1/events?after={after}", headers=SSE
        )
        assert (response.status_code, response.json()["code"]) == (422, "request.malformed")


async def test_events_of_nothing_are_not_found(gateway: Gateway) -> None:
    response = await gateway.client.get("/v1/verifications/ver_none/events", headers=SSE)
    assert (response.status_code, response.json()["code"]) == (404, "verification.not_found")
