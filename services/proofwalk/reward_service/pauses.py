"""The log of a walk, without what the platform itself did in its account meanwhile.

A walk that lacks something asks for it, stands still while it is made by the API, and
goes on. What was made then is in the log of the walk's window; a rule that forbids
other buckets than the document's would find one.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from proofwalk.cloud.ports import AuditLog, CloudAccount
from proofwalk.kernel.evidence import AuditEvent, Pause


class WalkLog:
    """`AuditLog` of another one's events, but for those of pauses."""

    def __init__(self, log: AuditLog, pauses: Sequence[Pause]) -> None:
        self._log = log
        self._pauses = pauses
        self.delivery_bound_s = log.delivery_bound_s
        self.self_recording = log.self_recording

    async def events(
        self, account: CloudAccount, *, start: datetime, end: datetime
    ) -> Sequence[AuditEvent]:
        """Return the walk's events of [start, end] that are visible now."""
        return [
            event
            for event in await self._log.events(account, start=start, end=end)
            if not any(pause.spans(event) for pause in self._pauses)
        ]
