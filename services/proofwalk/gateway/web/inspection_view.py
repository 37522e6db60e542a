"""What the pages of inspections show, from what the inspection role tells of them.
Pure.

Moments are in the reader's time zone, and days of the calendar are the reader's days.
An estimate is what the role has measured; where it has none, none is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from proofwalk.api.inspection.v1 import inspection_pb2 as pb
from proofwalk.chassis.rpc.vocabulary import OUTCOMES, moment_from_pb
from proofwalk.gateway.web.moments import Moment, Span
from proofwalk.gateway.web.schedule_words import ScheduleWords, schedule_words

LIST = "/console/inspections"
WEEKS_BACK, WEEKS_AHEAD = 3, 2
_DAYS = 7


@dataclass(frozen=True, kw_only=True)
class Now:
    """When and where somebody reads."""

    at: datetime
    zone: ZoneInfo

    def moment(self, at: datetime) -> Moment:
        return Moment.of(at, now=self.at, zone=self.zone)


@dataclass(frozen=True, kw_only=True)
class RunView:
    """An inspection: a row, and the head of its page."""

    run: pb.Inspection
    created: Moment
    finished: Moment | None
    left: Span | None
    """Until the end, by measured walks; None where too few were measured."""

    @property
    def path(self) -> str:
        return f"{LIST}/{self.run.collection_id}/runs/{self.run.inspection_id}"

    @property
    def is_open(self) -> bool:
        return self.finished is None

    @property
    def outcomes(self) -> Sequence[tuple[str, int]]:
        """Verdicts by outcome, by name."""
        return sorted(self.run.outcomes.items())


@dataclass(frozen=True, kw_only=True)
class CollectionView:
    """A collection: a row, and the head of its page."""

    collection: pb.Collection
    schedule: ScheduleWords
    coming: Moment | None
    """The next turn of its schedule."""

    @property
    def path(self) -> str:
        return f"{LIST}/{self.collection.collection_id}"


@dataclass(frozen=True, kw_only=True)
class ItemView:
    """A procedure within an inspection."""

    item: pb.Item
    outcome: str
    """A word of `kernel.outcomes.OutcomeKind`; empty until it is done."""
    finished_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class ShownEntry:
    """An inspection on a day of the calendar, or a turn that comes."""

    entry: pb.CalendarEntry
    at: datetime

    @property
    def path(self) -> str:
        """Of the inspection's page, or of the collection's."""
        collection = f"{LIST}/{self.entry.collection_id}"
        inspection_id = self.entry.inspection_id
        return f"{collection}/runs/{inspection_id}" if inspection_id else collection


@dataclass(frozen=True, kw_only=True)
class Day:
    """A day of the calendar."""

    date: date
    is_today: bool
    entries: Sequence[ShownEntry]


@dataclass(frozen=True, kw_only=True)
class CalendarView:
    """Weeks from Monday to Sunday."""

    weeks: Sequence[Sequence[Day]]
    is_cut: bool
    """There are further entries, which are not shown."""


def run_of(run: pb.Inspection, now: Now) -> RunView:
    """An inspection as it is shown now."""
    progress = run.progress
    has_estimate = progress.HasField("seconds_left")
    is_over = run.HasField("finished_at")
    return RunView(
        run=run,
        created=now.moment(moment_from_pb(run.created_at)),
        finished=now.moment(moment_from_pb(run.finished_at)) if is_over else None,
        left=Span.of(progress.seconds_left) if has_estimate else None,
    )


def collection_of(collection: pb.Collection, now: Now) -> CollectionView:
    """A collection as it is shown now."""
    schedule = collection.spec.schedule
    comes = collection.HasField("next_run_at")
    return CollectionView(
        collection=collection,
        schedule=schedule_words(schedule.cron, schedule.time_zone),
        coming=now.moment(moment_from_pb(collection.next_run_at)) if comes else None,
    )


def item_of(item: pb.Item, now: Now) -> ItemView:
    """An item as it is shown."""
    outcome = OUTCOMES.from_pb(item.outcome)
    is_done = item.HasField("finished_at")
    return ItemView(
        item=item,
        outcome=outcome.value if outcome else "",
        finished_at=moment_from_pb(item.finished_at).astimezone(now.zone) if is_done else None,
    )


def calendar_span(now: Now) -> tuple[datetime, datetime]:
    """From the Monday `WEEKS_BACK` weeks ago until behind the Sunday `WEEKS_AHEAD`
    weeks ahead."""
    monday = _monday(now)
    first = monday - timedelta(weeks=WEEKS_BACK)
    last = monday + timedelta(weeks=WEEKS_AHEAD + 1)
    return _midnight(first, now.zone), _midnight(last, now.zone)


def calendar_of(reply: pb.GetCalendarResponse, now: Now) -> CalendarView:
    """The calendar around now, by the reader's days."""
    by_day: dict[date, list[ShownEntry]] = {}
    for shown in _entries(reply.entries, now.zone):
        by_day.setdefault(shown.at.date(), []).append(shown)
    first, today = _monday(now) - timedelta(weeks=WEEKS_BACK), now.at.astimezone(now.zone).date()
    weeks = []
    for week in range(WEEKS_BACK + WEEKS_AHEAD + 1):
        days = [first + timedelta(days=_DAYS * week + day) for day in range(_DAYS)]
        weeks.append(
            [Day(date=day, is_today=day == today, entries=by_day.get(day, ())) for day in days]
        )
    return CalendarView(weeks=weeks, is_cut=reply.more)


def _entries(entries: Iterable[pb.CalendarEntry], zone: ZoneInfo) -> Iterable[ShownEntry]:
    return (ShownEntry(entry=one, at=moment_from_pb(one.at).astimezone(zone)) for one in entries)


def _monday(now: Now) -> date:
    today = now.at.astimezone(now.zone).date()
    return today - timedelta(days=today.weekday())


def _midnight(day: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, time(), tzinfo=zone)
