"""How a log writes its times: the format of `field_mapping.Time` that reads all values
of a column as plausible moments. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from proofwalk.cloud.field_mapping import MissingField, Time

_FIRST = datetime(2000, 1, 1, tzinfo=UTC)
_AHEAD = timedelta(days=1)
"""How far a clock may be ahead of ours."""
_FORMATS = ("iso", "epoch_s", "epoch_ms", "%d/%b/%Y:%H:%M:%S %z", "%Y/%m/%d %H:%M:%S")
_QUARTER = timedelta(minutes=15)
_WIDEST = timedelta(hours=14)


def time_format(values: Sequence[object], now: datetime) -> str:
    """Return the format that reads every value as a moment between the year 2000 and
    tomorrow; empty if there is none. A date alone is no moment."""
    for written in _FORMATS:
        if values and all(_plausible(value, written, now) for value in values):
            return written
    return ""


def utc_offset(value: object, written: str, recorded: datetime) -> str:
    """Return the offset of a time without a zone that was written down about then, in
    quarters of an hour; empty for UTC or if the time is not of that day."""
    if written != "iso" or _moment(value, written, "+01:00") == _moment(value, written, "+00:00"):
        return ""
    ahead = (_moment(value, written, "+00:00") or recorded) - recorded
    quarters = round(ahead / _QUARTER)
    if not quarters or abs(ahead) > _WIDEST:
        return ""
    hours, minutes = divmod(abs(quarters) * 15, 60)
    return f"{'-' if quarters < 0 else '+'}{hours:02}:{minutes:02}"


def _plausible(value: object, written: str, now: datetime) -> bool:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return False
    if written == "iso" and not (isinstance(value, str) and ":" in value):
        return False
    moment = _moment(value, written, "+00:00")
    return moment is not None and _FIRST <= moment <= now + _AHEAD


def _moment(value: object, written: str, offset: str) -> datetime | None:
    try:
        return Time(path="at", format=written, utc_offset=offset).moment({"at": value})
    except MissingField:
        return None
