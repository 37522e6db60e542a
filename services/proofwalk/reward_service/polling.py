"""Looking at an audit log again and again until it decides, or until time is up.
Outside of transactions.

Time is up when the log is later than its own bound by `late_grace_s`, or when the
caller's deadline leaves no more than what is reserved; at once when a log that was
asked late enough cannot become complete (`Watch.open_for_good`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import structlog

from proofwalk.chassis.rpc import deadlines
from proofwalk.cloud.ports import AuditLog, CloudAccount
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.reward_service.domain import Look, Watch, next_pause
from proofwalk.reward_service.settings import RewardServiceSettings

T = TypeVar("T")
ANSWER_MARGIN_S = 2.0
"""What is left of a call's deadline for storing and answering."""
_log: structlog.stdlib.BoundLogger = structlog.get_logger()


async def poll(
    log: AuditLog,
    account: CloudAccount,
    watch: Watch,
    decide: Callable[[], Awaitable[T | None]],
    *,
    settings: RewardServiceSettings,
    clock: Clock,
    reserve_s: float = 0.0,
) -> T | None:
    """What `decide` makes of the looks, or None when time is up. `reserve_s` of the
    caller's deadline are left to it. A retryable error of `decide` is met as one of the
    log is.

    Raises what keeps the log from answering: at once what will not pass, else when no
    look was answered."""
    allowed = (
        max((watch.window.complete_at - clock.now()).total_seconds(), 0) + settings.late_grace_s
    )
    kept = reserve_s + ANSWER_MARGIN_S
    until = clock.monotonic() + max(deadlines.bounded(allowed + kept) - kept, 0)
    failure: ProofwalkError | None = None
    while True:
        asked_at = clock.now()
        try:
            # To the present, not to the window's end: what happened after the window
            # shows how far delivery has come.
            events = await log.events(
                account, start=watch.window.start, end=max(asked_at, watch.window.end)
            )
            watch.add(Look(asked_at=asked_at, events=events))
            failure = None
            decided = await decide()
            if decided is not None:
                return decided
        except ProofwalkError as error:
            if not error.retryable:
                raise
            failure = error
            _log.warning("audit_lookup_failed", code=error.code, reason=error.message)
        if watch.open_for_good:
            return None
        pause = next_pause(
            watch,
            clock.now(),
            shortest_s=settings.poll_shortest_s,
            longest_s=settings.poll_longest_s,
        )
        if clock.monotonic() + pause > until:
            if watch.looks == 0 and failure is not None:
                raise failure
            return None
        await asyncio.sleep(pause)
