"""When a reward may be given: completeness of the log, early confirmation, and why a
late log is never a 0."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofwalk.kernel.evidence import AuditEvent
from proofwalk.kernel.outcomes import Decision
from proofwalk.reward_service.bindings import bindings_of
from proofwalk.reward_service.domain import (
    Judgement,
    Look,
    Watch,
    Window,
    give_up,
    judge,
    next_pause,
)
from proofwalk.reward_service.rules import Rule
from tests.reward_service.events import START, event, rule

END = START + timedelta(seconds=60)
BOUND = timedelta(seconds=10)
MONOTONE = rule()
STRICT = rule("all: [{event: StopInstance}]\nnone: [{event: DeleteInstance}]")
LIMITED = rule("all: [{event: StopInstance, max: 1}]")
SELF = "LookupEvents"


def watch(*looks: tuple[float, list[AuditEvent]], self_recording: bool = True) -> Watch:
    """Looks at seconds after the window's end."""
    watched = Watch(
        window=Window(start=START, end=END, delivery_bound=BOUND, self_recording=self_recording)
    )
    for after, events in looks:
        watched.add(Look(asked_at=END + timedelta(seconds=after), events=events))
    return watched


def look_up(after: float) -> AuditEvent:
    return event(SELF, at=60 + after, service="Actiontrail", write=False)


def decided(given: Rule, watched: Watch) -> Judgement | None:
    return judge(
        given,
        tuple(watched.events.values()),
        bindings_of(given, start=START, outputs={}),
        complete=watched.complete,
    )


def decision(given: Rule, watched: Watch) -> Decision | None:
    judgement = decided(given, watched)
    return judgement.decision if judgement else None


def test_what_cannot_be_undone_is_confirmed_at_once() -> None:
    assert decision(MONOTONE, watch((-50, [event(at=5)]))) is Decision.CONFIRMED


@pytest.mark.parametrize("strict", [STRICT, LIMITED])
def test_what_a_later_event_could_undo_waits_for_the_whole_window(strict: Rule) -> None:
    stop = event(at=5)
    assert decision(strict, watch((0, [stop]))) is None
    assert decision(strict, watch((0, [stop]), (9.9, [stop, look_up(1)]))) is None
    assert decision(strict, watch((0, [stop]), (10, [stop, look_up(1)]))) is Decision.CONFIRMED


def test_a_violation_is_denied_at_once() -> None:
    assert decision(STRICT, watch((-30, [event("DeleteInstance", at=3)]))) is Decision.DENIED
    assert decision(LIMITED, watch((-30, [event(at=3), event(at=4)]))) is Decision.DENIED


def test_absence_proves_nothing_before_the_bound() -> None:
    assert decision(MONOTONE, watch((0, []), (9, [look_up(1)]))) is None


def test_absence_proves_nothing_until_delivery_has_passed_the_window() -> None:
    nothing = watch((0, []), (10, []), (60, []))
    assert decision(MONOTONE, nothing) is None
    verdict = give_up(
        MONOTONE,
        list(nothing.events.values()),
        bindings_of(MONOTONE, start=START, outputs={}),
        why=nothing.why_late,
    )
    assert verdict.decision is Decision.AUDIT_LATE
    assert not verdict.decision.tells
    assert "not caught up" in verdict.reason
    assert decision(MONOTONE, watch((0, []), (10, [look_up(0)]))) is None, (
        "an event of the end's own second is not after it"
    )


def test_absence_from_a_complete_log_is_a_denial() -> None:
    watched = watch((0, []), (11, [look_up(1)]))
    assert decision(MONOTONE, watched) is Decision.DENIED
    judgement = decided(MONOTONE, watched)
    assert judgement is not None
    assert "Ecs:StopInstance" in judgement.reason
    assert decision(MONOTONE, watch((10, []), self_recording=False)) is Decision.DENIED


def test_a_log_that_broke_its_bound_can_confirm_but_not_deny() -> None:
    late = event("StartInstance", at=5)
    broken = watch((-20, []), (10, [late, look_up(1)]), self_recording=False)
    assert not broken.kept_bound
    assert decision(MONOTONE, broken) is None
    verdict = give_up(
        MONOTONE,
        list(broken.events.values()),
        bindings_of(MONOTONE, start=START, outputs={}),
        why=broken.why_late,
    )
    assert verdict.decision is Decision.AUDIT_LATE
    assert "later than the log's delivery bound" in verdict.reason
    broken.add(Look(asked_at=END + timedelta(seconds=20), events=[late, event(at=6)]))
    assert decision(MONOTONE, broken) is Decision.CONFIRMED


@pytest.mark.parametrize(("off_s", "way"), [(90.0, "90 s ahead of"), (-600.0, "600 s behind")])
def test_a_log_of_another_clock_can_confirm_but_not_deny(off_s: float, way: str) -> None:
    watched = watch((0, []))
    watched.window = replace(watched.window, clock_off_s=off_s)
    before = watched.open_for_good
    watched.add(Look(asked_at=END + timedelta(seconds=11), events=[look_up(1)]))
    assert decision(MONOTONE, watched) is None
    assert (before, watched.open_for_good) == (False, True), "late delivery may still confirm"
    assert way in watched.why_late
    watched.add(Look(asked_at=END + timedelta(seconds=12), events=[event(at=6)]))
    assert decision(MONOTONE, watched) is Decision.CONFIRMED
    assert decision(STRICT, watched) is None, "a forbidden event may be at another time"


def test_events_outside_of_the_window_do_not_count() -> None:
    before, after = event(at=-1), event(at=61)
    assert decision(MONOTONE, watch((0, [before]), (11, [before, after]))) is Decision.DENIED
    at_start = event(at=0, time=START.replace(microsecond=0))
    late_start = Watch(
        window=Window(
            start=START + timedelta(seconds=0.7),
            end=END,
            delivery_bound=BOUND,
            self_recording=False,
        )
    )
    late_start.add(Look(asked_at=END, events=[at_start]))
    assert decision(MONOTONE, late_start) is Decision.CONFIRMED, (
        "a log of whole seconds writes 0.8 s as 0"
    )


def test_only_a_log_or_judges_that_tell_say_anything_of_the_task() -> None:
    assert [decision.value for decision in Decision if decision.tells] == [
        "confirmed",
        "denied",
        "judged_success",
        "judged_failure",
        "answer_wrong",
        "answer_missing",
    ]


@given(
    lag=st.floats(0, 200),
    happened=st.floats(0, 60),
    pauses=st.lists(st.floats(0.5, 20), min_size=1, max_size=20),
    strict=st.booleans(),
)
def test_what_happened_is_never_denied_whatever_the_lag(
    lag: float, happened: float, pauses: list[float], strict: bool
) -> None:
    """A log with one constant lag, its bound kept or not: the true event is confirmed
    or the log is late; 0 is never said."""
    given_rule = STRICT if strict else MONOTONE
    stop = event(at=happened)
    log = [stop]
    watched = watch()
    now: datetime = START + timedelta(seconds=30)
    for pause in pauses:
        now += timedelta(seconds=pause)
        visible = [item for item in log if item.time + timedelta(seconds=lag) <= now]
        watched.add(Look(asked_at=now, events=visible))
        log.append(event(SELF, at=(now - START).total_seconds(), write=False))
        assert decision(given_rule, watched) is not Decision.DENIED


def test_looks_grow_apart_but_one_comes_when_the_log_can_be_complete() -> None:
    watched = watch()
    pauses = []
    now = END - timedelta(seconds=5)
    for _ in range(12):
        pause = next_pause(watched, now, shortest_s=0.5, longest_s=5)
        pauses.append(pause)
        now += timedelta(seconds=pause)
        watched.add(Look(asked_at=now, events=[]))
    assert pauses[:3] == [0.5, 0.75, 1.125]
    assert max(pauses) <= 5
    assert any(0 <= gap < 0.02 for gap in _gaps(pauses))


def _gaps(pauses: list[float]) -> list[float]:
    """Seconds after the moment at which the log can be complete, look by look."""
    elapsed, gaps = 0.0, []
    for pause in pauses:
        elapsed += pause
        gaps.append(elapsed - 15)
    return gaps


def test_events_outside_of_the_window_that_are_seen_again_are_not_late() -> None:
    before, own = event(at=-5), look_up(1)
    watched = watch((0, [before]), (5, [before, own]), (30, [before, own]), (50, [before, own]))
    assert watched.kept_bound
    assert watched.complete


def test_a_violation_that_depends_on_a_name_waits_for_the_complete_log() -> None:
    named = rule(
        "all: [{as: made, event: CreateVpc}]\nnone: [{event: DeleteVpc, where: [[request.VpcId, ne,"
        " $event.made.response.VpcId]]}]"
    )
    first = event("CreateVpc", at=1, response={"VpcId": "v1"})
    gone = event("DeleteVpc", at=2, request={"VpcId": "v2"})
    second = event("CreateVpc", at=3, response={"VpcId": "v2"})
    assert decision(named, watch((-40, [first, gone]))) is None
    assert (
        decision(named, watch((-40, [first, gone]), (10, [first, gone, look_up(1)])))
        is Decision.DENIED
    )
    assert (
        decision(named, watch((-54, [first, gone]), (10, [first, gone, second, look_up(1)])))
        is Decision.CONFIRMED
    )
