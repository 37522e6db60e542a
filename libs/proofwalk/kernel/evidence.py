"""What verdicts cite: records of an audit log, and words out of what a judge was given.

`cloud` makes the events, rules and judges read them, `api.vocabulary` carries them, and
a verdict keeps those of its walk's window.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from proofwalk.kernel.json_values import JsonObject


@dataclass(frozen=True, kw_only=True)
class AuditEvent:
    """One record of the cloud's audit log, under the platform's names; `raw` keeps the
    record as it came."""

    id: str
    time: datetime
    service: str
    name: str
    kind: str
    """ApiCall, ConsoleOperation, ConsoleSignin…"""
    write: bool
    ok: bool
    error_code: str = ""
    actor: str = ""
    request: JsonObject = field(default_factory=dict)
    response: JsonObject = field(default_factory=dict)
    resources: Sequence[str] = ()
    raw: JsonObject = field(default_factory=dict)

    @property
    def request_json(self) -> str:
        """The request's parameters as JSON text."""
        return json.dumps(dict(self.request), ensure_ascii=False)


API_CALL = "ApiCall"
"""`AuditEvent.kind` of what came with an access key, and not through a console."""
SIGN_IN = "ConsoleSignin"
"""`AuditEvent.kind` of a sign-in, which logs call a write and which changes nothing."""


@dataclass(frozen=True, kw_only=True)
class Pause:
    """A time in which a walk stood still and the platform made what it lacked."""

    start: datetime
    end: datetime

    def spans(self, event: AuditEvent) -> bool:
        """Whether the event is the platform's own: a call of the API in that time, in
        an account that nobody else has. Logs tell whole seconds, rounded down."""
        return event.kind == API_CALL and (
            self.start.replace(microsecond=0) <= event.time <= self.end
        )


@dataclass(frozen=True, kw_only=True)
class WalkWindow:
    """From a walk's beginning to its end: what is in the log of that time is its doing,
    but for its pauses."""

    start: datetime
    end: datetime
    pauses: tuple[Pause, ...] = ()
    clock_off_s: float = 0.0
    """By how many seconds at least the console's clock was seen to differ from ours
    during the walk, beyond what is tolerated; positive: it was ahead. The log's times
    are then no proof of when, and absence from the window proves nothing."""


def clock_words(off_s: float) -> str:
    """`WalkWindow.clock_off_s` in words: `at least 90 s ahead of ours`."""
    return f"at least {int(abs(off_s))} s {'ahead of' if off_s > 0 else 'behind'} ours"


@dataclass(frozen=True, kw_only=True)
class CitedEvent:
    """An event that a rule names, and which of its expectations the event met or
    broke."""

    event: AuditEvent
    expectation: str


@dataclass(frozen=True, kw_only=True)
class Citation:
    """Words that stand in what the judge was given."""

    source: str
    """answer, steps, page, events."""
    quote: str
