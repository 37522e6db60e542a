"""The audit log of several regions as one: ActionTrail answers for the events of the
region that is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime

from proofwalk.cloud.actiontrail import ActionTrailLog
from proofwalk.cloud.ports import CloudAccount
from proofwalk.kernel.evidence import AuditEvent


class RegionalLogs:
    """`AuditLog` over the logs of some regions. `close()` ends them all."""

    def __init__(self, logs: Sequence[ActionTrailLog]) -> None:
        self._logs = logs
        self.delivery_bound_s = max(log.delivery_bound_s for log in logs)
        self.self_recording = len(logs) == 1
        """With several regions, a look-up in one says nothing about the others."""

    def close(self) -> None:
        """Take no more calls."""
        for log in self._logs:
            log.close()

    async def events(
        self, account: CloudAccount, *, start: datetime, end: datetime
    ) -> Sequence[AuditEvent]:
        """Return the events of all regions, oldest first. An event that several regions
        tell, as those of global services, is one. Raises what any region raises."""
        answers = await asyncio.gather(
            *(log.events(account, start=start, end=end) for log in self._logs)
        )
        by_id = {event.id: event for events in answers for event in events}
        return sorted(by_id.values(), key=lambda event: (event.time, event.id))
