"""Deadlines travel: a call made while serving a call never outlives it.

The server notes its caller's deadline in a context variable; every client call made by
the same task, or by tasks that it starts, is bounded by it. Work that is to outlive the
call belongs in a background loop, which starts with a clean context.
"""

from __future__ import annotations

import time
from contextvars import ContextVar

_DEADLINE: ContextVar[float | None] = ContextVar("proofwalk_rpc_deadline", default=None)


def note(remaining_s: float) -> None:
    """Bound the calls of this task and its children to `remaining_s` from now."""
    _DEADLINE.set(time.monotonic() + remaining_s)


def bounded(timeout_s: float) -> float:
    """`timeout_s`, or what the call being served has left, if that is less (never below
    zero)."""
    deadline = _DEADLINE.get()
    return timeout_s if deadline is None else max(0.0, min(timeout_s, deadline - time.monotonic()))
