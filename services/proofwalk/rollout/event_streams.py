"""The events of a verification, told to whoever watches it as they come.

A watcher reads what is stored for itself, as far as it may see it; from there on it
shares one poll and one reading with all others of the verification (`pulses`), so that
what a hundred of them cost is writing to a hundred streams.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from functools import partial

from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.chassis.database import Database
from proofwalk.kernel.callers import ITSELF, Caller
from proofwalk.kernel.jobs import JobState
from proofwalk.rollout import usecases
from proofwalk.rollout.messages import event_message
from proofwalk.rollout.pulses import Pulses


@dataclass(frozen=True, kw_only=True)
class _Behind:
    """A page of events behind some place, and whether there will be more."""

    messages: Sequence[pb.Event]
    is_finished: bool


class EventStreams:
    """Of this process."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._pulses = Pulses(read=partial(usecases.read_beat, db), now=time.monotonic)

    async def watch(
        self, verification_id: str, *, caller: Caller, after: int, stored_only: bool
    ) -> AsyncGenerator[pb.Event]:
        """Events behind `after`, then each as it comes, to the end; `stored_only`: to
        the last that is stored. Raises `verification.not_found`."""
        found = await self._behind(verification_id, caller, after)
        with self._pulses.of(verification_id) as pulse:
            while True:
                for message in found.messages:
                    yield message
                    after = message.sequence
                if not found.messages and (stored_only or found.is_finished):
                    return
                if stored_only:
                    found = await self._behind(verification_id, caller, after)
                    continue
                await pulse.passed(after)
                reading = partial(self._behind, verification_id, ITSELF, after)
                found = await pulse.shared(after, reading)

    async def _behind(self, verification_id: str, caller: Caller, after: int) -> _Behind:
        row, events = await usecases.read_events(
            self._db, verification_id, caller=caller, after=after
        )
        return _Behind(
            messages=[event_message(event) for event in events],
            is_finished=row.state is JobState.FINISHED,
        )
