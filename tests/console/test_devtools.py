"""The DevTools connection: answers to whom they belong, refusals, events in order, and
an end that leaves nobody waiting."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from websockets.asyncio.server import ServerConnection, serve

from proofwalk.console.browser.devtools import DevTools, DevToolsError
from proofwalk.console.faults import bounded
from proofwalk.kernel.errors import ProofwalkError

Answer = Callable[[ServerConnection, dict[str, Any]], Awaitable[None]]


@asynccontextmanager
async def browser(answer: Answer) -> AsyncIterator[DevTools]:
    """A connection to something that answers each command as told."""

    async def handle(socket: ServerConnection) -> None:
        async for text in socket:
            await answer(socket, json.loads(text))

    async with serve(handle, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        async with DevTools.connect(f"ws://127.0.0.1:{port}/", seconds=5) as devtools:
            yield devtools


async def attached(devtools: DevTools) -> Any:
    return await devtools.attach("T1")


async def echo(socket: ServerConnection, order: dict[str, Any]) -> None:
    if order["method"] == "Target.attachToTarget":
        await socket.send(json.dumps({"id": order["id"], "result": {"sessionId": "S1"}}))
    elif order["method"] == "Refused":
        await socket.send(json.dumps({"id": order["id"], "error": {"message": "not today"}}))
    elif order["method"] == "Gone":
        told = {"method": "Target.detachedFromTarget", "params": {"sessionId": "S1"}}
        await socket.send(json.dumps(told))
    elif order["method"] == "Die":
        await socket.close()
    elif order["method"] != "Never":
        event = {
            "method": "Seen",
            "sessionId": order.get("sessionId", ""),
            "params": {"n": order["params"].get("n")},
        }
        await socket.send(json.dumps(event))
        await socket.send(
            json.dumps(
                {
                    "id": order["id"],
                    "result": {"echo": order["params"], "session": order.get("sessionId")},
                }
            )
        )


async def test_answers_and_events_reach_those_who_asked() -> None:
    async with browser(echo) as devtools:
        tab = await attached(devtools)
        events: list[int] = []
        tab.on("Seen", lambda params: events.append(params["n"]))
        answers = await asyncio.gather(*(tab.send("Do", {"n": n}) for n in range(20)))
        assert [answer["echo"]["n"] for answer in answers] == list(range(20))
        assert {answer["session"] for answer in answers} == {"S1"}
        assert events == list(range(20))
        assert (await devtools.browser.send("Do", {"n": 1}))["session"] is None
        assert len(events) == 20


async def test_a_refusal_is_an_error_with_the_command_s_name() -> None:
    async with browser(echo) as devtools:
        with pytest.raises(DevToolsError, match="Refused: not today"):
            await devtools.browser.send("Refused")


async def test_a_target_that_closes_fails_what_waits_for_it_and_what_comes_later() -> None:
    async with browser(echo) as devtools:
        tab = await attached(devtools)
        told: list[object] = []
        tab.on("detached", told.append)
        waiting = tab.post("Never")
        tab.post("Gone")
        with pytest.raises(DevToolsError, match="target closed"):
            await waiting
        with pytest.raises(DevToolsError, match="target closed"):
            await tab.send("Do")
        assert told == [{}]
        assert await devtools.browser.send("Do", {"n": 1}), "the connection lives"


async def test_a_browser_that_dies_fails_everybody_as_an_environment_failure() -> None:
    async with browser(echo) as devtools:
        waiting = [devtools.browser.post("Never") for _ in range(3)]
        waiting.append(devtools.browser.post("Die"))
        for one in waiting:
            with pytest.raises(DevToolsError, match="connection closed"):
                await one
        with pytest.raises(ProofwalkError, match=r"browser\.disconnected"):
            await bounded(devtools.browser.send("Do"), 5, "asking")


async def test_a_call_that_is_given_up_leaves_nothing_behind() -> None:
    async with browser(echo) as devtools:
        with pytest.raises(ProofwalkError, match=r"browser\.timeout"):
            await bounded(devtools.browser.send("Never"), 0.05, "asking")
        assert (await devtools.browser.send("Do", {"n": 1}))["echo"] == {"n": 1}
        assert not devtools.pending


async def test_an_address_where_nobody_listens() -> None:
    with pytest.raises(DevToolsError, match="websocket to"):
        async with DevTools.connect("http://127.0.0.1:9", seconds=5):
            pass
