"""How far a console's clock is from ours, told by the `Date` of its answers.

A verdict looks for a walk's deeds in the audit log between two of our times, and the
log's times are the console's. Where the two clocks differ, a deed stands outside of the
window, and its absence would be taken for proof. So each answer to a request that may
change something is held against our clock. The server wrote its `Date`, in whole
seconds, after the request was sent and before the answer came: only what lies outside
of that span is certain, so that neither a slow network nor a slow server is taken for a
wrong clock. What a console changes by GET alone tells no time here, and an identity
provider of another origin, where a session signs in, tells its own time and not the
console's.

`HostGuard` reports the requests and answers; `kernel.evidence.WalkWindow` carries what
was found to the judge.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

from proofwalk.console.safety.addresses import Place
from proofwalk.kernel.clock import Clock

TOLERATED_S = 2.0
"""Clocks that are set by NTP differ by less, and a log's times are whole seconds."""
_SAFE = ("GET", "HEAD", "OPTIONS")
_MOST_OPEN = 200
_MOST_ORIGINS = 50
_DATE_CHARS = 64


class ServerClock:
    """The largest difference that was certain so far."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._sent: OrderedDict[str, tuple[datetime, str]] = OrderedDict()
        self._off_s: dict[str, float] = {}
        self._others: set[str] = set()

    @property
    def off_s(self) -> float:
        """Seconds by which the console's clock is at least ahead of ours, or behind it
        if negative; 0 if no answer shows more than `TOLERATED_S`."""
        known = (off_s for origin, off_s in self._off_s.items() if origin not in self._others)
        return max(known, key=abs, default=0.0)

    def pass_over(self, origins: Iterable[str]) -> None:
        """Leave out what answers of these origins told and tell: no log of the console
        is written there."""
        self._others.update(origins)

    def begin(self, request: str, method: str, url: str) -> bool:
        """Note a request that goes out; True if its answer is to be compared."""
        place = None if method.upper() in _SAFE else Place.of(url)
        if place is None:
            return False
        self._sent[request] = (self._clock.now(), place.origin)
        if len(self._sent) > _MOST_OPEN:
            self._sent.popitem(last=False)
        return True

    def compare(self, request: str, date: str) -> None:
        """Hold the `Date` of an answer that has just come against our clock."""
        noted, dated = self._sent.pop(request, None), _parsed(date)
        if noted is None or dated is None:
            return
        sent, origin = noted
        ahead_s = (dated - self._clock.now()).total_seconds()
        behind_s = (sent - dated - timedelta(seconds=1)).total_seconds()
        least_s = max(ahead_s, behind_s)
        more = least_s > max(TOLERATED_S, abs(self._off_s.get(origin, 0.0)))
        if more and (origin in self._off_s or len(self._off_s) < _MOST_ORIGINS):
            self._off_s[origin] = ahead_s if ahead_s > behind_s else -behind_s


def _parsed(text: str) -> datetime | None:
    if len(text) > _DATE_CHARS:
        return None
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
