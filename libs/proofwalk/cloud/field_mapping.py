"""Maps any record of any log to an `AuditEvent`, as declared in the target file.

Each field of the event says where its value is: a dotted path into the record
(`payload.items.0.id`), a constant, or a path with a test. Paths that lead nowhere give
an empty value, except for `id`, `time`, `service` and `name`, without which there is no
event: such a record is left out, because one odd line must not hide the others.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone
from typing import Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from proofwalk.chassis.patterns import compile_pattern
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.evidence import AuditEvent
from proofwalk.kernel.json_values import JsonObject

_HAS_YEAR = re.compile(r"%[YyGcxD]")


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class MissingField(ValueError):
    """A record without a field that every event has."""


def _runnable(pattern: str) -> str:
    if pattern:
        try:
            compile_pattern(pattern)
        except ProofwalkError as error:
            raise ValueError(f"{error.message}; {error.hint}") from None
    return pattern


RunnablePattern = Annotated[str, AfterValidator(_runnable)]
"""An RE2 pattern; empty for none."""


def _value(given: object) -> object:
    if isinstance(given, list):
        return {"first": given}
    return {"path": given} if isinstance(given, str) else given


class Value(_Model):
    """Where a value is: `path` into the record, `const`, or the `first` of several that
    is there. `match` takes a part of it, and `lookup` translates it."""

    path: str = ""
    """Dotted path; a number is an index into a list. A dot inside a key is written as a
    backslash and a dot."""
    const: str | None = None
    """The same value for every record."""
    first: tuple[Mapped, ...] = ()
    """Places that are tried in turn, until one has a value."""
    match: RunnablePattern = ""
    """An RE2 pattern: its first group is the value, such as an id out of an address.
    Empty where it is not found."""
    lookup: Mapping[str, str] = Field(default_factory=dict)
    """Maps values of the log to values of the event. Other values are kept."""

    @model_validator(mode="after")
    def _one_of(self) -> Value:
        if bool(self.path) + (self.const is not None) + bool(self.first) != 1:
            raise ValueError("say one of path, const and first")
        return self

    def text(self, record: object) -> str:
        """Return the value as text; empty if the path leads nowhere."""
        return self._part(self._plain(record))

    def texts(self, record: object) -> list[str]:
        """Return the values as texts: those of a list at the path, or the one."""
        found = at(record, self.path) if self.path else None
        if not isinstance(found, list):
            return [text for text in (self.text(record),) if text]
        told = [self._part(str(item)) for item in found if item not in (None, "")]
        return [text for text in told if text]

    def _plain(self, record: object) -> str:
        if self.const is not None:
            return self.const
        if self.first:
            return next((text for one in self.first if (text := one.text(record))), "")
        return _text(at(record, self.path))

    def _part(self, text: str) -> str:
        part = compile_pattern(self.match).first_group(text) if self.match and text else text
        return self.lookup.get(part, part)


Mapped = Annotated[Value, BeforeValidator(_value)]


class Time(_Model):
    """Where the time is, and its format."""

    path: str
    """Dotted path."""
    format: str = "iso"
    """`iso`, `epoch_s`, `epoch_ms`, or a strptime format. One without a year, as syslog
    has it, is of the year that brings it nearest to the window."""
    utc_offset: str = "+00:00"
    """Offset from UTC of times without one."""

    @model_validator(mode="after")
    def _offset_is_one(self) -> Time:
        self.zone()
        return self

    def zone(self) -> timezone:
        """Return the offset as a time zone."""
        try:
            moment = datetime.strptime(self.utc_offset, "%z")
        except ValueError:
            raise ValueError(f"utc_offset {self.utc_offset!r} is not of the form +08:00") from None
        return timezone(moment.utcoffset() or timedelta())

    def moment(self, record: object, *, near: datetime | None = None) -> datetime:
        """Return the record's time in UTC; a year that it lacks is that of `near`.
        Raises `MissingField`."""
        found = at(record, self.path)
        try:
            if self.format in ("epoch_s", "epoch_ms"):
                return datetime.fromtimestamp(
                    float(str(found)) / (1000 if self.format == "epoch_ms" else 1), UTC
                )
            moment = self._parsed(str(found), near)
        except (ValueError, OverflowError, OSError):
            raise MissingField(f"{self.path} is no time of the format {self.format}") from None
        return moment.astimezone(UTC)

    def _parsed(self, text: str, near: datetime | None) -> datetime:
        if near is not None and self.format != "iso" and not _HAS_YEAR.search(self.format):
            return min(self._in_years_about(text, near), key=lambda one: abs(one - near))
        # A zone that is missing is set below.
        moment = (
            datetime.fromisoformat(text)
            if self.format == "iso"
            else datetime.strptime(text, self.format)  # noqa: DTZ007
        )
        return moment if moment.tzinfo else moment.replace(tzinfo=self.zone())

    def _in_years_about(self, text: str, near: datetime) -> list[datetime]:
        """The text in the year of `near`, before and after; a year that lacks the day
        is left out."""
        own = Time(path=self.path, format=f"%Y {self.format}", utc_offset=self.utc_offset)
        moments: list[datetime] = []
        for year in (near.year - 1, near.year, near.year + 1):
            with suppress(ValueError):
                moments.append(own._parsed(f"{year} {text}", None))
        if not moments:
            raise ValueError(text)
        return moments


class Test(_Model):
    """A condition: the value at `path` equals `eq`, is one of `in`, has a part that
    `match` finds, or is missing (`absent`)."""

    __test__ = False  # not a test case, whatever its name says

    path: str = ""
    """Dotted path."""
    const: bool | None = None
    """The same result for every record."""
    eq: str | int | float | bool | None = None
    """What the value equals."""
    in_: tuple[str | int | float | bool, ...] = Field(default=(), alias="in")
    """What the value is one of."""
    match: RunnablePattern = ""
    """An RE2 pattern that is found in the value."""
    absent: bool | None = None
    """True: holds if the value is missing or empty. False: holds if it is there."""

    @model_validator(mode="after")
    def _one_of(self) -> Test:
        tests = (
            (self.eq is not None) + bool(self.in_) + bool(self.match) + (self.absent is not None)
        )
        if (self.const is not None) == bool(self.path) or tests != (self.const is None):
            raise ValueError("say const, or a path and one of eq, in, match, absent")
        return self

    def holds(self, record: object) -> bool:
        """Return True if the condition holds for the record."""
        if self.const is not None:
            return self.const
        found = at(record, self.path)
        if self.absent is not None:
            return (found in (None, "", [], {})) == self.absent
        if self.match:
            return compile_pattern(self.match).search(_text(found))
        return any(_same(found, wanted) for wanted in self.in_ or (self.eq,))


def _same(found: object, wanted: object) -> bool:
    return (type(found) is type(wanted) and found == wanted) or (
        found is not None and str(found) == str(wanted)
    )


MappedTime = Annotated[Time, BeforeValidator(_value)]


class EventMapping(_Model):
    """Where each field of an event is in a record. A plain string is a path."""

    id: Mapped | None = None
    """The record's own id; without one, an id is made from the whole record."""
    time: MappedTime
    """When it happened."""
    service: Mapped
    """Which product."""
    name: Mapped
    """Which operation."""
    kind: Mapped = Value(const="ApiCall")
    """Console operation, API call…"""
    write: Test = Test(const=True)
    """Whether it changed something."""
    ok: Test = Test(const=True)
    """Whether it succeeded."""
    error_code: Mapped = Value(const="")
    """Why it failed."""
    actor: Mapped = Value(const="")
    """Who did it."""
    request: str = ""
    """Path of the parameters: a mapping, or JSON text of one."""
    response: str = ""
    """Path of the answer: a mapping, or JSON text of one."""
    resources: tuple[Mapped, ...] = ()
    """Where ids of resources are: texts or lists of them."""
    account: str = ""
    """Path of the account's external id; records of others are left out. Empty: the log
    holds one account."""
    only: tuple[Test, ...] = ()
    """Conditions of the records that count; the others are left out, as if they were
    not there."""

    def event(self, record: JsonObject, *, near: datetime | None = None) -> AuditEvent:
        """Convert the record into an event. `near` is about when it was written, for
        times without a year. Raises `MissingField`."""
        service, name = self.service.text(record), self.name.text(record)
        identity = (
            self.id.text(record)
            if self.id
            else hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()[:32]
        )
        for field, value in (("id", identity), ("service", service), ("name", name)):
            if not value:
                raise MissingField(f"it has no {field}")
        return AuditEvent(
            id=identity,
            time=self.time.moment(record, near=near),
            service=service,
            name=name,
            kind=self.kind.text(record),
            write=self.write.holds(record),
            ok=self.ok.holds(record),
            error_code=self.error_code.text(record),
            actor=self.actor.text(record),
            request=_mapping(record, self.request),
            response=_mapping(record, self.response),
            resources=tuple(
                dict.fromkeys(text for one in self.resources for text in one.texts(record))
            ),
            raw=dict(record),
        )

    def counts(self, record: JsonObject) -> bool:
        """Return True if the record is one of those that count."""
        return all(test.holds(record) for test in self.only)

    def concerns(self, record: JsonObject, external_id: str) -> bool:
        """Return True if the record belongs to that account."""
        return not self.account or str(at(record, self.account)) == external_id


def at(record: object, path: str) -> object:
    """Return the value at a dotted path, or None."""
    found = record
    for part in (piece.replace("\0", ".") for piece in path.replace("\\.", "\0").split(".")):
        if isinstance(found, Mapping):
            found = found.get(part)
        elif isinstance(found, list) and part.isdigit() and int(part) < len(found):
            found = found[int(part)]
        else:
            return None
    return found


def _text(found: object) -> str:
    return "" if found is None else found if isinstance(found, str) else json.dumps(found)


def _mapping(record: object, path: str) -> JsonObject:
    found = at(record, path) if path else None
    if isinstance(found, str):
        try:
            found = json.loads(found)
        except json.JSONDecodeError:
            return {}
    return dict(found) if isinstance(found, Mapping) else {}
