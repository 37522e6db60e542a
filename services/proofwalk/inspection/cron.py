"""Times of a schedule: cron's five fields in a time zone.

Minute, hour, day of month, month, day of week; each is `*`, a number, a range `a-b`, a
step `*/n` or `a-b/n`, or a list of those. Months and weekdays have their English names
of three letters; Sunday is 0 and 7. As in Vixie's cron, a day fits if either of its two
fields does, where neither is `*`.

Where clocks are put forward, a time that does not exist comes as much later as the
clocks were moved, once. Where they are put back, a time that exists twice comes the
first time alone, unless the hour is `*`: then every hour that passes counts. Times are
compared in UTC, so a moment never comes twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from proofwalk.kernel.errors import ProofwalkError, invalid

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_HORIZON_DAYS = 366 * 9
"""Days that are looked through for a time: 29 February may be eight years away."""


@dataclass(frozen=True, kw_only=True)
class _Field:
    name: str
    first: int
    last: int
    names: tuple[str, ...] = ()
    names_from: int = 0


_FIELDS = (
    _Field(name="minute", first=0, last=59),
    _Field(name="hour", first=0, last=23),
    _Field(name="day of month", first=1, last=31),
    _Field(name="month", first=1, last=12, names=_MONTHS, names_from=1),
    _Field(name="day of week", first=0, last=7, names=_DAYS),
)


def time_zone(name: str) -> ZoneInfo:
    """Raises `schedule.bad_time_zone`."""
    try:
        return ZoneInfo(name or "UTC")
    except (KeyError, ValueError, OSError):
        raise invalid(
            "schedule.bad_time_zone",
            f"there is no time zone {name[:64]!r}",
            hint="use a name of the IANA database, such as Europe/Berlin",
        ) from None


class Cron:
    """A parsed expression. Raises `schedule.bad_cron`."""

    def __init__(self, expression: str) -> None:
        parts = expression.split()
        if len(parts) != len(_FIELDS) or len(expression) > 500:
            raise _bad(expression, f"it has {len(parts)} fields, and cron has {len(_FIELDS)}")
        self._expression = expression
        found = [_values(part, field) for part, field in zip(parts, _FIELDS, strict=True)]
        self._minutes, self._hours = sorted(found[0]), sorted(found[1])
        self._days, self._months = found[2], found[3]
        self._weekdays = {day % 7 for day in found[4]}
        self._any_day, self._any_weekday = parts[2].startswith("*"), parts[4].startswith("*")
        self._every_hour = parts[1].startswith("*")

    def after(self, moment: datetime, zone: ZoneInfo) -> datetime:
        """The first time strictly after `moment`, in UTC. Raises `schedule.bad_cron`
        for one that never comes."""
        # A day earlier: what does not exist on a day may come on the next.
        first = moment.astimezone(zone).date() - timedelta(days=1)
        best: datetime | None = None
        for number in range(_HORIZON_DAYS):
            day = first + timedelta(days=number)
            if not self._fits(day):
                continue
            later = [each for each in self._times(day, zone) if each > moment]
            if best is not None:
                return min([best, *later])
            if later:
                best = min(later)
                if best.astimezone(zone).date() == day:
                    return best
        if best is None:
            raise _bad(self._expression, "no day of the next nine years fits")
        return best

    def _fits(self, day: date) -> bool:
        if day.month not in self._months:
            return False
        of_month, of_week = day.day in self._days, day.isoweekday() % 7 in self._weekdays
        if self._any_day or self._any_weekday:
            return of_month and of_week
        return of_month or of_week

    def _times(self, day: date, zone: ZoneInfo) -> Iterator[datetime]:
        for hour in self._hours:
            for minute in self._minutes:
                local = datetime.combine(day, time(hour, minute), tzinfo=zone)
                yield local.astimezone(UTC)
                if self._every_hour:
                    yield local.replace(fold=1).astimezone(UTC)


def _values(part: str, field: _Field) -> set[int]:
    values: set[int] = set()
    for piece in part.lower().split(","):
        span, slash, step_text = piece.partition("/")
        step = _number(step_text, field, part) if slash else 1
        if step < 1:
            raise _bad(part, f"the step of the {field.name} is not above 0")
        if span == "*":
            first, last = field.first, field.last
        else:
            low, dash, high = span.partition("-")
            first = _number(low, field, part)
            last = _number(high, field, part) if dash else (field.last if slash else first)
        if not field.first <= first <= last <= field.last:
            raise _bad(part, f"the {field.name} goes from {field.first} to {field.last}")
        values.update(range(first, last + 1, step))
    return values


def _number(text: str, field: _Field, part: str) -> int:
    if text in field.names:
        return field.names.index(text) + field.names_from
    if text.isascii() and text.isdigit() and len(text) <= 2:
        return int(text)
    raise _bad(part, f"{text[:20]!r} is no {field.name}")


def _bad(expression: str, why: str) -> ProofwalkError:
    return invalid(
        "schedule.bad_cron",
        f"{expression[:80]!r} is no time of cron: {why}",
        hint="five fields: minute, hour, day of month, month, day of week; `0 3 * * 1` is Mondays at 3",
    )
