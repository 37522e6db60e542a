"""Whether a fault could have mattered.

A fault counts only if work was under way when it came *and* something met it: calls
that tried the part while it failed, a claim that a frozen worker held, a browser of a
walk that was killed. A part that nobody asked for anything has not been tested by its
death.

`recovery_s` is the time from the moment at which a fault was lifted until every job
that was under way then had gone on: its next event came, or its end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.chaos.faults import Fault
from benchmarks.chaos.history import Entry, Said


@dataclass(frozen=True, kw_only=True)
class Struck:
    """A fault that was carried out. Times are the history's."""

    fault: Fault
    began: float
    lifted: float
    touched: int
    """Calls, claims, processes or entries that met it; see `striking`."""
    under_way: tuple[str, ...]
    """Verifications that had begun and not ended."""

    @property
    def is_effective(self) -> bool:
        """Whether it could have changed anything."""
        return self.touched > 0 and bool(self.under_way)


def recovery_s(struck: Struck, entries: Sequence[Entry]) -> float | None:
    """Seconds until the last of the jobs that were under way had gone on; None if one
    never did."""
    waiting = set(struck.under_way)
    for entry in entries:
        if entry.at <= struck.lifted or entry.said is not Said.SEEN:
            # One that ended while the fault lasted has nothing to recover from.
            if entry.said is Said.SEEN and entry.act == "verification_finished":
                waiting.discard(entry.who)
            continue
        waiting.discard(entry.who)
        if not waiting:
            return round(entry.at - struck.lifted, 3)
    return None if waiting else 0.0
