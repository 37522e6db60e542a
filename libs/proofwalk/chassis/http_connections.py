"""Connections of the HTTP server that end by themselves where a client does not go on.

uvicorn bounds how long an answered connection is idle, and nothing else: a request's
head that comes a byte now and then, or an answer that is never read, would hold a
connection for ever. Here a head has `HEAD_S` seconds from its first moment, the
connection's beginning or the first byte after an answer; and an answer that the client
does not take makes its connection end `TAKEN_S` seconds after the buffer was full. How
long a body may take is the routes' affair (`gateway.bodies`): they can say so.
"""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

HEAD_S = 15.0
TAKEN_S = 60.0


class BoundedConnection(H11Protocol):
    """A connection whose client is waited for no longer than this module says."""

    _head: asyncio.TimerHandle | None = None
    _writing: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._bound_head()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._bound_head()

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._writing is None:
            self._writing = self.loop.call_later(TAKEN_S, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        _end(self._writing)
        self._writing = None

    def connection_lost(self, exc: Exception | None) -> None:
        _end(self._head)
        _end(self._writing)
        super().connection_lost(exc)

    def _bound_head(self) -> None:
        # Between requests uvicorn's own bound holds until something comes.
        if self._answering:
            _end(self._head)
            self._head = None
        elif self._head is None:
            self._head = self.loop.call_later(HEAD_S, self._give_up_head)

    def _give_up_head(self) -> None:
        self._head = None
        if not self._answering:
            self.transport.abort()

    @property
    def _answering(self) -> bool:
        """A request is there, and its answer is not over."""
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is not None and not cycle.response_complete


def _end(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
