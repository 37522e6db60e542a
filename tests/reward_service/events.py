"""Events and rules for the tests of this folder."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta
from typing import Any

from proofwalk.kernel.evidence import AuditEvent
from proofwalk.reward_service.bindings import bindings_of
from proofwalk.reward_service.evaluation import Evaluation, evaluate
from proofwalk.reward_service.rules import Rule, parse_rule

START = datetime(2026, 1, 1, 12, tzinfo=UTC)
_NUMBERS = itertools.count(1)


def event(
    name: str = "StopInstance",
    *,
    at: float = 10,
    service: str = "Ecs",
    ok: bool = True,
    **more: Any,
) -> AuditEvent:
    given: dict[str, Any] = {
        "id": f"e{next(_NUMBERS):05d}",
        "time": START + timedelta(seconds=at),
        "service": service,
        "name": name,
        "kind": "ConsoleOperation",
        "write": not name.startswith("Describe"),
        "ok": ok,
        "error_code": "" if ok else "IncorrectInstanceStatus",
        "actor": "agent",
    }
    return AuditEvent(**{**given, **more})


def rule(body: str = "all: [{service: Ecs, event: StopInstance}]", delta_s: float = 0) -> Rule:
    return parse_rule(
        f"id: r\nversion: 1\ndelta_s: {delta_s}\ndoc: {{region: cn-hangzhou, net:"
        f" 10.0.0.0/8}}\n{body}\n"
    )


def evaluated(given: Rule, events: list[AuditEvent], **outputs: str) -> Evaluation:
    return evaluate(given, events, bindings_of(given, start=START, outputs=outputs))
