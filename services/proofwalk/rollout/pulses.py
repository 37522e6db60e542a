"""How far a verification, or a group of them, is: asked of the database once for
everybody who watches it.

A watcher reads rows when there are new ones. Whether there are is what `Pulse.beat`
says: of all watchers of one thing in this process, the first that comes after `POLL_S`
asks for it, and the others share the answer. A hundred watchers of one walk cost the
database what one costs. A pulse is kept while somebody watches.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

POLL_S = 0.25


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
    _beat: Beat | None = None
    _at: float = 0.0

    async def beat(self) -> Beat:
        """The newest beat, at most `POLL_S` old."""
        async with self._lock:
            now = self.now()
            if self._beat is None or now - self._at >= POLL_S:
                self._beat, self._at = await self.read(self.watched_id), now
            return self._beat

    async def passed(self, sequence: int) -> None:
        """Wait until there is an event behind this one, or the end."""
        while True:
            beat = await self.beat()
            if beat.newest > sequence or beat.is_finished:
                return
            await asyncio.sleep(POLL_S)


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
