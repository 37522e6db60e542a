"""A schedule in words, where its cron is one of the usual ones: daily, or on days of
the week, at one time. Anything else is shown as it was written. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")


@dataclass(frozen=True, kw_only=True)
class ScheduleWords:
    """When a schedule takes its turns, in its own time zone."""

    cron: str
    zone: str
    time: str = ""
    """`03:00`; empty for a cron that has no words here."""
    days: Sequence[str] = ()
    """`mon`, `tue`, …; none where every day counts."""


def schedule_words(cron: str, zone: str) -> ScheduleWords:
    """The words of a cron expression that the inspection role has taken."""
    plain = ScheduleWords(cron=cron, zone=zone or "UTC")
    fields = cron.lower().split()
    if len(fields) != 5 or fields[2:4] != ["*", "*"]:
        return plain
    minute, hour = fields[0], fields[1]
    if not (_is_number(minute) and _is_number(hour)):
        return plain
    days = [] if fields[4] == "*" else [_day(one) for one in fields[4].split(",")]
    if "" in days:
        return plain
    time = f"{int(hour):02}:{int(minute):02}"
    return ScheduleWords(cron=cron, zone=zone or "UTC", time=time, days=days)


def _is_number(field: str) -> bool:
    return field.isascii() and field.isdigit() and len(field) <= 2


def _day(field: str) -> str:
    """The day's name; empty for what is no single day."""
    if field in _DAYS:
        return field
    return _DAYS[int(field) % 7] if _is_number(field) and int(field) <= 7 else ""
