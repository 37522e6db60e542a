"""Where a target's audit log is: what its file says under `options.audit`.

A source is one of a JSON-lines file, a file of text lines with a pattern (syslog, an
access log), an HTTP endpoint, or a query of a database; each has the mapping of its own
records. A log may have several sources.
"""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator, model_validator
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from proofwalk.chassis.patterns import compile_pattern
from proofwalk.cloud.field_mapping import EventMapping, RunnablePattern

DATABASES = ("postgresql", "sqlite")
"""Databases that can be read."""


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class LinesSource(_Model):
    """A file of text lines. A line without the pattern is none of the log's."""

    file: str
    """Path; what was rotated away beside it is read as well."""
    pattern: RunnablePattern
    """An RE2 pattern; each `(?P<name>…)` in it is a field of the record, and `line` is
    the whole line."""

    @field_validator("pattern")
    @classmethod
    def _names_a_field(cls, pattern: str) -> str:
        if not compile_pattern(pattern).names:
            raise ValueError("the pattern names no field: write (?P<name>…)")
        return pattern


class HttpSource(_Model):
    """An endpoint that answers a window with a JSON list.

    Filled in: `{start}`, `{end}`, `{start_epoch}`, `{end_epoch}`, `{account}`.
    """

    url: str
    """Address, without the query."""
    params: Mapping[str, str] = Field(default_factory=dict)
    """Query parameters."""
    headers: Mapping[str, SecretStr] = Field(default_factory=dict)
    """Headers; secrets by reference."""
    items: str = ""
    """Dotted path of the list in the answer; empty: the answer is the list."""
    next: str = ""
    """Dotted path of the next page's token in the answer; empty: there is one page."""
    next_param: str = "cursor"
    """Query parameter that takes the token."""


class SqlSource(_Model):
    """A query of a database; each row is a record with the columns' names."""

    url: SecretStr
    """`postgresql://user:password@host/base` by reference, or `sqlite:///file`."""
    query: str = Field(min_length=1, max_length=10_000)
    """A SELECT. Filled in, as values: `:start` and `:end` (moments), `:start_text` and
    `:end_text` (ISO 8601), `:start_epoch` and `:end_epoch` (seconds), `:account`."""

    @field_validator("url")
    @classmethod
    def _can_be_read(cls, url: SecretStr) -> SecretStr:
        try:
            backend = make_url(url.get_secret_value()).get_backend_name()
        except ArgumentError:
            raise ValueError("it is no address of a database") from None
        if backend not in DATABASES:
            raise ValueError(
                f"databases of the kind {backend!r} cannot be read; {', '.join(DATABASES)} can."
                " For others, put an HTTP endpoint before it, or write JSON lines"
            )
        return url


class LogSource(_Model):
    """One place where a log is, and what its records are."""

    jsonl: str = ""
    """Path of a JSON-lines file; what was rotated away beside it is read as well."""
    lines: LinesSource | None = None
    """A file of text lines."""
    http: HttpSource | None = None
    """An endpoint."""
    sql: SqlSource | None = None
    """A query of a database."""
    map: EventMapping
    """How a record becomes an event."""

    @model_validator(mode="after")
    def _one_of(self) -> LogSource:
        places = (self.jsonl or None, self.lines, self.http, self.sql)
        if sum(place is not None for place in places) != 1:
            raise ValueError("say one of jsonl, lines, http and sql")
        return self


class AuditOptions(LogSource):
    """The whole log."""

    also: tuple[LogSource, ...] = ()
    """Further sources. An event's id there has the source's number before it."""
    delivery_bound_s: float = Field(default=30.0, ge=0)
    """Seconds after which an event is normally visible, whatever the source."""
    self_recording: bool = False
    """Whether asking the log leaves an event in it."""
