"""How far a verification, or a group of them, is: asked of the database once for
everybody who watches it.

A watcher reads rows when there are new ones. Whether there are is what `Pulse.beat`
says: of all watchers of one thing in this process one asks, once in `POLL_S`, while the
others wait for what it hears (`passed`), and what lies behind the same place is read
and put into messages once for all (`shared`). A hundred watchers of one walk cost the
database what one costs. A pulse is kept while somebody watches.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

POLL_S = 0.25
T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Beat:
    """Where a verification or a group is."""

    newest: int
    """Sequence number of its newest event, or finished member."""
    is_finished: bool


Read = Callable[[str], Awaitable[Beat]]


@dataclass(kw_only=True)
class Pulse:
    """Of one thing that is watched."""

    watched_id: str
    read: Read
    now: Callable[[], float]
    watchers: int = 0
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    _beat: Beat | None = None
    _at: float = 0.0
    _shared: tuple[int, Beat | None, Any] | None = None

    async def beat(self) -> Beat:
        """The newest beat, at most `POLL_S` old."""
        async with self._lock:
            if self._beat is None or self.now() - self._at >= POLL_S:
                return await self._ask()
            return self._beat

    async def passed(self, sequence: int) -> None:
        """Wait until there is an event behind this one, or the end."""
        beat = await self.beat()
        while beat.newest <= sequence and not beat.is_finished:
            async with self._turn:
                # Whoever has the turn asks for everybody; who waited for it looks at
                # what was heard.
                if self._beat is beat:
                    await asyncio.sleep(POLL_S)
                    async with self._lock:
                        await self._ask()
                beat = self._beat or beat

    async def shared(self, sequence: int, read: Callable[[], Awaitable[T]]) -> T:
        """What `read` finds behind `sequence`, read once for all who come there at this
        beat."""
        async with self._lock:
            if self._shared is None or self._shared[:2] != (sequence, self._beat):
                self._shared = (sequence, self._beat, await read())
            page: T = self._shared[2]
            return page

    async def _ask(self) -> Beat:
        """Ask, and keep the beat that is known if nothing has changed."""
        at, beat = self.now(), await self.read(self.watched_id)
        self._at = at
        if self._beat != beat:
            self._beat = beat
        return self._beat or beat


class Pulses:
    """The pulses of what is watched in this process. `now` is the clock by which it
    sleeps."""

    def __init__(self, *, read: Read, now: Callable[[], float]) -> None:
        self._read = read
        self._now = now
        self._pulses: dict[str, Pulse] = {}

    @contextmanager
    def of(self, watched_id: str) -> Iterator[Pulse]:
        """The pulse of what has this id, for as long as it is watched."""
        pulse = self._pulses.setdefault(
            watched_id, Pulse(watched_id=watched_id, read=self._read, now=self._now)
        )
        pulse.watchers += 1
        try:
            yield pulse
        finally:
            pulse.watchers -= 1
            if not pulse.watchers:
                del self._pulses[watched_id]

    def __len__(self) -> int:
        return len(self._pulses)
