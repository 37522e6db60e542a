"""A seat from elsewhere: what its holder does arrives at the machine's wires, and
nothing else of QMP can be reached."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from typing import Any

import pytest
from websockets.asyncio.client import connect

from proofwalk.desktop.keyboard import Chord
from proofwalk.desktop.remote import RemoteWires
from proofwalk.desktop.seat import Seat
from proofwalk.desktop.serving import WireServer
from proofwalk.desktop.wires import Event, GuestLine, PortName, Wires
from proofwalk.kernel.errors import ProofwalkError, Status, unavailable
from proofwalk.kernel.json_values import object_of

PNG = b"\x89PNG not really"


class FakeLine:
    """Answers with what it was asked, or not before it is let."""

    def __init__(self, port: str) -> None:
        self.port = port
        self.asked = asyncio.Event()
        self.may = asyncio.Event()
        self.given_up = asyncio.Event()

    async def ask(self, command: str, /, *, within_s: float | None = None, **arguments: Any) -> Any:
        if command == "refuse":
            raise ProofwalkError(
                "desktop.guest_refused",
                "no",
                status=Status.FAILED_PRECONDITION,
                hint="ask otherwise",
            )
        if command == "wait":
            self.asked.set()
            try:
                await self.may.wait()
            except asyncio.CancelledError:
                self.given_up.set()
                raise
        return {"port": self.port, "command": command, "within_s": within_s, "arguments": arguments}


class FakeWires:
    """A machine of which everything is written down."""

    screen = (1280, 800)

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.lines: dict[PortName, FakeLine] = {
            "agent": FakeLine("agent"),
            "eyes": FakeLine("eyes"),
        }
        self.closed = asyncio.Event()

    def line(self, port: PortName) -> GuestLine:
        return self.lines[port]

    async def send(self, events: Sequence[Event]) -> None:
        self.events += events

    async def picture(self) -> bytes:
        return PNG

    async def close(self) -> None:
        self.closed.set()


class Served:
    """A server, and the wires that it opened."""

    def __init__(self) -> None:
        self.opened: list[FakeWires] = []
        self.error: ProofwalkError | None = None
        self.server = WireServer(self._open)

    async def _open(self) -> Wires:
        if self.error is not None:
            raise self.error
        self.opened.append(FakeWires())
        return self.opened[-1]

    @property
    def address(self) -> str:
        return f"ws://127.0.0.1:{self.server.port}/"


@pytest.fixture
async def served() -> AsyncIterator[Served]:
    made = Served()
    await made.server.start()
    yield made
    await made.server.close()


async def code_of(served: Served) -> str:
    with pytest.raises(ProofwalkError) as caught:
        await RemoteWires.open(served.address)
    return caught.value.code


async def test_a_seat_elsewhere_is_a_seat(served: Served) -> None:
    seat = await Seat.at(served.address)
    assert seat.screen == (1280, 800)
    await seat.press(Chord(("shift", "a")))
    await seat.point(0, 799)
    await seat.button("left", down=True)
    await seat.let_everything_go()
    (wires,) = served.opened
    keys = [
        (object_of(event["data"]["key"])["data"], event["data"]["down"])
        for event in wires.events[:4]
    ]
    assert keys == [("shift", True), ("a", True), ("a", False), ("shift", False)]
    assert [event["data"]["axis"] for event in wires.events[4:6]] == ["x", "y"]
    assert [event["data"]["down"] for event in wires.events[6:]] == [True, False]
    assert await seat.screenshot() == PNG
    await seat.leave()
    await asyncio.wait_for(wires.closed.wait(), 10)


async def test_the_guest_is_asked_and_its_refusal_arrives(served: Served) -> None:
    wires = await RemoteWires.open(served.address)
    # Names that a call of ours has, too.
    told = {"self": 1, "command": 2, "buf-b64": "eA=="}
    answer = await wires.line("agent").ask("guest-exec", within_s=7, **told)
    assert answer == {"port": "agent", "command": "guest-exec", "within_s": 7, "arguments": told}
    with pytest.raises(ProofwalkError) as caught:
        await wires.line("eyes").ask("refuse")
    assert (caught.value.code, caught.value.hint, caught.value.status) == (
        "desktop.guest_refused",
        "ask otherwise",
        Status.FAILED_PRECONDITION,
    )
    await wires.close()


async def test_there_is_one_holder_at_a_time(served: Served) -> None:
    first = await RemoteWires.open(served.address)
    assert await code_of(served) == "desktop.taken"
    await first.close()
    await asyncio.wait_for(served.opened[0].closed.wait(), 10)
    async with asyncio.timeout(10):
        while True:
            with suppress(ProofwalkError):
                second = await RemoteWires.open(served.address)
                break
    assert await second.picture() == PNG
    await second.close()


async def test_who_hangs_up_leaves_nothing_under_way(served: Served) -> None:
    wires = await RemoteWires.open(served.address)
    asking = asyncio.create_task(wires.line("agent").ask("wait"))
    await asyncio.wait_for(served.opened[0].lines["agent"].asked.wait(), 10)
    await wires.close()
    with pytest.raises(ProofwalkError) as caught:
        await asking
    assert caught.value.code == "desktop.gone"
    await asyncio.wait_for(served.opened[0].lines["agent"].given_up.wait(), 10)
    await asyncio.wait_for(served.opened[0].closed.wait(), 10)


async def test_an_answer_that_came_too_late_is_not_the_next_ones(served: Served) -> None:
    wires = await RemoteWires.open(served.address)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.2):
            await wires.line("eyes").ask("wait")
    served.opened[0].lines["eyes"].may.set()
    assert (await wires.line("eyes").ask("look"))["command"] == "look"
    await wires.close()


async def test_a_machine_that_is_gone_is_told_and_one_that_is_not_there(served: Served) -> None:
    served.error = unavailable("desktop.guest_silent", "it does not answer")
    assert await code_of(served) == "desktop.guest_silent"
    await served.server.close()
    assert await code_of(served) == "desktop.gone"


@pytest.mark.parametrize(
    "request_",
    [
        {"do": "quit"},
        {"do": "send", "events": []},
        {
            "do": "send",
            "events": [
                {"type": "key", "data": {"down": True, "key": {"type": "number", "data": 1}}}
            ],
        },
        {"do": "send", "events": [{"type": "abs", "data": {"axis": "x", "value": 32768}}]},
        {
            "do": "send",
            "events": [
                {
                    "type": "key",
                    "data": {"down": True, "key": {"type": "qcode", "data": "a", "more": 1}},
                }
            ],
        },
        {"do": "picture", "filename": "/etc/passwd"},
        {"do": "ask", "port": "control", "command": "quit"},
        {"do": "ask", "port": "agent", "command": "guest ping"},
        {"do": "ask", "port": "agent", "command": "guest-ping", "arguments": {"within_s": 1}},
        {"do": "ask", "port": "agent", "command": "guest-ping", "within_s": 1e9},
    ],
    ids=lambda request: json.dumps(request)[:60],
)
async def test_what_a_seat_does_not_need_is_refused(
    served: Served, request_: dict[str, Any]
) -> None:
    async with connect(served.address, proxy=None) as socket:
        assert json.loads(await socket.recv()) == {"screen": [1280, 800]}
        await socket.send(json.dumps({"id": 4, **request_}))
        answer = json.loads(await socket.recv())
        assert (answer["id"], answer["error"]["code"]) == (4, "desktop.bad_request")
        assert answer["error"]["status"] == "INVALID_ARGUMENT"
        await socket.send("no JSON")
        assert json.loads(await socket.recv())["id"] == 0
    assert served.opened[0].events == []
