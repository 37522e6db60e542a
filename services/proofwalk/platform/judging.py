"""The reward service's own judge over a complete log, for experiments that judge
recordings."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from proofwalk.kernel.outcomes import Decision
from proofwalk.reward_service.bindings import bindings_of
from proofwalk.reward_service.domain import Window, judge
from proofwalk.reward_service.rules import Rule, parse_rule
from proofwalk.suites.recording import Recording


def judging(rule_yaml: str) -> Callable[[Recording], Decision | None]:
    """What judges recordings by a rule. Raises `rule.invalid`."""
    rule = parse_rule(rule_yaml)
    return lambda recording: decision_of(rule, recording)


def decision_of(rule: Rule, recording: Recording) -> Decision | None:
    """What the judge says of a whole log; None when it would look again, which a whole
    log never makes it do. Raises `rule.invalid`."""
    bindings = bindings_of(rule, start=recording.start, outputs=recording.outputs)
    window = Window(
        start=recording.start,
        end=recording.end + timedelta(seconds=rule.delta_s),
        delivery_bound=timedelta(),
        self_recording=False,
    )
    events = [event for event in recording.events if window.contains(event.time)]
    judgement = judge(rule, events, bindings, complete=True, answer=recording.answer)
    return judgement.decision if judgement is not None else None
