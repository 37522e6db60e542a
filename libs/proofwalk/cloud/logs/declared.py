"""Audit logs that a target file declares (`options`), with the mapping of their records
(`field_mapping`).

`events` are what the mappings make of a window's records of one account, of every
source; `records` are the first source's records as they are, for whoever looks for a
mapping or tests one (`mapping_inference`, `mapping_coverage`). A source that cannot be
read fails the whole log: half a log proves nothing. Where each is read: `files`,
`http`, `sql`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Protocol

from proofwalk.cloud.field_mapping import EventMapping, MissingField
from proofwalk.cloud.logs.files import JsonLines, TextLines
from proofwalk.cloud.logs.http import opened_endpoint
from proofwalk.cloud.logs.options import AuditOptions, LogSource
from proofwalk.cloud.logs.sql import opened_query
from proofwalk.cloud.ports import CloudAccount
from proofwalk.kernel.evidence import AuditEvent


class RecordSource(Protocol):
    """Where records come from."""

    async def records(self, account: str, *, start: datetime, end: datetime) -> Sequence[object]:
        """Return what the source has of a window and an account, and perhaps more: one
        that cannot be asked for less returns all. Raises `cloud.*`."""
        ...


class DeclaredLog:
    """`AuditLog` over the sources that a target names."""

    def __init__(
        self, sources: Sequence[tuple[RecordSource, EventMapping]], options: AuditOptions
    ) -> None:
        self.delivery_bound_s = options.delivery_bound_s
        self.self_recording = options.self_recording
        self._sources = sources

    async def events(
        self, account: CloudAccount, *, start: datetime, end: datetime
    ) -> Sequence[AuditEvent]:
        # Logs often write whole seconds, and an event of the start's own second belongs
        # to the window.
        first = start.replace(microsecond=0)
        by_id: dict[str, AuditEvent] = {}
        for number, (source, mapping) in enumerate(self._sources):
            records = await source.records(account.external_id, start=first, end=end)
            for event in _mapped(records, mapping, account.external_id, end):
                if first <= event.time <= end:
                    own = replace(event, id=f"{number}/{event.id}") if number else event
                    by_id[own.id] = own
        return sorted(by_id.values(), key=lambda event: (event.time, event.id))

    async def records(self, account: str, *, start: datetime, end: datetime) -> Sequence[object]:
        """Return what the first source has of a window, as it is. Raises `cloud.*`."""
        return await self._sources[0][0].records(account, start=start, end=end)


@asynccontextmanager
async def open_log(options: AuditOptions, folder: Path) -> AsyncIterator[DeclaredLog]:
    """Open a log; a file's path is relative to `folder`."""
    async with AsyncExitStack() as opened:
        sources = [
            (await _opened(one, folder, opened), one.map) for one in (options, *options.also)
        ]
        yield DeclaredLog(sources, options)


async def _opened(source: LogSource, folder: Path, opened: AsyncExitStack) -> RecordSource:
    if source.http is not None:
        return await opened.enter_async_context(opened_endpoint(source.http))
    if source.sql is not None:
        return await opened.enter_async_context(opened_query(source.sql, folder))
    if source.lines is not None:
        return TextLines(folder / source.lines.file, source.lines.pattern)
    return JsonLines(folder / source.jsonl)


def _mapped(
    records: Sequence[object], mapping: EventMapping, external_id: str, end: datetime
) -> list[AuditEvent]:
    events: list[AuditEvent] = []
    for record in records:
        if (
            not isinstance(record, Mapping)
            or not mapping.counts(record)
            or not mapping.concerns(record, external_id)
        ):
            continue
        try:
            events.append(mapping.event(record, near=end))
        except MissingField:
            continue
    return events
