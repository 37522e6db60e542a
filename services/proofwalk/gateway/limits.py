"""What one API key may ask of one gateway: requests a second, requests at a time,
streams of events at a time.

Requests are taken from a bucket of `burst` tokens that fills by `requests_per_s`; one
that finds none is refused with the seconds until there is one again. The tables have an
entry for each configured key and each person who signed in by the identity provider,
and no other. They are this process's own: behind n gateways a key has n times as much.
Unfinished verifications are counted in SQL by rollout, once for all gateways, the walks
of inspections among them, which wait at the bound that the inspection role is given. A
person of a tenant is counted as the tenant's key.

Whoever signs in to the web console has no key yet: attempts are counted by address, for
the `ADDRESSES` that tried last. So are requests with a key that nobody has: beyond the
bound they are refused, and the guesses of one address cost others nothing. A known key
is admitted from any address, since many clients may stand behind one; that keys cannot
be guessed rests on their length (`settings.KEY_LENGTH`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from pydantic import Field

from proofwalk.chassis.settings_sections import SettingsSection
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
    sign_ins_per_minute: int = Field(default=10, ge=0, le=100_000)
    """Attempts to sign in to the web console from one address at one gateway, in a
    minute."""
    unknown_keys_per_minute: int = Field(default=60, ge=0, le=100_000)
    """Requests with an unknown API key, or without one, from one address at one
    gateway, in a minute. Requests with a key that is known are not counted, and not
    refused."""
    unfinished_jobs: int = Field(default=500, ge=0, le=1_000_000)
    """Verifications of one key that are not finished, at all gateways together."""


ADDRESSES = 4096
"""Addresses whose attempts are remembered, of each kind."""


@dataclass
class _Bucket:
    """Tokens at a moment of the monotonic clock."""

    tokens: float
    at: float

    def take(self, now: float, *, rate: float, burst: float) -> float:
        """Take a token. Return 0, or in how many seconds there is one."""
        self.tokens, self.at = min(burst, self.tokens + (now - self.at) * rate), now
        if self.tokens < 1:
            return (1 - self.tokens) / rate
        self.tokens -= 1
        return 0.0


class _Attempts:
    """Attempts by address, for the `ADDRESSES` that tried last."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._buckets: dict[str, _Bucket] = {}

    def take(self, address: str, *, per_minute: int) -> float:
        """Count an attempt. Return 0, or in how many seconds there may be another."""
        if not per_minute:
            return 0.0
        now = self._clock.monotonic()
        bucket = self._buckets.pop(address, None) or _Bucket(tokens=float(per_minute), at=now)
        # Put behind all others: the first is the one that has not tried for longest.
        self._buckets[address] = bucket
        while len(self._buckets) > ADDRESSES:
            del self._buckets[next(iter(self._buckets))]
        return bucket.take(now, rate=per_minute / 60, burst=float(per_minute))


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
        self._sign_ins = _Attempts(clock)
        self._unknown_keys = _Attempts(clock)
        self._running: dict[str, int] = {}
        self._watching: dict[str, int] = {}

    def admit(self, principal: str) -> None:
        """Take a request's token. Raises `limit.requests`."""
        rate, burst = self._settings.requests_per_s, float(self._settings.burst)
        if not rate:
            return
        now = self._clock.monotonic()
        bucket = self._buckets.setdefault(principal, _Bucket(tokens=burst, at=now))
        if after_s := bucket.take(now, rate=rate, burst=burst):
            why = f"this key has asked more than {rate:g} times a second"
            raise _refused("limit.requests", why, "ask less often", after_s=after_s)

    def sign_in(self, address: str) -> None:
        """Count an attempt to sign in. Raises `limit.sign_ins`."""
        bound = self._settings.sign_ins_per_minute
        if after_s := self._sign_ins.take(address, per_minute=bound):
            why = f"there were more than {bound} attempts to sign in from here in a minute"
            raise _refused("limit.sign_ins", why, "wait, then try again", after_s=after_s)

    def unknown_key(self, address: str) -> None:
        """Count a request whose API key is not known. Raises `limit.unknown_keys`."""
        bound = self._settings.unknown_keys_per_minute
        if after_s := self._unknown_keys.take(address, per_minute=bound):
            raise _refused(
                "limit.unknown_keys",
                f"there were more than {bound} requests without a known API key from here in a"
                " minute",
                "send a key that this gateway knows",
                after_s=after_s,
            )

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
