"""The stored form of `judgement`'s types: flat JSON with a schema number, in an
episode's facts and in the job's verdict.

What goes in comes out: `decode(encode(x)) == x`. Outcome and events are flat, and
`blame`, which follows from the outcome, stands beside it for whoever reads rows by
hand. Rows without a number are of releases before it was written: a member that they
lack has the model's default, and an event that does not say whether it wrote did, since
those releases kept what changed something. A row with a higher number than `SCHEMA` is
of a later release and is refused.
"""

from __future__ import annotations

import json
from typing import Any

from pydantic import TypeAdapter

from proofwalk.kernel.clock import isoformat, parse_moment
from proofwalk.kernel.errors import conflict
from proofwalk.kernel.evidence import AuditEvent
from proofwalk.kernel.json_values import JsonObject, int_of, list_of, number_of, object_of
from proofwalk.kernel.outcomes import EnvCause, Outcome, OutcomeKind
from proofwalk.rollout.judgement import Judgement, Verdict, WindowEvent

SCHEMA = 1
"""Of what `encode` writes. It grows with a change that `decode` could not tell from the
row itself."""
_JUDGEMENT = TypeAdapter(Judgement)
_ALONE = ("id", "service", "name", "kind", "write", "ok", "error_code", "actor")
"""Members of an event that JSON has as they are."""


def encode(judgement: Judgement) -> dict[str, Any]:
    """A judgement as JSON."""
    outcome = judgement.outcome
    row: dict[str, Any] = _JUDGEMENT.dump_python(
        judgement, mode="json", exclude={"outcome", "events"}
    )
    return {
        "version": SCHEMA,
        "outcome": outcome.kind.value,
        "cause": outcome.cause.value if outcome.cause else "",
        "code": outcome.code,
        "reason": outcome.reason,
        "blame": outcome.blame.value,
        **row,
        "events": [_event_row(one) for one in judgement.events],
    }


def decode(row: JsonObject) -> Judgement:
    """The judgement of a row of this release or an earlier one. Raises
    `judgement.later_release`, and `ValueError` for what no release wrote."""
    version = int_of(row.get("version"))
    if version > SCHEMA:
        raise conflict(
            "judgement.later_release",
            f"a judgement is stored in schema {version}, and this release reads up to {SCHEMA}",
            hint="upgrade this role to the release that wrote it",
        )
    values = {
        name: row[name]
        for name in row
        if name not in ("outcome", "cause", "code", "reason", "events")
    }
    outcome = Outcome(
        kind=OutcomeKind(str(row["outcome"])),
        cause=EnvCause(str(row["cause"])) if row["cause"] else None,
        reason=str(row["reason"]),
        code=str(row["code"]),
    )
    events = [_window_event(object_of(one)) for one in list_of(row.get("events"))]
    return _JUDGEMENT.validate_python({**values, "outcome": outcome, "events": events})


def encode_verdict(verdict: Verdict) -> dict[str, Any]:
    """A verdict as JSON: its judgement's members, with the phases under
    `phase_seconds`."""
    row = encode(verdict.judgement)
    return {
        **row,
        "phase_seconds": row["seconds"],
        "judged_cost": row["cost"],
        "seconds": verdict.seconds,
        "cost": verdict.cost,
        "episodes": verdict.episodes,
    }


def decode_verdict(row: JsonObject) -> Verdict:
    """The verdict of a row; raises as `decode`."""
    judged: JsonObject = {
        **row,
        "seconds": row["phase_seconds"],
        "cost": row.get("judged_cost", row["cost"]),
    }
    return Verdict(
        judgement=decode(judged),
        seconds=number_of(row["seconds"]),
        cost=number_of(row["cost"]),
        episodes=int_of(row["episodes"]),
    )


def _event_row(one: WindowEvent) -> dict[str, Any]:
    event = one.event
    extent = {
        name: dict(getattr(event, name)) for name in ("response", "raw") if getattr(event, name)
    }
    return {
        **{name: getattr(event, name) for name in _ALONE},
        "time": isoformat(event.time),
        "request": event.request_json,
        "resources": list(event.resources),
        **extent,
        "matched": one.matched,
        "forbidden": one.forbidden,
        "expectation": one.expectation,
    }


def _window_event(row: JsonObject) -> WindowEvent:
    event = AuditEvent(
        id=str(row["id"]),
        time=parse_moment(str(row["time"])),
        service=str(row["service"]),
        name=str(row["name"]),
        kind=str(row["kind"]),
        write=bool(row.get("write", True)),
        ok=bool(row["ok"]),
        error_code=str(row["error_code"]),
        actor=str(row["actor"]),
        request=json.loads(str(row["request"])),
        response=object_of(row.get("response")),
        resources=tuple(map(str, list_of(row["resources"]))),
        raw=object_of(row.get("raw")),
    )
    return WindowEvent(
        event=event,
        matched=bool(row["matched"]),
        forbidden=bool(row["forbidden"]),
        expectation=str(row["expectation"]),
    )
