"""A browser's DevTools over a pipe, for those who bear its ticket: nothing that anybody
else on this machine could connect to.

A browser with a DevTools port tells every local user who asks (`/json`) how to steer
it. So it gets a pipe (`--remote-debugging-pipe`), and this process listens for it on
the loopback: a websocket at `/devtools/<ticket>`, and at any other path a refusal.
Several connections share the pipe, as they would share a port: each has a session with
the browser itself (`Target.attachToBrowserTarget`), its commands without a session go
there, and what it attaches is its own. When it ends, so does its session, with the
tabs' sessions and contexts that hang on it.

Messages are routed by their last field, and read whole only where the browser says that
something was attached. What is on its way to slow connections is bounded in bytes: then
the browser waits.
"""

from __future__ import annotations

import asyncio
import hmac
import itertools
import json
import re
import socket
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from typing import Any

import structlog
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import WebSocketException
from websockets.http11 import Request, Response

from proofwalk.kernel.errors import unavailable
from proofwalk.kernel.json_values import JsonObject

log = structlog.get_logger()
PATH = "/devtools/"
_SESSION = re.compile(rb',"sessionId":"([0-9A-Za-z]{8,64})"\}$')
_MESSAGE_LIMIT = 256 * 1024 * 1024
"""Bytes of one command; those of holders (`console.devtools`) stay far below."""
_TAIL = 90
_ATTACHED, _DETACHED = b'"Target.attachedToTarget"', b'"Target.detachedFromTarget"'
_HEAD = 60
_MOST_CONNECTIONS = 16
_MOST_QUEUED = 64 * 1024 * 1024
_COMMAND_S = 10.0
_SEND_S = 60.0


class _Pipe(asyncio.Protocol):
    """Messages that end with NUL, both ways."""

    def __init__(self, take: Callable[[bytes], None], ended: Callable[[], None]) -> None:
        self._take = take
        self._ended = ended
        self._buffer = bytearray()
        self._room = asyncio.Event()
        self._room.set()
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport), "a stream socket has one"
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        start = len(self._buffer)
        self._buffer += data
        while (end := self._buffer.find(b"\0", start)) >= 0:
            message = bytes(self._buffer[:end])
            del self._buffer[: end + 1]
            start = 0
            self._take(message)

    def connection_lost(self, exc: Exception | None) -> None:
        self._room.set()
        self._ended()

    def pause_writing(self) -> None:
        self._room.clear()

    def resume_writing(self) -> None:
        self._room.set()

    async def send(self, message: bytes) -> None:
        await self._room.wait()
        if self.transport is not None and not self.transport.is_closing():
            self.transport.write(message + b"\0")


class _Client:
    """One connection and its session with the browser."""

    def __init__(self, connection: ServerConnection, session: str) -> None:
        self.connection = connection
        self.session = session
        self.children: set[str] = set()
        self.outbox: deque[bytes] = deque()
        self.filled = asyncio.Event()


class PipedDevTools:
    """`await start(…)` with our end of the browser's pipe; `admit` says which ticket
    opens it; `await close()`."""

    def __init__(self) -> None:
        self._pipe = _Pipe(self._take, self._lose)
        self._numbers = itertools.count(1)
        self._pending: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._by_session: dict[str, _Client] = {}
        self._clients: set[_Client] = set()
        self._queued = 0
        self._tickets: set[str] = set()
        self._server: Server | None = None
        self._lost = False
        self.port = 0

    async def start(self, ours: socket.socket) -> None:
        """Speak over `ours`, which is then this object's, and listen on the
        loopback."""
        await asyncio.get_running_loop().create_connection(lambda: self._pipe, sock=ours)
        self._server = await serve(
            self._serve,
            "127.0.0.1",
            0,
            process_request=self._refusal,
            max_size=_MESSAGE_LIMIT,
            compression=None,
            ping_interval=None,
            server_header=None,
        )
        self.port = next(iter(self._server.sockets)).getsockname()[1]

    async def close(self) -> None:
        """Cut every connection and the pipe. Safe to repeat."""
        if self._server is not None:
            self._server.close(close_connections=True)
            await self._server.wait_closed()
            self._server = None
        if self._pipe.transport is not None:
            self._pipe.transport.abort()
        self._lose()

    def admit(self, ticket: str) -> None:
        """Let in whoever bears this ticket."""
        self._tickets.add(ticket)

    async def ask(self, method: str, params: JsonObject | None = None) -> dict[str, Any]:
        """A command to the browser itself; the caller bounds it. Raises
        `sandbox.crashed`."""
        if self._lost:
            raise _gone()
        number = next(self._numbers)
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._pending[number] = answer
        try:
            await self._pipe.send(
                json.dumps({"id": number, "method": method, "params": dict(params or {})}).encode()
            )
            message = await answer
        finally:
            self._pending.pop(number, None)
        if "error" in message:
            raise unavailable(
                "sandbox.crashed",
                f"the browser refused {method}: {message['error'].get('message', '')}",
            )
        result: dict[str, Any] = message.get("result", {})
        return result

    def _refusal(self, connection: ServerConnection, request: Request) -> Response | None:
        ticket = request.path.removeprefix(PATH) if request.path.startswith(PATH) else ""
        known = [hmac.compare_digest(ticket.encode(), one.encode()) for one in self._tickets]
        if not any(known):
            log.warning("devtools_refused", code="sandbox.bad_ticket")
            return connection.respond(
                HTTPStatus.UNAUTHORIZED,
                "sandbox.bad_ticket: this address bears no ticket of ours\n",
            )
        if len(self._clients) >= _MOST_CONNECTIONS:
            return connection.respond(
                HTTPStatus.TOO_MANY_REQUESTS, "sandbox.too_many: too many connections\n"
            )
        return None

    async def _serve(self, connection: ServerConnection) -> None:
        async with asyncio.timeout(_COMMAND_S):
            session = str((await self.ask("Target.attachToBrowserTarget"))["sessionId"])
        client = _Client(connection, session)
        self._clients.add(client)
        self._by_session[session] = client
        sending = asyncio.create_task(self._send_all(client), name="devtools")
        try:
            async for message in connection:
                await self._forward(client, message)
        except WebSocketException:
            return
        finally:
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)
            self._forget(client)
            with suppress(TimeoutError):
                async with asyncio.timeout(_COMMAND_S):
                    await self._detach(session)

    async def _detach(self, session: str) -> None:
        if not self._lost:
            number = next(self._numbers)
            order = {
                "id": number,
                "method": "Target.detachFromTarget",
                "params": {"sessionId": session},
            }
            await self._pipe.send(json.dumps(order).encode())

    def _forget(self, client: _Client) -> None:
        self._clients.discard(client)
        for session in (client.session, *client.children):
            self._by_session.pop(session, None)
        self._queued -= sum(map(len, client.outbox))
        client.outbox.clear()
        self._read_on()

    async def _forward(self, client: _Client, message: str | bytes) -> None:
        text = message.encode() if isinstance(message, str) else message
        order = json.loads(text)
        session = order.get("sessionId", "")
        if b"\0" in text or (session and session not in client.children):
            told = {"code": -32001, "message": "Session with given id not found."}
            await client.connection.send(
                json.dumps({"id": order.get("id"), "error": told, "sessionId": session})
            )
            return
        if not session:
            text = json.dumps({**order, "sessionId": client.session}).encode()
        await self._pipe.send(text)

    def _take(self, message: bytes) -> None:
        found = _SESSION.search(message, max(len(message) - _TAIL, 0))
        if found is None:
            self._answer(message)
            return
        session = found[1].decode()
        client = self._by_session.get(session)
        if client is None:
            return
        head = message[:_HEAD]
        if _ATTACHED in head or _DETACHED in head:
            self._note(
                client, json.loads(message)["params"]["sessionId"], attached=_ATTACHED in head
            )
        if session == client.session:
            message = message[: found.start()] + b"}"
        client.outbox.append(message)
        client.filled.set()
        self._queued += len(message)
        if self._queued > _MOST_QUEUED and self._pipe.transport is not None:
            self._pipe.transport.pause_reading()

    def _note(self, client: _Client, session: str, *, attached: bool) -> None:
        if attached:
            client.children.add(session)
            self._by_session[session] = client
        else:
            client.children.discard(session)
            self._by_session.pop(session, None)

    def _answer(self, message: bytes) -> None:
        told = json.loads(message)
        answer = self._pending.get(told.get("id", 0))
        if answer is not None and not answer.done():
            answer.set_result(told)

    async def _send_all(self, client: _Client) -> None:
        """Until the connection fails, or takes nothing for too long; then it is cut."""
        try:
            while True:
                await client.filled.wait()
                client.filled.clear()
                while client.outbox:
                    message = client.outbox.popleft()
                    self._queued -= len(message)
                    self._read_on()
                    async with asyncio.timeout(_SEND_S):
                        await client.connection.send(message, text=True)
        except (WebSocketException, TimeoutError, OSError):
            client.connection.transport.abort()

    def _read_on(self) -> None:
        transport = self._pipe.transport
        if (
            self._queued < _MOST_QUEUED // 2
            and transport is not None
            and not transport.is_closing()
        ):
            transport.resume_reading()

    def _lose(self) -> None:
        """The browser is gone: what waits fails, connections end."""
        self._lost = True
        for answer in self._pending.values():
            if not answer.done():
                answer.set_exception(_gone())
        for client in self._clients:
            client.connection.transport.abort()


def _gone() -> Exception:
    return unavailable("sandbox.crashed", "the browser has ended", hint="acquire another one")
