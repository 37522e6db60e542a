"""What there is to judge: a procedure, what was done about it, the last page, and the
log's events. Pure.

What the agent thought and claimed is not part of a case: judging its words would reward
convincing words (§5.2, reward hacking). The one exception is the free text of an answer
that a rule asks for: then the words are what is judged, and nothing else is asked.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from proofwalk.kernel.answers import AnsweredField
from proofwalk.kernel.clock import isoformat
from proofwalk.kernel.errors import invalid
from proofwalk.kernel.evidence import AuditEvent
from proofwalk.kernel.outcomes import EnvCause
from proofwalk.models.client import Image

MAX_SUBSTEPS = 500
MAX_STEPS = 5000
_NUMBER = re.compile(r"[^\s\x00-\x1f\x7f-\x9f]{1,20}")
_JPEG = b"\xff\xd8"


@dataclass(frozen=True, kw_only=True)
class SubStep:
    """One item of the procedure."""

    number: str
    text: str
    optional: bool = False


@dataclass(frozen=True, kw_only=True)
class Step:
    """One action of the agent and what came of it."""

    number: int
    substep: str
    action: str
    """As JSON."""
    element: str
    """Role and name of what it was done to; empty where it was done to nothing."""
    result: str
    ok: bool


@dataclass(frozen=True, kw_only=True)
class WalkToJudge:
    """A procedure and a walk through it."""

    title: str
    substeps: Sequence[SubStep]
    steps: Sequence[Step]
    console: str = ""
    prepared: str = ""
    binds: Mapping[str, str] = field(default_factory=dict)
    page: str = ""
    """The last page as text; empty when none was seen."""
    screenshot: Image | None = None

    def check(self) -> None:
        """Raises `judges.bad_walk` for a walk that nobody can judge."""
        numbers = [one.number for one in self.substeps]
        if (
            not numbers
            or not all(map(_NUMBER.fullmatch, numbers))
            or len(set(numbers)) < len(numbers)
        ):
            raise _bad("its sub-steps are not numbered, each differently and without spaces")
        if len(numbers) > MAX_SUBSTEPS or len(self.steps) > MAX_STEPS:
            raise _bad(f"it has more than {MAX_SUBSTEPS} sub-steps or {MAX_STEPS} steps")
        if self.screenshot is not None and (
            not self.screenshot.jpeg.startswith(_JPEG)
            or self.screenshot.width <= 0
            or self.screenshot.height <= 0
        ):
            raise _bad("its screenshot is not a JPEG with its size")

    @property
    def digest(self) -> str:
        """The same for the same walk."""
        picture = hashlib.sha256(self.screenshot.jpeg).hexdigest() if self.screenshot else ""
        told = [
            self.title,
            self.console,
            self.prepared,
            sorted(self.binds.items()),
            self.page,
            picture,
        ]
        rows = [[one.number, one.text, one.optional] for one in self.substeps]
        done = [
            [one.number, one.substep, one.action, one.element, one.result, one.ok]
            for one in self.steps
        ]
        return hashlib.sha256(json.dumps([told, rows, done]).encode()).hexdigest()


class LogState(StrEnum):
    """What absence from the events means."""

    COMPLETE = "complete"
    """It did not happen."""
    LATE = "late"
    """Nothing: the log has not caught up."""
    ABSENT = "absent"
    """Nothing: there is no log."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """A walk with what the log says about its window."""

    walk: WalkToJudge
    log: LogState
    events: Sequence[AuditEvent] = ()
    free_text: Sequence[AnsweredField] = ()
    """Fields of the agent's answer, each with what the rule says that it has to say.
    With any, the question is whether they are right; else, whether the procedure was
    carried out."""


def event_line(event: AuditEvent) -> str:
    """An event as judges are shown it."""
    result = "ok" if event.ok else f"failed ({event.error_code or 'no code'})"
    resources = f", resources {', '.join(event.resources)}" if event.resources else ""
    request = json.dumps(dict(event.request), ensure_ascii=False, sort_keys=True)
    actor = f", by {event.actor}" if event.actor else ""
    return (
        f"{event.id} {isoformat(event.time)} {event.service}:{event.name}"
        f" {result}{actor}{resources}, request {request}"
    )


def _bad(why: str) -> Exception:
    return invalid(
        "judges.bad_walk",
        f"this walk cannot be judged: {why}",
        hint="send the procedure's sub-steps and the walk's steps",
        cause=EnvCause.MODEL,
    )
