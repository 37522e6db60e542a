"""What happens to a subscription to events, and to each delivery of one.

    pending --2xx--> delivered
       |  `--else, tries left--> pending, later
       `-----else, none left---> failed --replay--> pending

A try counts from the moment at which it is claimed, before anything is sent, so that a
process that dies in between has used one. Pauses grow by a factor of `GROWTH` up to a
bound, and each is drawn from its upper half, so that deliveries that failed together do
not return together. A receiver that says when it may be asked again (`Retry-After`) is
not asked before.

A subscription is disabled when its receiver has only failed for `disable_after`, and at
once when it says that it is gone for good (410). It takes no events while it is
disabled; what waits for it goes out when its owner enables it again.

Pure; time and chance are passed in. Next: `webhook_usecases`, `webhook_sender`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum

from proofwalk.kernel.clock import isoformat
from proofwalk.kernel.errors import ProofwalkError, conflict, invalid, not_found

GROWTH = 4.0
GONE = 410
MAX_DESCRIPTION = 200
Facts = Mapping[str, str | int]
"""What an event says, flat."""


class EventType(StrEnum):
    """What a subscription may be about."""

    FINDING_OPENED = "finding.opened"
    FINDING_REOPENED = "finding.reopened"
    FINDING_FIXED = "finding.fixed"
    INSPECTION_FINISHED = "inspection.finished"


class DeliveryState(StrEnum):
    """Where a delivery is."""

    PENDING = "pending"
    DELIVERED = "delivered"
    FAILED = "failed"


@dataclass(frozen=True, kw_only=True)
class Subscription:
    """Where an owner's events go."""

    webhook_id: str
    principal: str
    url: str
    events: tuple[EventType, ...]
    description: str = ""
    secret: str = field(repr=False)
    """Sealed."""
    created_at: datetime
    disabled_at: datetime | None = None
    disabled_reason: str = ""
    failing_since: datetime | None = None
    """When the first of the failures happened after which nothing arrived."""


@dataclass(frozen=True, kw_only=True)
class Delivery:
    """One event on its way to one subscription."""

    delivery_id: str
    """The `webhook-id`."""
    webhook_id: str
    principal: str
    event: EventType
    body: str
    state: DeliveryState
    tries: int = 0
    """Begun so far, since the last replay."""
    due_at: datetime
    claimed_until: datetime | None = None
    created_at: datetime
    ended_at: datetime | None = None
    status: int = 0
    """Of the last answer; 0 where none came."""
    reason: str = ""
    """Why the last try failed."""


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """What came of one try."""

    status: int = 0
    reason: str = ""
    """Empty for one that arrived."""
    retry_after_s: float = 0.0

    @property
    def arrived(self) -> bool:
        return not self.reason


@dataclass(frozen=True, kw_only=True)
class RetryPolicy:
    """How often and how fast a delivery is tried."""

    tries: int
    first_pause_s: float
    longest_pause_s: float
    disable_after: timedelta

    def pause_s(self, tries: int, *, chance: float, retry_after_s: float = 0.0) -> float:
        """Seconds until the next try after so many; `chance` is in [0, 1)."""
        # The exponent is bounded because a float overflows before tries end.
        grown = self.first_pause_s * GROWTH ** min(max(tries - 1, 0), 64)
        whole = min(grown, self.longest_pause_s)
        return max(whole * (0.5 + chance / 2), min(retry_after_s, self.longest_pause_s))


def chosen(events: Sequence[str]) -> tuple[EventType, ...]:
    """The event types of these words, each once. Raises `webhook.bad_event`."""
    known = {one.value: one for one in EventType}
    unknown = [word for word in events if word not in known]
    if unknown or not events:
        raise invalid(
            "webhook.bad_event",
            f"{unknown[0][:64]!r} is no event" if unknown else "no event is named",
            hint=f"events are {', '.join(known)}",
        )
    return tuple(dict.fromkeys(known[word] for word in events))


def body_of(event: EventType, *, at: datetime, facts: Facts) -> str:
    """What is sent, as the specification shapes it."""
    shape = {"type": event.value, "timestamp": isoformat(at), "data": dict(facts)}
    return json.dumps(shape, ensure_ascii=False, separators=(",", ":"))


def claimed(delivery: Delivery, *, until: datetime) -> Delivery:
    """The delivery with a try begun."""
    return replace(delivery, tries=delivery.tries + 1, claimed_until=until)


def tried(
    delivery: Delivery,
    subscription: Subscription,
    attempt: Attempt,
    *,
    policy: RetryPolicy,
    at: datetime,
    chance: float,
) -> tuple[Delivery, Subscription]:
    """Both after a try that was claimed."""
    after = replace(
        delivery, claimed_until=None, status=attempt.status, reason=attempt.reason, ended_at=at
    )
    if attempt.arrived:
        return (
            replace(after, state=DeliveryState.DELIVERED),
            replace(subscription, failing_since=None),
        )
    subscription = _failing(subscription, attempt, policy=policy, at=at)
    if delivery.tries >= policy.tries:
        return replace(after, state=DeliveryState.FAILED), subscription
    pause = policy.pause_s(delivery.tries, chance=chance, retry_after_s=attempt.retry_after_s)
    return replace(after, ended_at=None, due_at=at + timedelta(seconds=pause)), subscription


def replayed(delivery: Delivery, *, at: datetime) -> Delivery:
    """The delivery, to be sent once more under the same id. Raises
    `webhook.delivery_pending`."""
    if delivery.state is DeliveryState.PENDING:
        raise conflict(
            "webhook.delivery_pending",
            f"delivery {delivery.delivery_id} is on its way",
            hint="wait for its end; it is tried again by itself",
        )
    return replace(
        delivery, state=DeliveryState.PENDING, tries=0, due_at=at, claimed_until=None, ended_at=None
    )


def enabled(subscription: Subscription) -> Subscription:
    """The subscription, with no failure on its account."""
    return replace(subscription, disabled_at=None, disabled_reason="", failing_since=None)


def no_webhook(webhook_id: str) -> ProofwalkError:
    """Also for what is another's."""
    return not_found("webhook.not_found", f"there is no webhook {webhook_id[:64]!r}")


def no_delivery(delivery_id: str) -> ProofwalkError:
    """Also for what is another's."""
    return not_found("webhook.no_delivery", f"there is no delivery {delivery_id[:64]!r}")


def _failing(
    subscription: Subscription, attempt: Attempt, *, policy: RetryPolicy, at: datetime
) -> Subscription:
    since = subscription.failing_since or at
    subscription = replace(subscription, failing_since=since)
    if subscription.disabled_at is not None:
        return subscription
    if attempt.status == GONE:
        return replace(
            subscription,
            disabled_at=at,
            disabled_reason="the receiver says that it is gone for good (410)",
        )
    if at - since >= policy.disable_after:
        return replace(
            subscription,
            disabled_at=at,
            disabled_reason=f"nothing arrived since {isoformat(since)}: {attempt.reason}",
        )
    return subscription
