"""A passing episode as it was recorded: its window, META's outputs and the audit
events, as JSON.

`near_misses` takes recordings apart; the judge sees the same events again. Times are
ISO 8601 with a zone. Reading refuses what is damaged with `suite.recording_invalid`,
naming the place.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from proofwalk.kernel.errors import ProofwalkError, invalid
from proofwalk.kernel.evidence import AuditEvent
from proofwalk.kernel.json_values import JsonObject, list_of, object_of

_TEXTS = ("id", "service", "name", "kind")
_OPTIONAL_TEXTS = ("error_code", "actor")
_MAPPINGS = ("request", "response", "raw")


@dataclass(frozen=True, kw_only=True)
class Recording:
    """What an episode left in the audit log, with what its rule's references stood
    for."""

    start: datetime
    end: datetime
    """The end of the walk; the window is [start, end + Δ]."""
    outputs: Mapping[str, str]
    """META's outputs."""
    events: Sequence[AuditEvent]
    answer: str = ""
    """What the agent told at its end."""


def to_json(recording: Recording) -> str:
    """The text of an `.events.json` file."""
    document = {
        "start": recording.start.isoformat(),
        "end": recording.end.isoformat(),
        "outputs": dict(recording.outputs),
        "events": [_event(event) for event in recording.events],
        **({"answer": recording.answer} if recording.answer else {}),
    }
    return json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def _event(event: AuditEvent) -> dict[str, Any]:
    members: dict[str, Any] = {
        name: getattr(event, name) for name in (*_TEXTS, *_OPTIONAL_TEXTS, "write", "ok")
    }
    members |= {name: dict(getattr(event, name)) for name in _MAPPINGS}
    return members | {"time": event.time.isoformat(), "resources": list(event.resources)}


def from_json(text: str, *, name: str) -> Recording:
    """The recording in `text`; `name` is what errors call it. Raises
    `suite.recording_invalid`."""
    try:
        document = json.loads(text)
        if not isinstance(document, dict):
            raise TypeError("it is not a mapping")
        return Recording(
            start=_time(document["start"]),
            end=_time(document["end"]),
            outputs={str(key): str(value) for key, value in document["outputs"].items()},
            events=tuple(_read(event) for event in document["events"]),
            answer=str(document.get("answer", "")),
        )
    except KeyError as error:
        raise _damaged(name, f"{error.args[0]!r} is missing") from None
    except (ValueError, TypeError, AttributeError) as error:
        raise _damaged(name, str(error)) from None


def _time(value: object) -> datetime:
    moment = datetime.fromisoformat(str(value))
    if moment.tzinfo is None:
        raise ValueError(f"the time {value!r} has no zone")
    return moment


def _read(members: JsonObject) -> AuditEvent:
    given: dict[str, Any] = {name: str(members[name]) for name in _TEXTS}
    given |= {name: str(members.get(name, "")) for name in _OPTIONAL_TEXTS}
    given |= {name: dict(object_of(members.get(name))) for name in _MAPPINGS}
    resources = tuple(map(str, list_of(members.get("resources"))))
    return AuditEvent(
        time=_time(members["time"]),
        write=bool(members["write"]),
        ok=bool(members["ok"]),
        resources=resources,
        **given,
    )


def _damaged(name: str, why: str) -> ProofwalkError:
    return invalid(
        "suite.recording_invalid",
        f"{name} is no recording: {why}",
        hint="record the task again with `bench prove --record`",
    )
