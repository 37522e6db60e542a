"""A machine's wires from elsewhere: the holder's end of `serving`, reached through a
relay with a ticket.

One request at a time. An answer that nobody waits for any more is known by its number,
and dropped.
"""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException

from proofwalk.desktop.serving import LONGEST_FRAME
from proofwalk.desktop.wires import ASK_S, Event, GuestLine, PortName, machine_gone
from proofwalk.kernel.errors import ProofwalkError, Status

_BEYOND_S = 10.0
"""How much longer than the guest has for its answer the answer may take to come
here."""


class RemoteWires:
    """Made by `open`."""

    def __init__(self, connection: ClientConnection, screen: tuple[int, int]) -> None:
        self._connection = connection
        self._turn = asyncio.Lock()
        self._number = 0
        self.screen = screen

    @classmethod
    async def open(cls, address: str, *, within_s: float = ASK_S) -> RemoteWires:
        """Raises `desktop.gone`, and what the other end refuses with."""
        try:
            async with asyncio.timeout(within_s):
                connection = await connect(
                    address, proxy=None, max_size=LONGEST_FRAME, compression=None
                )
                try:
                    greeting = json.loads(await connection.recv())
                    if "error" in greeting:
                        raise _refused(greeting["error"])
                    width, height = (int(length) for length in greeting["screen"])
                except BaseException:
                    await connection.close()
                    raise
        except (
            OSError,
            TimeoutError,
            WebSocketException,
            ValueError,
            KeyError,
            TypeError,
        ) as error:
            raise machine_gone("let its holder in", error) from error
        return cls(connection, (width, height))

    def line(self, port: PortName) -> GuestLine:
        return _RemoteLine(self, port)

    async def send(self, events: Sequence[Event]) -> None:
        await self.request({"do": "send", "events": list(events)})

    async def picture(self) -> bytes:
        return base64.b64decode(await self.request({"do": "picture"}))

    async def close(self) -> None:
        await self._connection.close()

    async def request(self, told: Mapping[str, object], *, within_s: float = ASK_S) -> Any:
        """What the other end answers. Raises `desktop.gone`, and what it refuses
        with."""
        async with self._turn:
            self._number += 1
            try:
                async with asyncio.timeout(within_s + _BEYOND_S):
                    await self._connection.send(json.dumps({"id": self._number, **told}))
                    while (answer := json.loads(await self._connection.recv())).get(
                        "id"
                    ) != self._number:
                        continue
            except (ConnectionClosed, OSError, TimeoutError, ValueError) as error:
                raise machine_gone(f"answer to {told['do']}", error) from error
        if "error" in answer:
            raise _refused(answer["error"])
        return answer["value"]


class _RemoteLine:
    """Answers `wires.GuestLine`."""

    def __init__(self, wires: RemoteWires, port: PortName) -> None:
        self._wires = wires
        self._port = port

    async def ask(self, command: str, /, *, within_s: float | None = None, **arguments: Any) -> Any:
        asked = {
            "do": "ask",
            "port": self._port,
            "command": command,
            "arguments": arguments,
            "within_s": within_s,
        }
        return await self._wires.request(asked, within_s=within_s or ASK_S)


def _refused(told: dict[str, str]) -> ProofwalkError:
    return ProofwalkError(
        told["code"], told["message"], status=Status(told["status"]), hint=told["hint"]
    )
