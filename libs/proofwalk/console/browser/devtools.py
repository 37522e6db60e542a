"""The browser's DevTools protocol over one websocket of our own, for what is done in
every step: scripts, input, pictures.

Playwright makes contexts, tabs and routes, and its driver process sits between every
call and the browser. A look and a click go past it: a message costs a third of the time
here, and a picture is copied once instead of three times. A connection belongs to one
`ConsoleSession`; a `DevToolsSession` is one target (a tab, or a frame in a process of
its own) in flat mode, and has the two methods of Playwright's `CDPSession` that the
house uses. Failures are Playwright's own error class, so that whoever handles one
handles both. Invariants:

- the reader task is owned by the connection and ends with it; every pending call then
  fails with "connection closed";
- calls have no deadline here: callers bound them (`faults.bounded`);
- handlers of events are plain functions and run in the order in which the browser
  spoke.
"""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any
from urllib.parse import urlsplit

import httpx2
from playwright.async_api import Error as PlaywrightError
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

Handler = Callable[[dict[str, Any]], None]

MESSAGE_LIMIT = 256 * 1024 * 1024
"""Most bytes of one message. A picture, or the report of a page with 50,000 elements,
stays far below."""


class DevToolsError(PlaywrightError):
    """The browser refused a command, or is gone."""


class DevToolsSession:
    """Commands to and events from one target."""

    def __init__(self, connection: DevTools, session_id: str, target: dict[str, Any]) -> None:
        self._connection = connection
        self.session_id = session_id
        self.target = target
        self._handlers: dict[str, list[Handler]] = {}
        self.closed = False

    def post(
        self, method: str, params: dict[str, Any] | None = None
    ) -> asyncio.Future[dict[str, Any]]:
        """Send a command now. Its answer can be awaited later, so that several commands
        can be under way in order."""
        return self._connection.post(self, method, params or {})

    async def send(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return the result of a command. Raises `DevToolsError`."""
        return await self.post(method, params)

    def on(self, event: str, handler: Handler) -> None:
        """Call `handler` with the parameters of each such event."""
        self._handlers.setdefault(event, []).append(handler)

    def tell(self, event: str, params: dict[str, Any]) -> None:
        """Pass an event to its handlers."""
        for handler in self._handlers.get(event, ()):
            handler(params)


class DevTools:
    """One connection to a browser."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        self._pending: dict[int, tuple[asyncio.Future[dict[str, Any]], str, DevToolsSession]] = {}
        self._sessions: dict[str, DevToolsSession] = {}
        self._reader = asyncio.create_task(self._read())
        self._outbox: asyncio.Queue[str] = asyncio.Queue(maxsize=10_000)
        self._writer = asyncio.create_task(self._write())
        self._end: str = ""
        self.browser = DevToolsSession(self, "", {})

    @classmethod
    @asynccontextmanager
    async def connect(cls, endpoint: str, *, seconds: float) -> AsyncIterator[DevTools]:
        """Connect to the browser whose DevTools listen at `endpoint` (http or ws)."""
        try:
            async with asyncio.timeout(seconds):
                address = await _socket_address(endpoint, seconds)
                socket = await connect(
                    address,
                    max_size=MESSAGE_LIMIT,
                    compression=None,
                    ping_interval=None,
                    proxy=None,
                )
        except (OSError, WebSocketException, httpx2.HTTPError, ValueError, KeyError) as error:
            # Without the path: it may have a ticket in it.
            raise DevToolsError(
                f"websocket to {urlsplit(endpoint).netloc} failed: {error}"
            ) from error
        connection = cls(socket)
        try:
            yield connection
        finally:
            await connection.close()

    async def close(self) -> None:
        """End the connection. Pending calls fail."""
        for task in (self._reader, self._writer):
            task.cancel()
        await asyncio.gather(self._reader, self._writer, return_exceptions=True)
        with suppress(OSError, WebSocketException, TimeoutError):
            async with asyncio.timeout(2):
                await self._socket.close()
        self._fail("connection closed")

    async def attach(self, target_id: str) -> DevToolsSession:
        """Return a session with a target that exists."""
        answer = await self.browser.send(
            "Target.attachToTarget", {"targetId": target_id, "flatten": True}
        )
        return self._session(answer["sessionId"], {"targetId": target_id})

    def _session(self, session_id: str, target: dict[str, Any]) -> DevToolsSession:
        if session_id not in self._sessions:
            self._sessions[session_id] = DevToolsSession(self, session_id, target)
        return self._sessions[session_id]

    def post(
        self, session: DevToolsSession, method: str, params: dict[str, Any]
    ) -> asyncio.Future[dict[str, Any]]:
        """See `DevToolsSession.post`."""
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        if self._end or session.closed:
            answer.set_exception(DevToolsError(f"{method}: {self._end or 'target closed'}"))
            return answer
        number = next(self._numbers)
        order: dict[str, Any] = {"id": number, "method": method, "params": params}
        if session.session_id:
            order["sessionId"] = session.session_id
        try:
            self._outbox.put_nowait(json.dumps(order))
        except asyncio.QueueFull:
            answer.set_exception(DevToolsError(f"{method}: too many commands wait for the browser"))
            return answer
        self._pending[number] = (answer, method, session)
        answer.add_done_callback(lambda _: self._pending.pop(number, None))
        return answer

    async def _write(self) -> None:
        try:
            while True:
                await self._socket.send(await self._outbox.get())
        except (OSError, WebSocketException) as error:
            self._fail(f"connection closed: {error}")

    async def _read(self) -> None:
        try:
            async for text in self._socket:
                self._take(json.loads(text))
            self._fail("connection closed by the browser")
        except (OSError, WebSocketException, ValueError) as error:
            self._fail(f"connection closed: {error}")

    def _take(self, message: dict[str, Any]) -> None:
        number = message.get("id")
        if number is not None:
            answer, method, _ = self._pending.get(number, (None, "", None))
            if answer is None or answer.done():
                return
            if "error" in message:
                answer.set_exception(
                    DevToolsError(f"{method}: {message['error'].get('message', 'refused')}")
                )
            else:
                answer.set_result(message["result"])
            return
        params, event = message.get("params", {}), message["method"]
        if event == "Target.attachedToTarget":
            self._session(params["sessionId"], params["targetInfo"])
        elif event == "Target.detachedFromTarget":
            self._detached(params["sessionId"])
        session = self._sessions.get(message.get("sessionId", ""), self.browser)
        session.tell(event, params)

    def _detached(self, session_id: str) -> None:
        session = self._sessions.pop(session_id, None)
        if session is None:
            return
        session.closed = True
        for answer, method, owner in list(self._pending.values()):
            if owner is session:
                _end(answer, f"{method}: target closed")
        session.tell("detached", {})

    @property
    def pending(self) -> int:
        """The number of calls that wait for an answer."""
        return len(self._pending)

    def session(self, session_id: str) -> DevToolsSession | None:
        """Return the session of a target that attached itself, or None."""
        return self._sessions.get(session_id)

    def _fail(self, why: str) -> None:
        self._end = self._end or why
        for answer, method, _ in list(self._pending.values()):
            _end(answer, f"{method}: {why}")


def _end(answer: asyncio.Future[dict[str, Any]], why: str) -> None:
    if not answer.done():
        answer.set_exception(DevToolsError(why))
        # A call that was posted and is not awaited needs nobody to ask for its end.
        answer.exception()


async def _socket_address(endpoint: str, seconds: float) -> str:
    if urlsplit(endpoint).scheme in {"ws", "wss"}:
        return endpoint
    async with httpx2.AsyncClient(timeout=seconds, trust_env=False) as client:
        answer = await client.get(f"{endpoint.rstrip('/')}/json/version")
        return str(answer.raise_for_status().json()["webSocketDebuggerUrl"])
