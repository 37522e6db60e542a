"""Who may ask now: at most `limit` questions wait or are being answered; the next one
is refused with a hint when to come back.

Refusing at once is kinder than a queue that outlives its callers' deadlines. The hint
comes from the time that answers took of late: with `limit` in the house, one leaves
about every `seconds / limit`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from proofwalk.inference.domain import overloaded
from proofwalk.kernel.clock import Clock

_WEIGHT = 0.2
"""Of the latest answer in the running mean of their times."""
_SHORTEST_S, _LONGEST_S = 0.1, 60.0


class Admission:
    """Counts questions."""

    def __init__(self, *, limit: int, clock: Clock) -> None:
        self._limit = limit
        self._clock = clock
        self._seconds = 1.0
        self.depth = 0
        """Questions that wait or are being answered."""

    @asynccontextmanager
    async def admitted(self) -> AsyncIterator[None]:
        """Raises `inference.overloaded`."""
        if self.depth >= self._limit:
            raise overloaded(
                self.depth, min(max(self._seconds / self._limit, _SHORTEST_S), _LONGEST_S)
            )
        self.depth += 1
        started = self._clock.monotonic()
        try:
            yield
            # Failures say nothing of how long answers take.
            self._seconds += _WEIGHT * (self._clock.monotonic() - started - self._seconds)
        finally:
            self.depth -= 1
