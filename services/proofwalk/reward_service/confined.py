"""A caller's rule, read and applied in a process of its own (`chassis.readers`).

A rule of a few kilobytes can ask for more work than a day has: 500 assignments of
events to names, each with every clause against every event. So neither its reading nor
its judging happens on the event loop. `Rules` orders both; what a rule would take
beyond its bounds is `rule.too_costly`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, TypedDict

from proofwalk.chassis.readers import USUAL, Bounds, Order, Reading
from proofwalk.kernel.answers import AnsweredField, FieldVerdict
from proofwalk.kernel.clock import isoformat, parse_moment
from proofwalk.kernel.evidence import AuditEvent
from proofwalk.kernel.json_values import JsonObject, object_of
from proofwalk.kernel.outcomes import Decision
from proofwalk.reward_service.bindings import bindings_of
from proofwalk.reward_service.domain import Judgement, give_up, judge
from proofwalk.reward_service.evaluation import Match
from proofwalk.reward_service.references import wanted_fields
from proofwalk.reward_service.rules import parse_rule

_HINT = "ask for fewer clauses, fewer names under `as`, or shorter lists"


class EventRow(TypedDict):
    """An audit event as JSON has it."""

    id: str
    time: str
    service: str
    name: str
    kind: str
    write: bool
    ok: bool
    error_code: str
    actor: str
    request: JsonObject
    response: JsonObject
    resources: Sequence[str]
    raw: JsonObject


@dataclass(frozen=True, kw_only=True)
class RuleFacts:
    """What must be known of a rule to watch a log for it."""

    name: str
    delta_s: float


@dataclass(frozen=True, kw_only=True)
class Cited:
    """An event by id and what it met or broke."""

    event_id: str
    expectation: str


@dataclass(frozen=True, kw_only=True)
class Decided:
    """A judgement in which events are named by their ids."""

    decision: Decision
    reason: str
    matched: tuple[Cited, ...] = ()
    missing: tuple[str, ...] = ()
    violations: tuple[Cited, ...] = ()
    answered: tuple[AnsweredField, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Question:
    """A rule and what it is applied to. `late` says why time is up, where it is; then
    `audit_late` is an answer."""

    rule_yaml: str
    start: datetime
    outputs: Mapping[str, str]
    events: Sequence[AuditEvent]
    complete: bool
    late: str = ""
    answer: str = ""


def check_rule(arguments: JsonObject, body: bytes) -> bytes:
    """The reader behind `Rules.check`."""
    rule = parse_rule(body.decode())
    if arguments["outputs"] is not None:
        bindings = bindings_of(
            rule, start=parse_moment(str(arguments["start"])), outputs=_outputs(arguments)
        )
        wanted_fields(rule, bindings)
    return json.dumps({"name": rule.name, "delta_s": rule.delta_s}).encode()


def judge_events(arguments: JsonObject, body: bytes) -> bytes:
    """The reader behind `Rules.judge`."""
    rule = parse_rule(str(arguments["rule_yaml"]))
    bindings = bindings_of(
        rule, start=parse_moment(str(arguments["start"])), outputs=_outputs(arguments)
    )
    events = tuple(event_of(row) for row in json.loads(body))
    judged = judge(
        rule,
        events,
        bindings,
        complete=bool(arguments["complete"]),
        answer=str(arguments["answer"]),
    )
    if judged is None and arguments["late"]:
        judged = give_up(rule, events, bindings, why=str(arguments["late"]))
    return json.dumps(None if judged is None else _row_of(judged)).encode()


def _outputs(arguments: JsonObject) -> Mapping[str, str]:
    return {name: str(value) for name, value in object_of(arguments["outputs"]).items()}


def row_of(event: AuditEvent) -> EventRow:
    """An event as JSON has it."""
    return EventRow(
        id=event.id,
        time=isoformat(event.time),
        actor=event.actor,
        service=event.service,
        name=event.name,
        kind=event.kind,
        write=event.write,
        ok=event.ok,
        error_code=event.error_code,
        request=event.request,
        response=event.response,
        resources=list(event.resources),
        raw=event.raw,
    )


def event_of(row: EventRow) -> AuditEvent:
    """The event of a row."""
    return AuditEvent(
        id=row["id"],
        time=parse_moment(row["time"]),
        actor=row["actor"],
        service=row["service"],
        name=row["name"],
        kind=row["kind"],
        write=row["write"],
        ok=row["ok"],
        error_code=row["error_code"],
        request=row["request"],
        response=row["response"],
        resources=tuple(row["resources"]),
        raw=row["raw"],
    )


def answered_of(row: JsonObject) -> AnsweredField:
    """One field of an answer, of its JSON."""
    return AnsweredField(
        name=str(row["name"]),
        value=str(row["value"]),
        verdict=FieldVerdict(str(row["verdict"])),
        criterion=str(row["criterion"]),
    )


def _row_of(judgement: Judgement) -> dict[str, Any]:
    evaluation = judgement.evaluation
    return {
        "decision": judgement.decision.value,
        "reason": judgement.reason,
        "matched": [asdict(_cited(match)) for match in evaluation.matched],
        "missing": list(evaluation.missing),
        "violations": [asdict(_cited(match)) for match in evaluation.violations],
        "answered": [asdict(one) for one in judgement.assessment.fields],
    }


def _cited(match: Match) -> Cited:
    return Cited(event_id=match.event.id, expectation=match.expectation)


@dataclass(frozen=True, kw_only=True)
class Rules:
    """Reads and applies rules by orders to other processes."""

    reading: Reading
    bounds: Bounds = USUAL

    async def check(
        self,
        rule_yaml: str,
        *,
        start: datetime | None = None,
        outputs: Mapping[str, str] | None = None,
    ) -> RuleFacts:
        """What a rule says of itself, and that `outputs` (if given) have what it refers
        to. Raises `rule.*`."""
        arguments: JsonObject = {
            "start": isoformat(start) if start else "",
            "outputs": None if outputs is None else dict(outputs),
        }
        facts = json.loads(
            await self._read("check_rule", arguments, rule_yaml.encode("utf-8", "surrogatepass"))
        )
        return RuleFacts(**facts)

    async def judge(self, question: Question) -> Decided | None:
        """The decision that these events of the window allow, or None: look again.
        Raises `rule.*`."""
        arguments: JsonObject = {
            "rule_yaml": question.rule_yaml,
            "start": isoformat(question.start),
            "outputs": dict(question.outputs),
            "complete": question.complete,
            "late": question.late,
            "answer": question.answer,
        }
        body = json.dumps([row_of(event) for event in question.events]).encode()
        row = json.loads(await self._read("judge_events", arguments, body))
        if row is None:
            return None
        return Decided(
            decision=Decision(row["decision"]),
            reason=row["reason"],
            matched=tuple(Cited(**item) for item in row["matched"]),
            missing=tuple(row["missing"]),
            violations=tuple(Cited(**item) for item in row["violations"]),
            answered=tuple(map(answered_of, row["answered"])),
        )

    async def _read(self, reader: str, arguments: JsonObject, body: bytes) -> bytes:
        order = Order(
            reader=f"{__name__}:{reader}",
            subject="rule",
            arguments=arguments,
            body=body,
            bounds=self.bounds,
            hint=_HINT,
        )
        return await self.reading.read(order)
