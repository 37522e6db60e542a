"""Time as an argument.

`Clock.now()` is wall time (always UTC, for rows, events and audit windows);
`Clock.monotonic()` is what deadlines and leases are measured with. `SystemClock` is
wired in `main.py`; `SteadyClock` measures one walk by one ruler; `ManualClock` moves
only when a test moves it.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """A source of wall and monotonic time."""

    def now(self) -> datetime:
        """Wall time, timezone-aware UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds on a clock that never goes back."""
        ...


class SystemClock:
    """The machine's clocks."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()


class SteadyClock:
    """Another clock's wall time when this one was made, and from then on its monotonic
    time: what is measured by it keeps its order and its lengths when the wall clock is
    set meanwhile."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._made_at = clock.now()
        self._began = clock.monotonic()

    def now(self) -> datetime:
        return self._made_at + timedelta(seconds=self.monotonic() - self._began)

    def monotonic(self) -> float:
        return self._clock.monotonic()


class ManualClock:
    """A clock that stands still until `advance` is called."""

    def __init__(self, start: datetime | None = None) -> None:
        self._now = start or datetime(2026, 1, 1, tzinfo=UTC)
        self._monotonic = 0.0

    def now(self) -> datetime:
        return self._now

    def monotonic(self) -> float:
        return self._monotonic

    def advance(self, seconds: float) -> None:
        """Move both clocks forward by `seconds` (never back)."""
        if seconds < 0:
            raise ValueError(f"a clock does not go back: {seconds!r}")
        self._now += timedelta(seconds=seconds)
        self._monotonic += seconds


def isoformat(moment: datetime) -> str:
    """`2026-11-21T03:04:05.123456Z`: the one text form of a moment in rows, events and
    reports."""
    if moment.tzinfo is None:
        raise ValueError(f"a moment needs a time zone: {moment!r}")
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def parse_moment(text: str) -> datetime:
    """Inverse of `isoformat`; accepts any ISO 8601 text that carries a time zone."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"a moment needs a time zone: {text!r}")
    return moment.astimezone(UTC)
