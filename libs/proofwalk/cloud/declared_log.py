"""Audit logs that a target file declares: a JSON-lines file or an HTTP endpoint, with
the mapping of its records (`field_mapping`).

`events` are what the mapping makes of a window's records of one account; `records` are
these records as they are, for whoever looks for a mapping or tests one
(`mapping_inference`, `mapping_coverage`).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

import httpx2
from pydantic import BaseModel, ConfigDict, Field, SecretStr, model_validator

from proofwalk.cloud.actiontrail import denied
from proofwalk.cloud.field_mapping import EventMapping, MissingField, at
from proofwalk.cloud.ports import AuditLog, CloudAccount
from proofwalk.kernel.clock import isoformat
from proofwalk.kernel.errors import unavailable
from proofwalk.kernel.evidence import AuditEvent

MAX_LOG_BYTES = 256 * 1024 * 1024
"""Most bytes of a log file. A larger log needs an endpoint."""
MAX_PAGES = 200
MAX_ANSWER_BYTES = 32 * 1024 * 1024
CALL_DEADLINE_S = 20.0


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


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


class AuditOptions(_Model):
    """Where the log is."""

    jsonl: str = ""
    """Path of a JSON-lines file."""
    http: HttpSource | None = None
    """An endpoint."""
    map: EventMapping
    """How a record becomes an event."""
    delivery_bound_s: float = Field(default=30.0, ge=0)
    """Seconds after which an event is normally visible."""
    self_recording: bool = False
    """Whether asking the log leaves an event in it."""

    @model_validator(mode="after")
    def _one_of(self) -> AuditOptions:
        if bool(self.jsonl) == (self.http is not None):
            raise ValueError("say either jsonl or http")
        return self


class DeclaredLog(AuditLog, Protocol):
    """An audit log whose records can be had as they are."""

    async def records(self, account: str, *, start: datetime, end: datetime) -> Sequence[object]:
        """Return what the log has of a window and an account, and perhaps more: a log
        that cannot be asked for less returns all. Raises as `events`."""
        ...


@asynccontextmanager
async def open_log(options: AuditOptions, folder: Path) -> AsyncIterator[DeclaredLog]:
    """Open a log; a file's path is relative to `folder`."""
    if options.http is None:
        yield JsonLinesLog(folder / options.jsonl, options)
        return
    async with httpx2.AsyncClient(timeout=CALL_DEADLINE_S, follow_redirects=False) as client:
        yield HttpLog(client, options.http, options)


def _select(
    records: Sequence[object],
    mapping: EventMapping,
    account: CloudAccount,
    start: datetime,
    end: datetime,
) -> list[AuditEvent]:
    by_id: dict[str, AuditEvent] = {}
    for record in records:
        if not isinstance(record, Mapping) or not mapping.concerns(record, account.external_id):
            continue
        try:
            event = mapping.event(record)
        except MissingField:
            continue
        if start <= event.time <= end:
            by_id[event.id] = event
    return sorted(by_id.values(), key=lambda event: (event.time, event.id))


def _widened(start: datetime) -> datetime:
    """Round the start down to a whole second. Logs often write whole seconds, and an
    event of the start's own second belongs to the window."""
    return start.replace(microsecond=0)


class JsonLinesLog:
    """`AuditLog` over a file with one JSON object a line. A last line without a line
    end is still being written, and is ignored."""

    def __init__(self, path: Path, options: AuditOptions) -> None:
        self.delivery_bound_s = options.delivery_bound_s
        self.self_recording = options.self_recording
        self._path = path
        self._mapping = options.map

    async def events(
        self, account: CloudAccount, *, start: datetime, end: datetime
    ) -> Sequence[AuditEvent]:
        records = await asyncio.to_thread(self._read)
        return _select(records, self._mapping, account, _widened(start), end)

    async def records(self, account: str, *, start: datetime, end: datetime) -> Sequence[object]:
        """Return every line, as it is."""
        return await asyncio.to_thread(self._read)

    def _read(self) -> Sequence[object]:
        try:
            if self._path.stat().st_size > MAX_LOG_BYTES:
                raise unavailable(
                    "cloud.unavailable",
                    f"{self._path} is larger than {MAX_LOG_BYTES} bytes",
                    hint="rotate it, or use http",
                )
            text = self._path.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            raise unavailable(
                "cloud.unavailable", f"the audit log {self._path} cannot be read: {error.strerror}"
            ) from None
        complete, _, _ = text.rpartition("\n")
        records: list[object] = []
        for line in complete.splitlines():
            try:
                records.append(json.loads(line))
            except json.JSONDecodeError:
                continue
        return records


class HttpLog:
    """`AuditLog` over an endpoint."""

    def __init__(
        self, client: httpx2.AsyncClient, source: HttpSource, options: AuditOptions
    ) -> None:
        self.delivery_bound_s = options.delivery_bound_s
        self.self_recording = options.self_recording
        self._client = client
        self._source = source
        self._mapping = options.map

    async def events(
        self, account: CloudAccount, *, start: datetime, end: datetime
    ) -> Sequence[AuditEvent]:
        first = _widened(start)
        records = await self.records(account.external_id, start=first, end=end)
        return _select(records, self._mapping, account, first, end)

    async def first_answer(self, account: str, *, start: datetime, end: datetime) -> object:
        """Return the first page of an answer, as it is."""
        words = _words(account, start, end)
        params = {key: _filled(value, words) for key, value in self._source.params.items()}
        return await self._get(_filled(self._source.url, words), params)

    async def records(self, account: str, *, start: datetime, end: datetime) -> Sequence[object]:
        """Return what the endpoint answers for a window, as it is."""
        words = _words(account, start, end)
        params = {key: _filled(value, words) for key, value in self._source.params.items()}
        records: list[object] = []
        async with asyncio.timeout(CALL_DEADLINE_S * 2):
            for _ in range(MAX_PAGES):
                answer = await self._get(_filled(self._source.url, words), params)
                page = at(answer, self._source.items) if self._source.items else answer
                if not isinstance(page, list):
                    raise unavailable(
                        "cloud.unavailable",
                        "the audit log's answer has no list at"
                        f" {self._source.items or 'its root'!r}",
                    )
                records += page
                token = at(answer, self._source.next) if self._source.next else None
                if not token:
                    return records
                params[self._source.next_param] = str(token)
        raise unavailable(
            "cloud.unavailable", f"the audit log has more than {MAX_PAGES} pages for one window"
        )

    async def _get(self, url: str, params: Mapping[str, str]) -> Any:
        headers = {key: value.get_secret_value() for key, value in self._source.headers.items()}
        try:
            response = await self._client.get(url, params=dict(params), headers=headers)
            if response.status_code in (401, 403):
                raise denied(
                    f"the audit log refuses the request: HTTP {response.status_code}",
                    hint="check options.audit.http.headers",
                )
            if response.status_code != 200:
                raise unavailable(
                    "cloud.unavailable", f"the audit log answered HTTP {response.status_code}"
                )
            if len(response.content) > MAX_ANSWER_BYTES:
                raise unavailable(
                    "cloud.unavailable",
                    f"the audit log's answer is larger than {MAX_ANSWER_BYTES} bytes",
                )
            return response.json()
        except httpx2.HTTPError as error:
            raise unavailable(
                "cloud.unavailable", f"the audit log gives no answer: {type(error).__name__}"
            ) from error
        except ValueError:
            raise unavailable("cloud.unavailable", "the audit log's answer is not JSON") from None


def _words(account: str, start: datetime, end: datetime) -> Mapping[str, str]:
    """Return what stands for the placeholders of an address and its parameters."""
    return {
        "start": isoformat(start),
        "end": isoformat(end),
        "start_epoch": str(int(start.timestamp())),
        "end_epoch": str(int(end.timestamp()) + 1),
        "account": account,
    }


def _filled(template: str, words: Mapping[str, str]) -> str:
    for name, value in words.items():
        template = template.replace("{" + name + "}", value)
    return template
