"""Deliveries that are tried again, and subscriptions that end."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofwalk.inspection.webhook_life import (
    Attempt,
    Delivery,
    DeliveryState,
    EventType,
    RetryPolicy,
    Subscription,
    body_of,
    chosen,
    claimed,
    enabled,
    replayed,
    tried,
)
from proofwalk.kernel.errors import ProofwalkError

NOW = datetime(2026, 11, 28, 12, tzinfo=UTC)
POLICY = RetryPolicy(
    tries=4, first_pause_s=10, longest_pause_s=3600, disable_after=timedelta(days=3)
)
BROKEN = Attempt(status=500, reason="status 500")
SUBSCRIPTION = Subscription(
    webhook_id="wh_1",
    principal="web",
    url="https://example.com/hook",
    events=(EventType.FINDING_OPENED,),
    secret="sealed",
    created_at=NOW,
)
DELIVERY = Delivery(
    delivery_id="msg_1",
    webhook_id="wh_1",
    principal="web",
    event=EventType.FINDING_OPENED,
    body="{}",
    state=DeliveryState.PENDING,
    due_at=NOW,
    created_at=NOW,
)


def after(
    attempt: Attempt,
    *,
    delivery: Delivery = DELIVERY,
    subscription: Subscription = SUBSCRIPTION,
    at: datetime = NOW,
    chance: float = 0.5,
) -> tuple[Delivery, Subscription]:
    begun = claimed(delivery, until=at + timedelta(minutes=1))
    return tried(begun, subscription, attempt, policy=POLICY, at=at, chance=chance)


def test_an_arrival_ends_it() -> None:
    failing = replace(SUBSCRIPTION, failing_since=NOW)
    delivery, subscription = after(Attempt(status=204), subscription=failing)
    assert (delivery.state, delivery.tries) == (DeliveryState.DELIVERED, 1)
    assert (delivery.claimed_until, subscription.failing_since) == (None, None)


def test_a_failure_is_tried_again_later() -> None:
    delivery, subscription = after(BROKEN, chance=0.0)
    assert (delivery.state, delivery.reason) == (DeliveryState.PENDING, "status 500")
    assert delivery.due_at == NOW + timedelta(seconds=5)
    assert subscription.failing_since == NOW


def test_tries_end() -> None:
    delivery, _ = after(BROKEN, delivery=replace(DELIVERY, tries=3))
    assert (delivery.state, delivery.tries) == (DeliveryState.FAILED, 4)


def test_a_receiver_that_says_when_is_not_asked_before() -> None:
    later = Attempt(status=429, reason="status 429", retry_after_s=600)
    assert after(later)[0].due_at == NOW + timedelta(seconds=600)
    never = replace(later, retry_after_s=1e9)
    assert after(never)[0].due_at == NOW + timedelta(hours=1)


@given(tries=st.integers(0, 10_000), chance=st.floats(0, 1, exclude_max=True))
def test_pauses_grow_within_bounds(tries: int, chance: float) -> None:
    pause = POLICY.pause_s(tries, chance=chance)
    assert 5 <= pause <= 3600
    assert pause <= POLICY.pause_s(tries + 1, chance=chance)


def test_a_receiver_that_is_gone_disables_at_once() -> None:
    _, subscription = after(Attempt(status=410, reason="status 410"))
    assert subscription.disabled_at == NOW
    assert "410" in subscription.disabled_reason


def test_long_failure_disables_and_short_failure_does_not() -> None:
    failing = replace(SUBSCRIPTION, failing_since=NOW - timedelta(days=3))
    assert after(BROKEN, subscription=failing)[1].disabled_at == NOW
    early = replace(SUBSCRIPTION, failing_since=NOW - timedelta(days=2))
    assert after(BROKEN, subscription=early)[1].disabled_at is None


def test_what_was_disabled_is_enabled_with_a_clean_account() -> None:
    failing = replace(SUBSCRIPTION, failing_since=NOW - timedelta(days=3))
    _, disabled = after(BROKEN, subscription=failing)
    assert enabled(disabled) == SUBSCRIPTION


def test_a_replay_keeps_the_id_and_the_body() -> None:
    failed, _ = after(BROKEN, delivery=replace(DELIVERY, tries=3))
    again = replayed(failed, at=NOW)
    assert (again.delivery_id, again.body) == (DELIVERY.delivery_id, DELIVERY.body)
    assert (again.state, again.tries, again.due_at) == (DeliveryState.PENDING, 0, NOW)


def test_what_is_on_its_way_is_not_replayed() -> None:
    with pytest.raises(ProofwalkError) as refusal:
        replayed(DELIVERY, at=NOW)
    assert refusal.value.code == "webhook.delivery_pending"


@pytest.mark.parametrize("words", [[], ["finding.opened", "finding.lost"]])
def test_events_that_there_are_not(words: list[str]) -> None:
    with pytest.raises(ProofwalkError) as refusal:
        chosen(words)
    assert refusal.value.code == "webhook.bad_event"


def test_events_are_chosen_once() -> None:
    assert chosen(["finding.fixed", "finding.fixed"]) == (EventType.FINDING_FIXED,)


def test_the_body_has_the_shape_of_the_specification() -> None:
    body = json.loads(body_of(EventType.FINDING_FIXED, at=NOW, facts={"finding_id": "fnd_1"}))
    assert body == {
        "type": "finding.fixed",
        "timestamp": "2026-11-28T12:00:00Z",
        "data": {"finding_id": "fnd_1"},
    }


def test_secrets_are_not_shown() -> None:
    assert "sealed" not in repr(SUBSCRIPTION)
