"""When something happens, as its reader counts: in the time zone of the browser, and as
a span from now in the largest unit that says enough."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

_ZONE = re.compile(r"[A-Za-z][A-Za-z0-9_+/-]{0,63}")
_UNITS = (("days", 86_400), ("hours", 3_600), ("minutes", 60))
_ENOUGH = 2
"""From two of a unit on, a span is told in it: 90 minutes are no hour."""


@dataclass(frozen=True, kw_only=True)
class Span:
    """A whole number of a unit: `days`, `hours`, `minutes`, or `moments` for less."""

    unit: str
    count: int

    @classmethod
    def of(cls, seconds: float) -> Span:
        """The nearest span."""
        for unit, length in _UNITS:
            if seconds >= _ENOUGH * length:
                return cls(unit=unit, count=round(seconds / length))
        minutes = round(seconds / 60)
        return cls(unit="minutes", count=minutes) if minutes else cls(unit="moments", count=0)


@dataclass(frozen=True, kw_only=True)
class Moment:
    """A moment in the reader's time zone, and how far it is from now."""

    at: datetime
    is_past: bool
    away: Span

    @classmethod
    def of(cls, at: datetime, *, now: datetime, zone: ZoneInfo) -> Moment:
        """The moment as it is read now."""
        seconds = (at - now).total_seconds()
        return cls(at=at.astimezone(zone), is_past=seconds <= 0, away=Span.of(abs(seconds)))


def zone_named(name: str) -> ZoneInfo:
    """The time zone that a browser names; UTC where there is none of that name."""
    if not _ZONE.fullmatch(name):
        return ZoneInfo("UTC")
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return ZoneInfo("UTC")
