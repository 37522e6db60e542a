"""When it can be told whether a task was done, and how that is decided. Pure.

The log of a window is **complete** when a look-up that began at or after `end + Δ +
delivery bound` has been answered and, where the log records its own look-ups, one of
its visible events is younger than the window's end: delivery has then passed the
window. Until then a missing event proves nothing.

| what a look shows                                        | decision                                        |
|----------------------------------------------------------|-------------------------------------------------|
| a forbidden or surplus event                             | denied, at once: no later event can undo it     |
| the same, where it depends on which event has which name | denied when the log is complete                 |
| all expectations met, rule without `none` and without `max` | confirmed, at once                           |
| all expectations met, log complete                       | confirmed                                       |
| something missing, log complete                          | denied                                          |
| anything else                                            | look again; at the deadline `audit_late`, never 0 |
| more work than a judgement may take                      | `rule_too_costly`, for good, never 0            |

An event that turned up more than the delivery bound after it happened shows that the
log does not keep its bound; from then on only what is there counts: such a log can
confirm or show a violation, and absence in it proves nothing. So it is where the
console's clock was seen to differ from ours while the walk was under way: what the walk
did may stand outside of its window, with an hour that nobody looks at.

A rule that expects an answer is confirmed by a complete log alone: until then,
something may have been changed that nobody asked for. A field that is missing or wrong
decides at once (`answer_missing`, `answer_wrong`), but for a forbidden event; where all
is met but free text that nobody judged, the decision is `answer_not_judged`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from proofwalk.kernel.evidence import AuditEvent, clock_words
from proofwalk.kernel.outcomes import Decision
from proofwalk.reward_service.bindings import Bindings
from proofwalk.reward_service.evaluation import Evaluation, evaluate
from proofwalk.reward_service.expected_answers import Assessment, assess
from proofwalk.reward_service.references import wanted_fields
from proofwalk.reward_service.rules import Rule


@dataclass(frozen=True, kw_only=True)
class Window:
    """Which events count, and when they are normally all visible."""

    start: datetime
    end: datetime
    """The episode's end plus Δ."""
    delivery_bound: timedelta
    self_recording: bool
    clock_off_s: float = 0.0
    """See `kernel.evidence.WalkWindow`."""

    def contains(self, moment: datetime) -> bool:
        """Whether an event of that time counts. A log that writes whole seconds puts
        the start's own second first."""
        return self.start.replace(microsecond=0) <= moment <= self.end

    @property
    def complete_at(self) -> datetime:
        """From when on a look can show a complete log."""
        return self.end + self.delivery_bound


@dataclass(frozen=True, kw_only=True)
class Look:
    """One answered look-up: when it was asked, and what was visible from the window's
    start to that moment."""

    asked_at: datetime
    events: Sequence[AuditEvent]


@dataclass
class Watch:
    """What the looks so far have shown."""

    window: Window
    looks: int = 0
    events: dict[str, AuditEvent] = field(default_factory=dict)
    """Events of the window by id; once seen, an event stays."""
    newest: datetime | None = None
    kept_bound: bool = True
    _asked_before: datetime | None = None
    _seen: set[str] = field(default_factory=set)

    def add(self, look: Look) -> None:
        """Take in one look."""
        for event in look.events:
            if event.id in self._seen:
                continue
            self._seen.add(event.id)
            if (
                self._asked_before is not None
                and self._asked_before
                > event.time + self.window.delivery_bound + timedelta(seconds=1)
            ):
                self.kept_bound = False
            if self.window.contains(event.time):
                self.events[event.id] = event
            self.newest = max(self.newest or event.time, event.time)
        self.looks += 1
        self._asked_before = look.asked_at

    @property
    def never_complete(self) -> bool:
        """Whether no look can show a complete log any more."""
        return not self.kept_bound or self.window.clock_off_s != 0

    @property
    def open_for_good(self) -> bool:
        """Whether the log was asked late enough, and will not be complete."""
        return self._asked_late_enough and self.window.clock_off_s != 0

    @property
    def _asked_late_enough(self) -> bool:
        return self._asked_before is not None and self._asked_before >= self.window.complete_at

    @property
    def complete(self) -> bool:
        """Whether absence from the log means that it did not happen."""
        if not self._asked_late_enough or self.never_complete:
            return False
        # Times of the log are whole seconds, so only a later second is certainly after
        # the window's end.
        passed = self.newest is not None and self.newest.replace(
            microsecond=0
        ) > self.window.end.replace(microsecond=0)
        return passed or not self.window.self_recording

    @property
    def why_late(self) -> str:
        """What is said of the log when time is up."""
        if off_s := self.window.clock_off_s:
            return (
                f"the console's clock was {clock_words(off_s)} during the walk, so that what it"
                " did may be in the log at another time"
            )
        if not self.kept_bound:
            return "events turn up later than the log's delivery bound"
        if self.window.self_recording:
            return "the log has not caught up with the end of the window"
        return "no look-up was answered after the window's delivery bound"


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """A decision, why, and the evidence."""

    decision: Decision
    reason: str
    evaluation: Evaluation
    assessment: Assessment = field(default_factory=Assessment)


def judge(
    rule: Rule,
    events: Sequence[AuditEvent],
    bindings: Bindings,
    *,
    complete: bool,
    answer: str = "",
) -> Judgement | None:
    """The decision that these events of the window and the agent's answer allow, or
    None: look again."""
    assessment = assess(wanted_fields(rule, bindings), answer)
    judged = _judged(rule, evaluate(rule, events, bindings), assessment, complete=complete)
    return judged if judged is None else replace(judged, assessment=assessment)


def _judged(
    rule: Rule, evaluation: Evaluation, assessment: Assessment, *, complete: bool
) -> Judgement | None:
    if evaluation.violations and (complete or not rule.follows_events):
        first = evaluation.violations[0]
        reason = (
            f"{first.event.service}:{first.event.name} ({first.event.id}) breaks"
            f" {first.expectation!r}"
        )
        return Judgement(decision=Decision.DENIED, reason=reason, evaluation=evaluation)
    if assessment.against is not None:
        decision, reason = assessment.against
        return Judgement(decision=decision, reason=reason, evaluation=evaluation)
    if evaluation.met and (complete or is_monotone(rule)):
        return _confirmation(rule, evaluation, assessment)
    if evaluation.missing and complete:
        reason = f"the audit log is complete and lacks: {evaluation.missing[0]}"
        return Judgement(decision=Decision.DENIED, reason=reason, evaluation=evaluation)
    return None


def _confirmation(rule: Rule, evaluation: Evaluation, assessment: Assessment) -> Judgement:
    """All that can be compared is as the rule has it."""
    if assessment.left_open:
        reason = f"nobody has judged the answer's {', '.join(assessment.left_open)}"
        return Judgement(decision=Decision.ANSWER_NOT_JUDGED, reason=reason, evaluation=evaluation)
    ids = ", ".join(dict.fromkeys(match.event.id for match in evaluation.matched)) or "none"
    right = f"; the answer is right: {', '.join(rule.answer)}" if rule.answer else ""
    return Judgement(
        decision=Decision.CONFIRMED,
        reason=f"the audit log confirms {rule.name}: {ids}{right}",
        evaluation=evaluation,
    )


def give_up(rule: Rule, events: Sequence[AuditEvent], bindings: Bindings, *, why: str) -> Judgement:
    """What is said when time is up without a decision; `why` is `Watch.why_late`."""
    evaluation = evaluate(rule, events, bindings)
    lacking = f"; not seen: {evaluation.missing[0]}" if evaluation.missing else ""
    return Judgement(
        decision=Decision.AUDIT_LATE,
        reason=f"the audit log leaves it open: {why}{lacking}",
        evaluation=evaluation,
    )


def is_monotone(rule: Rule) -> bool:
    """Whether no further event can take a confirmation back."""
    return (
        not rule.none
        and not rule.answer
        and all(clause.max is None for clause in (*rule.all, *rule.any))
    )


def next_pause(watch: Watch, now: datetime, *, shortest_s: float, longest_s: float) -> float:
    """Seconds until the next look: growing while nothing happens, and one look as soon
    as the log can be complete."""
    pause = min(shortest_s * 1.5**watch.looks, longest_s)
    until_complete = (watch.window.complete_at - now).total_seconds()
    return min(pause, until_complete + 0.01) if until_complete > 0 else pause
