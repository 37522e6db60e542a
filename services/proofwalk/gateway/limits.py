"""What one API key may ask of one gateway: requests a second, requests at a time,
streams of events at a time.

Requests are taken from a bucket of `burst` tokens that fills by `requests_per_s`; one
that finds none is refused with the seconds until there is one again. The tables have an
entry for each configured key and no other, so they do not grow. They are this process's
own: behind n gateways a key has n times as much. Unfinished verifications are counted
in SQL by rollout, once for all gateways.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from pydantic import Field

from proofwalk.chassis.settings import SettingsSection
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, exhausted


class LimitSettings(SettingsSection):
    """Bounds for each API key; 0 sets none."""

    requests_per_s: float = Field(default=100.0, ge=0, le=100_000)
    """Requests a second of one key at one gateway, in the long run."""
    burst: int = Field(default=200, ge=1, le=1_000_000)
    """Requests of one key that one gateway takes at once after a pause."""
    requests_at_once: int = Field(default=50, ge=0, le=10_000)
    """Requests of one key that one gateway works on at the same time, streams of events
    left out."""
    watchers: int = Field(default=20, ge=0, le=10_000)
    """Streams of events of one key at one gateway at the same time."""
    unfinished_jobs: int = Field(default=500, ge=0, le=1_000_000)
    """Verifications of one key that are not finished, at all gateways together."""


@dataclass
class _Bucket:
    """Tokens at a moment of the monotonic clock."""

    tokens: float
    at: float


class Place:
    """A watcher's place; `leave` gives it back, once."""

    def __init__(self, limits: Limits, principal: str) -> None:
        self._limits: Limits | None = limits
        self._principal = principal

    def leave(self) -> None:
        limits, self._limits = self._limits, None
        if limits is not None:
            limits._fewer(limits._watching, self._principal)


class Limits:
    """The bounds of every key at this gateway. Of one event loop."""

    def __init__(self, settings: LimitSettings, *, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._buckets: dict[str, _Bucket] = {}
        self._running: dict[str, int] = {}
        self._watching: dict[str, int] = {}

    def admit(self, principal: str) -> None:
        """Take a request's token. Raises `limit.requests`."""
        rate, burst = self._settings.requests_per_s, float(self._settings.burst)
        if not rate:
            return
        now = self._clock.monotonic()
        bucket = self._buckets.setdefault(principal, _Bucket(tokens=burst, at=now))
        bucket.tokens, bucket.at = min(burst, bucket.tokens + (now - bucket.at) * rate), now
        if bucket.tokens < 1:
            why = f"this key has asked more than {rate:g} times a second"
            raise _refused(
                "limit.requests", why, "ask less often", after_s=(1 - bucket.tokens) / rate
            )
        bucket.tokens -= 1

    @contextmanager
    def under_way(self, principal: str) -> Iterator[None]:
        """Count a request while it is worked on. Raises `limit.requests_at_once`."""
        bound = self._settings.requests_at_once
        if bound and self._running.get(principal, 0) >= bound:
            raise _refused(
                "limit.requests_at_once",
                f"{bound} requests of this key are worked on",
                "wait for their answers",
            )
        self._running[principal] = self._running.get(principal, 0) + 1
        try:
            yield
        finally:
            self._fewer(self._running, principal)

    def watch(self, principal: str) -> Place:
        """A place for a stream of events. Raises `limit.watchers`."""
        bound = self._settings.watchers
        if bound and self._watching.get(principal, 0) >= bound:
            raise _refused(
                "limit.watchers",
                f"{bound} streams of events of this key are open",
                "close one, or GET the verification",
            )
        self._watching[principal] = self._watching.get(principal, 0) + 1
        return Place(self, principal)

    def _fewer(self, counts: dict[str, int], principal: str) -> None:
        counts[principal] -= 1
        if not counts[principal]:
            del counts[principal]


def _refused(code: str, message: str, hint: str, *, after_s: float = 1.0) -> ProofwalkError:
    return exhausted(
        code, message, hint=hint, details={"retry_after_s": str(max(1, math.ceil(after_s)))}
    )
